"""Which records an event has to carry, and what they have to say for both to tell the same."""

from toryo.domain import events as e
from toryo.domain.evidence import CheckResult, Evidence, Operation
from toryo.domain.plan import Check
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import BlockReason
from toryo.rules.judging import RULES_VERSION
from toryo.rules.testimony import (
    Facts,
    of_check,
    of_exit,
    of_files,
    of_landing,
    of_loss,
    of_merge,
    of_proof,
    of_refusal,
    of_review,
    of_setup,
    of_update,
    of_verdict,
    worded,
)

Expected = tuple[Operation, Facts]
_NOTHING = ("", "0", "0.0", "[]", "{}", "null", "false")


def records_of(event: e.Event | None) -> tuple[Evidence, ...]:
    records: tuple[Evidence, ...] = getattr(event, "evidence", ())
    return records


def expected_records(session: Session, event: e.Event) -> list[Expected]:
    """In order; the session is as it was before the event."""
    if isinstance(event, e.SessionProven):
        return [
            (Operation.CHECK, of_proof(session, result, event.commit, event.tree, is_first=not place))
            for place, result in enumerate(event.results)
        ]
    if isinstance(event, e.BroughtUpToDate):
        facts = of_update(session, event.onto, event.commit, event.tree)
        return [(Operation.MERGE, facts)] if event.commit != session.tip else []
    if isinstance(event, e.Landed):
        return [(Operation.MERGE, of_landing(session, event.commit, event.before))]
    if not isinstance(event, e.TaskEvent):
        return []
    task = session.tasks[event.task]
    match event:
        case e.WorkspacePrepared() | e.WorkspaceRefused():
            return _setup(session, task, event)
        case e.TaskIntegrated():
            facts = of_merge(session, task, event.commit, event.tree, event.results)
            return [*_merge_checks(task, event), (Operation.MERGE, facts)]
        case e.MergeRefused():
            # What the checks found is in the records alone.
            tried: Facts = {"stage": "merge", "commit": task.commit}
            refused = of_refusal(session, task, event.disposition, event.files, event.feedback)
            return [*[(Operation.CHECK, tried)] * (len(event.evidence) - 1), (Operation.MERGE, refused)]
        case _:
            return _of_a_run(session, task, event)


def _setup(session: Session, task: Task, event: e.WorkspacePrepared | e.WorkspaceRefused) -> list[Expected]:
    commands = session.terms.setup
    if isinstance(event, e.WorkspacePrepared):
        is_new = not task.base or not task.worktree
        return [(Operation.SETUP, of_setup(command, 0)) for command in commands] if is_new else []
    if event.reason is not BlockReason.SETUP_FAILED:
        return []
    tried = commands[: max(1, len(event.evidence))]
    return [
        *((Operation.SETUP, of_setup(command, 0)) for command in tried[:-1]),
        (Operation.SETUP, {"command": tried[-1]}),
    ]


def _merge_checks(task: Task, event: e.TaskIntegrated) -> list[Expected]:
    """None where the merged files are those that were checked: then those results stand."""
    if event.tree == task.tree:
        return []
    checks = {check.name: check for check in task.plan.checks}
    return [
        (
            Operation.CHECK,
            of_check(checks.get(result.name), result, stage="merge", commit=task.commit, tree=event.tree),
        )
        for result in event.results
    ]


def _named(task: Task, result: CheckResult) -> Check | None:
    return next((known for known in task.plan.checks if known.name == result.name), None)


def _of_a_run(session: Session, task: Task, event: e.TaskEvent) -> list[Expected]:
    match event:
        case e.RunExited():
            run = task.runs[-1]
            facts = of_exit(run, event.code, event.ended_by, event.reaped, event.ended_at, event.report)
            return [(Operation.AGENT, facts)]
        case e.RunLost():
            return [(Operation.AGENT, of_loss(task.runs[-1], event.why, event.report))]
        case e.WorkObserved():
            return [(Operation.FILES, of_files(task, task.runs[-1], event.observation))]
        case e.BaseChecked(result=result):
            facts = of_check(_named(task, result), result, stage="before", commit=task.base, tree=task.base_tree)
            return [(Operation.CHECK, facts)]
        case e.CheckFinished(result=result):
            facts = of_check(_named(task, result), result, stage="task", commit=task.commit, tree=task.tree)
            return [(Operation.CHECK, facts)]
        case e.WorkReviewed():
            return [(Operation.REVIEW, of_review(task, task.runs[-1], event.review))]
        case e.VerdictReached():
            facts = of_verdict(task, task.runs[-1], session.terms, event.verdict, RULES_VERSION)
            return [(Operation.VERDICT, facts)]
        case _:
            return []


def differing(record: Evidence, expected: Facts) -> list[tuple[str, str, str]]:
    """Facts about which event and record disagree: the name, what the event says, what was sealed."""
    found = []
    for name, told in worded(expected):
        sealed = record.says(name)
        if sealed is None:
            # A fact that newer versions seal too says nothing where it is empty.
            if told not in _NOTHING:
                found.append((name, told, "nothing"))
        elif sealed != told:
            found.append((name, told, sealed))
    return found
