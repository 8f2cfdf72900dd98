"""Putting all that a session's proof rests on into one file, which can be verified in any clone."""

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toryo import __version__
from toryo.adapters.git.bundles import scratch_repository, write_bundle
from toryo.adapters.git.history import History, plain_git
from toryo.app.project import Project
from toryo.app.verifying import is_inside, stored_in
from toryo.domain.errors import Exit, GitFailed, ToryoError
from toryo.domain.proofs import Claims
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.rules.judging import session_outcome
from toryo.rules.masking import mask
from toryo.rules.proving import Proving
from toryo.views.report import report

FORMAT = 1
LARGEST_LOG, MOST_BYTES = 64 << 20, 2 << 30
"""What a bundle may hold; who reads one refuses more."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_README = """\
This is the proof of a Toryo session{about}.

It holds what happened (events.jsonl), the logs that the evidence names (logs/), the session's report (report.md),
the calls of models where there were any (calls.jsonl), and the commits it made (history.bundle, which needs the
commit it began from: {base}). manifest.json has the SHA-256 of every file.

To verify it, go to a clone of the repository and run:

    toryo verify {name}

Outside of a clone everything but the commits is verified. Nothing is written into the clone, and nothing in here is
run. What looked like a secret was replaced by [MASKED:...] before it was written.

There is no signature: the file shows that it fits together, and, through the commits that carry the hash of the
evidence they rest on (Toryo-Evidence), that it was not rewritten after these commits were made.
"""


class Exporting:
    """The parts of one bundle, as they come together."""

    def __init__(self, project: Project, session: Session, task: Task | None) -> None:
        self._project, self._session = project, session
        self._only = task.plan.key if task else ""
        self.parts: dict[str, bytes | Path] = {}
        self.left_out: dict[str, str] = {}
        self.masked_logs: list[str] = []
        self.masked_events: list[int] = []
        self._room = MOST_BYTES // 2

    def gather(self, folder: Path, name: str) -> None:
        rows = self._project.journal.rows(self._session.id)
        claims = Proving().walk(stored_in(rows)).claims
        self.parts["events.jsonl"] = b"".join(self._events(rows))
        for path in sorted({claim.path for claim in claims.logs if self._only in ("", claim.task)}):
            self._log(path)
        calls = self._project.place.store / "calls" / f"{self._session.id}.jsonl"
        if calls.exists():
            self.parts["calls.jsonl"] = calls
        session, outcome = self._session, session_outcome(self._session)
        told = mask(report(session, outcome, session.updated_at))
        self.parts["report.md"] = told.encode(errors="backslashreplace")
        self._history(folder, claims)
        about = f" (task {self._only})" if self._only else ""
        readme = _README.format(about=about, base=session.base_commit, name=name)
        self.parts["README.txt"] = readme.encode()

    def _events(self, rows: Iterable[tuple[int, str, int, str]]) -> Iterator[bytes]:
        for seq, kind, version, body in rows:
            told = json.loads(body)
            hidden = _masked(told)
            if hidden != told:
                self.masked_events.append(seq)
            line = {"seq": seq, "kind": kind, "version": version, "body": hidden}
            yield json.dumps(line, separators=(",", ":")).encode() + b"\n"

    def _log(self, path: str) -> None:
        source = self._project.place.store / path
        name = f"logs/{path}"
        try:
            size = source.stat().st_size
            if not is_inside(path) or size > min(LARGEST_LOG, self._room):
                self.left_out[name] = "too large"
                return
            self._room -= size
            content = source.read_bytes()
        except OSError as error:
            self.left_out[name] = error.strerror or "unreadable"
            return
        text = content.decode(errors="surrogateescape")
        hidden = mask(text)
        if hidden != text:
            self.masked_logs.append(path)
            content = hidden.encode(errors="surrogateescape")
        self.parts[name] = content

    def _history(self, folder: Path, claims: Claims) -> None:
        """The session's branch, and every other commit that something is said about."""
        git, place = plain_git(os.environ), self._project.place
        known = History(git, place.root).commits({*claims.named_commits, claims.tip})
        if claims.base not in known:
            self.left_out["history.bundle"] = f"commit {claims.base} is not in the repository"
            return
        tips = {f"refs/toryo/proof/{commit}": commit for commit in sorted(known)}
        if claims.tip in known:
            tips[f"refs/heads/{claims.branch}"] = claims.tip
        try:
            target = folder / "history.bundle"
            if write_bundle(git, scratch_repository(git, folder, place), tips, claims.base, target):
                self.parts["history.bundle"] = target
        except GitFailed as error:
            self.left_out["history.bundle"] = str(error)

    def manifest(self) -> dict[str, Any]:
        session = self._session
        return {
            "toryo_proof": FORMAT,
            "toryo": __version__,
            "session": session.id,
            "task": self._only or None,
            "repository": {
                "base_branch": session.base_branch,
                "base_commit": session.base_commit,
                "branch": session.branch,
                "tip": session.tip,
            },
            "masked_events": self.masked_events,
            "masked_logs": self.masked_logs,
            "left_out": self.left_out,
            "files": {name: _digest(part) for name, part in sorted(self.parts.items())},
        }


