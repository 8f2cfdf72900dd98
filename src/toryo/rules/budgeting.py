"""What a session has used up of its budget, what is set aside for those at work, and what it may still begin."""

import math
from collections.abc import Sequence

from toryo.domain import effects as fx
from toryo.domain.limits import Budget, Cost, Limit
from toryo.domain.session import Session
from toryo.domain.task import TaskState

_UNLIMITED = Budget()
_SHARE = 8
"""A run of an agent nobody has seen at work yet is expected to cost this part of the budget."""
_CALLS = (
    fx.ReviewWork,
    fx.ReconsiderTask,
    fx.ConsiderSaying,
    fx.JudgeSession,
    fx.AskQuestions,
    fx.WriteDocument,
    fx.DraftTasks,
    fx.ScoreDraft,
    fx.CompactTalk,
)
"""What asks a model."""


def spent(session: Session) -> Cost:
    """What agents and models used, as far as they say, and how many runs there were."""
    usage = session.usage + session.call_usage
    return Cost(usage.tokens, usage.usd, session.runs)


def estimate(session: Session, agent: str) -> Cost:
    """What one run will cost: the most one of this agent has cost so far, or a share of the budget."""
    known, budget = session.dearest.get(agent), session.budget
    if known is not None:
        return known
    return Cost((budget.tokens or 0) // _SHARE, (budget.usd or 0.0) / _SHARE)


def reserved(session: Session) -> Cost:
    """What is set aside for agents at work, who tell what they used only when they are done; runs are counted."""
    return sum((estimate(session, agent) for agent in _at_work(session)), Cost())


def _at_work(session: Session) -> list[str]:
    live = (session.tasks[number] for number in session.live)
    return [task.runs[-1].agent for task in live if task.state is TaskState.RUNNING]


# ── time ─────────────────────────────────────────────────────────────────────


def worked(session: Session, now: float) -> float:
    """Seconds since the session was opened, without those in which it waited for a person."""
    until = session.updated_at if session.rests else now
    return max(0.0, until - session.opened_at - session.rested)


def deadline(session: Session) -> float:
    """When its time is over, if it goes on without resting."""
    return math.inf if session.budget.wall is None else session.opened_at + session.rested + session.budget.wall


# ── what is left ─────────────────────────────────────────────────────────────


def used_up(session: Session, now: float) -> Limit | None:
    """The limit that is reached, if one is."""
    budget, used = session.budget, spent(session)
    if budget.tokens is not None and used.tokens >= budget.tokens:
        return Limit.TOKENS
    if budget.usd is not None and used.usd >= budget.usd:
        return Limit.USD
    if budget.wall is not None and worked(session, now) >= budget.wall:
        return Limit.WALL
    if budget.runs is not None and used.runs >= budget.runs:
        return Limit.RUNS
    return None


def may_run(session: Session, agent: str, beside: Cost = Cost()) -> bool:  # noqa: B008 - it is frozen
    """Whether a run of this agent still fits, beside what is at work and about to start.

    One that is alone may always use what is left, however little: otherwise nothing would use it.
    """
    budget = session.budget
    if budget == _UNLIMITED:
        return True
    used, own = spent(session), estimate(session, agent)
    if budget.runs is not None and used.runs + beside.runs >= budget.runs:
        return False
    taken = used + reserved(session) + beside + own
    is_alone = not beside.runs and not _at_work(session)
    return all(
        before < limit and (is_alone or after <= limit)
        for limit, before, after in ((budget.tokens, used.tokens, taken.tokens), (budget.usd, used.usd, taken.usd))
        if limit is not None
    )


def may_ask(session: Session) -> bool:
    """Whether a model may still be asked something."""
    budget, used = session.budget, spent(session)
    return (budget.tokens is None or used.tokens < budget.tokens) and (budget.usd is None or used.usd < budget.usd)


# ── what follows for the playbook ────────────────────────────────────────────


def affordable(session: Session, wanted: Sequence[fx.Effect]) -> list[fx.Effect]:
    """What may be under way: what costs nothing more goes on; where nothing is left to do, the session pauses."""
    if session.budget == _UNLIMITED:
        return list(wanted)
    fitting: list[fx.Effect] = []
    beside = Cost()
    for effect in wanted:
        if isinstance(effect, fx.PlanRun):
            agent = session.tasks[effect.task].plan.agent
            if not may_run(session, agent, beside):
                continue
            if not effect.not_before:  # one that starts later takes its share then
                beside += estimate(session, agent) + Cost(runs=1)
        elif isinstance(effect, _CALLS) and not may_ask(session):
            continue
        fitting.append(effect)
    return fitting if fitting or not wanted else [fx.PauseAtBudget(0.0)]


def timed(session: Session, wanted: Sequence[fx.Effect]) -> list[fx.Effect]:
    """The same, and the pause that comes when the time is over; nobody waits for that alone."""
    if not wanted or session.budget.wall is None:
        return list(wanted)
    return [*wanted, fx.PauseAtBudget(deadline(session))]
