"""What blemishes and protected files say against a run's work, and what is asked of the agent about each."""

from collections.abc import Iterable, Iterator, Sequence

from toryo.domain.hygiene import Blemish, Level, Permission, Rule
from toryo.domain.run import Observation
from toryo.domain.task import Task

_WORDS = {
    Rule.TODO: ("work was put off", "do it now, or take the line out"),
    Rule.OMISSION: ("code was left out", "write the file out whole"),
    Rule.CONFLICT: ("conflict markers are left", "bring both sides together and remove every marker"),
    Rule.SYNTAX: ("it cannot be parsed any more", "mend the syntax"),
    Rule.REMOVED_TEST: ("tests were removed", "bring them back, or move what they test to where it belongs"),
    Rule.SKIPPED_TEST: ("tests are skipped, or run alone", "let them run, and make them pass"),
    Rule.CHANGED_TEST: (
        "tests were changed that should show that nothing else did",
        "put them back as they were; what is new goes into tests of its own",
    ),
    Rule.SWALLOWED: ("errors are swallowed", "catch only what is expected, or deal with what is caught"),
}
_MOST_NAMED, _MOST_TOLD = 3, 20


def hygiene_complaints(task: Task, seen: Observation) -> Iterator[tuple[str, str, bool]]:
    """For each rule that was broken: in a few words, with every place and what is expected, and whether it blocks."""
    waiting = open_blemishes(task, seen)
    for rule in Rule:
        mine = [blemish for blemish in waiting if blemish.rule is rule]
        if mine:
            detail = "\n".join([*_told(mine), f"→ {_WORDS[rule][1]}"])
            yield _summed_up(rule, mine), detail, any(blemish.level is Level.BLOCK for blemish in mine)


def open_blemishes(task: Task, seen: Observation) -> tuple[Blemish, ...]:
    """Those that speak against the work: no mere warnings, and nothing that a person let through."""
    allowed = {blemish.is_same_as for permission in task.permissions for blemish in permission.blemishes}
    return tuple(
        blemish
        for blemish in seen.blemishes
        if blemish.level in (Level.RETRY, Level.BLOCK) and blemish.is_same_as not in allowed
    )


def hygiene_warnings(seen: Observation) -> list[str]:
    warned = [blemish for blemish in seen.blemishes if blemish.level is Level.WARN]
    groups = ([blemish for blemish in warned if blemish.rule is rule] for rule in Rule)
    lines = [f"warning: {_summed_up(group[0].rule, group)}" for group in groups if group]
    if seen.unread:
        lines.append(f"warning: too large to be looked through line by line: {some(seen.unread)}")
    return lines


def open_protected(task: Task, seen: Observation | None) -> tuple[str, ...]:
    allowed = {note for permission in task.permissions for note in permission.protected}
    return tuple(note for note in seen.protected if note not in allowed) if seen else ()


def permission_words(permission: Permission) -> str:
    """What was let through, by whom and why."""
    rules = dict.fromkeys(f"{blemish.rule} in {blemish.path}" for blemish in permission.blemishes)
    what = some([*rules, *permission.protected])
    return f"{permission.by} let through: {what}" + (f" ({permission.why})" if permission.why else "")


def _summed_up(rule: Rule, blemishes: Sequence[Blemish]) -> str:
    return f"{_WORDS[rule][0]}: {some([_place(blemish) for blemish in blemishes])}"


def _place(blemish: Blemish) -> str:
    if not blemish.line:
        return f"{blemish.path} ({blemish.text})"
    return f"{blemish.path}:{blemish.line}"


def _told(blemishes: Sequence[Blemish]) -> list[str]:
    lines = [
        f"{blemish.path}:{blemish.line}: {blemish.text}" if blemish.line else _place(blemish) for blemish in blemishes
    ]
    more = len(lines) - _MOST_TOLD
    return [*lines[:_MOST_TOLD], *([f"… and {more} more"] if more > 0 else [])]


def some(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
