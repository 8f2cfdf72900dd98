"""Sessions in any state, folded from the same events a journal would hold."""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, get_args, get_type_hints

from hypothesis import strategies as st

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import Change, CheckResult, CheckStatus, Evidence, FileChange, Operation, sealed
from toryo.domain.facts import compile_init
from toryo.domain.plan import Check, CheckMerges, PlannedTask, TaskType, Terms
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation, Run
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.admit import admit
from toryo.rules.bisecting import Culprit, LookAt, fallout_of, find_culprit
from toryo.rules.evolve import evolve
from toryo.rules.judging import conflict_disposition, session_outcome, verdict_on

T = TypeVar("T")
AT = 1_000_000.0
SESSION = "session-0123abcd-4567-89ab-cdef-0123456789ab"
BASE = "b" * 40
TREE = "e" * 40

st.register_type_strategy(float, st.floats(0, 4e9))


def any_event(kind: type[e.Event]) -> st.SearchStrategy[e.Event]:
    """Any event of that kind, with numbers a clock could have given."""
    return anything(kind)


def anything(kind: type[T]) -> st.SearchStrategy[T]:
    """Any fact of that kind."""
    _show_signatures(kind)
    return st.from_type(kind)


def _show_signatures(kind: Any) -> None:
    """Hypothesis looks at signatures, which facts have only once the first of their kind was made."""
    for hint in _parts(kind):
        if dataclasses.is_dataclass(hint):
            compile_init(hint)
            for inner in get_type_hints(hint).values():
                _show_signatures(inner)


def _parts(kind: Any) -> list[Any]:
    """The type itself, or those it is composed of."""
    inner = [part for argument in get_args(kind) for part in _parts(argument)]
    return inner or [kind]


# ── plans ────────────────────────────────────────────────────────────────────


def planned(key: str, *needs: str, **more: Any) -> PlannedTask:
    """A task of a plan; an agent called "crew" does it."""
    usual = {
        "title": f"Task {key}",
        "agent": "crew",
        "branch": f"agent/task-{key.lower()}",
        "depends_on": needs,
    }
    return PlannedTask(**{"key": key, **usual, **more})


def opening(
    *tasks: PlannedTask | str, checks: Iterable[Check] = (), title: str = "The session", **terms: Any
) -> list[e.Event]:
    """What is in the journal of a session that has just been approved."""
    plan = tuple(planned(task) if isinstance(task, str) else task for task in tasks)
    return [
        e.SessionOpened(AT, SESSION, title, "plan.yaml", "main", BASE, TREE, "agent/the-session", Terms(**terms)),
        e.PlanProposed(AT, plan, tuple(checks)),
        e.PlanApproved(AT, "a person"),
    ]


def a_session(*tasks: PlannedTask | str, checks: Iterable[Check] = (), **terms: Any) -> Session:
    """An approved session; keyword arguments are its terms."""
    session: Session | None = None
    for event in opening(*tasks, checks=checks, **terms):
        session = evolve(session, event)
    assert session is not None
    return session


def after(session: Session, *events: e.Event) -> Session:
    """The session with these events recorded; each must be admissible, as it is for a conductor."""
    for event in events:
        assert admit(session, event), f"{event} is not admissible"
        session = evolve(session, event)
    return session


# ── what Toryo sees ──────────────────────────────────────────────────────────


def seen(*paths: str, number: int = 1, **more: Any) -> Observation:
    """An observation of these files, created; of one file, where none is named."""
    changes = tuple(FileChange(path, Change.CREATED, True) for path in paths or ("made.txt",))
    usual: dict[str, Any] = {"changes": changes, "run_changed": True, "output_bytes": 10}
    return Observation(**{"commit": f"c{number:039}", "tree": f"f{number:039}", **usual, **more})


def result(name: str, status: CheckStatus = CheckStatus.PASSED, tail: str = "") -> CheckResult:
    return CheckResult(name, status, 0 if status is CheckStatus.PASSED else 1, 0.5, tail)


def evidence(after: Task | Evidence | None = None, operation: Operation = Operation.AGENT) -> Evidence:
    """A sealed record that builds on what came before it."""
    previous = after.sha256 if isinstance(after, Evidence) else after.chain if after else ""
    return sealed(Evidence(operation, AT, (("what", "happened"),), previous=previous))


def run_of(session: Session, key: str) -> Run:
    return session.task(key).runs[-1]


# ── driving one task ─────────────────────────────────────────────────────────


def claim(session: Session, key: str) -> Session:
    task = session.task(key)
    run = f"run-{task.number}-{len(task.runs) + 1}"
    pause = session.pauses.get(session.credential_of(task))
    at = pause.until if pause and not pause.needs_person else AT
    return after(session, e.RunPlanned(at, task.number, run, task.plan.agent, f"talk-{task.number}"))


def prepare(session: Session, key: str) -> Session:
    task, run = session.task(key), run_of(session, key)
    base = task.base or session.tip
    return after(session, e.WorkspacePrepared(AT, task.number, run.id, base, TREE, base, (evidence(task),)))


