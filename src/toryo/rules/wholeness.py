"""What the integrated branch as a whole has to pass."""

from toryo.domain.changing import changed
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import Check, CheckMerges, OnFailure
from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.rules.kinds import checks_for


def checks_of_the_whole(session: Session) -> tuple[Check, ...]:
    """Those of the plan; where merges are not checked one by one, also those that merged tasks have of their own."""
    if session.terms.check_merges is CheckMerges.EACH:
        return session.checks
    merged = [task for task in session.tasks.values() if task.state is TaskState.INTEGRATED and task.merge_commit]
    own = [
        changed(check, name=f"{task.plan.key}: {check.name}")
        for task in merged
        for check in checks_for(task, task.run)
        if check not in session.checks
    ]
    return (*session.checks, *own)


def counting_failures(session: Session) -> tuple[str, ...]:
    """Checks that hold the result back: they did not pass on the integrated branch as it stands now."""
    if session.proof_commit != session.tip:
        return ()
    passed = {result.name for result in session.proof if result.status is CheckStatus.PASSED}
    counting = [check.name for check in checks_of_the_whole(session) if check.on_failure is not OnFailure.WARN]
    return tuple(name for name in counting if name not in passed)


def is_proven(session: Session) -> bool:
    """Every check that counts has passed on the integrated branch as it stands now."""
    if session.proof_commit == session.tip:
        return not counting_failures(session)
    return not any(check.on_failure is not OnFailure.WARN for check in checks_of_the_whole(session))
