"""Finding the merge that broke the whole: the right one, with few looks, and nobody where nobody can be blamed."""

import math
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.books import check_books
from tests.support.planning import TESTS, call, reviewed_session
from tests.support.sessions import AT, a_session, after, good_answer, looked, planned, refusal, result

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import CheckMerges
from toryo.domain.review import Judgement, Opinion, Review
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Outcome
from toryo.rules.admit import admit
from toryo.rules.bisecting import Culprit, LookAt, Nobody, find_culprit
from toryo.rules.evolve import evolve
from toryo.rules.judging import session_outcome
from toryo.rules.playbook import next_effects
from toryo.rules.wholeness import is_proven
from toryo.views.risks import risks_of

FAILED, PASSED = CheckStatus.FAILED, CheckStatus.PASSED
Broken = Callable[[frozenset[str]], bool]


def merged_at(session: Session, commit: str) -> frozenset[str]:
    """Whose work is in a step of the branch."""
    keys: set[str] = set()
    if commit == session.base_commit:
        return frozenset()
    for merge in session.merges.values():
        assert merge.task is not None
        task = session.tasks[merge.task]
        keys.add(task.plan.resolves or task.plan.key)
        if merge.commit == commit:
            return frozenset(keys)
    raise AssertionError(f"{commit} is not on the branch")


class Whole:
    """A session whose whole is red whenever certain tasks are in it together."""

    def __init__(self, session: Session, broken: Broken, seed: int = 0, conflicts: int = 0) -> None:
        self.session, self.broken, self.random, self.conflicts = session, broken, Random(seed), conflicts
        self.looks: list[int] = [0]

    def go(self) -> Session:
        for _ in range(2000):
            if self.session.state in (SessionState.PAUSED, SessionState.CLOSED):
                return self.session
            effect = self.random.choice(sorted(next_effects(self.session), key=repr))
            event = self.answer(effect)
            if admit(self.session, event):
                self.session = evolve(self.session, event)
                check_books(self.session)
        raise AssertionError("it never came to rest")

    def status(self, commit: str) -> CheckStatus:
        return FAILED if self.broken(merged_at(self.session, commit)) else PASSED

    def answer(self, effect: fx.Effect) -> e.Event:
        match effect:
            case fx.ProveSession(tip=tip):
                return e.SessionProven(AT, tip, self.session.tip_tree, (result("tests", self.status(tip), "red"),))
            case fx.BisectMerges(commit=commit):
                self.looks[-1] += 1
                return looked(self.session, self.status(commit))
            case fx.ParkCulprit():
                self.looks.append(0)
            case fx.MergeTask(task=number) if self.random.randrange(100) < self.conflicts:
                task = self.session.tasks[number]
                if f"{task.plan.key}-merge" not in self.session.keys and not task.plan.resolves:
                    return refusal(self.session, task)
            case fx.ReviewWork(task=number, run=run):
                return e.WorkReviewed(AT, number, run, Review(Opinion.APPROVED, "fine"), (call(),))
            case fx.JudgeSession(tip=tip):
                return e.SessionJudged(AT, (call(),), tip, Judgement(True, score=90))
        return good_answer(self.session, effect)


def at_the_end(*tasks: object, **more: object) -> Session:
    return a_session(*tasks, checks=(TESTS,), check_merges=CheckMerges.END, **more)  # type: ignore[arg-type]


@st.composite
def plans(draw: st.DrawFn) -> list[tuple[str, tuple[str, ...]]]:
    count = draw(st.integers(1, 12))
    keys = [f"T{number}" for number in range(count)]
    return [
        (key, tuple(draw(st.lists(st.sampled_from(keys[:place]), max_size=2, unique=True))) if place else ())
        for place, key in enumerate(keys)
    ]


def closure(plan: list[tuple[str, tuple[str, ...]]], broken: set[str]) -> set[str]:
    """The broken ones, and all that wait for them."""
    gone = set(broken)
    for key, needs in plan:
        if gone & set(needs):
            gone.add(key)
    return gone