def start(session: Session, key: str) -> Session:
    """A slot, a workspace, and an agent at work."""
    session = prepare(claim(session, key), key)
    return after(session, e.RunStarted(AT, session.task(key).number, run_of(session, key).id, 4242))


def leave(
    session: Session,
    key: str,
    code: int = 0,
    ended_by: EndedBy = EndedBy.ITSELF,
    report: Report | None = None,
    at: float = AT,
) -> Session:
    """The agent's process has ended."""
    task = session.task(key)
    exited = e.RunExited(at, task.number, task.runs[-1].id, code, ended_by, 0, (evidence(task),), report=report)
    return after(session, exited)


def finish(
    session: Session,
    key: str,
    observation: Observation | None = None,
    code: int = 0,
    ended_by: EndedBy = EndedBy.ITSELF,
    report: Report | None = None,
    at: float = AT,
) -> Session:
    """The agent has ended, and Toryo has seen what it left behind."""
    session = leave(session, key, code, ended_by, report, at)
    task = session.task(key)
    found = observation or seen(number=task.number)
    return after(session, e.WorkObserved(AT, task.number, task.runs[-1].id, found, (evidence(task),)))


def check(session: Session, key: str, *results: CheckResult) -> Session:
    """These results; without any, every check of the task passes."""
    task = session.task(key)
    for one in results or tuple(result(known.name) for known in task.plan.checks):
        session = after(session, e.CheckFinished(AT, task.number, task.runs[-1].id, one))
    return session


def judge(session: Session, key: str, at: float = AT) -> Session:
    """Whatever the rules conclude."""
    task = session.task(key)
    return after(session, e.VerdictReached(at, task.number, task.runs[-1].id, verdict_on(task, session.terms)))


def accept(session: Session, key: str) -> Session:
    """The whole way from a free slot to accepted work."""
    session = judge(check(finish(start(session, key), key), key), key)
    assert session.task(key).state is TaskState.ACCEPTED
    return session


def merge(session: Session, key: str, *results: CheckResult) -> Session:
    """Accepted work is merged on the session's branch."""
    task = session.task(key)
    return after(session, integrated(task, *results))


def integrate(session: Session, key: str) -> Session:
    """The whole way from a free slot to merged work."""
    return merge(accept(session, key), key)


def integrated(task: Task, *results: CheckResult) -> e.TaskIntegrated:
    commit, tree = f"a{task.number:039}", f"d{task.number:039}"
    return e.TaskIntegrated(AT, task.number, commit, tree, results, (evidence(task, Operation.MERGE),))


def refuse(session: Session, key: str, disposition: Disposition | None = None) -> Session:
    """Its merge conflicts; what becomes of it is up to the rules, unless said otherwise."""
    return after(session, refusal(session, session.task(key), disposition))


def refusal(session: Session, task: Task, disposition: Disposition | None = None) -> e.MergeRefused:
    chosen = disposition or conflict_disposition(task, session.terms)
    resolution = resolving(session, task) if chosen is Disposition.RESOLVE else None
    record = evidence(task, Operation.MERGE)
    return e.MergeRefused(AT, task.number, chosen, ("made.txt",), "It conflicts", resolution, (record,))


def resolving(session: Session, task: Task) -> PlannedTask:
    """The task that settles this one's conflict."""
    return planned(
        f"{task.plan.key}-merge",
        agent=session.terms.resolver or task.plan.agent,
        type=TaskType.INTEGRATION,
        checks=task.plan.checks,
        resolves=task.plan.key,
    )


def block(session: Session, key: str, reason: BlockReason = BlockReason.CHECK_FAILED) -> Session:
    """The verdict on its run is that a person has to look."""
    session = finish(start(session, key), key)
    task = session.task(key)
    verdict = Verdict(Outcome.INCOMPLETE, Disposition.BLOCK, ("it did not work",), "- it did not work", reason)
    return after(session, e.VerdictReached(AT, task.number, task.runs[-1].id, verdict))


def retry(session: Session, key: str) -> Session:
    """A run that failed, and is to be tried again."""
    session = judge(finish(start(session, key), key, code=1), key)
    assert session.task(key).state is TaskState.PLANNED
    return session


def stop(session: Session, key: str, report: Report | None = None) -> Session:
    return after(session, e.RunStopped(AT, session.task(key).number, run_of(session, key).id, report=report))


# ── what a run tells while it works ──────────────────────────────────────────


def ask(session: Session, key: str, question: str = "left or right?", at: float = AT) -> Session:
    """It waits for a person."""
    return after(session, e.RunWaited(at, session.task(key).number, run_of(session, key).id, question))


def stall(session: Session, key: str, trouble: Trouble = Trouble.QUOTA, until: float = 0.0, at: float = AT) -> Session:
    """It tries against a wall by itself."""
    told = e.RunStalled(at, session.task(key).number, run_of(session, key).id, trouble, "not now", until)
    return after(session, told)


