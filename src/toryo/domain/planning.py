"""How an instruction becomes a plan: questions, documents, drafts, scores."""

from enum import StrEnum

from toryo.domain.calls import Message
from toryo.domain.facts import fact
from toryo.domain.plan import Check, PlannedTask


class Document(StrEnum):
    """The texts of a specification, by the names of their files."""

    SPEC = "spec"
    PLAN = "plan"
    TASKS = "tasks"


@fact
class Question:
    """Something only a person can decide; no default: it has to be answered."""

    text: str
    why: str = ""
    options: tuple[str, ...] = ()
    default: str = ""


@fact
class Answer:
    question: str
    text: str
    by: str = ""
    """Who decided it; empty until it is recorded."""


@fact
class Draft:
    """Tasks as a model proposed them, made valid."""

    tasks: tuple[PlannedTask, ...]
    parallel: int | None = None
    remarks: tuple[str, ...] = ()
    """What was left out or put right, and why."""
    is_fallback: bool = False
    """No usable proposal came: the instruction itself is the one task."""


@fact
class Score:
    """How good a draft is, in points of 100."""

    points: int
    issues: tuple[str, ...] = ()


@fact
class Earlier:
    """A finished session that this one may follow."""

    session: str
    title: str
    branch: str
    tip: str
    tree: str
    is_followed: bool = False
    """It was said, by a person or the model, that this one goes on from its work."""


@fact
class Planning:
    """Everything that leads to the plan, folded from the session's events."""

    instruction: str
    spec: str
    """The name of the specification's folder, SPEC- and eight hex digits."""
    source: str = ""
    """Where the instruction came from: an issue, a file; empty: it was typed."""
    repository: str = ""
    """What the survey found, for a model to read."""
    findings: tuple[str, ...] = ()
    """The same, in a few lines for people."""
    checks: tuple[Check, ...] = ()
    is_surveyed: bool = False
    questions: tuple[Question, ...] = ()
    answers: tuple[Answer, ...] = ()
    is_asked: bool = False
    """The model has said what it wants to know, if anything."""
    documents: tuple[tuple[Document, str], ...] = ()
    draft: Draft | None = None
    score: Score | None = None
    """Of the draft; None: not scored yet."""
    best: Draft | None = None
    """The best draft so far, and its score."""
    best_score: Score | None = None
    scores: tuple[int, ...] = ()
    rejections: tuple[str, ...] = ()
    """Why a person wanted another plan."""
    wishes: tuple[str, ...] = ()
    """What is to be added to what was done already."""
    taken_in: int = 0
    """How often something that a person said meanwhile was added to what is wanted."""
    kept_tasks: int = 0
    """Tasks that were there before the plan that is being made."""
    talk: tuple[Message, ...] = ()
    """The conversation with the model, oldest first."""
    summary: str = ""
    """What was said before that, in short."""
    earlier: Earlier | None = None

    @property
    def open_questions(self) -> tuple[Question, ...]:
        answered = {answer.question for answer in self.answers}
        return tuple(question for question in self.questions if question.text not in answered)

    def document(self, which: Document) -> str:
        return next((text for kind, text in self.documents if kind is which), "")

    @property
    def round(self) -> int:
        """Counts the plans that were begun: the first, after each rejection, each wish, and whatever was taken in."""
        return len(self.rejections) + len(self.wishes) + self.taken_in
