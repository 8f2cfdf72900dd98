"""Faults of a plan that show without understanding it, and what they cost."""

import pytest
from tests.support.sessions import planned

from toryo.domain.plan import PlannedTask, TaskType
from toryo.domain.planning import Draft, Score
from toryo.rules.planquality import scored, structural_issues


def good(key: str, *needs: str, **more: object) -> PlannedTask:
    return planned(key, *needs, **{"description": "Do it, with a test", "acceptance": ("it is done",), **more})


def issues(*tasks: PlannedTask, has_checks: bool = True) -> tuple[str, ...]:
    return structural_issues(Draft(tasks), has_checks=has_checks)


def test_a_good_plan_has_none() -> None:
    assert issues(good("A"), good("B", "A")) == ()


@pytest.mark.covers("A7")
def test_each_fault_is_named() -> None:
    assert issues(good("A", description=" \n")) == ("A has no description",)
    assert issues(good("A", acceptance=())) == ("A has no acceptance criteria",)
    assert issues(good("A", acceptance=(), type=TaskType.INVESTIGATION)) == ()
    assert issues(good("A", description="x" * 12_001)) == ("A is too large for one agent run: split it",)
    assert issues(good("A", description="x" * 12_000)) == ()
    assert issues(good("A", title="Same"), good("B", title="SAME"), good("C", title="same")) == (
        "B has the same title as A",
        "C has the same title as A",
    )


@pytest.mark.covers("G9")
def test_a_repository_without_tests_needs_a_task_for_them() -> None:
    without = good("A", description="Do it")
    said = ("there is no way to run tests here, and no task sets one up",)
    assert issues(without, has_checks=False) == said
    assert issues(without) == ()
    assert issues(without, good("B", title="Set up pytest"), has_checks=False) == ()
    assert issues(good("A", description="テストを追加する"), has_checks=False) == ()


def test_a_large_plan_that_is_one_long_chain_is_no_good() -> None:
    chain = [good("T0"), *(good(f"T{n}", f"T{n - 1}") for n in range(1, 8))]
    assert issues(*chain) == ("every task waits for another: what is independent should be able to run at once",)
    assert issues(*chain[:7]) == ()
    assert issues(*chain, good("T8")) == ()


def test_each_fault_costs_points_and_comes_first() -> None:
    assert scored(Score(90, ("vague",)), ()) == Score(90, ("vague",))
    assert scored(Score(90, ("vague",)), ("a", "b")) == Score(74, ("a", "b", "vague"))
    assert scored(Score(10), ("a", "b")) == Score(0, ("a", "b"))