@pytest.mark.covers("F2", "G36", "B7")
@settings(max_examples=80, deadline=None)
@given(plans(), st.data(), st.integers(0, 10_000), st.sampled_from([0, 0, 30]))
def test_every_culprit_is_parked_and_all_others_stay(
    plan: list[tuple[str, tuple[str, ...]]], data: st.DataObject, seed: int, conflicts: int
) -> None:
    bad = data.draw(st.sets(st.sampled_from([key for key, _ in plan]), max_size=3))
    session = at_the_end(*(planned(key, *needs) for key, needs in plan), parallel=3)
    whole = Whole(session, lambda keys: bool(keys & bad), seed, conflicts)
    session = whole.go()
    lost = closure(plan, bad)
    for key, _ in plan:
        task = session.task(key)
        if key not in lost:
            assert task.state is TaskState.INTEGRATED
        elif key in bad and not closure(plan, bad - {key}) & {key}:
            assert (task.state, task.block_reason) == (TaskState.BLOCKED, BlockReason.CULPRIT)
        else:
            assert task.state in (TaskState.PLANNED, TaskState.BLOCKED)
    assert merged_at(session, session.tip) == {key for key, _ in plan} - lost
    assert session_outcome(session) is (Outcome.INCOMPLETE if bad else Outcome.COMPLETE)
    assert is_proven(session) or session.tip == session.base_commit
    assert not session.ahead
    most = math.ceil(math.log2(len(plan) + 1)) + 4
    assert max(whole.looks) <= most, "the tip, the base, half of the rest each time, and both sides once more"


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 16), st.data(), st.integers(0, 10_000))
def test_of_two_that_do_not_go_together_the_later_one_is_parked(count: int, data: st.DataObject, seed: int) -> None:
    keys = [f"T{number}" for number in range(count)]
    pair = frozenset(data.draw(st.permutations(keys))[:2])
    session = Whole(at_the_end(*keys, parallel=2), lambda merged: pair <= merged, seed).go()
    blocked = [task for task in session.tasks.values() if task.state is TaskState.BLOCKED]
    assert len(blocked) == 1
    assert blocked[0].plan.key in pair
    assert blocked[0].reason == "it broke the whole"
    assert session.count(TaskState.INTEGRATED) == count - 1


def red(*keys: str, **more: object) -> Session:
    """Everything is merged, and the proof has failed."""
    whole = Whole(at_the_end(*keys, **more), lambda _: True)
    while not isinstance(find_culprit(whole.session), LookAt):
        effect = sorted(next_effects(whole.session), key=repr)[0]
        whole.session = after(whole.session, whole.answer(effect))
    return whole.session


def seeing(session: Session, statuses: str) -> Session:
    """One look after the other: red or green."""
    for status in statuses:
        session = after(session, looked(session, FAILED if status == "r" else PASSED))
    return session


def test_what_is_red_at_the_base_is_nobodys_fault() -> None:
    session = seeing(red("A", "B"), "rr")
    found = find_culprit(session)
    assert isinstance(found, Nobody)
    assert found.why == "check 'tests' fails already on main, where the session began"
    assert [type(effect) for effect in next_effects(session)] == [fx.Conclude]
    assert session_outcome(session) is Outcome.INCOMPLETE
    assert any("already on main" in risk for risk in risks_of(session))


def test_a_tip_that_passes_on_the_second_look_is_proven_and_its_check_flaky() -> None:
    session = seeing(red("A", "B", "C"), "g")
    assert find_culprit(session) is None
    assert is_proven(session)
    assert session.flaky == ("tests",)
    assert session_outcome(session) is Outcome.COMPLETE
    assert any("flaky" in risk for risk in risks_of(session))


@pytest.mark.parametrize("second", ["g", "rr"])
def test_a_boundary_that_is_not_the_same_twice_blames_nobody(second: str) -> None:
    """The tip is red, the base green, the middle red; then either side of it says something else."""
    session = seeing(red("A", "B"), "rgr")
    found = find_culprit(session)
    assert isinstance(found, LookAt)
    session = seeing(session, second)
    assert isinstance(find_culprit(session), Nobody)
    assert session.flaky == ("tests",)
    assert session.count(TaskState.INTEGRATED) == 2


