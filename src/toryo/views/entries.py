"""What a conversation consists of."""

from enum import StrEnum

from toryo.domain.facts import fact
from toryo.domain.planning import Answer, Question


class Who(StrEnum):
    PERSON = "person"
    PLANNER = "planner"
    """The model that plans."""
    TORYO = "toryo"


class Kind(StrEnum):
    SAID = "said"
    """A person's words."""
    REPLY = "reply"
    """Markdown; a document on the way to a plan is its one section."""
    QUESTIONS = "questions"
    PLAN = "plan"
    PROGRESS = "progress"
    """One line about something that happened."""
    DONE = "done"
    """One line about something that is finished."""
    TROUBLE = "trouble"
    """One line, or a few, about something that went wrong or needs somebody."""
    SUMMARY = "summary"
    """What came of it, or why it does not go on; what next is in the notes."""


STEPS = frozenset({Kind.PROGRESS, Kind.DONE, Kind.TROUBLE})
"""What there may be any number of."""


class Standing(StrEnum):
    """Of questions and plans."""

    WAITING = "waiting"
    ANSWERED = "answered"
    APPROVED = "approved"
    REJECTED = "rejected"


@fact
class Section:
    """A text that is read on demand."""

    name: str
    """spec, plan, tasks"""
    title: str
    text: str
    """Markdown."""


@fact
class Entry:
    """One thing in the conversation; another one with the same id takes its place."""

    id: str
    at: float
    who: Who
    kind: Kind
    text: str
    """Of a reply Markdown, else plain words."""
    sections: tuple[Section, ...] = ()
    questions: tuple[Question, ...] = ()
    answers: tuple[Answer, ...] = ()
    """Each says who gave it."""
    notes: tuple[str, ...] = ()
    """What to know about a plan before approving it; what next after a summary."""
    points: int | None = None
    """A plan's score, of 100."""
    standing: Standing | None = None
    task: str = ""
    """The key of the task it is about; empty: of none."""
    is_gone: bool = False
    """It is not shown any more: it became part of another."""
