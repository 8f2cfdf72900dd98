"""Names that are locks: ids, branches, and finding things by a unique prefix."""

import re
import unicodedata
from collections.abc import Iterable

from toryo.domain.changing import changed
from toryo.domain.plan import PlannedTask
from toryo.domain.session import Session
from toryo.domain.task import Task

PREFIX = "agent/"
LONGEST = 64


def slug(title: str) -> str:
    """Lowercase, blanks and slashes to dashes, everything else but [a-z0-9_-] dropped; may be empty."""
    text = unicodedata.normalize("NFKC", title).lower()
    text = re.sub(r"[\s/\\]+", "-", text)
    text = re.sub(r"[^a-z0-9_-]", "", text)
    return re.sub(r"-{2,}", "-", text).strip("-_")


def branch_name(title: str, fallback: str, taken: Iterable[str]) -> str:
    """`agent/…` of at most 64 characters, not among `taken` (compared without case)."""
    room = LONGEST - len(PREFIX)
    # A word or two of Latin in a Japanese title says little; the fallback is at least unique.
    stem = slug(title)[:room].strip("-_") or slug(fallback)[:room].strip("-_")
    used = {name.lower() for name in taken}
    name, count = PREFIX + stem, 1
    while name in used:
        count += 1
        suffix = f"-{count}"
        name = PREFIX + stem[: room - len(suffix)].rstrip("-_") + suffix
    return name


def name_branches(
    session_title: str, session_short: str, tasks: Iterable[PlannedTask], taken: Iterable[str]
) -> tuple[str, list[str]]:
    """A branch for the session and one for each task, all different from each other and from what exists."""
    used = {name.lower() for name in taken}
    session_branch = branch_name(session_title, f"session-{session_short}", used)
    used.add(session_branch)
    return session_branch, [task.branch for task in name_tasks(session_short, tasks, used)]


def name_tasks(session_short: str, tasks: Iterable[PlannedTask], taken: Iterable[str]) -> tuple[PlannedTask, ...]:
    """The tasks, each with a branch of its own."""
    used = {name.lower() for name in taken}
    counts: dict[str, int] = {}
    named = []
    for task in tasks:
        name = _next_free(task, session_short, used, counts)
        used.add(name)
        named.append(changed(task, branch=name))
    return tuple(named)


def _next_free(task: PlannedTask, session_short: str, used: set[str], counts: dict[str, int]) -> str:
    fallback = f"{task.type}-{session_short}-{task.key}"
    name = branch_name(task.title, fallback, ())
    if name not in used:
        return name
    # Hundreds of tasks may share a title: remember how far its numbers have been used up.
    room = LONGEST - len(PREFIX)
    stem = name.removeprefix(PREFIX)
    while True:
        counts[stem] = counts.get(stem, 1) + 1
        suffix = f"-{counts[stem]}"
        name = PREFIX + stem[: room - len(suffix)].rstrip("-_") + suffix
        if name not in used:
            return name


def folder_of(branch: str) -> str:
    """The worktree's folder name of an `agent/…` branch."""
    return branch.removeprefix(PREFIX)


def matching(wanted: str, ids: Iterable[str], kind: str) -> list[str]:
    """The ids that `wanted` names: exactly, or as a prefix, with or without the kind in front."""
    every = list(ids)
    wanted = wanted.strip().lower()
    exact = [known for known in every if known in (wanted, f"{kind}-{wanted}")]
    if exact or not wanted:
        return exact
    return [known for known in every if known.startswith((wanted, f"{kind}-{wanted}"))]


def window_names(session: Session, task: Task) -> tuple[str, str]:
    """What a run's window is called, and the group of windows of its session."""
    stem = slug(session.title)[:24].strip("-_")
    return f"toryo-{session.short}-{stem}".rstrip("-"), f"{task.plan.key} {' '.join(task.plan.title.split())}"
