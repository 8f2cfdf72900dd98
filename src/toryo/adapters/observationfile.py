"""The file of observations: agents add to it while people edit it, and nothing of either is lost."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from toryo.adapters.intentfiles import leads_out
from toryo.adapters.located import Document, Unreadable
from toryo.adapters.observationtext import OddForm, entries_in, listed_in, with_entry, with_processed
from toryo.adapters.swapping import alone, attempts, bring_back, settled, swap, write_new
from toryo.domain.facts import fact
from toryo.domain.intent import Broken
from toryo.domain.learning import EvidenceType, Observation, ObservationSource, Reference
from toryo.rules.instants import instant, moment
from toryo.rules.observing import MOST_UNPROCESSED, identified, unprocessed

FILE = Path(".toryo", "observations.yaml")
_MARK = "\ufeff"


class Kept(StrEnum):
    """What became of an observation."""

    ADDED = "added"
    KNOWN = "known"
    """The file has it already."""
    ASIDE = "aside"
    """It waits until the file can be read and written again."""
    REFUSED = "refused"
    """There are too many already."""


@fact
class Observed:
    """What the file and the ones set aside say, oldest first; and what of the file cannot be read."""

    observations: tuple[Observation, ...] = ()
    broken: tuple[Broken, ...] = ()


class ObservationFile:
    """That of one repository, in its main checkout; what could not be written there waits in the store."""

    def __init__(self, root: Path, store: Path) -> None:
        self.path = root / FILE
        self._root, self._store = root, store
        self._spool = store / "observations.jsonl"

    def add(self, observation: Observation) -> Kept:
        """Adds it to the file; raises OSError only where it can be kept nowhere at all."""
        with self._alone():
            try:
                self._join()
                return self._add([observation])
            except (Unreadable, OddForm, OSError):
                return self._set_aside(observation)

    def observed(self) -> Observed:
        """Reads only. A broken entry, or a file that is broken as a whole, is named with its line."""
        aside = self._aside()
        try:
            document = listed_in(self._text())
        except (Unreadable, OSError) as error:
            line = getattr(error, "line", 1)
            return Observed(tuple(aside), (Broken(str(FILE), line, str(error)),))
        found, broken = _observations(document)
        known = {one.id for one in found}
        return Observed((*found, *(one for one in aside if one.id not in known)), tuple(broken))

    def process(self, ids: Collection[str]) -> int:
        """Marks these as processed, however often it is asked; how many were not before."""
        marked: list[int] = []

        def mark(text: str) -> str:
            each = list(_each(listed_in(text)))
            wanted = {place for place, one in each if one.id in ids and not one.processed}
            marked[:] = wanted
            return with_processed(text, wanted) if wanted else text

        with self._alone():
            self._join()
            self._change(mark)
        return len(marked)

    def join(self) -> None:
        """Brings what was set aside into the file, if that can be written again."""
        if self._spool.exists():
            with self._alone(), suppress(Unreadable, OddForm, OSError):
                self._join()

    # ── the file ─────────────────────────────────────────────────────────────

    def _alone(self) -> AbstractContextManager[None]:
        return alone(self._store / "observations.lock")

    def _text(self) -> str:
        return _decoded(self._raw() or b"")

    def _raw(self) -> bytes | None:
        """None: there is no file yet."""
        try:
            return settled(self.path)
        except FileNotFoundError:
            return None

    def _add(self, observations: Iterable[Observation]) -> Kept:
        """All of them that the file does not have."""
        kept = Kept.KNOWN

        def add(text: str) -> str:
            nonlocal kept
            document = listed_in(text)
            found, _broken = _observations(document)
            known = {one.id for one in found}
            new = [one for one in observations if one.id not in known]
            is_too_many = len(unprocessed(found)) + len(new) > MOST_UNPROCESSED
            kept = Kept.KNOWN if not new else Kept.REFUSED if is_too_many else Kept.ADDED
            for one in new if kept is Kept.ADDED else ():
                text = with_entry(text, document, _fields(one))
                document = listed_in(text)
            return text

        self._change(add)
        return kept

    def _change(self, edit: Callable[[str], str]) -> None:
        """Whole or not at all; asked again where a person was faster. Only for who is alone."""
        if leads_out(self._root, self.path):
            raise OSError(f"{FILE} leads out of the repository")
        target = self.path.resolve()
        bring_back(target)
        for _ in attempts():
            raw = self._raw()
            text = _decoded(raw or b"")
            after = edit(text)
            if after == text:
                return
            mark = _MARK if raw and raw.startswith(_MARK.encode()) else ""
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = (mark + after).encode()
            if write_new(target, new) if raw is None else swap(target, raw, new):
                return
        raise OSError(f"{FILE} changes all the time")

    # ── what waits beside it ─────────────────────────────────────────────────

    def _set_aside(self, observation: Observation) -> Kept:
        waiting = self._aside()
        if any(one.id == observation.id for one in waiting):
            return Kept.ASIDE
        if len(waiting) >= MOST_UNPROCESSED:
            return Kept.REFUSED
        line = json.dumps(_fields(observation)) + "\n"
        descriptor = os.open(self._spool, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "rb+", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            # A disk that was full may have left half a line: what is added now must not become part of it.
            is_whole = not size or os.pread(descriptor, 1, size - 1) == b"\n"
            file.write((line if is_whole else "\n" + line).encode())
            os.fsync(descriptor)
        return Kept.ASIDE

    def _aside(self) -> list[Observation]:
        try:
            lines = self._spool.read_bytes().splitlines()
        except OSError:
            return []
        found = []
        for line in lines:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                found.append(_observation(json.loads(line)))
        return found

    def _join(self) -> None:
        """First into the file, then away from here: whoever dies in between adds nothing twice."""
        if self._spool.exists() and (waiting := self._aside()):
            if self._add(waiting) is Kept.REFUSED:
                return
            self._spool.unlink()


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(1, "is not text in UTF-8") from error


def _observations(document: Document) -> tuple[list[Observation], list[Broken]]:
    found, broken = [], []
    for place, entry in enumerate(entries_in(document)):
        try:
            found.append(_observation(entry))
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            says = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)
            broken.append(Broken(str(FILE), document.line((place,)), says))
    return found, broken


def _each(document: Document) -> Iterator[tuple[int, Observation]]:
    """Those that can be read, and which entry each of them is."""
    for place, entry in enumerate(entries_in(document)):
        with suppress(KeyError, ValueError, TypeError, AttributeError):
            yield place, _observation(entry)


def _observation(said: Any) -> Observation:
    """Of a mapping; raises KeyError, ValueError, TypeError or AttributeError."""
    if not isinstance(said, dict):
        raise TypeError("should be a mapping with `content`")
    evidence = tuple(Reference(EvidenceType(one["type"]), str(one["ref"])) for one in said.get("evidence") or ())
    at = said.get("created_at")
    processed = said.get("processed") or False
    if not isinstance(processed, bool):
        raise ValueError("processed should be true or false")
    return identified(
        Observation(
            str(said["content"]),
            evidence,
            ObservationSource(said.get("source") or ObservationSource.HUMAN),
            str(said.get("intent_id") or ""),
            processed,
            instant(str(at)) if at else 0.0,
        )
    )


def _fields(observation: Observation) -> dict[str, Any]:
    evidence = [{"type": str(one.type), "ref": one.ref} for one in observation.evidence]
    return {
        "content": observation.content,
        "evidence": evidence,
        "source": str(observation.source),
        "intent_id": observation.intent_id or None,
        "created_at": moment(observation.created_at),
    }
