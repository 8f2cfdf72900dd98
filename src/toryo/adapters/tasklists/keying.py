"""Keys for drafts: their own ids where they have one, and numbers where they do not."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from toryo.adapters.tasklists.drafts import Draft
from toryo.adapters.tasklists.heads import key_of, plain
from toryo.domain.tasklist import Remark
from toryo.rules.tasknames import canonical


def give_keys(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Remark]]:
    """The drafts that stay, each with a key of its own."""
    first: dict[str, Draft] = {}
    stay: list[Draft] = []
    remarks: list[Remark] = []
    for draft in drafts:
        identifier = draft.head.id
        draft.key = identifier if draft.head.after is not None else key_of(identifier) if identifier else ""
        if identifier and draft.key != identifier:
            remarks.append(Remark(draft.line, f"'{identifier}' cannot be a key; the task is called {draft.key}"))
        if draft.key and draft.key in first:
            remarks.append(_twice(draft, first[draft.key]))
            continue
        if draft.key:
            first[draft.key] = draft
        stay.append(draft)
    unnamed = [draft for draft in stay if not draft.key]
    for draft, key in zip(unnamed, _free_keys(first), strict=False):
        draft.key = key
        if first or draft.head.is_placeholder:
            remarks.append(Remark(draft.line, f"has no id; the task is called {key}"))
    return stay, remarks


def _twice(draft: Draft, first: Draft) -> Remark:
    if plain(draft.head.rest) == plain(first.head.rest):
        return Remark(draft.line, f"{draft.key} is the same task as on line {first.line}, and is read once")
    text = f"{draft.key} is used twice for different tasks; first on line {first.line}"
    return Remark(draft.line, text, is_error=True)


def _free_keys(taken: Iterable[str]) -> Iterator[str]:
    """T001, T002 …, from behind the last one that there is."""
    numbers = [name[1][0] for key in taken if (name := canonical(key))[0] == "T" and name[1]]
    return (f"T{number:03}" for number in count(max(numbers, default=0) + 1))


def groups_of(drafts: Sequence[Draft]) -> dict[str, tuple[str, ...]]:
    """Numbers of an outline that others are below of: 2 stands for 2.1 and 2.2, and is not done by itself."""
    outline = [draft for draft in drafts if draft.head.after is None]
    members: dict[str, list[str]] = {draft.key: [] for draft in outline}
    for draft in outline:
        above = draft.key
        while "." in above:
            above = above.rpartition(".")[0]
            if above in members:
                members[above].append(draft.key)
    groups = {key: below for key, below in members.items() if below}
    return {key: tuple(each for each in below if each not in groups) for key, below in groups.items()}
