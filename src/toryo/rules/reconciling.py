"""What the file of an intent should say about the work on it; asked twice, it says the same."""

import math
from collections.abc import Iterable, Sequence

from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.intent import AnalysisEnd, Clarification, Feedback, Intent, IntentStatus, Pursuit
from toryo.domain.planning import Answer, Planning
from toryo.domain.session import Session, SessionState
from toryo.domain.task import MERGED, Task, TaskState
from toryo.domain.verdict import Outcome
from toryo.rules.flows import parent_status
from toryo.rules.masking import mask

_LONGEST_REASON = 500
_LONGEST_FEEDBACK = 4_000
_MOST_FEEDBACK = 50
_SUCCEEDED = (*MERGED, TaskState.ACCEPTED)


@fact
class _Standing:
    status: IntentStatus
    reason: str = ""
    feedback: tuple[Feedback, ...] = ()


def reconciled(intent: Intent, session: Session, children: Sequence[Intent] = ()) -> Intent:
    """The intent as its session and its parts have it; what a person decides or wrote stays."""
    pursuit = session.pursuit
    if pursuit is None or intent.status is IntentStatus.REJECTED:
        return intent
    intent = _with_what_is_known(intent, session, pursuit)
    if is_sent_round_again(intent, session):
        return intent
    stands = _standing(intent, session, pursuit, children)
    return changed(
        intent,
        status=stands.status,
        reason=stands.reason,
        feedback=stands.feedback,
        updated_at=_updated_at(intent, stands.status, session, children),
    )


def is_sent_round_again(intent: Intent, session: Session) -> bool:
    """A person who saw how it ended wants it once more; an old buffer of an editor does not say that."""
    if intent.status is not IntentStatus.APPROVED:
        return False
    is_held = session.state is SessionState.PAUSED and not _is_released(session)
    at_rest = session.state in (SessionState.PAUSED, SessionState.CLOSED)
    return is_held or (at_rest and intent.updated_at >= _as_on_file(session.updated_at))


def is_stuck(session: Session) -> bool:
    """It cannot go on until a person does something about it."""
    return session.state is SessionState.PAUSED and session.waits_for_person


def _is_released(session: Session) -> bool:
    return session.pursuit is not None and bool(session.pursuit.released_by)


def _as_on_file(at: float) -> float:
    """Files tell moments to the millisecond; whoever is faster than that has not seen it."""
    return math.floor(at * 1000) / 1000


def _updated_at(intent: Intent, status: IntentStatus, session: Session, children: Iterable[Intent]) -> float:
    """Whoever decides on from here has seen the session as it rests."""
    at_rest = session.state in (SessionState.PAUSED, SessionState.CLOSED) and status is not IntentStatus.PROPOSED
    if status is intent.status and not at_rest:
        return intent.updated_at
    latest = max([session.updated_at, *(child.updated_at for child in children if status is IntentStatus.DONE)])
    return max(intent.updated_at, _as_on_file(latest))


# ── what became known ────────────────────────────────────────────────────────


def _with_what_is_known(intent: Intent, session: Session, pursuit: Pursuit) -> Intent:
    said = _clarifications(intent, session) if session.planning else intent.clarifications
    intent = changed(intent, session=session.id, clarifications=said)
    analysis = pursuit.analysis
    if analysis is None or analysis.end is AnalysisEnd.QUESTIONS:  # what it is judged to be may change with the answers
        return intent
    return changed(intent, type=intent.type or plain(analysis.type), risk=intent.risk or analysis.risk)


def _clarifications(intent: Intent, session: Session) -> tuple[Clarification, ...]:
    """Those of the file with answers that were given elsewhere, and those that the session asked meanwhile."""
    planning = session.planning
    assert planning is not None
    answers = given_answers(planning)
    kept = [
        one if one.answer else changed(one, answer=answers.get(as_asked(one.question), ""))
        for one in intent.clarifications
    ]
    known = {as_asked(one.question) for one in kept}
    asked = () if session.state is SessionState.CLOSED else planning.questions
    new = {as_asked(one.text): one for one in asked if as_asked(one.text) not in known}
    return (
        *kept,
        *(
            Clarification(
                text, answers.get(text, ""), plain(one.why), tuple(map(plain, one.options)), plain(one.default)
            )
            for text, one in new.items()
        ),
    )


