"""The inbox in a line for each item, for a screen; and the keys that decide about one."""

from collections.abc import Iterator, Sequence

from toryo.domain.task import Task
from toryo.rules.masking import mask
from toryo.views.columns import clipped, columns
from toryo.views.inboxitems import Choice, Item, since_words, where

_FEWEST = 5
_MOST_WORDS = 200
_WORDS = {
    Choice.APPROVE: "a approve",
    Choice.ANSWER: "w answer",
    Choice.REJECT: "r reject",
    Choice.RETRY: "t retry",
}


def list_lines(items: Sequence[Item], chosen: int, room: int, lines: int) -> list[str]:
    """Numbered, as many as there is room for, with the chosen one among them."""
    most = max(_FEWEST, lines)
    first = max(0, min(chosen - most // 2, len(items) - most))
    shown = list(enumerate(items, 1))[first : first + most]
    rows = [
        (
            f"{'>' if number == chosen + 1 else ' '}{number:>{len(str(len(items)))}}",
            str(item.risk or "?"),
            item.what,
            where(item),
            clipped(item.says.partition("\n")[0], _MOST_WORDS),
        )
        for number, item in shown
    ]
    above, below = first, len(items) - first - len(shown)
    return [
        *([f"  … {above} above"] if above else []),
        *columns(rows, (), room),
        *([f"  … {below} below"] if below else []),
    ]


def key_line(item: Item, count: int) -> str:
    """What can be pressed."""
    keys = [_WORDS[choice] for choice in Choice if choice in item.can]
    several = [f"1-{count} choose", "s next"] if count > 1 else []
    return " · ".join([*keys, "d details", *several, "q leave"])


def item_text(item: Item) -> Iterator[str]:
    """All of it, for a screen that scrolls."""
    yield f"{item.what}, {where(item)}"
    yield since_words(item)
    yield ""
    yield from item.says.splitlines()
    yield ""
    yield f"→ {item.do}"
    for command in item.commands:
        yield f"    $ {command}"


def task_details(task: Task) -> list[str]:
    """What its agent was told last, and what its review found."""
    review = task.run.review if task.run else None
    said = [task.feedback, *((review.reason, *review.issues) if review else ())]
    return [line for text in said for line in mask(text).strip().splitlines()]
