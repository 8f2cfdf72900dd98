"""The playbook: given the state, what should be under way. Looks only at what is live."""

from collections import Counter
from collections.abc import Iterator

from toryo.domain import effects as fx
from toryo.domain.plan import WorktreeChoice
from toryo.domain.report import Trouble
from toryo.domain.run import Run, RunState
from toryo.domain.session import MODEL, Session, SessionState
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules import patience
from toryo.rules.bisecting import Culprit, LookAt, find_culprit
from toryo.rules.budgeting import affordable, timed
from toryo.rules.collisions import held_behind, is_worth_looking, should_yield, works_of
from toryo.rules.flows import is_judged, needs_filing
from toryo.rules.judging import needs_review, next_check
from toryo.rules.landing import landing_steps
from toryo.rules.locking import may_take
from toryo.rules.merging import next_merge, way_back
from toryo.rules.planning import planning_steps
from toryo.rules.testsfirst import next_base_check, why_not_yet
from toryo.rules.wholeness import checks_of_the_whole

_WALLS = (Trouble.QUOTA, Trouble.LOGIN)
_REVIEWS_AT_ONCE = 4
_ASKS_THE_MODEL = (fx.ReviewWork, fx.ReconsiderTask, fx.ConsiderSaying, fx.JudgeSession)


def next_effects(session: Session) -> frozenset[fx.Effect]:
    """Everything that should be going on now. Asking twice gives the same work, not twice the work."""
    match session.state:
        case SessionState.PLANNING:
            return frozenset(timed(session, affordable(session, [*planning_steps(session)])))
        case SessionState.EXECUTING:
            wanted = [*_starts(session), *_under_way(session), *_removal(session), *_opinions(session)]
            wanted = affordable(session, _possible(session, wanted))
            return frozenset(timed(session, wanted) or _session_step(session, fx.SettleWork))
        case SessionState.CONCLUDING:
            return frozenset(affordable(session, _possible(session, [*_conclusion(session)])))
        case SessionState.LANDING if session.ahead:
            return frozenset([way_back(session)])
        case SessionState.LANDING:
            return frozenset(landing_steps(session))
        case SessionState.PAUSED | SessionState.CLOSED:
            return frozenset(_stops(session))
        case _:
            return frozenset()


def meanwhile(session: Session) -> frozenset[fx.Effect]:
    """What is only looked at beside the work that goes on: nothing waits for it, and nobody conducts for it alone."""
    works = works_of(session) if session.state is SessionState.EXECUTING else ()
    if not is_worth_looking(session, works):
        return frozenset()
    return frozenset({fx.ForeseeCollisions(tuple(work.mark for work in works), session.tip)})


def _starts(session: Session) -> Iterator[fx.Effect]:
    """A task starts as soon as its dependencies are met, and a slot and its files are free."""
    free = session.parallel - session.busy
    if free <= 0 or session.has_backlog:
        return
    waits = _walls(session)
    before: list[Task] = []
    shared_taken = any(_is_shared(session.tasks[number]) for number in session.live)
    for number in _in_order(session):
        task = session.tasks[number]
        if task.failures >= patience.ENOUGH:
            yield fx.HoldSession(session.seq, 0.0, task.reason)
            return
        if (shared_taken and _is_shared(task)) or held_behind(session, task):
            continue
        credential = session.credential_of(task)
        if pause := session.pauses.get(credential):
            if pause.needs_person:
                yield fx.BlockTask(number, task.failures, 0.0, pause.message, pause.reason)
            elif credential not in waits and may_take(session, task, before):
                # One is enough: as it starts, the pause is over for all.
                waits.add(credential)
                yield fx.PlanRun(number, task.failures, max(task.not_before, pause.until), len(task.runs) + 1)
            continue
        if credential in waits:
            continue
        is_free = may_take(session, task, before)
        before.append(task)  # nobody who comes later overtakes it on the same files
        if not is_free:
            continue
        shared_taken = shared_taken or _is_shared(task)
        yield fx.PlanRun(number, task.failures, task.not_before, len(task.runs) + 1)
        free -= 1
        if not free:
            return


