"""What a person can answer or approve just now, each with the one question it comes down to; derived, never stored."""

from collections.abc import Iterator

from toryo.domain.facts import fact
from toryo.domain.intent import Intent, IntentStatus
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.masking import mask
from toryo.rules.planning import needs_answers
from toryo.views.records.statuses import clarification

_LETS_THROUGH = {
    BlockReason.LIMIT: "May it go beyond its limits?",
    BlockReason.TIMEOUT: "May it go on for as long again?",
    BlockReason.TESTS_FIRST: "May it go on without tests that were there first?",
    BlockReason.HYGIENE: "Is it right as it is?",
    BlockReason.PROTECTED: "May it change these files?",
    BlockReason.REVIEW: "Is it good all the same?",
    BlockReason.NO_REVIEW: "Is it good, though nobody could review it?",
}
"""What a person's word is enough for."""
_OTHERWISE = "What should it do about that?"


@fact
class Pending:
    """Something that waits for a person's word."""

    session: str
    task: str
    """Its id; empty: the whole session."""
    key: str
    """Of the task; of a session, the short id."""
    asks: str
    is_question: bool = True
    """Somebody asked it in words; otherwise it only follows from how things stand."""
    intent: str = ""
    """The slug, where it is about an intent as such."""

    @property
    def id(self) -> str:
        return self.intent or self.task or self.session


def question_of(task: Task) -> str:
    """The one question of a blocked task, which words can answer; empty: it is not blocked."""
    if task.state is not TaskState.BLOCKED:
        return ""
    if asked := clarification(task):
        return mask(asked.strip())
    why = mask(task.reason.strip()) or str(task.block_reason or "it did not come to an end")
    return f"{why.rstrip('.')}. {_LETS_THROUGH.get(task.block_reason, _OTHERWISE) if task.block_reason else _OTHERWISE}"


def to_answer(session: Session) -> Iterator[Pending]:
    """Questions before a plan is made, and those of blocked tasks."""
    if session.state is SessionState.CLOSED:
        return
    if needs_answers(session):
        assert session.planning is not None
        asked = " ".join(mask(question.text) for question in session.planning.open_questions)
        yield Pending(session.id, "", session.short, asked)
    for task in _blocked(session):
        yield Pending(session.id, task.id, task.plan.key, question_of(task), bool(clarification(task)))


def to_approve(session: Session) -> Iterator[Pending]:
    """A plan, and tasks that a person's word lets through."""
    if session.state is SessionState.AWAITING_APPROVAL:
        yield Pending(session.id, "", session.short, f"the plan of {mask(session.title)}")
    if session.state is SessionState.CLOSED:
        return
    for task in _blocked(session):
        if task.block_reason in _LETS_THROUGH:
            yield Pending(session.id, task.id, task.plan.key, question_of(task))


def plans_to_approve(session: Session) -> Iterator[Pending]:
    return (pending for pending in to_approve(session) if not pending.task)


def intent_to_answer(intent: Intent) -> Iterator[Pending]:
    if intent.status.is_open and intent.needs_clarification:
        asked = " ".join(mask(one.question) for one in intent.open_questions)
        yield Pending(intent.session, "", intent.slug, asked, intent=intent.slug)


def intent_to_approve(intent: Intent) -> Iterator[Pending]:
    if intent.status is IntentStatus.PROPOSED and not intent.needs_clarification:
        yield Pending(intent.session, "", intent.slug, f"the intent {mask(intent.title)}", intent=intent.slug)


def _blocked(session: Session) -> Iterator[Task]:
    if not session.count(TaskState.BLOCKED):
        return iter(())
    return (task for task in session.tasks.values() if task.state is TaskState.BLOCKED)
