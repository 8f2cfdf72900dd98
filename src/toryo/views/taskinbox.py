"""What waits for a person in the tasks of a session: questions, and what is blocked."""

import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath as Path

from toryo.domain.plan import WorktreeChoice
from toryo.domain.session import Session
from toryo.domain.signals import PERMISSION
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.masking import mask
from toryo.rules.naming import folder_of
from toryo.views.inboxitems import Choice, Item

_LETS_THROUGH = (
    *(BlockReason.LIMIT, BlockReason.TIMEOUT, BlockReason.TESTS_FIRST, BlockReason.HYGIENE, BlockReason.PROTECTED),
    *(BlockReason.REVIEW, BlockReason.NO_REVIEW),
)
"""What a person's word is enough for."""


def task_items(session: Session, root: str, *, by_key: bool) -> Iterator[Item]:
    """`by_key`: commands take the keys of its tasks; else their ids."""
    called = _key_of if by_key else _id_of
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


def _key_of(task: Task) -> str:
    return task.plan.key


def _id_of(task: Task) -> str:
    return task.id.removeprefix("task-")


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
