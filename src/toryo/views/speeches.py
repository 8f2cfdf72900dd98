"""What people, the planner and Toryo say in a conversation: instructions, questions, plans, judgements, summaries."""

from collections.abc import Iterator

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.planning import Document
from toryo.domain.session import Session, SessionState
from toryo.domain.verdict import Outcome
from toryo.rules.judging import session_outcome
from toryo.rules.masking import mask
from toryo.views.columns import clipped
from toryo.views.entries import Entry, Kind, Section, Standing, Who
from toryo.views.inbox import inbox
from toryo.views.markdown import line
from toryo.views.outcome import headline
from toryo.views.plan import plan_notes
from toryo.views.steps import entry_id
from toryo.views.tasklist import tasklist_text
from toryo.views.words import event_words

_TITLES = {Document.SPEC: "Specification", Document.PLAN: "Technical plan", Document.TASKS: "Tasks"}
_MOST_NOTES = 12
_LONGEST_NOTE = 300
_PERSON = "a person"


def said(session: Session, event: e.Event, text: str, by: str = _PERSON) -> Entry:
    who = Who.PERSON if by == _PERSON else Who.TORYO
    return Entry(entry_id(session), event.at, who, Kind.SAID, text)


def opening(session: Session, event: e.SessionOpened) -> Entry:
    """What was asked for, and where that came from."""
    if event.instruction:
        return said(session, event, event.instruction + (f"\n\n({event.source})" if event.source else ""))
    return said(session, event, f"{event.title}\n\n({event.source})" if event.source else event.title)


# ── before the plan ──────────────────────────────────────────────────────────


def asked(session: Session, event: e.Event) -> Entry | None:
    """What is open before it can be planned; None: nothing is."""
    questions = session.planning.open_questions if session.planning else ()
    if not questions:
        return None
    by_rule = isinstance(event, e.QuestionsAsked) and not event.is_instruction
    count = f"{len(questions)} question{'s' if len(questions) > 1 else ''} before planning"
    return Entry(
        entry_id(session),
        event.at,
        Who.TORYO if by_rule else Who.PLANNER,
        Kind.QUESTIONS,
        count,
        questions=questions,
        standing=Standing.WAITING,
    )


def answered(entry: Entry, event: e.QuestionsAnswered) -> Entry:
    """The questions with these answers; what belongs to others leaves them as they are."""
    asks = {question.text for question in entry.questions}
    new = tuple(changed(one, by=event.by) for one in event.answers if one.question in asks)
    answers = (*entry.answers, *new)
    is_over = asks <= {answer.question for answer in answers}
    return changed(entry, answers=answers, standing=Standing.ANSWERED if is_over else entry.standing)


def document(session: Session, event: e.DocumentWritten) -> Entry:
    section = _section(event.document, event.text)
    return Entry(entry_id(session), event.at, Who.PLANNER, Kind.REPLY, event_words(session, event), (section,))


def plan(session: Session, event: e.Event, entry: Entry | None = None) -> Entry:
    """The whole plan as it is to be approved; in place of an entry, where that is about the same one."""
    planning = session.planning
    kept = planning.kept_tasks if planning else 0
    new = [task.plan for task in session.tasks.values() if task.number > kept]
    texts = [(kind, planning.document(kind)) for kind in (Document.SPEC, Document.PLAN)] if planning else []
    texts.append((Document.TASKS, tasklist_text(session.title, new)))
    count = f"{len(new)} task{'s' if len(new) != 1 else ''}"
    return Entry(
        entry.id if entry else entry_id(session),
        entry.at if entry else event.at,
        Who.PLANNER if planning else Who.TORYO,
        Kind.PLAN,
        f"{session.title}: {count}",
        tuple(_section(kind, text) for kind, text in texts if text.strip()),
        notes=tuple(mask(note) for note in plan_notes(session)),
        points=planning.best_score.points if planning and planning.best_score else None,
        standing=Standing.WAITING,
    )


def _section(kind: Document, text: str) -> Section:
    return Section(str(kind), _TITLES[kind], mask(text))


# ── while it is carried out ──────────────────────────────────────────────────


def considered(session: Session, event: e.SayingConsidered) -> Entry:
    """What the planner makes of a person's words, and which tasks they concern."""
    keys = [session.tasks[number].plan.key for number, _ in event.changes if number in session.tasks]
    dropped = [session.tasks[number].plan.key for number in event.cancelled if number in session.tasks]
    new = [f"{task.key} {task.title}" for task in event.tasks]
    parts = [("begin again", keys), ("dropped", dropped), ("new", new)]
    lines = [f"- {what}: {line(', '.join(names))}" for what, names in parts if names]
    text = "\n\n".join(part for part in (mask(event.answer), "\n".join(lines or ["- no task is concerned"])) if part)
    return Entry(entry_id(session), event.at, Who.PLANNER, Kind.REPLY, text)


def judged(session: Session, event: e.SessionJudged) -> Entry:
    found = event.judgement
    said = ["This is what was asked for." if found.is_complete else "This is not yet what was asked for."]
    for what, lines in (("Missing", found.missing), ("What could follow", found.suggestions)):
        if lines:
            said.append(f"{what}:\n\n" + "\n".join(f"- {line(one)}" for one in lines))
    return Entry(entry_id(session), event.at, Who.PLANNER, Kind.REPLY, "\n\n".join(said))


# ── how it ends ──────────────────────────────────────────────────────────────


def summary(session: Session, event: e.Event) -> Entry:
    """What came of it, or what keeps it from going on; then what there is to do."""
    text = headline(session, session_outcome(session))
    if isinstance(event, e.SessionClosed) and event.discarded:
        text = f"discarded; its branches and commits are kept, the result so far on {session.branch}"
    notes = [clipped(" ".join(note.split()), _LONGEST_NOTE) for note in _next(session)]
    more = [f"and {len(notes) - _MOST_NOTES} more"] if len(notes) > _MOST_NOTES else []
    return Entry(entry_id(session), event.at, Who.TORYO, Kind.SUMMARY, mask(text), notes=(*notes[:_MOST_NOTES], *more))


def _next(session: Session) -> Iterator[str]:
    if session.state is not SessionState.CLOSED:
        yield from (f"{item.task}: {item.says}" if item.task else item.says for item in inbox(session))
        yield "say what should be done about it, or let it go on"
    elif session.outcome is Outcome.COMPLETE and session.tip != session.base_commit and not session.is_landed:
        yield f"the result is on {session.branch}; land it, or say what you want next"
    else:
        yield "say what you want next"
