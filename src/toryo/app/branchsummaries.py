"""What a model says that a branch changes, and why: asked once for each state of it, then remembered."""

import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from toryo.adapters.git.place import Place, cannot_write, ensure_store, find_place
from toryo.adapters.replacing import put
from toryo.adapters.replies import BadReply
from toryo.adapters.settingkeys import ModelRole
from toryo.adapters.settings import load_settings
from toryo.app.branchdetails import details, patch, span_of
from toryo.app.inquiring import Inquiry
from toryo.app.models import choose
from toryo.app.pausing import pause
from toryo.app.prompting import prompts_of
from toryo.domain.branch import BranchSummary, Details, FileLines
from toryo.rules.masking import mask
from toryo.rules.wording import fill

LOG = "branches"
"""Calls are on record under this name."""
_LONGEST_REPLY = 4_000
_LONGEST_LIST, _LONGEST_PATCH = 6_000, 24_000
_MOST_KEPT = 1_000
_LOOK_EVERY = 0.1
_UNUSABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")

Hear = Callable[[str], object]
"""Gets the reply piece by piece while it comes; an empty piece says that it begins anew."""


def can_summarise(root: Path) -> bool:
    found = choose(load_settings(find_place(root).root, os.environ, {}), ModelRole.SUMMARY)
    return found is not None and not found.missing


def cached_summary(root: Path, name: str) -> BranchSummary | None:
    span = span_of(root, name)
    return _read(_file(find_place(root), span.branch.commit, span.since))


def summary(root: Path, name: str, *, fresh: bool, hear: Hear | None) -> BranchSummary | None:
    place = find_place(root)
    settings = load_settings(place.root, os.environ, {})
    if choose(settings, ModelRole.SUMMARY) is None:
        return None
    ensure_store(place)
    found = details(root, name)
    file = _file(place, found.branch.commit, found.merge_base)
    known = _read(file)
    with _turn(file):
        # Whoever had the turn before may have asked just this.
        now = _read(file)
        if now is not None and (not fresh or now != known):
            return now
        prompt = fill(
            prompts_of(place).text("branch"),
            name=mask(name),
            base=found.base or "nothing: it is the main branch, and these are its latest commits",
            task=mask(_task_words(found)),
            commits=_clipped("\n".join(f"{one.id} {one.author}: {one.subject}" for one in found.commits)),
            files=_clipped("\n".join(map(_file_words, found.files))),
            changes=mask(patch(root, name, _LONGEST_PATCH)) or "(nothing)",
        )
        inquiry = Inquiry(place, settings, lambda _: nullcontext(_Ear(hear)), tries=1)
        asked = inquiry.ask(LOG, "branch", prompt, _summary_in, role=ModelRole.SUMMARY, about="")
        if asked.value is None:
            raise inquiry.unusable(LOG, asked)
        said = BranchSummary(found.branch.commit, mask(asked.value), mask(asked.by), time.time())
        _write(file, said)
    return said


def _task_words(found: Details) -> str:
    work = found.branch.work
    if work is None:
        return "(none is known)"
    criteria = dict(found.task).get("criteria", "")
    return "\n".join(filter(None, (work.title, f"{work.task} {work.task_title}".strip(), criteria)))


def _file_words(one: FileLines) -> str:
    return f"{one.path} " + ("(binary)" if one.added is None else f"+{one.added} -{one.removed}")


def _clipped(text: str) -> str:
    """Masked before it is cut: half a secret would not be recognised."""
    text = mask(text)
    return text if len(text) <= _LONGEST_LIST else f"{text[:_LONGEST_LIST]}\n… the rest is left out"


def _summary_in(text: str) -> str:
    """Plain Markdown of a bounded length, without what would steer a terminal."""
    found = re.fullmatch(r"```(?:markdown|md)?[ \t\r]*\n(.*)\n```", text.strip(), re.DOTALL)
    said = _UNUSABLE.sub("", found[1] if found else text).strip()
    if not said:
        raise BadReply("the reply should be a few sentences about the branch")
    return said if len(said) <= _LONGEST_REPLY else f"{said[:_LONGEST_REPLY]} …"


class _Ear:
    """Whoever waits for the reply may want to see it come."""

    def __init__(self, hear: Hear | None) -> None:
        self._hear = hear

    def hear(self, _: str, piece: str) -> None:
        if self._hear:
            self._hear(piece)

    def note(self, _: str) -> None:
        """It is not waited for long enough to say so."""


# ── remembering ──────────────────────────────────────────────────────────────


def _file(place: Place, commit: str, since: str) -> Path:
    """For a commit, as a change to another: moved or rebased, a branch is something else to tell about."""
    name = hashlib.sha256(f"{commit} {since}".encode()).hexdigest()[:32]
    return place.store / "summaries" / f"{name}.json"


def _read(file: Path) -> BranchSummary | None:
    try:
        found = json.loads(file.read_bytes())
        return BranchSummary(str(found["commit"]), str(found["text"]), str(found["model"]), float(found["at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(file: Path, said: BranchSummary) -> None:
    """What is oldest makes room. A reply that was paid for is told even if it cannot be kept."""
    content = {"commit": said.commit, "text": said.text, "model": said.model, "at": said.at}
    with suppress(OSError):
        put(file, json.dumps(content).encode())
        every = sorted(file.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for old in every[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)


@contextmanager
def _turn(file: Path) -> Iterator[None]:
    """One at a time asks about the same; the next one finds the answer."""
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        # A few for all: files that are locked are never removed.
        lock = os.open(file.parent / f"lock-{file.name[0]}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise cannot_write(file.parent, error) from error
    with os.fdopen(lock, "wb") as held:
        while not _is_locked(held.fileno()):
            pause(_LOOK_EVERY)
        yield


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
