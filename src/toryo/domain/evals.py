"""Evals: what a model is asked to see whether it still replies as it should, and how that went."""

from enum import StrEnum

from toryo.domain.calls import CallRecord
from toryo.domain.facts import fact

Scalar = str | int | float | bool
REPLY = "reply"
"""The field that stands for the whole text of a reply."""
MOST_CORRECTIONS = 2
"""As often as Toryo sends a reply back in real work."""


class Want(StrEnum):
    """What is expected of a field."""

    IS = "is"
    ONE_OF = "one_of"
    CONTAINS = "contains"
    """All of these texts."""
    CONTAINS_ANY = "contains_any"
    LACKS = "lacks"
    """None of these texts."""
    AT_LEAST = "at_least"
    """A number; of a list how many entries, of a text how many characters it has."""
    AT_MOST = "at_most"


@fact
class Expectation:
    field: str
    """Names with dots between; through a list it leads to the fields of all its entries."""
    want: Want
    values: tuple[Scalar, ...]


@fact
class EvalCase:
    """One question to a model, with everything that fills its template, and what is expected of the reply."""

    name: str
    prompt: str
    expectations: tuple[Expectation, ...] = ()
    says: str = ""
    """What it is about, for people."""
    places: tuple[tuple[str, str], ...] = ()
    """What fills the places of the template, by their names."""
    documents: tuple[tuple[str, str], ...] = ()
    """Files that the question is about, quoted before it, by their names."""
    repository: str = ""
    acceptance: tuple[str, ...] = ()
    """The criteria of the task that a review is about."""
    keys: tuple[str, ...] = ()
    """Tasks that are there already."""
    may_ask: bool = True
    """Of an intent: asking is one of the ends it may come to."""
    corrections: int = MOST_CORRECTIONS
    """How often the reply may be sent back because it cannot be used."""
    origin: str = ""
    path: str = ""
    line: int = 1


@fact
class Miss:
    """An expectation that was not met."""

    field: str
    expected: str
    came: str


@fact
class EvalTry:
    """A case, asked once."""

    misses: tuple[Miss, ...]
    calls: tuple[CallRecord, ...] = ()
    corrections: int = 0

    @property
    def is_passed(self) -> bool:
        return not self.misses


@fact
class Past:
    """How a case went before."""

    passed: int
    times: int
    at: float
    model: str
    question: str
    """A hash of all that was asked; another one: something else was asked then."""


@fact
class EvalResult:
    case: EvalCase
    tries: tuple[EvalTry, ...]
    now: Past
    before: Past | None = None

    @property
    def is_passed(self) -> bool:
        return self.now.passed == len(self.tries)

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        return tuple(call for one in self.tries for call in one.calls)
