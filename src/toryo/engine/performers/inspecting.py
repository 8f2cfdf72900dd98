"""Going through what a run changed, line by line, for what does not belong there or waits for a person."""

import asyncio
import os
import stat
from pathlib import Path

from toryo.domain.difference import Difference, FileDifference, Line
from toryo.domain.facts import fact
from toryo.domain.hygiene import Blemish, Hygiene, Level, Rule
from toryo.domain.run import Observation
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.ports import Leftovers, World
from toryo.ports.parsing import Parsable
from toryo.rules.hygiene.grammars import files_to_parse, grammar_of
from toryo.rules.hygiene.looking import blemishes_in, needs_text
from toryo.rules.hygiene.terms import ONLY_MARKERS, hygiene_of, under_terms
from toryo.rules.protection import protected_changes

_LARGEST = 2_000_000


@fact
class Inspection:
    blemishes: tuple[Blemish, ...] = ()
    more_blemishes: int = 0
    protected: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


async def inspect(world: World, session: Session, task: Task, left: Leftovers, worktree: Path) -> Inspection:
    """What the session's terms have to say about the difference; nothing where they say nothing."""
    terms, found, known = session.terms, left.difference, _settled_before(session, task)
    # What a task brings in from people's own branches is theirs, and not its agent's.
    is_others = bool(task.plan.merging)
    protected = protected_changes(found, task.plan, terms.protection) if terms.protection and not is_others else ()
    protected = tuple(note for note in protected if known is None or note not in known.protected)
    hygiene = ONLY_MARKERS if is_others else hygiene_of(terms, is_resolution=task.resolves is not None)
    if hygiene is None or not found.files:
        return Inspection(protected=protected)
    blemishes = await _blemishes(world, found, worktree, hygiene, keeps_tests=task.plan.keeps_tests)
    settled = {blemish.is_same_as for blemish in known.blemishes} if known else set()
    fresh = [blemish for blemish in blemishes if blemish.is_same_as not in settled]
    kept, more = under_terms(fresh, hygiene, task.plan.allow)
    return Inspection(kept, more, protected, found.unread)


def _settled_before(session: Session, task: Task) -> Observation | None:
    """Of a task that brings other work in: what was found in that work, and did not keep it from being accepted."""
    original = session.tasks[task.resolves].run if task.resolves is not None else None
    return original.observation if original else None


async def _blemishes(
    world: World, found: Difference, worktree: Path, hygiene: Hygiene, *, keeps_tests: bool
) -> list[Blemish]:
    parsing = asyncio.create_task(_broken(world, found, worktree, hygiene))
    try:
        texts = await asyncio.to_thread(_texts, found, worktree)
        broken = await parsing
    finally:
        parsing.cancel()
    return await asyncio.to_thread(blemishes_in, found, texts, broken, keeps_tests=keeps_tests)


async def _broken(world: World, found: Difference, worktree: Path, hygiene: Hygiene) -> dict[str, Line]:
    """Files that cannot be parsed any more, with the first line at fault."""
    files = files_to_parse(found) if hygiene.level(Rule.SYNTAX) is not Level.OFF else []
    if not files or world.parsers is None:
        return {}
    faults = await world.parsers.newly_broken(
        [Parsable(grammar_of(file.path), worktree / file.path, file.base) for file in files]
    )
    broken = ((file, fault) for file, fault in zip(files, faults, strict=True) if fault)
    return {file.path: (fault, _line(worktree, file, fault)) for file, fault in broken}


def _line(worktree: Path, file: FileDifference, number: int) -> str:
    lines = (_text(worktree / file.path) or "").split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _texts(found: Difference, worktree: Path) -> dict[str, str]:
    texts = {file.path: _text(worktree / file.path) for file in found.files if file.is_text and needs_text(file)}
    return {path: text for path, text in texts.items() if text is not None}


def _text(path: Path) -> str | None:
    """What the file holds; None if it is none, or too large."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            look = os.fstat(file.fileno())
            if not stat.S_ISREG(look.st_mode) or look.st_size > _LARGEST:
                return None
            return file.read().decode(errors="replace")
    except OSError:
        return None
