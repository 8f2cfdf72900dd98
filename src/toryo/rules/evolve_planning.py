"""How planning changes a session: bookkeeping of what the survey, the model and the person said."""

import math
from collections.abc import Iterable
from typing import Any

from toryo.domain import events as e
from toryo.domain.calls import CallRecord, Message, Speaker
from toryo.domain.changing import changed
from toryo.domain.planning import Document, Planning, Question
from toryo.domain.report import Trouble, Usage
from toryo.domain.review import Response
from toryo.domain.session import MODEL, Pause, Session
from toryo.domain.verdict import BlockReason
from toryo.rules.evolve_runs import without_pause
from toryo.rules.taskbook import add_tasks, drop_tasks_after

_REASONS = {
    Trouble.QUOTA: BlockReason.QUOTA,
    Trouble.API: BlockReason.TRANSIENT_ERROR,
    Trouble.LOGIN: BlockReason.LOGIN,
    Trouble.PROGRAM: BlockReason.PROGRAM,
}

_TAKEN_IN = "it was planned with that"


def opened(event: e.SessionOpened) -> Planning | None:
    if not event.instruction:
        return None
    return Planning(event.instruction, event.spec, source=event.source, earlier=event.earlier)


def counted(session: Session, calls: Iterable[CallRecord]) -> Session:
    """Every call costs, whatever came of it; one that was answered ends an outage."""
    made = tuple(calls)
    if not made:
        return session
    usage = sum((call.usage for call in made), Usage())
    session = changed(
        session,
        calls=session.calls + len(made),
        call_usage=session.call_usage + usage,
        has_estimates=session.has_estimates or any(call.is_estimate for call in made),
    )
    if made[-1].trouble is None:
        who = {"provider": made[-1].provider, "model": made[-1].model}
        session = changed(without_pause(session, MODEL), outages=0, outage_since=0.0, **who)
    return session


def call_postponed(session: Session, event: e.CallPostponed) -> Session:
    session = counted(session, event.calls)
    until = event.until or math.inf
    pause = Pause(until, _REASONS.get(event.trouble, BlockReason.SYSTEM_ERROR), event.message)
    return changed(
        session,
        pauses={**session.pauses, MODEL: pause},
        outages=session.outages + 1,
        outage_since=session.outage_since or event.at,
    )


def repository_surveyed(session: Session, event: e.RepositorySurveyed) -> Session:
    return _planned(session, repository=event.text, findings=event.findings, checks=event.checks, is_surveyed=True)


def questions_asked(session: Session, event: e.QuestionsAsked) -> Session:
    session = counted(session, event.calls)
    is_all = event.is_instruction
    return asked(session, event.questions, event.talk, event.title, follows=event.follows, is_all=is_all)


def asked(
    session: Session,
    questions: tuple[Question, ...],
    talk: tuple[Message, ...],
    title: str,
    *,
    follows: bool,
    is_all: bool,
) -> Session:
    """What the model wants to know; `is_all`: once it is answered, nothing more is asked."""
    planning = _of(session)
    if title:
        session = changed(session, title=title)
    if follows and planning.earlier:
        session, planning = _following(session, planning)
    return _planned(
        session,
        earlier=planning.earlier,
        questions=(*planning.questions, *questions),
        is_asked=is_all,
        talk=planning.talk + talk,
    )


def _following(session: Session, planning: Planning) -> tuple[Session, Planning]:
    """The session begins from the earlier one's work."""
    assert planning.earlier is not None
    tip, tree = planning.earlier.tip, planning.earlier.tree
    base = {"base_commit": tip, "base_tree": tree, "tip": tip, "tip_tree": tree}
    return changed(session, **base), changed(planning, earlier=changed(planning.earlier, is_followed=True))


def questions_answered(session: Session, event: e.QuestionsAnswered) -> Session:
    answers = tuple(changed(answer, by=event.by) for answer in event.answers)
    return _planned(session, answers=_of(session).answers + answers)