def go_on(session: Session, key: str) -> Session:
    return after(session, e.RunWentOn(AT, session.task(key).number, run_of(session, key).id))


def trouble(kind: Trouble, until: float = 0.0) -> Report:
    """The account of a run that came to nothing."""
    return Report(trouble=kind, message="not now", until=until, is_finished=True)


def limit(session: Session, key: str, kind: Trouble = Trouble.QUOTA, until: float = 0.0, at: float = AT) -> Session:
    """A run that ended in trouble which is not the work's fault, judged."""
    return judge(finish(start(session, key), key, code=1, report=trouble(kind, until), at=at), key, at)


# ── a world where everything goes well ───────────────────────────────────────


def good_answer(session: Session, effect: fx.Effect) -> e.Event:
    """What a performer reports about this effect when nothing goes wrong."""
    return _ANSWERS[type(effect)](session, effect)


def _plan_run(session: Session, effect: Any) -> e.Event:
    task = session.tasks[effect.task]
    at = max(AT, effect.not_before)
    return e.RunPlanned(at, task.number, f"run-{task.number}-{effect.number}", task.plan.agent, "talk")


def _prepared(session: Session, effect: Any) -> e.Event:
    task = session.tasks[effect.task]
    base = task.base or session.tip
    return e.WorkspacePrepared(AT, task.number, effect.run, base, TREE, base)


def _conclude(session: Session, _: Any) -> e.Event:
    outcome = session_outcome(session)
    if outcome is Outcome.COMPLETE:
        return e.SessionClosed(AT, outcome)
    return e.SessionPaused(AT, "something waits", waits_for_person=True)


def _merged(session: Session, effect: Any) -> e.Event:
    task = session.tasks[effect.task]
    if session.terms.check_merges is CheckMerges.END:
        return e.TaskIntegrated(AT, task.number, f"a{task.number:019}{session.seq:020}", f"d{session.seq:039}")
    return integrated(task, *(result(known.name) for known in session.checks))


def looked(session: Session, status: CheckStatus) -> e.MergeBisected:
    """What is seen at the step of the branch that is looked at next."""
    found = find_culprit(session)
    assert isinstance(found, LookAt)
    results = tuple(result(name, status, "it broke") for name in found.checks)
    return e.MergeBisected(AT, found.step.commit, found.step.tree, results)


def _parked(session: Session, _: Any) -> e.CulpritParked:
    found = find_culprit(session)
    assert isinstance(found, Culprit)
    fallout, before = fallout_of(session, found.merge), found.before
    others = (fallout.again, fallout.anew, fallout.dropped)
    return e.CulpritParked(
        AT, fallout.culprit, found.merge.commit, before.commit, before.tree, *others, "it broke the whole"
    )


_ANSWERS: dict[type[fx.Effect], Callable[[Session, Any], e.Event]] = {
    fx.PlanRun: _plan_run,
    fx.PrepareWorkspace: _prepared,
    fx.StartRun: lambda _, effect: e.RunStarted(AT, effect.task, effect.run, 4242),
    fx.AwaitRun: lambda _, effect: e.RunExited(AT, effect.task, effect.run, 0, EndedBy.ITSELF),
    fx.StopRun: lambda _, effect: e.RunStopped(AT, effect.task, effect.run),
    fx.ObserveWork: lambda _, effect: e.WorkObserved(AT, effect.task, effect.run, seen(number=effect.task)),
    fx.RunCheck: lambda _, effect: e.CheckFinished(AT, effect.task, effect.run, result(effect.check)),
    fx.CheckBase: lambda _, effect: e.BaseChecked(
        AT, effect.task, effect.run, result(effect.check, CheckStatus.FAILED)
    ),
    fx.JudgeRun: lambda session, effect: e.VerdictReached(
        AT, effect.task, effect.run, verdict_on(session.tasks[effect.task], session.terms)
    ),
    fx.MergeTask: _merged,
    fx.GiveUpResolution: lambda session, effect: refusal(session, session.tasks[effect.task]),
    fx.BlockTask: lambda _, effect: e.TaskBlocked(AT, effect.task, effect.reason, effect.message),
    fx.RemoveWorkspace: lambda _, effect: e.WorkspaceRemoved(AT, effect.task),
    fx.SettleWork: lambda _, effect: e.WorkSettled(AT),
    fx.ProveSession: lambda session, effect: e.SessionProven(
        AT, effect.tip, session.tip_tree, tuple(result(known.name) for known in session.checks)
    ),
    fx.BisectMerges: lambda session, _: looked(session, CheckStatus.PASSED),
    fx.ParkCulprit: _parked,
    fx.TakeBackMerges: lambda _, effect: e.MergesTakenBack(AT, effect.tip, "refs/toryo/kept/it"),
    fx.Conclude: _conclude,
    fx.HoldSession: lambda _, effect: e.SessionPaused(AT, effect.message, waits_for_person=True),
    fx.PauseAtBudget: lambda _, effect: e.SessionPaused(
        max(AT, effect.not_before), "the budget is used up", waits_for_person=True, for_budget=True
    ),
}