def given_answers(planning: Planning) -> dict[str, str]:
    return {as_asked(answer.question): plain(answer.text) for answer in planning.answers}


def has_answers(planning: Planning, answers: Iterable[Answer]) -> bool:
    """Each was given, in these very words."""
    given = given_answers(planning)
    return all(given.get(as_asked(one.question)) == plain(one.text) for one in answers)


def as_asked(question: str) -> str:
    """A question as a file can hold it: by these words it is known again."""
    return plain(question, 1_000)


def plain(text: str, most: int = 0) -> str:
    """One line, without secrets and without what steers a terminal; it reads the same after any way through a file."""
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in mask(text)).split())
    return words if not most or len(words) <= most else words[: most - 1].rstrip() + "…"


# ── how it stands ────────────────────────────────────────────────────────────


def _standing(intent: Intent, session: Session, pursuit: Pursuit, children: Sequence[Intent]) -> _Standing:
    paused = session.pause_reason if session.state is SessionState.PAUSED else ""
    reason = plain(paused, _LONGEST_REASON)
    if _is_complete(intent, session):
        return _with_parts(pursuit, children)
    if session.state is SessionState.CLOSED:
        return _Standing(IntentStatus.ERROR, f"session {session.short} was discarded", _feedback(session))
    if not pursuit.released_by:
        status = _before_release(intent, session)
        return _Standing(status, intent.reason if status is IntentStatus.PROPOSED else reason)
    if not is_stuck(session):
        return _Standing(IntentStatus.EXECUTING, reason)
    has_succeeded = any(task.state in _SUCCEEDED for task in session.tasks.values())
    return _Standing(IntentStatus.BLOCKED if has_succeeded else IntentStatus.ERROR, reason, _feedback(session))


def _before_release(intent: Intent, session: Session) -> IntentStatus:
    """What nobody has said yes to stays proposed, whatever became of its analysis."""
    if intent.status is IntentStatus.PROPOSED:
        return IntentStatus.PROPOSED
    return IntentStatus.ERROR if is_stuck(session) else IntentStatus.EXECUTING


def _is_complete(intent: Intent, session: Session) -> bool:
    """What was done stays done while a person lands it later, whatever stands in the way of that."""
    stands = session.resumes_to if session.state is SessionState.PAUSED else session.state
    if stands is SessionState.LANDING:
        return intent.status is IntentStatus.DONE
    return session.state is SessionState.CLOSED and session.outcome is Outcome.COMPLETE


def _with_parts(pursuit: Pursuit, children: Sequence[Intent]) -> _Standing:
    """Where others took its place it is done once they are."""
    is_split = pursuit.analysis is not None and pursuit.analysis.end is AnalysisEnd.CHILDREN
    if not is_split or not children:
        return _Standing(IntentStatus.DONE)
    if all(child.status is IntentStatus.REJECTED for child in children):
        return _Standing(IntentStatus.REJECTED, "all of its parts were rejected")
    status = parent_status(child.status for child in children)
    waiting = [child for child in children if child.status.is_open]
    named = ", ".join(f"{child.slug} ({child.status})" for child in waiting)
    return _Standing(status, plain(f"waits for its parts: {named}", _LONGEST_REASON) if waiting else "")


def _feedback(session: Session) -> tuple[Feedback, ...]:
    failed = [task for task in session.tasks.values() if task.state in (TaskState.BLOCKED, TaskState.CANCELLED)]
    told = [Feedback(plain(f"{task.plan.key}: {task.plan.title}", 200), _says(task)) for task in failed]
    return tuple(one for one in told if one.says)[:_MOST_FEEDBACK]


def _says(task: Task) -> str:
    """Why it failed, and what its last review or checks had to say; nothing of it twice."""
    run = task.run
    reasons = "; ".join(run.verdict.reasons) if run and run.verdict else ""
    said: list[str] = []
    for part in (str(task.block_reason or ""), task.question, task.reason, reasons, task.feedback):
        new = plain("\n".join(line for line in part.splitlines() if not _is_point_of(line, said)))
        if new and new not in said:
            said.append(new)
    return plain(": ".join(said), _LONGEST_FEEDBACK)


def _is_point_of(line: str, said: Iterable[str]) -> bool:
    """What agents are told is a list of what the reasons name one after the other, with more about each."""
    return line.startswith("- ") and any(plain(line[2:]) in earlier for earlier in said)