def document_written(session: Session, event: e.DocumentWritten) -> Session:
    planning = _of(session)
    return _planned(
        counted(session, event.calls),
        documents=_with_document(planning, event.document, event.text),
        talk=planning.talk + event.talk,
    )


def _with_document(planning: Planning, which: Document, text: str) -> tuple[tuple[Document, str], ...]:
    return (*((kind, old) for kind, old in planning.documents if kind is not which), (which, text))


def tasks_drafted(session: Session, event: e.TasksDrafted) -> Session:
    planning = _of(session)
    best = event.draft if planning.best is None else planning.best
    return _planned(
        counted(session, event.calls), draft=event.draft, score=None, best=best, talk=planning.talk + event.talk
    )


def draft_scored(session: Session, event: e.DraftScored) -> Session:
    planning = _of(session)
    is_best = planning.best_score is None or event.score.points > planning.best_score.points
    return _planned(
        counted(session, event.calls),
        score=event.score,
        scores=(*planning.scores, event.score.points),
        best=planning.draft if is_best else planning.best,
        best_score=event.score if is_best else planning.best_score,
    )


def plan_edited(session: Session, event: e.PlanEdited) -> Session:
    return add_tasks(drop_tasks_after(session, _of(session).kept_tasks), event.tasks)


def plan_rejected(session: Session, event: e.PlanRejected) -> Session:
    """Everything that led to the plan is written anew; what was done before it stays."""
    planning = _of(session)
    session = drop_tasks_after(session, planning.kept_tasks)
    documents = planning.documents if planning.kept_tasks else ()
    return _planned(session, rejections=(*planning.rejections, event.why), documents=documents, **_NO_DRAFT)


def wish_added(session: Session, event: e.WishAdded) -> Session:
    planning = _of(session)
    kept = max(session.tasks, default=0)
    return _planned(
        changed(session, judgement=None, judged_commit=""),
        wishes=(*planning.wishes, event.text),
        kept_tasks=kept,
        **_NO_DRAFT,
    )


_NO_DRAFT: dict[str, Any] = {"draft": None, "score": None, "best": None, "best_score": None, "scores": ()}


def talk_compacted(session: Session, event: e.TalkCompacted) -> Session:
    planning = _of(session)
    return _planned(counted(session, event.calls), summary=event.summary, talk=planning.talk[event.dropped :])


def person_said(session: Session, event: e.PersonSaid) -> Session:
    return changed(session, sayings=(*session.sayings, event.text))


def words_taken_in(session: Session, event: e.WordsTakenIn) -> Session:
    """They stand below the instruction, or the last wish; whatever was written without them is written anew."""
    planning = _of(session)
    said = session.sayings[session.considered : event.sayings]
    *before, last = planning.wishes or (planning.instruction,)
    whole = "\n\n".join((last, *said))
    wanted: dict[str, Any] = {"wishes": (*before, whole)} if planning.wishes else {"instruction": whole}
    documents = planning.documents if planning.kept_tasks else ()
    session = _planned(session, **wanted, taken_in=planning.taken_in + 1, documents=documents, **_NO_DRAFT)
    responses = (*session.responses, *(Response(_TAKEN_IN) for _ in said))
    return changed(session, considered=event.sayings, responses=responses)


def talked(session: Session, said: str, answer: str) -> Session:
    """The conversation with what a person said, and what the model made of it."""
    if session.planning is None:
        return session
    turn = (Message(Speaker.USER, said), Message(Speaker.MODEL, answer))
    return _planned(session, talk=session.planning.talk + turn)


def _of(session: Session) -> Planning:
    if session.planning is None:
        raise e.UnknownEvent("a session that began with a plan is not planned")
    return session.planning


def _planned(session: Session, **changes: Any) -> Session:
    return changed(session, planning=changed(_of(session), **changes), failures=0, not_before=0.0)