def test_both_sides_are_seen_twice_before_anybody_is_parked() -> None:
    session = seeing(red("A", "B"), "rgrrg")
    found = find_culprit(session)
    assert isinstance(found, Culprit)
    assert found.merge.task == session.task("A").number
    assert [type(effect) for effect in next_effects(session)] == [fx.ParkCulprit]


def parked(session: Session) -> Session:
    effect = next(iter(next_effects(session)))
    return after(session, good_answer(session, effect))


def test_nothing_is_merged_before_the_branch_is_back() -> None:
    session = parked(seeing(red("A", "B"), "rgrrg"))
    assert session.task("B").state is TaskState.ACCEPTED
    assert [type(effect) for effect in next_effects(session)] == [fx.TakeBackMerges]
    session = after(session, good_answer(session, next(iter(next_effects(session)))))
    assert [type(effect) for effect in next_effects(session)] == [fx.MergeTask]


def test_what_was_begun_from_the_branch_with_the_culprit_is_done_anew() -> None:
    """Its history holds the culprit: merging it as it is would bring that back."""
    whole = Whole(at_the_end("A", "B"), lambda keys: "A" in keys)
    has_refused = False
    while whole.session.count(TaskState.INTEGRATED) < 2:
        effect = sorted(next_effects(whole.session), key=repr)[0]
        is_second = isinstance(effect, fx.MergeTask) and bool(whole.session.merges)
        if is_second and not has_refused:
            has_refused = True
            task = whole.session.tasks[effect.task]  # type: ignore[attr-defined]
            whole.session = after(whole.session, redone(whole.session, task.plan.key))
        else:
            whole.session = after(whole.session, whole.answer(effect))
    first = whole.session.tasks[next(iter(whole.session.merges.values())).task or 0].plan.key
    second = "B" if first == "A" else "A"
    whole.broken = lambda keys: first in keys
    session = whole.go()
    assert session.task(first).block_reason is BlockReason.CULPRIT
    again = session.task(second)
    assert (again.state, len(again.runs)) == (TaskState.INTEGRATED, 3)
    assert again.base == session.base_commit


def redone(session: Session, key: str) -> e.Event:
    from toryo.domain.verdict import Disposition

    return refusal(session, session.task(key), Disposition.REDO)


@pytest.mark.covers("A17")
def test_the_whole_is_judged_as_it_is_once_the_culprit_came_home() -> None:
    tasks = [planned(key) for key in "ABC"]
    terms = {"judges": True, "check_merges": CheckMerges.END, "parallel": 2}
    whole = Whole(reviewed_session(*tasks, checks=(TESTS,), **terms), lambda keys: "B" in keys)
    session = whole.go()
    assert (session.state, session.judged_commit) == (SessionState.PAUSED, "")
    whole.broken = lambda _: False
    whole.session = after(session, e.TaskRetried(AT, session.task("B").number, says="mind the rest"))
    whole.session = after(whole.session, e.SessionResumed(AT))
    session = whole.go()
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    assert session.judged_commit == session.tip == session.proof_commit
    assert session.task("B").runs[-1].start_commit not in ("", session.base_commit), "it began from the merged work"


def told(session: Session) -> Iterator[str]:
    return (type(effect).__name__ for effect in next_effects(session))


def test_a_person_who_pauses_in_between_loses_nothing() -> None:
    session = parked(seeing(red("A", "B"), "rgrrg"))
    session = after(session, e.SessionPaused(AT, "a person"), e.SessionResumed(AT))
    assert list(told(session)) == ["TakeBackMerges"]
    session = seeing(red("A", "B"), "rg")
    session = after(session, e.SessionPaused(AT, "a person"), e.SessionResumed(AT), e.WorkSettled(AT))
    assert list(told(session)) == ["ProveSession"], "it is looked at anew"
