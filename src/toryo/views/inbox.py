"""Everything that waits for a person; derived, never stored."""

from collections.abc import Iterator
from typing import Any

from toryo.domain.facts import fact
from toryo.domain.session import MODEL, Session, SessionState
from toryo.domain.signals import PERMISSION
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.masking import mask
from toryo.rules.planning import needs_answers
from toryo.views.budget import how_to_raise, used_up_words
from toryo.views.plan import how_to_answer, plan_notes, question_lines
from toryo.views.standing import is_landing
from toryo.views.words import pause_words


@fact
class Item:
    """One thing to decide, and how."""

    session: str
    task: str
    since: float
    what: str
    says: str
    do: str


def inbox(session: Session) -> list[Item]:
    """What waits in one session, oldest first."""
    if session.state is SessionState.CLOSED:
        return []
    waiting = [*_planning(session), *_tasks(session), *_pauses(session), *_budget(session)]
    if session.waits_for_person and is_landing(session):
        do = f"then toryo resume {session.short}; or leave it on its branch: toryo land {session.short} --branch"
        waiting.append(Item(session.id, "", session.updated_at, "landing", mask(session.pause_reason), do))
    if session.waits_for_person and not waiting:
        do = f"'toryo doctor' may say more; then toryo resume {session.short}"
        waiting.append(Item(session.id, "", session.updated_at, "stopped", mask(session.pause_reason), do))
    return sorted(waiting, key=lambda item: item.since)


def _planning(session: Session) -> Iterator[Item]:
    """Questions before a plan, a plan to be approved, and what was found missing at the end."""
    short = session.short
    if needs_answers(session):
        assert session.planning is not None
        asked = "\n".join(question_lines(session.planning.open_questions))
        do = how_to_answer(short, session.planning.open_questions)
        yield Item(session.id, "", session.updated_at, "questions", asked, do)
    elif session.state is SessionState.AWAITING_APPROVAL:
        do = f"toryo plan --show {short}, then toryo approve {short}, or toryo reject {short} --why '…'"
        yield Item(session.id, "", session.updated_at, "approval", "\n".join(plan_notes(session)), do)
    elif session.state is SessionState.PAUSED and session.judgement and not session.judgement.is_complete:
        missing = "\n".join(f"missing: {mask(text)}" for text in session.judgement.missing)
        yield Item(session.id, "", session.updated_at, "not complete", missing, f"toryo continue {short}")


def _tasks(session: Session) -> Iterator[Item]:
    for number in session.waiting:
        task = session.tasks[number]
        run = task.runs[-1]
        key = task.plan.key
        yield _item(session, task, run.waiting_since, "question", run.question, f"answer it there: toryo attach {key}")
    for task in session.tasks.values():
        if task.state is TaskState.BLOCKED:
            since = max((run.ended_at or run.planned_at for run in task.runs), default=session.updated_at)
            yield _item(session, task, since, *_blocked(task))


def _blocked(task: Task) -> tuple[str, str, str]:
    key, run = task.plan.key, task.run
    asked = run.report.question or run.report.last_words if run and run.report else ""
    match task.block_reason:
        case BlockReason.INTERACTIVE_PROMPT:
            words = asked or task.reason
            if words.startswith(PERMISSION):
                return "question", words, f"toryo retry {key}, and answer it in its window: toryo attach {key}"
            return "question", words, f'toryo retry {key} --say "your answer"'
        case BlockReason.LIMIT:
            return "limit", task.reason, f"toryo approve {key} lets it go beyond, toryo retry {key} tries within"
        case BlockReason.TIMEOUT:
            do = f"toryo approve {key} lets it go on for as long again, toryo retry {key} --say '…' tells it something"
            return "limit", task.reason, do
        case BlockReason.TESTS_FIRST:
            do = f"write them and commit, then toryo retry {key}; or toryo approve {key} goes on without"
            return "tests", task.reason, do
        case BlockReason.HYGIENE:
            do = f"toryo approve {key} --why '…' if it is right as it is, or toryo retry {key} --say '…'"
            return "unclean", task.feedback or task.reason, do
        case BlockReason.PROTECTED:
            do = f"look at it ('toryo info {key}'), then toryo approve {key} --why '…', or toryo retry {key} --say '…'"
            return "protected", task.reason, do
        case BlockReason.REVIEW | BlockReason.NO_REVIEW:
            do = f"toryo approve {key} if you find it good, or toryo answer {key} 'what to do'"
            return "review", task.question or task.reason, do
        case _ if task.question:
            return "question", task.question, f"toryo answer {key} 'your answer'"
        case BlockReason.LOGIN:
            return "login", task.reason, f"log in to {task.plan.agent}, then toryo retry {key}"
        case BlockReason.PROGRAM:
            return "program", task.reason, f"install it, then toryo retry {key}; or give the task to another --agent"
        case BlockReason.QUOTA | BlockReason.TRANSIENT_ERROR:
            return "limit", task.reason, f"toryo retry {key}, now or later; or give the task to another --agent"
        case _:
            return "blocked", task.reason, f"toryo info {key}, then toryo retry {key}"


def _pauses(session: Session) -> Iterator[Item]:
    for credential, pause in session.pauses.items():
        if pause.needs_person and credential == MODEL:
            do = f"put it right ('toryo doctor' looks at it), then toryo resume {session.short}"
            yield Item(session.id, "", session.updated_at, "model", f"it does not answer: {mask(pause.message)}", do)
        elif not pause.needs_person:
            says = f"{credential}: {pause_words(pause)}\n{mask(pause.message)}"
            yield Item(session.id, "", session.updated_at, "pause", says, "nothing; toryo resume --now tries at once")


def _budget(session: Session) -> Iterator[Item]:
    now = session.updated_at
    if session.waits_for_person and (says := used_up_words(session, now)):
        do = f"{how_to_raise(session, now)}, then toryo resume {session.short}"
        yield Item(session.id, "", now, "budget", says, do)


def _item(session: Session, task: Task, since: float, what: str, says: str, do: str) -> Item:
    return Item(session.id, task.plan.key, since, what, mask(says.strip()) or str(task.block_reason or what), do)


def item_row(item: Item) -> dict[str, Any]:
    return {
        "session": item.session,
        "task": item.task or None,
        "since": item.since,
        "what": item.what,
        "says": item.says,
        "do": item.do,
    }
