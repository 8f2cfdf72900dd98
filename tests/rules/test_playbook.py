"""What should be under way in every situation, and a simulated world that tries to bring it out of step."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.books import check_books
from tests.support.sessions import (
    AT,
    BASE,
    a_session,
    accept,
    after,
    ask,
    block,
    check,
    claim,
    finish,
    go_on,
    good_answer,
    integrate,
    judge,
    leave,
    limit,
    merge,
    opening,
    planned,
    prepare,
    refusal,
    refuse,
    result,
    retry,
    seen,
    stall,
    start,
    stop,
    trouble,
)

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import Check, Limits, OnFailure, PlannedTask, WorktreeChoice
from toryo.domain.report import Trouble
from toryo.domain.run import EndedBy, RunState
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome
from toryo.rules import patience
from toryo.rules.admit import admit
from toryo.rules.evolve import evolve, fold
from toryo.rules.playbook import next_effects

TESTS = Check("tests", "make test")


def names(session: Session) -> list[str]:
    """The effects wanted, as `Kind key`."""
    return sorted(_name(session, effect) for effect in next_effects(session))


def _name(session: Session, effect: fx.Effect) -> str:
    number = getattr(effect, "task", None)
    kind = type(effect).__name__
    return kind if number is None else f"{kind} {session.tasks[number].plan.key}"


def failing(session: Session, key: str | None, times: int, message: str = "no disk") -> Session:
    number = None if key is None else session.task(key).number
    return after(session, *[e.EffectFailed(AT, "Effect", message, AT + 9, number)] * times)


# ── each step ────────────────────────────────────────────────────────────────


@pytest.mark.covers("G11")
def test_nothing_happens_before_a_person_has_approved() -> None:
    opened, proposed, approved = opening("A")
    session = evolve(None, opened)
    assert names(session) == []
    session = evolve(session, proposed)
    assert names(session) == []
    assert names(evolve(session, approved)) == ["PlanRun A"]


def test_the_steps_of_one_task() -> None:
    session = a_session(planned("A", checks=(TESTS, Check("lint", "make lint"))))
    steps = []
    moves: list[Callable[[Session], Session]] = [
        lambda now: claim(now, "A"),
        lambda now: prepare(now, "A"),
        lambda now: after(now, e.RunStarted(AT, 1, "run-1-1", 1)),
        lambda now: leave(now, "A"),
        lambda now: after(now, e.WorkObserved(AT, 1, "run-1-1", seen())),
        lambda now: check(now, "A", result("tests")),
        lambda now: check(now, "A", result("lint")),
        lambda now: judge(now, "A"),
        lambda now: merge(now, "A"),
        lambda now: after(now, e.WorkspaceRemoved(AT, 1)),
        lambda now: after(now, e.WorkSettled(AT)),
    ]
    for move in moves:
        steps += names(session)
        session = move(session)
    assert steps + names(session) == [
        "PlanRun A",
        "PrepareWorkspace A",
        "StartRun A",
        "AwaitRun A",
        "ObserveWork A",
        "RunCheck A",
        "RunCheck A",
        "JudgeRun A",
        "MergeTask A",
        "RemoveWorkspace A",
        "SettleWork",
        "Conclude",
    ]


@pytest.mark.covers("G20")
def test_tasks_start_in_plan_order_up_to_the_cap() -> None:
    session = a_session("A", "B", "C", parallel=2)
    assert names(session) == ["PlanRun A", "PlanRun B"]
    assert names(start(session, "B")) == ["AwaitRun B", "PlanRun A"]
    assert names(start(start(session, "B"), "A")) == ["AwaitRun A", "AwaitRun B"]


@pytest.mark.covers("G20")
def test_a_changed_cap_holds_from_then_on() -> None:
    session = after(a_session("A", "B", "C", parallel=1), e.ParallelChanged(AT, 3))
    assert names(session) == ["PlanRun A", "PlanRun B", "PlanRun C"]
    session = after(start(start(session, "A"), "B"), e.ParallelChanged(AT, 1))
    assert names(session) == ["AwaitRun A", "AwaitRun B"]


@pytest.mark.covers("A9")
def test_a_dependent_starts_as_soon_as_its_dependencies_are_accepted() -> None:
    session = a_session("A", "B", planned("C", "A", "B"))
    session = accept(session, "A")
    assert "PlanRun C" not in names(session)
    assert names(accept(session, "B")) == ["MergeTask A", "PlanRun C"]


def test_a_retry_is_another_run() -> None:
    session = a_session("A")
    assert next_effects(session) == {fx.PlanRun(1, 0, 0.0, 1)}
    assert next_effects(retry(session, "A")) == {fx.PlanRun(1, 0, 0.0, 2)}


def test_work_that_failed_already_is_judged_without_running_checks() -> None:
    session = finish(start(a_session(planned("A", checks=(TESTS,))), "A"), "A", code=1)
    assert names(session) == ["JudgeRun A"]


def test_a_run_that_vanished_is_judged_without_a_look_at_its_files() -> None:
    session = after(start(a_session("A"), "A"), e.RunLost(AT, 1, "run-1-1", "vanished"))
    assert names(session) == ["JudgeRun A"]


def test_only_so_many_of_one_check_at_once() -> None:
    heavy = Check("heavy", "make all", parallel=1)
    session = a_session(planned("A", checks=(heavy,)), planned("B", checks=(heavy, TESTS)))
    session = finish(start(finish(start(session, "A"), "A"), "B"), "B")
    assert names(session) == ["RunCheck A"]
    assert names(check(session, "A")) == ["JudgeRun A", "RunCheck B"]


@pytest.mark.covers("G16")
def test_one_task_at_a_time_in_the_shared_worktree() -> None:
    shared = [planned(key, worktree=WorktreeChoice.SHARED) for key in "AB"]
    session = a_session(*shared, "C")
    assert names(session) == ["PlanRun A", "PlanRun C"]
    assert names(start(session, "A")) == ["AwaitRun A", "PlanRun C"]
    assert "PlanRun B" in names(accept(session, "A"))


@pytest.mark.covers("A15")
def test_merges_one_by_one_and_dependencies_first() -> None:
    session = a_session(planned("B", "A"), "A", "C")
    session = accept(accept(accept(session, "A"), "B"), "C")
    assert names(session) == ["MergeTask A"]
    assert names(merge(session, "A")) == ["MergeTask B", "RemoveWorkspace A"]


def test_a_merge_onto_another_tip_is_another_effect() -> None:
    session = accept(accept(a_session("A", "B"), "A"), "B")
    (first,) = (effect for effect in next_effects(session) if isinstance(effect, fx.MergeTask))
    (second,) = (effect for effect in next_effects(merge(session, "A")) if isinstance(effect, fx.MergeTask))
    assert first == fx.MergeTask(1, 0, 0.0, BASE)
    assert second.tip == merge(session, "A").tip != BASE


@pytest.mark.covers("A15")
def test_a_conflict_is_settled_before_anything_else_is_merged() -> None:
    session = accept(accept(a_session("A", "B", "C", parallel=1), "A"), "B")
    session = refuse(session, "A")
    assert names(session) == ["PlanRun A-merge"]
    session = accept(session, "A-merge")
    assert names(session) == ["MergeTask A-merge", "PlanRun C"]
    assert names(merge(session, "A-merge"))[0] == "MergeTask B"


def test_a_task_that_is_redone_goes_first_and_holds_up_merging() -> None:
    session = a_session("A", "B", "C", parallel=1, resolver="shell")
    session = refuse(accept(accept(session, "B"), "C"), "B")
    assert names(session) == ["PlanRun B"]
    assert names(accept(session, "B")) == ["MergeTask B", "PlanRun A"]


def test_a_resolution_that_fails_is_given_up_and_merging_goes_on_after_the_redo_is_blocked() -> None:
    session = refuse(accept(accept(a_session("A", "B"), "A"), "B"), "A")
    session = block(session, "A-merge")
    assert names(session) == ["GiveUpResolution A"]
    session = refuse(session, "A", Disposition.REDO)
    assert names(session) == ["PlanRun A"]
    assert names(block(session, "A")) == ["MergeTask B"]


def test_worktrees_are_kept_where_the_terms_say_so() -> None:
    session = integrate(a_session("A", keep_worktrees=True), "A")
    assert names(session) == ["SettleWork"]


def test_worktrees_are_removed_one_at_a_time() -> None:
    session = integrate(integrate(a_session("A", "B"), "A"), "B")
    assert names(session) == ["RemoveWorkspace A"]
    assert names(after(session, e.WorkspaceKept(AT, 1, "it is not clean"))) == ["RemoveWorkspace B"]


@pytest.mark.covers("A14")
def test_dependents_of_a_blocked_task_do_not_start_and_the_rest_is_settled() -> None:
    session = block(a_session("A", planned("B", "A")), "A")
    assert names(session) == ["SettleWork"]


def test_the_session_is_proven_on_its_branch_before_it_is_concluded() -> None:
    session = a_session("A", checks=(TESTS,), keep_worktrees=True)
    session = after(integrate(session, "A"), e.WorkSettled(AT))
    assert next_effects(session) == {fx.ProveSession(session.seq, 0.0, session.tip)}
    proven = after(session, e.SessionProven(AT, session.tip, session.tip_tree, (result("tests"),)))
    assert names(proven) == ["Conclude"]


def test_a_proof_of_exactly_this_commit_need_not_be_repeated() -> None:
    session = accept(a_session("A", checks=(TESTS,), keep_worktrees=True), "A")
    session = after(merge(session, "A", result("tests")), e.WorkSettled(AT))
    assert names(session) == ["Conclude"]


def test_a_proof_of_an_earlier_commit_is_no_proof() -> None:
    session = accept(accept(a_session("A", "B", checks=(TESTS,), keep_worktrees=True), "A"), "B")
    session = after(merge(merge(session, "A", result("tests")), "B"), e.WorkSettled(AT))
    assert names(session) == ["ProveSession"]


def test_where_nothing_was_merged_there_is_nothing_to_prove() -> None:
    session = after(block(a_session("A", checks=(TESTS,)), "A"), e.WorkSettled(AT))
    assert names(session) == ["Conclude"]


@pytest.mark.covers("G25")
def test_a_pause_stops_every_running_agent_and_starts_nothing() -> None:
    session = a_session("A", "B", "C", "D", parallel=3)
    session = leave(start(start(claim(session, "A"), "B"), "C"), "C")
    session = after(session, e.ParallelChanged(AT, 2))
    paused = after(session, e.SessionPaused(AT, "a person"))
    assert names(paused) == ["StopRun A", "StopRun B"]
    paused = stop(stop(paused, "A"), "B")
    assert names(paused) == []
    assert names(after(paused, e.SessionResumed(AT))) == ["ObserveWork C", "PlanRun A", "PlanRun B"]


@pytest.mark.covers("P52")
def test_a_failed_effect_is_wanted_again_as_a_new_try_later() -> None:
    session = failing(claim(a_session("A"), "A"), "A", 2)
    assert next_effects(session) == {fx.PrepareWorkspace(1, 2, AT + 9, "run-1-1")}


@pytest.mark.parametrize("state", ["running", "checking", "accepted"])
def test_our_machinery_gives_up_on_a_task_after_enough_failures(state: str) -> None:
    session = {
        "running": lambda: start(a_session("A"), "A"),
        "checking": lambda: finish(start(a_session("A"), "A"), "A"),
        "accepted": lambda: accept(a_session("A"), "A"),
    }[state]()
    assert "BlockTask A" not in names(failing(session, "A", patience.ENOUGH - 1))
    session = failing(session, "A", patience.ENOUGH)
    assert next_effects(session) == {fx.BlockTask(1, patience.ENOUGH, 0.0, "no disk")}
    blocked = after(session, e.TaskBlocked(AT, 1, BlockReason.SYSTEM_ERROR, "no disk"))
    assert blocked.task("A").state is TaskState.BLOCKED


def test_our_machinery_gives_up_on_the_session_after_enough_failures() -> None:
    session = block(a_session("A"), "A")
    assert names(failing(session, None, patience.ENOUGH - 1)) == ["SettleWork"]
    session = failing(session, None, patience.ENOUGH)
    assert next_effects(session) == {fx.HoldSession(session.seq, 0.0, "no disk")}


def test_nothing_is_wanted_of_a_closed_session() -> None:
    assert names(after(a_session("A"), e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True))) == []


def test_a_proof_that_failed_is_tried_again_once_a_person_resumes() -> None:
    session = after(integrate(a_session("A", checks=(TESTS,), keep_worktrees=True), "A"), e.WorkSettled(AT))
    failed = e.SessionProven(AT, session.tip, session.tip_tree, (result("tests", CheckStatus.FAILED),))
    session = after(session, failed, e.SessionPaused(AT, "the checks do not pass", waits_for_person=True))
    session = after(session, e.SessionResumed(AT), e.WorkSettled(AT))
    assert names(session) == ["ProveSession"]


@pytest.mark.parametrize("state", ["planned", "integrated"])
def test_our_machinery_gives_up_wherever_it_fails(state: str) -> None:
    session = a_session("A") if state == "planned" else integrate(a_session("A"), "A")
    before, later = (next_effects(failing(session, "A", times)) for times in (0, 50 * patience.ENOUGH))
    assert {type(effect) for effect in before} != {type(effect) for effect in later}


# ── pauses ───────────────────────────────────────────────────────────────────

OTHER = {"agent": "other"}
TERMS = {"credentials": (("cousin", "crew"),)}


def planned_runs(session: Session) -> dict[str, float]:
    """Whose run is to be planned, and not before when."""
    effects = [effect for effect in next_effects(session) if isinstance(effect, fx.PlanRun)]
    return {session.tasks[effect.task].plan.key: effect.not_before for effect in effects}


@pytest.mark.covers("A24")
def test_one_task_waits_until_a_paused_credential_can_be_used_again() -> None:
    session = limit(a_session("A", "B", "C"), "A", until=AT + 3600)
    assert planned_runs(session) == {"A": AT + 3600}
    assert names(session) == ["PlanRun A"], "and the work is not settled meanwhile"


@pytest.mark.covers("A24")
def test_agents_that_share_a_credential_share_its_pause() -> None:
    session = a_session("A", planned("B", agent="cousin"), planned("C", **OTHER), **TERMS)
    assert planned_runs(limit(session, "A", until=AT + 3600)) == {"A": AT + 3600, "C": 0.0}
    assert planned_runs(limit(session, "B", until=AT + 3600)) == {"A": AT + 3600, "C": 0.0}


@pytest.mark.covers("A24")
@pytest.mark.parametrize("kind", [Trouble.QUOTA, Trouble.LOGIN, Trouble.API])
def test_nobody_starts_on_a_credential_between_the_end_of_a_run_at_its_limit_and_the_verdict(kind: Trouble) -> None:
    session = start(a_session("A", planned("B", agent="cousin"), planned("C", **OTHER), **TERMS), "A")
    assert planned_runs(leave(session, "A")) == {"B": 0.0, "C": 0.0}, "a run that ended well stands in nobody's way"
    ended = leave(session, "A", report=trouble(kind, AT + 3600))
    assert planned_runs(ended) == {"C": 0.0}


def test_slots_stay_free_for_those_who_can_work() -> None:
    session = a_session("A", "B", *(planned(key, **OTHER) for key in "CDE"), parallel=2)
    session = limit(session, "A", until=AT + 3600)
    assert planned_runs(session) == {"A": AT + 3600, "C": 0.0, "D": 0.0}
    session = start(start(session, "C"), "D")
    assert names(session) == ["AwaitRun C", "AwaitRun D"], "no slot is free, nobody needs to wait for one"
    assert planned_runs(judge(finish(session, "C"), "C")) == {"A": AT + 3600, "E": 0.0}


def test_each_paused_credential_has_one_task_that_waits() -> None:
    session = a_session("A", "B", planned("C", **OTHER), planned("D", **OTHER))
    session = limit(limit(session, "B", until=AT + 60), "C", Trouble.API, until=AT + 30)
    assert planned_runs(session) == {"A": AT + 60, "C": AT + 30}


def test_as_one_starts_the_pause_is_over_for_all() -> None:
    session = claim(limit(a_session("A", "B", "C"), "A", until=AT + 60), "A")
    assert planned_runs(session) == {"B": 0.0, "C": 0.0}


def test_a_machinery_that_has_to_wait_longer_than_the_pause_waits_longer() -> None:
    session = failing(limit(a_session("A"), "A", until=AT + 3), "A", 1)
    assert planned_runs(session) == {"A": AT + 9}


def test_lifting_a_pause_lets_everybody_start() -> None:
    session = limit(a_session("A", "B"), "A", until=AT + 3600)
    assert planned_runs(after(session, e.PauseLifted(AT, "crew"))) == {"A": 0.0, "B": 0.0}


def test_a_task_given_to_another_agent_does_not_wait() -> None:
    session = limit(a_session("A", "B"), "A", until=AT + 3600)
    session = after(session, e.TaskReassigned(AT, 1, "other"))
    assert planned_runs(session) == {"A": 0.0, "B": AT + 3600}


def test_where_nobody_is_logged_in_the_tasks_go_to_a_person_and_others_go_on() -> None:
    session = a_session("A", "B", planned("C", "B"), planned("D", **OTHER))
    session = limit(session, "A", Trouble.LOGIN)
    message = "not logged in: not now"
    assert next_effects(session) == {
        fx.BlockTask(2, 0, 0.0, message, BlockReason.LOGIN),
        fx.PlanRun(4, 0, 0.0, 1),
    }
    session = after(session, e.TaskBlocked(AT, 2, BlockReason.LOGIN, message))
    assert names(session) == ["PlanRun D"], "what depends on them waits with them"


def test_once_a_person_has_resumed_everybody_is_tried_again() -> None:
    session = after(limit(a_session("A", "B"), "A", Trouble.LOGIN), e.SessionPaused(AT, "x"), e.SessionResumed(AT))
    assert planned_runs(session) == {"B": 0.0}
    assert planned_runs(after(session, e.TaskRetried(AT, 1))) == {"A": 0.0, "B": 0.0}


def test_a_limit_that_lasts_too_long_stops_all_that_would_run_into_it() -> None:
    session = limit(a_session("A", "B", quota_wait=60.0), "A", until=AT + 3600)
    assert names(session) == ["BlockTask B"]


def test_the_shared_worktree_does_not_wait_for_a_pause() -> None:
    shared = {"worktree": WorktreeChoice.SHARED}
    session = a_session(planned("A", **shared), planned("B", **shared), planned("C", **OTHER, **shared))
    session = limit(session, "A", until=AT + 3600)
    assert planned_runs(session) == {"A": AT + 3600, "C": 0.0}
    busy = start(session, "C")
    assert names(busy) == ["AwaitRun C"], "while somebody is in there, nobody waits to go in"
    assert not admit(busy, e.RunPlanned(AT, 1, "run-new", "crew", "talk")), "nor goes in, should both have come at once"


@pytest.mark.covers("G40")
def test_a_run_that_waits_for_a_person_frees_its_slot() -> None:
    session = start(a_session("A", "B", parallel=1), "A")
    assert names(session) == ["AwaitRun A"]
    session = ask(session, "A")
    assert names(session) == ["AwaitRun A", "PlanRun B"]
    session = start(session, "B")
    assert names(session) == ["AwaitRun A", "AwaitRun B"]
    assert names(go_on(session, "A")) == ["AwaitRun A", "AwaitRun B"], "both may work on"


def test_a_stalled_run_keeps_its_slot() -> None:
    session = stall(start(a_session("A", "B", parallel=1), "A"), "A")
    assert names(session) == ["AwaitRun A"]
    assert names(stall(ask(session, "A"), "A")) == ["AwaitRun A"], "also one that had waited"


def test_waiting_begins_anew_with_everything_that_was_told() -> None:
    session = start(a_session("A"), "A")
    first, second, third = (next_effects(now) for now in (session, stall(session, "A"), ask(session, "A")))
    assert first == {fx.AwaitRun(1, 0, 0.0, "run-1-1", 0)}
    assert second == third == {fx.AwaitRun(1, 0, 0.0, "run-1-1", 1)}


def test_a_run_that_waits_is_stopped_like_any_other() -> None:
    session = ask(start(a_session("A"), "A"), "A")
    assert names(after(session, e.SessionPaused(AT, "a person"))) == ["StopRun A"]


# ── the simulated world ──────────────────────────────────────────────────────

GOOD = 100
"""Luck that lets everything go well; anything less is a chance for something else."""


@dataclass
class World:
    """Answers every effect with an event, and keeps books of its own to hold the rules against."""

    session: Session
    events: list[e.Event]
    luck: list[int]
    doomed: frozenset[str] = frozenset()
    returns: int = 0
    """How often a person comes back to a session that waits for them."""
    satisfied: set[int] = field(default_factory=set)
    merged: set[int] = field(default_factory=set)
    processes: dict[int, str] = field(default_factory=dict)
    steps: int = 0

    def draw(self) -> int:
        return self.luck.pop() if self.luck else GOOD

    # ── what happens ─────────────────────────────────────────────────────────

    def live_on(self) -> Session:
        """Until the session is closed, or waits for a person who does not come back."""
        most = 100 + 40 * (len(self.session.tasks) + len(self.luck)) * (self.returns + 1)
        while True:
            wanted = self.wanted()
            if not wanted:
                if self.session.state is SessionState.CLOSED or not self.come_back():
                    return self.session
                continue
            self.steps += 1
            assert self.steps < most, f"still going on after {self.steps} steps: {wanted}"
            self.perhaps_interfere()
            for event in [self.answer(effect) for effect in self.chosen(wanted)]:
                self.record(event)

    def wanted(self) -> list[fx.Effect]:
        wanted = next_effects(self.session)
        assert wanted == next_effects(self.session)
        check_books(self.session)
        merges = [effect for effect in wanted if isinstance(effect, fx.MergeTask | fx.GiveUpResolution)]
        assert len(merges) <= 1
        assert len({getattr(effect, "task", None) for effect in wanted if _is_of_run(effect)}) == len(
            [effect for effect in wanted if _is_of_run(effect)]
        )
        shared = [number for number in self.session.live if _is_shared(self.session.tasks[number])]
        assert len(shared) <= 1
        return sorted(wanted, key=repr)

    def chosen(self, wanted: list[fx.Effect]) -> list[fx.Effect]:
        """Some of the effects, in any order, answered from the same state: they report at the same time."""
        first = self.draw() % len(wanted)
        turned = wanted[first:] + wanted[:first]
        return turned[: 1 + (self.draw() % 3 if self.luck else 0)]

    def perhaps_interfere(self) -> None:
        """A person changes the cap, or pauses."""
        match self.draw():
            case 1:
                self.record(e.ParallelChanged(AT, 1))
            case 2:
                self.record(e.ParallelChanged(AT, 3))
            case 3 | 4:
                self.record(e.SessionPaused(AT, "a person"))

    def come_back(self) -> bool:
        """A person resumes; what was blocked is sent round again if that is what the session waited for."""
        if self.session.state is not SessionState.PAUSED:
            return False
        waited = self.session.waits_for_person
        if waited:
            if not self.returns:
                return False
            self.returns -= 1
        self.record(e.SessionResumed(AT))
        if waited:
            for task in self.session.tasks.values():
                if task.state is TaskState.BLOCKED:
                    self.record(e.TaskRetried(AT, task.number))
        return True

    def record(self, event: e.Event) -> None:
        if not admit(self.session, event):
            return
        self.expect(event)
        before = self.session
        self.session = evolve(self.session, event)
        self.events.append(event)
        # Whoever was answered goes on, though another may have taken the slot.
        returns = len(before.waiting) > len(self.session.waiting) and not isinstance(event, e.RunPlanned)
        assert self.session.busy <= max(self.session.parallel, before.busy + returns)

    def expect(self, event: e.Event) -> None:
        """What must hold whenever such an event is recorded, from books that know no rules."""
        match event:
            case e.RunPlanned(task=number):
                task = self.session.tasks[number]
                assert self.session.busy < self.session.parallel
                pause = self.session.pauses.get(self.session.credential_of(task))
                assert pause is None or not pause.needs_person, "started without a login"
                assert set(task.depends_on) <= self.satisfied, "started before its dependencies"
                assert number not in self.processes, "two runs of one task"
            case e.RunStarted(task=number, run=run):
                assert number not in self.processes, "two processes of one task"
                self.processes[number] = run
            case e.RunExited(task=number) | e.RunStopped(task=number) | e.RunLost(task=number):
                self.processes.pop(number, None)
            case e.VerdictReached(task=number, verdict=verdict):
                if verdict.disposition is Disposition.ACCEPT:
                    self.satisfied.add(number)
            case e.TaskIntegrated(task=number):
                task = self.session.tasks[number]
                assert set(task.depends_on) <= self.merged, "merged before its dependencies"
                assert number not in self.merged
                self.merged |= {number, task.resolves or number}
            case e.MergeRefused(task=number, disposition=disposition):
                if disposition is not Disposition.RESOLVE:
                    self.satisfied.discard(number)
            case e.TaskBlocked(task=number):
                self.satisfied.discard(number)
                self.processes.pop(number, None)

    # ── answers ──────────────────────────────────────────────────────────────

    def answer(self, effect: fx.Effect) -> e.Event:
        luck = self.draw()
        if luck < 10 and not isinstance(effect, fx.BlockTask | fx.HoldSession):
            number = getattr(effect, "task", None)
            return e.EffectFailed(AT, type(effect).__name__, "no disk", AT + 1, number)
        return self.bad_answer(effect, luck) or good_answer(self.session, effect)

    def bad_answer(self, effect: fx.Effect, luck: int) -> e.Event | None:
        task = self.session.tasks[effect.task] if isinstance(effect, fx.TaskEffect) else None
        is_doomed = task is not None and task.plan.key in self.doomed
        bad = luck < 40
        match effect:
            case fx.PrepareWorkspace() if bad and _may_conflict(task):
                return e.BasesConflicted(AT, effect.task, effect.run, ("made.txt",))
            case fx.PrepareWorkspace() if luck < 20:
                return e.WorkspaceRefused(AT, effect.task, effect.run, BlockReason.SETUP_FAILED, "no network")
            case fx.AwaitRun() if 30 <= luck < 40 and not is_doomed:
                return self.remark(effect, luck)
            case fx.AwaitRun() if is_doomed:
                return e.RunExited(AT, effect.task, effect.run, 1, EndedBy.ITSELF)
            case fx.AwaitRun() if luck < 15:
                return e.RunLost(AT, effect.task, effect.run, "vanished")
            case fx.AwaitRun() if luck < 20:
                return e.RunExited(AT, effect.task, effect.run, 143, EndedBy.TIME_LIMIT)
            case fx.AwaitRun() if 20 <= luck < 26:
                kind = list(Trouble)[luck - 20]
                return e.RunExited(AT, effect.task, effect.run, 1, EndedBy.ITSELF, report=trouble(kind))
            case fx.AwaitRun() if bad:
                return e.RunExited(AT, effect.task, effect.run, 1, EndedBy.ITSELF)
            case fx.StopRun() if bad:
                return e.RunExited(AT, effect.task, effect.run, 0, EndedBy.ITSELF)
            case fx.ObserveWork() if luck < 15:
                return e.TaskBlocked(AT, effect.task, BlockReason.MISSING_WORKTREE, "gone")
            case fx.ObserveWork() if bad:
                return e.WorkObserved(AT, effect.task, effect.run, seen(changes=(), run_changed=False))
            case fx.RunCheck() if bad:
                return e.CheckFinished(AT, effect.task, effect.run, result(effect.check, CheckStatus.FAILED))
            case fx.MergeTask() if bad:
                return refusal(self.session, self.session.tasks[effect.task])
            case fx.RemoveWorkspace() if bad:
                return e.WorkspaceKept(AT, effect.task, "not clean")
        return None

    def remark(self, effect: fx.AwaitRun, luck: int) -> e.Event:
        """What the run tells before it ends."""
        here = (AT, effect.task, effect.run)
        match luck % 5:
            case 0:
                return e.RunWaited(*here, "left or right?")
            case 1:
                return e.RunStalled(*here, Trouble.API, "no answer", AT + 5)
            case 2:
                return e.ConversationNamed(*here, f"talk-{luck}")
            case 3 if self.session.tasks[effect.task].runs[-1].state is RunState.WORKING:
                return e.RunFellSilent(*here, AT)
            case _:
                return e.RunWentOn(*here)


def _is_of_run(effect: fx.Effect) -> bool:
    return isinstance(effect, fx.RunEffect | fx.PlanRun)


def _is_shared(task: Task) -> bool:
    return task.plan.worktree is WorktreeChoice.SHARED


def _may_conflict(task: Task | None) -> bool:
    return task is not None and len(task.depends_on) > 1 and not task.from_tip


# ── random plans ─────────────────────────────────────────────────────────────


@st.composite
def plans(draw: st.DrawFn, plain: bool = False) -> list[PlannedTask]:
    """Up to twelve tasks, each depending on some of those before it."""
    tasks: list[PlannedTask] = []
    for number in range(draw(st.integers(1, 12))):
        earlier = [task.key for task in tasks]
        needs = draw(st.lists(st.sampled_from(earlier), max_size=3, unique=True)) if earlier else []
        more = {} if plain else draw(st.sampled_from(FLAVOURS))
        tasks.append(planned(f"T{number}", *needs, **more))
    # What depends may well stand before what it depends on.
    return draw(st.sampled_from([tasks, tasks[::-1], sorted(tasks, key=lambda task: task.key[::-1])]))


FLAVOURS: list[dict[str, object]] = [
    {},
    {},
    {"checks": (TESTS,)},
    {"checks": (replace(TESTS, parallel=1), Check("lint", "make lint", on_failure=OnFailure.BLOCK))},
    {"worktree": WorktreeChoice.SHARED},
    {"worktree": WorktreeChoice.SHARED, "agent": "other"},
    {"agent": "shell"},
    {"limits": Limits(tests=1), "checks": (TESTS,)},
]
# Short lists shrink well; a seed and a share of bad luck reach far into long sessions.
LUCK = st.one_of(
    st.lists(st.integers(0, GOOD), max_size=60),
    st.builds(lambda seed, bad: _much_luck(seed, bad), st.integers(0, 10_000), st.sampled_from([5, 20, 50, 80])),
)


def _much_luck(seed: int, bad: int) -> list[int]:
    """Numbers of which so many in a hundred are bad ones."""
    random = Random(seed)
    return [random.randrange(40) if random.randrange(100) < bad else random.randint(40, GOOD) for _ in range(300)]


def world(tasks: list[PlannedTask], luck: list[int], checks: tuple[Check, ...] = (), **more: object) -> World:
    terms = {name: more.pop(name) for name in ("parallel", "keep_worktrees", "credentials") if name in more}
    events = opening(*tasks, checks=checks, **terms)
    session = fold(events)
    assert session is not None
    return World(session, events, luck[::-1], **more)


@pytest.mark.covers("P12", "G20", "G26", "G36", "A14", "P39", "B7")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans(), LUCK, st.integers(1, 4), st.booleans(), st.integers(0, 2))
def test_whatever_happens_the_rules_hold_and_the_session_comes_to_rest(
    tasks: list[PlannedTask], luck: list[int], cap: int, has_checks: bool, returns: int
) -> None:
    checks = (TESTS,) if has_checks else ()
    lived = world(tasks, luck, checks, parallel=cap, returns=returns)
    session = lived.live_on()
    assert not session.live
    assert not lived.processes
    if session.state is SessionState.CLOSED:
        assert session.outcome is Outcome.COMPLETE
        assert lived.merged >= set(range(1, len(tasks) + 1))
    else:
        assert session.state is SessionState.PAUSED
        assert session.waits_for_person
        assert session.count(TaskState.BLOCKED) or session.trouble
    assert fold(lived.events) == session


CREDENTIALS = [{}, {"agent": "other"}, {"agent": "cousin"}]
TALKATIVE = st.builds(
    lambda seed: Random(seed).choices([20, 21, 22, 30, 30, 31, 32, 33, 34, *range(GOOD - 9, GOOD)], k=200),
    st.integers(0, 10_000),
)
"""Luck with which runs ask, stall, fall silent, go on, and run into limits."""


@pytest.mark.covers("G20", "P12", "A24")
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(CREDENTIALS), st.sampled_from(list(WorktreeChoice))), min_size=1, max_size=5),
    TALKATIVE,
    st.integers(1, 3),
)
def test_limits_and_questions_break_no_rule(
    tasks: list[tuple[dict[str, str], WorktreeChoice]], luck: list[int], cap: int
) -> None:
    """The cap is kept, the shared worktree too, and nobody starts without a login: the world looks at that."""
    plan = [planned(f"T{number}", worktree=where, **who) for number, (who, where) in enumerate(tasks)]
    lived = world(plan, luck, parallel=cap, returns=3, credentials=(("cousin", "crew"),))
    session = lived.live_on()
    assert not lived.processes
    assert not session.waiting
    assert session.count(TaskState.BLOCKED) or session.outcome is Outcome.COMPLETE


@pytest.mark.covers("A14")
@settings(max_examples=50, deadline=None)
@given(plans(plain=True), st.data(), st.integers(1, 4))
def test_a_blocked_task_blocks_only_its_dependents(tasks: list[PlannedTask], data: st.DataObject, cap: int) -> None:
    doomed = frozenset(data.draw(st.sets(st.sampled_from([task.key for task in tasks]))))
    # Luck that only mixes the order up.
    order = data.draw(st.lists(st.integers(40, GOOD), max_size=60))
    session = world(tasks, order, parallel=cap, doomed=doomed).live_on()
    hopeless = set(doomed)
    for _ in tasks:
        hopeless |= {task.key for task in tasks if hopeless & set(task.depends_on)}
    for task in tasks:
        state = session.task(task.key).state
        if task.key not in hopeless:
            assert state is TaskState.INTEGRATED
        elif hopeless & set(task.depends_on):
            assert state is TaskState.PLANNED
        else:
            assert state is TaskState.BLOCKED
    assert session.state is (SessionState.PAUSED if doomed else SessionState.CLOSED)


@pytest.mark.covers("A9")
@settings(max_examples=20, deadline=None)
@given(plans(plain=True), st.integers(1, 4))
def test_where_all_goes_well_every_task_runs_once_and_as_many_at_once_as_allowed(
    tasks: list[PlannedTask], cap: int
) -> None:
    lived = world(tasks, [], parallel=cap)
    assert lived.live_on().outcome is Outcome.COMPLETE
    assert sum(isinstance(event, e.RunPlanned) for event in lived.events) == len(tasks)


def test_the_simulation_notices_a_cap_that_is_not_kept() -> None:
    """A gate is worth something once it has been seen to fail."""
    lived = world([planned("A"), planned("B")], [], parallel=1)
    lived.record(e.RunPlanned(AT, 1, "run-1-1", "crew", ""))
    with pytest.raises(AssertionError):
        lived.expect(e.RunPlanned(AT, 2, "run-2-1", "crew", ""))


def test_thousands_of_tasks_are_no_burden() -> None:
    """Each step looks at what is live: twice the tasks cost twice as much, not four times."""
    small, large = (_calls_for(count) for count in (100, 200))
    assert math.isclose(large / small, 2, rel_tol=0.2)


def _calls_for(count: int) -> int:
    """How many tasks the playbook looks at in a whole session of this many."""
    looked = 0

    class Counting(dict[int, Task]):
        def __getitem__(self, number: int) -> Task:
            nonlocal looked
            looked += 1
            return super().__getitem__(number)

    session = a_session(*(planned(f"T{number}") for number in range(count)))
    while effects := next_effects(replace(session, tasks=Counting(session.tasks))):
        if isinstance(next(iter(effects)), fx.SettleWork):
            break
        session = after(session, good_answer(session, min(effects, key=repr)))
    return looked


def test_pairs_of_effects_differ_in_what_makes_them_this_try() -> None:
    session = start(a_session("A"), "A")
    tries = [next_effects(failing(session, "A", times)) for times in range(patience.ENOUGH + 1)]
    assert all(earlier != later for earlier, later in pairwise(tries))
