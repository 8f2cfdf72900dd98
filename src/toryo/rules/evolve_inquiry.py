"""How looking for the merge that broke the whole, and taking it back, changes a session."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.evidence import CheckResult, CheckStatus
from toryo.domain.inquiry import Look
from toryo.domain.moves import move
from toryo.domain.session import SESSION_MOVES, Session, SessionState
from toryo.domain.shelf import Shelf
from toryo.domain.task import MERGED, Task, TaskState
from toryo.domain.verdict import BlockReason, Outcome
from toryo.rules.taskbook import change_task

_WELL = {"failures": 0, "not_before": 0.0}


def merge_bisected(session: Session, event: e.MergeBisected) -> Session:
    """What was seen at the tip is its proof: the later look counts."""
    known = [result for commit, result in _seen(session) if commit == event.commit]
    status = {result.name: result.status for result in event.results}
    flaky = [result.name for result in known if status.get(result.name, result.status) is not result.status]
    session = changed(
        session,
        looks=(*session.looks, Look(event.commit, event.results)),
        flaky=tuple(dict.fromkeys([*session.flaky, *flaky])),
        evidence=session.evidence + event.evidence,
        **_WELL,
    )
    if event.commit != session.proof_commit:
        return session
    latest = {result.name: result for result in event.results}
    proof = tuple(latest.get(result.name, result) for result in session.proof)
    passed = all(result.status is CheckStatus.PASSED for result in proof)
    return changed(session, proof=proof, proven_tree=event.tree if passed else session.proven_tree)


def _seen(session: Session) -> list[tuple[str, CheckResult]]:
    looked = [(look.commit, result) for look in session.looks for result in look.results]
    return [*((session.proof_commit, result) for result in session.proof), *looked]


def culprit_parked(session: Session, event: e.CulpritParked) -> Session:
    for number in event.dropped:
        session = _taken_back(session, number, TaskState.CANCELLED)
    session = _parked(session, session.tasks[event.task], event)
    for number in event.again:
        # Its old turn is still nobody else's, and those who were merged first are merged first again.
        session = _taken_back(session, number, TaskState.ACCEPTED, turn=session.tasks[number].turn, resolutions=0)
    why = f"It built on {session.tasks[event.task].plan.key}, which was merged, broke the whole and was taken back."
    for number in event.anew:
        session = _to_be_done_anew(session, number, why)
    first = next(seq for seq, merge in session.merges.items() if merge.commit == event.merge)
    return changed(
        session,
        state=move("session", SESSION_MOVES, session.state, SessionState.EXECUTING),
        merges=Shelf([(seq, merge) for seq, merge in session.merges.items() if seq < first]),
        ahead=session.ahead or session.tip,
        tip=event.commit,
        tip_tree=event.tree,
        proof=(),
        proof_commit="",
        looks=(),
        **_WELL,
    )


def _taken_back(session: Session, number: int, state: TaskState | None, **changes: Any) -> Session:
    task = session.tasks[number]
    gone = {"merge_commit": "", "resolution": None, "taken_back": task.taken_back + 1, **_WELL}
    return change_task(session, task, state, **gone, **changes)


def _parked(session: Session, task: Task, event: e.CulpritParked) -> Session:
    return _taken_back(
        session,
        task.number,
        TaskState.BLOCKED,
        outcome=Outcome.INCOMPLETE,
        block_reason=BlockReason.CULPRIT,
        reason=event.feedback.partition("\n")[0],
        feedback=event.feedback,
        evidence=task.evidence + event.evidence,
    )


def _to_be_done_anew(session: Session, number: int, why: str) -> Session:
    """From the work merged by then; one that waits for a person, or for its turn, goes on doing that."""
    task = session.tasks[number]
    was_done = task.state in (TaskState.ACCEPTED, *MERGED)
    unmet = sum(session.tasks[need].state not in MERGED for need in task.depends_on)
    changes: dict[str, Any] = {"from_tip": True, "needs_merged_dependencies": True, "unmet": unmet, "base": ""}
    changes |= {"attempts": 0, "redos": 0, "resolutions": 0, "feedback": f"{why}\n\n{task.feedback}".strip()}
    if was_done:
        changes["outcome"] = None
    return _taken_back(session, number, TaskState.PLANNED if was_done else None, **changes)


def merges_taken_back(session: Session, _: e.MergesTakenBack) -> Session:
    return changed(session, ahead="", **_WELL)