def _walls(session: Session) -> set[str]:
    """Credentials with which a run is at a wall right now: one is enough to find out how that ends."""
    live = [session.tasks[number] for number in session.live]
    return {session.credential_of(task) for task in live if _is_at_a_wall(task.runs[-1])}


def _is_at_a_wall(run: Run) -> bool:
    """It tries against one by itself, or ended at one and the verdict, which pauses the credential, is yet to come."""
    if run.stall and run.stall.trouble in _WALLS:
        return True
    return run.report is not None and run.report.trouble in (*_WALLS, Trouble.API)


def _in_order(session: Session) -> Iterator[int]:
    """Ready tasks in plan order, but the one that holds up all merging comes first."""
    first = _mender(session)
    if first is not None and first in session.ready:
        yield first
    for number in session.ready:
        if number != first:
            yield number


def _mender(session: Session) -> int | None:
    """The task whose run will settle the conflict that merging waits for."""
    if session.mending is None:
        return None
    return session.tasks[session.mending].resolution or session.mending


def _is_shared(task: Task) -> bool:
    return task.plan.worktree is WorktreeChoice.SHARED


def _under_way(session: Session) -> Iterator[fx.Effect]:
    """The next step of everything that has begun; what came first goes first, so nothing is cut off by a newcomer."""
    merge = next_merge(session)
    steps = [(session.tasks[number].turn, _next_step(session, session.tasks[number])) for number in session.live]
    if isinstance(merge, fx.MergeTask):
        steps.append((max(session.tasks[merge.task].turn, session.merge_turn), merge))
    elif merge is not None:
        yield merge
    room = _Room(session)
    yield from (effect for _, effect in sorted(steps, key=lambda step: step[0]) if room.takes(effect))


class _Room:
    """How much of what is heavy may go on at once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._checks, self._reviews = 0, 0
        self._named: Counter[str] = Counter()

    def takes(self, effect: fx.Effect) -> bool:
        match effect:
            case fx.ReviewWork():
                self._reviews += 1
                return self._reviews <= _REVIEWS_AT_ONCE
            case fx.RunCheck(task=number, check=name):
                checks = self._session.tasks[number].plan.checks
                cap = next(check.parallel for check in checks if check.name == name)
                is_free = cap is None or self._named[name] < cap
                self._named[name] += is_free
                return is_free and self._takes_check()
            case fx.MergeTask(task=number) if self._session.tasks[number].plan.checks:
                return self._takes_check()
            case _:
                return True

    def _takes_check(self) -> bool:
        self._checks += 1
        return not self._session.terms.checks_at_once or self._checks <= self._session.terms.checks_at_once


def _next_step(session: Session, task: Task) -> fx.Effect:
    if task.failures >= patience.ENOUGH:
        return fx.BlockTask(task.number, task.failures, 0.0, task.reason)
    return _step(session, task)


def _step(session: Session, task: Task) -> fx.Effect:
    run = task.runs[-1]
    same = (task.number, task.failures, task.not_before, run.id)
    if task.state is TaskState.RUNNING:
        if task.revision or task.is_unwanted:
            return fx.StopRun(*same)
        if found := should_yield(session, task):
            return fx.SetTaskAside(*same, found.other or 0, found.files)
        if run.state is not RunState.STARTING:
            return fx.AwaitRun(*same, run.remarks)
        return _start(task, same) if run.prepared else fx.PrepareWorkspace(*same)
    if run.observation is None and run.state is not RunState.LOST:
        return fx.ObserveWork(*same)
    if check := next_check(task, session.terms):
        return fx.RunCheck(*same, check.name)
    return fx.ReviewWork(*same, session.lifted) if needs_review(task, session.terms) else fx.JudgeRun(*same)


def _start(task: Task, same: tuple[int, int, float, str]) -> fx.Effect:
    """The agent, once its tests were seen to fail where the task asks for that."""
    if check := next_base_check(task):
        return fx.CheckBase(*same, check.name)
    if why := why_not_yet(task):
        return fx.BlockTask(task.number, task.failures, 0.0, why, BlockReason.TESTS_FIRST)
    return fx.StartRun(*same)


def _opinions(session: Session) -> Iterator[fx.Effect]:
    """What a model is asked beside reviews: what a person's words mean, and what to do about failures."""
    yield from _saying(session)
    for number in session.stuck:
        task = session.tasks[number]
        if task.replans < session.terms.replans and task.failures < patience.ENOUGH:
            yield fx.ReconsiderTask(number, task.failures, task.not_before, task.replans, session.lifted)


