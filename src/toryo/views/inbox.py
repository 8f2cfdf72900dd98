"""Everything that waits for a person; derived, never stored."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import PurePosixPath as Path
from typing import Any

from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.integration import Found
from toryo.domain.intent import Risk
from toryo.domain.plan import WorktreeChoice
from toryo.domain.session import MODEL, Session, SessionState, short_of
from toryo.domain.signals import PERMISSION
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.masking import mask
from toryo.rules.naming import folder_of
from toryo.rules.planning import needs_answers
from toryo.rules.risks import risk_of
from toryo.views.budget import how_to_raise, used_up_words
from toryo.views.moments import date_time
from toryo.views.plan import how_to_answer, plan_notes, question_lines
from toryo.views.standing import is_landing
from toryo.views.words import noticed_words, pause_words

_MOST_SAID = 12
_RISKY = frozenset({"protected", "culprit", "unclean"})
"""What is high risk whatever the work is about: it touches what should stay, broke the whole, or left dirt behind."""
_HARMLESS = frozenset({"pause"})
_LETS_THROUGH = (
    *(BlockReason.LIMIT, BlockReason.TIMEOUT, BlockReason.TESTS_FIRST, BlockReason.HYGIENE, BlockReason.PROTECTED),
    *(BlockReason.REVIEW, BlockReason.NO_REVIEW),
)
"""What a person's word is enough for."""


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


def ranked(items: Iterable[Item]) -> list[Item]:
    """The riskiest first, and of those alike what has waited longest."""
    rank = {risk: place for place, risk in enumerate(reversed(Risk))}
    return sorted(items, key=lambda item: (rank[item.risk or Risk.MED], item.since))


def _weighed(item: Item, session: Session) -> Item:
    """With what it counts as: what the work is judged to be, unless it is worse by what it is."""
    judged = risk_of(session.pursuit) or (Risk.LOW if item.what in _HARMLESS else Risk.MED)
    risk = Risk.HIGH if item.what in _RISKY else judged
    return changed(item, risk=risk, intent=session.pursuit.intent if session.pursuit else "")


def inbox(session: Session, root: str = "", *, is_latest: bool = True) -> list[Item]:
    """What waits in one session, oldest first; `root` is where its repository is.

    Wherever a command is given the key of a task, it is one of the latest session. So those of others go by their ids;
    those of intents too, since whoever watches opens sessions at any time.
    """
    items = _items(session, root, is_latest=is_latest)
    return sorted((_weighed(item, session) for item in items), key=lambda item: item.since)


def _items(session: Session, root: str, *, is_latest: bool) -> list[Item]:
    if session.state is SessionState.CLOSED:
        return []
    tasks = _tasks(session, root, _key_of if is_latest and session.pursuit is None else _id_of)
    waiting = [*_planning(session), *_moved(session), *tasks, *_pauses(session), *_budget(session)]
    if session.waits_for_person and is_landing(session):
        do = f"then toryo resume {session.short}; or leave it on its branch: toryo land {session.short} --branch"
        waiting.append(Item(session.id, "", session.updated_at, "landing", mask(session.pause_reason), do))
    if session.waits_for_person and not waiting:
        do = f"'toryo doctor' may say more; then toryo resume {session.short}"
        can, name = _once_more(session)
        says = mask(session.pause_reason)
        waiting.append(Item(session.id, "", session.updated_at, "stopped", says, do, can=can, name=name))
    return waiting


def _planning(session: Session) -> Iterator[Item]:
    """Questions before a plan, a plan to be approved, and what was found missing at the end."""
    short = session.short
    if needs_answers(session):
        assert session.planning is not None
        asked = "\n".join(question_lines(session.planning.open_questions))
        name = session.pursuit.intent if session.pursuit else ""
        do = how_to_answer(name or short, session.planning.open_questions)
        can = (Choice.ANSWER, Choice.REJECT) if name else (Choice.ANSWER,)
        yield Item(session.id, "", session.updated_at, "questions", asked, do, can=can, name=name)
    elif session.state is SessionState.AWAITING_APPROVAL:
        do = f"toryo plan --show {short}, then toryo approve {short}, or toryo reject {short} --why '…'"
        says = "\n".join(plan_notes(session))
        can = (Choice.APPROVE, Choice.REJECT)
        yield Item(session.id, "", session.updated_at, "approval", says, do, can=can)
    elif session.state is SessionState.PAUSED and session.judgement and not session.judgement.is_complete:
        missing = "\n".join(f"missing: {mask(text)}" for text in session.judgement.missing)
        choices, name = _once_more(session)
        do = f"toryo retry {name} adds that, or what you --say; or toryo reject {name} --why '…'"
        do = do if choices else f"toryo continue {short}"
        yield Item(session.id, "", session.updated_at, "not complete", missing, do, can=choices, name=name)


def _once_more(session: Session) -> tuple[tuple[Choice, ...], str]:
    """What can be done about the intent that it works on as a whole, and the name of that."""
    if session.pursuit is None or not session.pursuit.released_by:
        return (), ""
    return (Choice.RETRY, Choice.REJECT), session.pursuit.intent


def _moved(session: Session) -> Iterator[Item]:
    """Its branch is not where Toryo left it, and what was merged is no longer on it."""
    last = session.noticed[-1] if session.noticed else None
    if last is None or last.what is not Found.ELSEWHERE or (last.branch, last.tip) != (session.branch, session.tip):
        return
    if session.waits_for_person:
        says = noticed_words(last.what, last.branch, last.tip, last.commit, is_own=True)
        do = f"put it back; or keep both: git switch {last.branch} && git merge {last.tip}, then resume"
        commands = (f"git branch -f {last.branch} {last.tip}", f"toryo resume {session.short}")
        yield Item(session.id, "", last.at, "branch", says, do, commands)