def export(project: Project, wanted: str | None, target: Path | None, *, force: bool) -> Path:
    """Writes the bundle of a session or a task; all of it, or nothing."""
    session, task, _ = project.find(wanted)
    subject = f"{session.short}-{task.number}" if task else session.short
    path = (target or Path(f"toryo-proof-{subject}.zip")).resolve()
    if path.is_dir():
        path /= f"toryo-proof-{subject}.zip"
    if path.exists() and not force:
        raise _there_already(path)
    exporting = Exporting(project, session, task)
    with tempfile.TemporaryDirectory(prefix="toryo-proof-") as folder:
        exporting.gather(Path(folder), path.name)
        try:
            _write(path, exporting, force)
        except FileExistsError as error:
            raise _there_already(path) from error
        except OSError as error:
            raise _cannot_export(path.parent, error) from error
    return path


def _there_already(path: Path) -> ToryoError:
    hint = "--force writes over it, -o names another file"
    return ToryoError("E305", f"{path} is there already", hint=hint, exit_code=Exit.REFUSED)


def _cannot_export(folder: Path, error: OSError) -> ToryoError:
    """In words of its own: the folder need not be in the repository, and there is no session to be resumed."""
    hint = "-o names another place" if folder.is_dir() else f"make the folder first, with mkdir -p {folder}"
    return ToryoError("E114", f"cannot write in {folder}: {error.strerror or error}", hint=hint, exit_code=Exit.MISSING)


def _write(path: Path, exporting: Exporting, force: bool) -> None:
    manifest = json.dumps(exporting.manifest(), indent=2, ensure_ascii=False)
    parts: dict[str, bytes | Path] = {"manifest.json": manifest.encode(errors="backslashreplace"), **exporting.parts}
    descriptor, new = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _zip(file, parts)
        if force:
            Path(new).replace(path)
        else:
            os.link(new, path)  # refuses where somebody was faster
    finally:
        Path(new).unlink(missing_ok=True)


def _zip(file: Any, parts: Mapping[str, bytes | Path]) -> None:
    """Nothing of when or where it was made goes in: the same proof is the same file."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in sorted(parts.items()):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o100600 << 16
            info.compress_type = zipfile.ZIP_STORED if name == "history.bundle" else zipfile.ZIP_DEFLATED
            archive.writestr(info, part if isinstance(part, bytes) else part.read_bytes())


def _digest(part: bytes | Path) -> str:
    if isinstance(part, bytes):
        return hashlib.sha256(part).hexdigest()
    with part.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {name: _masked(inner) for name, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list) else value
