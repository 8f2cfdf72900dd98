"""The books of a session, kept again by walking all of its tasks."""

from toryo.domain.run import RunState
from toryo.domain.session import Session
from toryo.domain.task import LIVE, MERGED, SATISFIED, TaskState
from toryo.domain.verdict import BlockReason

_OF_THE_WORK = (BlockReason.MAX_RETRIES, BlockReason.NO_EVIDENCE, BlockReason.REVIEW, BlockReason.CHECK_FAILED)


def check_books(session: Session) -> None:
    """Every index says what walking all the tasks says."""
    tasks = list(session.tasks.values())
    assert dict(session.keys) == {task.plan.key: task.number for task in tasks}
    for task in tasks:
        wanted = MERGED if task.needs_merged_dependencies else SATISFIED
        assert task.unmet == sum(session.tasks[need].state not in wanted for need in task.depends_on)
        assert task.number not in task.depends_on
        assert all(task.number in session.dependents[need] for need in task.depends_on)
    assert all(
        need in session.tasks[number].depends_on for need, numbers in session.dependents.items() for number in numbers
    )
    assert list(session.ready) == [t.number for t in tasks if t.state is TaskState.PLANNED and not t.unmet]
    assert list(session.live) == [t.number for t in tasks if t.state in LIVE]
    assert sorted(session.accepted.values()) == [t.number for t in tasks if t.state is TaskState.ACCEPTED]
    waiting = [t.number for t in tasks if t.state is TaskState.RUNNING and t.runs[-1].state is RunState.WAITING]
    assert list(session.waiting) == waiting
    assert all(bool(t.runs[-1].question) == (t.number in waiting) for t in tasks if t.state is TaskState.RUNNING)
    assert session.busy == sum(t.state is TaskState.RUNNING for t in tasks) - len(waiting)
    assert session.runs == sum(len(t.runs) for t in tasks)
    assert list(session.removable) == [t.number for t in tasks if t.state in MERGED and t.worktree]
    blocked = [t for t in tasks if t.state is TaskState.BLOCKED and t.resolves is None]
    assert list(session.stuck) == [t.number for t in blocked if t.block_reason in _OF_THE_WORK and not t.question]
    states = [task.state for task in tasks]
    assert {state: n for state, n in session.counts.items() if n} == {s: states.count(s) for s in set(states)}
    assert 0 <= session.considered <= len(session.sayings)
    if session.mending is not None:
        assert session.tasks[session.mending].state not in (TaskState.CANCELLED, TaskState.REPLACED, *MERGED)