def _saying(session: Session) -> Iterator[fx.Effect]:
    if session.considered < len(session.sayings) and session.failures < patience.ENOUGH:
        yield fx.ConsiderSaying(0, session.lifted, session.not_before, session.considered)


def _possible(session: Session, wanted: list[fx.Effect]) -> list[fx.Effect]:
    """Without what only the model could answer, while it cannot be asked before a person acts."""
    wall = session.pauses.get(MODEL)
    if wall is None or not wall.needs_person:
        return wanted
    left = [effect for effect in wanted if not isinstance(effect, _ASKS_THE_MODEL)]
    return left if left or not wanted else [fx.HoldSession(session.seq, 0.0, wall.message, is_ours=False)]


def _removal(session: Session) -> Iterator[fx.Effect]:
    """Workspaces whose work is merged go away, one at a time."""
    if session.terms.keep_worktrees:
        return
    for number in session.removable:
        task = session.tasks[number]
        if task.failures < patience.ENOUGH:  # else it stays where it is, for 'toryo clean' or a person
            yield fx.RemoveWorkspace(number, task.failures, task.not_before)
            return


def _session_step(session: Session, kind: type[fx.SessionEffect], *fields: str | int) -> Iterator[fx.Effect]:
    if session.failures >= patience.ENOUGH:
        yield fx.HoldSession(session.seq, 0.0, session.trouble)
    else:
        yield kind(session.seq, session.not_before, *fields)


def _conclusion(session: Session) -> Iterator[fx.Effect]:
    if session.considered < len(session.sayings) and session.failures < patience.ENOUGH:
        yield from _saying(session)
        return
    found = find_culprit(session)
    if _needs_proof(session):
        yield from _session_step(session, fx.ProveSession, session.tip)
    elif isinstance(found, LookAt):
        yield from _session_step(session, fx.BisectMerges, found.step.commit, len(session.looks))
    elif isinstance(found, Culprit):
        yield from _session_step(session, fx.ParkCulprit, found.merge.commit)
    elif _needs_judgement(session):
        yield fx.JudgeSession(0, session.lifted, session.not_before, session.tip)
    elif needs_filing(session):
        yield from _session_step(session, fx.FileIntents, session.tip)
    else:
        yield from _session_step(session, fx.Conclude)


def _needs_proof(session: Session) -> bool:
    is_there = session.tip not in (session.base_commit, session.proof_commit)
    return is_there and bool(checks_of_the_whole(session))


def _needs_judgement(session: Session) -> bool:
    """The whole is judged once it is proven and nothing of it waits for a person."""
    return (
        session.terms.judges
        and is_judged(session)
        and session.judged_commit != session.tip
        and session.tip != session.base_commit
        and not session.count(TaskState.BLOCKED)
        and session.failures < patience.ENOUGH
    )


def _stops(session: Session) -> Iterator[fx.Effect]:
    for number in session.live:
        task = session.tasks[number]
        if task.state is TaskState.RUNNING:
            yield fx.StopRun(number, task.failures, task.not_before, task.runs[-1].id)
