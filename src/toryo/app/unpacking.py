"""Reading a bundle that anybody may have made: bounded, checked, and never written outside a folder of its own."""

import hashlib
import json
import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from toryo.adapters.git.bundles import read_bundle, scratch_repository
from toryo.adapters.git.history import History, plain_git
from toryo.adapters.git.place import find_place
from toryo.app.bundling import FORMAT, LARGEST_LOG, MOST_BYTES
from toryo.app.verifying import Source, is_inside, stored_in
from toryo.domain.errors import Exit, GitFailed, ToryoError
from toryo.domain.proofs import Discrepancy, Flaw, Stored

_NAMES = frozenset({"manifest.json", "README.txt", "events.jsonl", "report.md", "calls.jsonl", "history.bundle"})
_MOST_FILES, _MOST_AT_ONCE = 50_000, 256 << 20
_CHUNK = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass
class Opened:
    path: Path
    source: Source

    def refuse_unless(self, *, trusted: bool) -> None:
        """What somebody else wrote is not run without a word."""
        if trusted:
            return
        raise ToryoError(
            "E304",
            f"{self.path.name} names commands that somebody else wrote; they are not run without --trust",
            hint="unzip -p FILE events.jsonl shows them; 'toryo verify --rerun --trust FILE' runs them",
            exit_code=Exit.REFUSED,
        )


@contextmanager
def unpacked(path: Path, where: Path) -> Iterator[Opened]:
    """The bundle as something to verify; commits come from the clone around `where`, and from the bundle itself."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise ToryoError("E301", f"{path} cannot be read: {error.strerror}", hint="is the name right?") from error
    with file, tempfile.TemporaryDirectory(prefix="toryo-verify-") as folder:
        try:
            with zipfile.ZipFile(file) as archive:
                bundle = _Bundle(path, archive)
                source = bundle.source()
                source.history = bundle.history(Path(folder), where)
        except _BROKEN as error:
            raise _broken(path, str(error) or type(error).__name__) from error
        yield Opened(path, source)


class _Bundle:
    """A zip file whose names and sizes have been looked at."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path, self._archive = path, archive
        _refuse_hostile(path, archive.infolist())
        self._digests: dict[str, str] = {}
        room = MOST_BYTES
        for info in archive.infolist():
            largest = 2 * LARGEST_LOG if info.filename.startswith("logs/") else MOST_BYTES
            self._digests[info.filename], size = self._digest(info, min(room, largest))
            room -= size
        self._manifest = self._read_manifest()

    def _digest(self, info: zipfile.ZipInfo, room: int) -> tuple[str, int]:
        """What the file says about its sizes is not believed."""
        hashed, size = hashlib.sha256(), 0
        with self._archive.open(info) as part:
            while piece := part.read(_CHUNK):
                size += len(piece)
                if size > room:
                    raise _refused(self._path, f"{info.filename} unpacks to more than a proof may hold")
                hashed.update(piece)
        return hashed.hexdigest(), size

    def _read(self, name: str) -> bytes:
        if name not in self._digests:
            raise _broken(self._path, f"it has no {name}")
        with self._archive.open(name) as part:
            content = part.read(_MOST_AT_ONCE + 1)
        if len(content) > _MOST_AT_ONCE:
            raise _refused(self._path, f"{name} is larger than {_MOST_AT_ONCE >> 20} MiB")
        return content

    def _read_manifest(self) -> dict[str, Any]:
        manifest = _json(self._path, "manifest.json", self._read("manifest.json"))
        if not isinstance(manifest, dict) or not isinstance(manifest.get("toryo_proof"), int):
            raise _broken(self._path, "manifest.json is not that of a proof")
        if manifest["toryo_proof"] != FORMAT:
            raise ToryoError(
                "E303",
                f"{self._path.name} has format {manifest['toryo_proof']}, this version knows {FORMAT}",
                hint=f"it was made by Toryo {manifest.get('toryo', '?')}; use that version or a newer one",
                exit_code=Exit.FAULT,
            )
        if not isinstance(manifest.get("files"), dict):
            raise _broken(self._path, "manifest.json lists no files")
        return manifest

    def source(self) -> Source:
        only = self._manifest.get("task")
        masked = _list_of(self._manifest.get("masked_logs"), str)
        return Source(
            self._stored(),
            self._logs,
            None,
            only if isinstance(only, str) else "",
            list(self._against_manifest()),
            frozenset(masked),
        )

    def _against_manifest(self) -> Iterator[Discrepancy]:
        listed = self._manifest["files"]
        for name in sorted({*listed, *self._digests} - {"manifest.json"}):
            expected, found = listed.get(name), self._digests.get(name)
            if expected is None:
                yield Discrepancy(Flaw.BUNDLE, "", f"file {name}", "it is not in the manifest")
            elif found is None:
                yield Discrepancy(Flaw.BUNDLE, "", f"file {name}", "the manifest has it, and it is not in the bundle")
            elif found != expected:
                what = "it is not the one that the manifest lists"
                yield Discrepancy(Flaw.BUNDLE, "", f"file {name}", what, str(expected), found)

    def _stored(self) -> list[Stored]:
        masked = frozenset(_list_of(self._manifest.get("masked_events"), int))
        rows = []
        for number, line in enumerate(self._read("events.jsonl").splitlines(), 1):
            told = _json(self._path, f"events.jsonl, line {number}", line)
            match told:
                case {"seq": int(seq), "kind": str(kind), "version": int(version), "body": dict(body)}:
                    rows.append((seq, kind, version, json.dumps(body)))
                case _:
                    raise _broken(self._path, f"events.jsonl, line {number} is not an event")
        return stored_in(rows, masked)

    def _logs(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: self._digests[name] for path in paths if (name := f"logs/{path}") in self._digests}

    def history(self, folder: Path, where: Path) -> History | None:
        git = plain_git(os.environ)
        try:
            place = find_place(where)
            scratch = scratch_repository(git, folder, place)
        except (ToryoError, GitFailed, OSError):
            return None
        tips = History(git, place.root).refs()
        if "history.bundle" in self._digests:
            target = folder / "history.bundle"
            with self._archive.open("history.bundle") as part, target.open("wb") as file:
                _copy(part, file)
            # It fails in another repository, or in a clone without the commit it began from: commits will be missing.
            with suppress(GitFailed):
                tips |= read_bundle(git, scratch, target)
        return History(git, scratch, tips)


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    while piece := source.read(_CHUNK):
        target.write(piece)


def _refuse_hostile(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > _MOST_FILES:
        raise _refused(path, f"it holds more than {_MOST_FILES} files")
    seen: set[str] = set()
    for info in infos:
        name = info.filename
        is_known = name in _NAMES or (name.startswith("logs/") and is_inside(name))
        if not is_known or name != info.orig_filename:
            raise _refused(path, f"it holds a file that does not belong there: {name!r}")
        if name in seen:
            raise _refused(path, f"it holds {name} twice")
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise _refused(path, f"{name} is not a plain file")
        seen.add(name)


def _json(path: Path, what: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _broken(path, f"{what} is not JSON: {error}") from error


def _list_of(value: object, kind: type) -> list[Any]:
    return [each for each in value if isinstance(each, kind)] if isinstance(value, list) else []


def _broken(path: Path, why: str) -> ToryoError:
    return ToryoError("E301", f"{path} is not a proof, or it is damaged: {why}", hint="have it exported again")


def _refused(path: Path, why: str) -> ToryoError:
    hint = "it was not made by 'toryo proof export'"
    return ToryoError("E302", f"{path} is refused: {why}", hint=hint, exit_code=Exit.REFUSED)
