"""One thing that waits for a person: what it is, and its words."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from toryo.domain.facts import fact
from toryo.domain.intent import Risk
from toryo.domain.session import short_of
from toryo.views.moments import date_time

_MOST_SAID = 12


class Choice(StrEnum):
    """What a person can do about something that waits."""

    APPROVE = "approve"
    ANSWER = "answer"
    REJECT = "reject"
    RETRY = "retry"


@fact
class Item:
    """One thing to decide, and how."""

    session: str
    """Empty: none works on it."""
    task: str
    since: float
    what: str
    says: str
    do: str
    commands: tuple[str, ...] = ()
    """Exactly what to type, one after the other, where it is more than one of Toryo's own."""
    can: tuple[Choice, ...] = ()
    name: str = ""
    """What commands take that decide about it; empty: the session."""
    intent: str = ""
    """The slug."""
    risk: Risk | None = None
    """As it counts; None: of an intent of which nobody knows yet."""

    @property
    def id(self) -> str:
        return self.name or self.session


def item_lines(item: Item, mentioned: Callable[[str], str] = str) -> list[str]:
    """In words; commands are mentioned as they are typed where it is read."""
    says = [f"  {line}" for line in item.says.splitlines()[:_MOST_SAID]]
    commands = [f"      {mentioned(command)}" for command in item.commands]
    head = ", ".join(part for part in (item.what, where(item), since_words(item)) if part)
    return [head, *says, f"  → {mentioned(item.do)}", *commands]


def where(item: Item) -> str:
    """What it is about, as people name it."""
    short = short_of(item.session) if item.session else ""
    if item.task:
        return f"{item.task} of {item.intent or short}"
    return item.intent or short or item.name


def since_words(item: Item) -> str:
    """How risky it is, said of what was judged and of what stands out by itself; since when it waits, where known."""
    is_usual = not item.intent and item.risk is not Risk.HIGH
    risk = "" if is_usual or item.risk is None else f"{item.risk} risk"
    since = f"since {date_time(item.since)}" if item.since else ""
    return ", ".join(part for part in (risk, since) if part)


def item_row(item: Item) -> dict[str, Any]:
    return {
        "session": item.session or None,
        "task": item.task or None,
        "intent": item.intent or None,
        "risk": item.risk.value if item.risk else None,
        "since": item.since,
        "what": item.what,
        "says": item.says,
        "do": item.do,
        "commands": list(item.commands),
        "can": [choice.value for choice in item.can],
        "id": item.id,
    }