def _key_of(task: Task) -> str:
    return task.plan.key


def _id_of(task: Task) -> str:
    return task.id.removeprefix("task-")


def _tasks(session: Session, root: str, called: Callable[[Task], str]) -> Iterator[Item]:
    for number in session.waiting:
        task = session.tasks[number]
        if task.revision:
            continue  # it was answered, and is about to hear of it
        run = task.runs[-1]
        key = called(task)
        do = f"answer it there: toryo attach {key}"
        if not run.question.startswith(PERMISSION):
            do = f"toryo answer {key} 'your answer', or answer it there: toryo attach {key}"
        yield _item(session, task, run.waiting_since, "question", run.question, do)
    for task in session.tasks.values():
        if task.state is TaskState.BLOCKED:
            since = max((run.ended_at or run.planned_at for run in task.runs), default=session.updated_at)
            commands = _by_hand(session, task, root, called(task)) if _collided(task) else ()
            yield _item(session, task, since, *_blocked(task, called(task)), commands)


def _by_hand(session: Session, task: Task, root: str, key: str) -> tuple[str, ...]:
    """How a person settles the task's conflict."""
    folder = f"{folder_of(session.branch)}.shared" if task.plan.worktree is WorktreeChoice.SHARED else ""
    place = Path(root, ".worktrees", folder or folder_of(task.plan.branch))
    # Done again from the merged work, its folder is where that is: then it is the first try that has to be brought in.
    brings_in = session.branch if task.block_reason is BlockReason.CONFLICT else task.first_try
    return (
        f"cd {shlex.quote(str(place))}",
        f"git merge {brings_in}",
        "git add -A && git commit --no-edit",
        f"cd {shlex.quote(root or '../..')}",  # the folder goes once its work is merged
        f"toryo retry {key} --by-hand",
    )


def _collided(task: Task) -> bool:
    """It waits since it does not go together with what is merged, or since doing it again from there failed."""
    is_failed = task.block_reason in (BlockReason.MAX_RETRIES, BlockReason.NO_EVIDENCE, BlockReason.CHECK_FAILED)
    return task.block_reason is BlockReason.CONFLICT or (bool(task.first_try) and is_failed and task.worktree)


def _blocked(task: Task, key: str) -> tuple[str, str, str]:
    run = task.run
    asked = run.report.question or run.report.last_words if run and run.report else ""
    match task.block_reason:
        case _ if _collided(task):
            do = f"bring both together in its folder, as follows; or toryo retry {key} lets its agent do it again"
            return "conflict", _with_collision(task), do
        case BlockReason.INTERACTIVE_PROMPT:
            words = asked or task.reason
            if words.startswith(PERMISSION):
                return "question", words, f"toryo retry {key}, and answer it in its window: toryo attach {key}"
            return "question", words, f"toryo answer {key} 'your answer'"
        case BlockReason.LIMIT:
            return "limit", task.reason, f"toryo approve {key} lets it go beyond, toryo retry {key} tries within"
        case BlockReason.TIMEOUT:
            do = f"toryo approve {key} lets it go on for as long again, toryo retry {key} --say '…' tells it something"
            return "limit", task.reason, do
        case BlockReason.TESTS_FIRST:
            do = f"write them and commit, then toryo retry {key}; or toryo approve {key} goes on without"
            return "tests", task.reason, do
        case BlockReason.CULPRIT:
            do = f"toryo retry {key} --say '…': it begins anew from the merged work, and its old commit is kept"
            return "culprit", task.feedback or task.reason, do
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


def _with_collision(task: Task) -> str:
    said = task.feedback or task.reason
    if task.block_reason is BlockReason.CONFLICT:
        return said
    return f"it collided with merged work; done again from there it failed:\n{said}"


def _pauses(session: Session) -> Iterator[Item]:
    for credential, pause in session.pauses.items():
        if pause.needs_person and credential == MODEL:
            do = f"put it right ('toryo doctor' looks at it), then toryo resume {session.short}"
            can, name = _once_more(session)
            says = f"it does not answer: {mask(pause.message)}"
            yield Item(session.id, "", session.updated_at, "model", says, do, can=can, name=name)
        elif not pause.needs_person:
            says = f"{credential}: {pause_words(pause)}\n{mask(pause.message)}"
            yield Item(session.id, "", session.updated_at, "pause", says, "nothing; toryo resume --now tries at once")


def _budget(session: Session) -> Iterator[Item]:
    now = session.updated_at
    if session.waits_for_person and (says := used_up_words(session, now)):
        do = f"{how_to_raise(session, now)}, then toryo resume {session.short}"
        yield Item(session.id, "", now, "budget", says, do)


def _item(
    session: Session, task: Task, since: float, what: str, says: str, do: str, commands: tuple[str, ...] = ()
) -> Item:
    said = mask(says.strip()) or str(task.block_reason or what)
    return Item(session.id, task.plan.key, since, what, said, do, commands, tuple(_choices(task, says)), task.id)


def _choices(task: Task, says: str) -> Iterator[Choice]:
    if task.state is not TaskState.BLOCKED:
        yield from () if says.startswith(PERMISSION) else (Choice.ANSWER,)
        return
    if task.block_reason in _LETS_THROUGH:
        yield Choice.APPROVE
    if not says.startswith(PERMISSION):
        yield Choice.ANSWER
    yield Choice.RETRY


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
