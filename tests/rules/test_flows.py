"""The way of an intent by its type, and what that makes of its tasks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.planning import TESTS, drafted, instructed
from tests.support.sessions import AT, after

from toryo.domain import events as e
from toryo.domain.intent import AUTONOMY, Analysis, AnalysisEnd, Intent, IntentStatus, Pursuit, Risk
from toryo.domain.plan import Assent, Check, Complexity, PlannedTask, TaskType, Terms
from toryo.domain.planning import Document
from toryo.domain.session import Session
from toryo.rules.flows import (
    APPROVE,
    JUDGE,
    ONLY_TESTS,
    REPRODUCE,
    REVIEW,
    SPECIFY,
    TYPES,
    child_status,
    documents_of,
    flow_of,
    generation,
    is_judged,
    parent_status,
    parts_of,
    risk_of,
)
from toryo.rules.hygiene.languages import is_test
from toryo.rules.scope import covers
from toryo.rules.shaping import TEST_FILES, tasks_for_proposal

D, B, E, R, P, X, A = (
    *(IntentStatus.DONE, IntentStatus.BLOCKED, IntentStatus.ERROR, IntentStatus.REJECTED),
    *(IntentStatus.PROPOSED, IntentStatus.EXECUTING, IntentStatus.APPROVED),
)


def on(type_: str, *tasks: PlannedTask, checks: tuple[Check, ...] = (TESTS,), risk: Risk = Risk.MED) -> Session:
    """A session at work on an intent of this type, whose tasks are drafted."""
    opened = instructed("The greeting is wrong", assent=Assent.PLAN)
    session = after(opened, e.RepositorySurveyed(AT, "A repository.", ("Python",), checks))
    pursuit = Pursuit("greet")
    session = session if session.pursuit else _with(session, pursuit)
    analysis = Analysis(AnalysisEnd.TASKS, type_, risk)
    session = after(session, e.IntentAnalysed(AT, (), analysis, flow_of(type_, risk, checks=checks)))
    return drafted(session, *(tasks or (PlannedTask("T001", "One", "crew"),)))


def _with(session: Session, pursuit: Pursuit) -> Session:
    from toryo.domain.changing import changed

    return changed(session, pursuit=pursuit)


def proposed(session: Session, **more: Any) -> tuple[PlannedTask, ...]:
    assert session.planning is not None
    assert session.planning.draft is not None
    return tasks_for_proposal(session, session.planning.draft.tasks, **more)


# ── the steps ────────────────────────────────────────────────────────────────


@pytest.mark.covers("F7")
def test_every_type_has_a_way_that_differs_from_all_others() -> None:
    ways = {type_: flow_of(type_, Risk.MED, checks=[TESTS]) for type_ in TYPES}
    assert len({way.steps for way in ways.values()}) == len(TYPES)
    assert not any(way.adjustments for way in ways.values())
    written = {type_: documents_of(Pursuit("x", flow=way)) for type_, way in ways.items()}
    assert written["feature"] == (Document.SPEC, Document.PLAN)
    assert written["fix"] == written["refactor"] == (Document.PLAN,)
    assert written["test"] == written["docs"] == written["audit"] == ()
    assert [type_ for type_ in TYPES if is_judged(on(type_))] == ["feature", "fix", "refactor"]


def test_an_unknown_type_goes_the_way_of_a_feature_and_other_names_mean_the_same() -> None:
    flow = flow_of("migration", Risk.LOW)
    assert flow.steps == flow_of("feature", Risk.LOW).steps
    assert flow.adjustments == ("the type 'migration' has no way of its own: it goes that of 'feature'",)
    assert flow_of("bug", Risk.LOW, checks=[TESTS]).steps == flow_of("fix", Risk.LOW, checks=[TESTS]).steps


def test_steps_are_adjusted_to_risk_and_to_what_there_is() -> None:
    assert APPROVE in flow_of("docs", Risk.HIGH).steps
    assert APPROVE not in flow_of("audit", Risk.HIGH).steps, "nothing is changed"
    without = flow_of("fix", Risk.LOW)
    assert REPRODUCE not in without.steps
    assert "no check was found" in without.adjustments[0]
    assert ONLY_TESTS not in flow_of("test", Risk.LOW, languages="Rust, Shell · 3 files").steps
    unreviewed = flow_of("feature", Risk.LOW, reviews=False)
    assert {REVIEW, JUDGE}.isdisjoint(unreviewed.steps)
    assert SPECIFY in unreviewed.steps


@pytest.mark.covers("F4")
def test_a_model_can_raise_the_risk_and_never_lower_it() -> None:
    low, high = (Analysis(AnalysisEnd.TASKS, "fix", risk) for risk in (Risk.LOW, Risk.HIGH))
    assert risk_of(Pursuit("x", risk=Risk.MED, analysis=low)) is Risk.MED
    assert risk_of(Pursuit("x", risk=Risk.MED, analysis=high)) is Risk.HIGH
    assert risk_of(Pursuit("x", analysis=low)) is Risk.LOW
    assert risk_of(Pursuit("x")) is None
    assert on("feature", risk=Risk.HIGH).terms.assent is Assent.DEFAULTS, "a person approves the plan"
    assert on("feature", risk=Risk.MED).terms.assent is Assent.PLAN


# ── the tasks ────────────────────────────────────────────────────────────────


@pytest.mark.covers("F7")
def test_a_fix_waits_for_its_failing_test() -> None:
    given = [PlannedTask("T000", "Fix", "crew"), PlannedTask("B", "Then", "crew", depends_on=("T000",))]
    given += [PlannedTask("C", "Beside", "crew"), PlannedTask("R", "Look", "crew", type=TaskType.REVIEW)]
    test, fix, then, beside, look = proposed(on("fix", *given))
    assert (test.key, test.checks, test.depends_on) == ("T900", (), ())
    assert (fix.depends_on, fix.tests_first, fix.checks) == (("T900",), True, (TESTS,))
    assert (then.depends_on, beside.depends_on, look.depends_on) == (("T000",), ("T000",), ())
    assert not any(task.tests_first for task in (test, then, beside, look))
    (alone,) = proposed(on("fix", checks=()))
    assert not alone.tests_first


@pytest.mark.covers("F7")
def test_what_other_types_make_of_tasks() -> None:
    (test,), (docs,), (refactor,), (audit,), (feature,) = (
        proposed(on(type_), audit="Say what you found.") for type_ in ("test", "docs", "refactor", "audit", "feature")
    )
    assert test.scope == TEST_FILES
    assert (docs.type, docs.checks) == (TaskType.DOCUMENTATION, (TESTS,))
    assert (refactor.keeps_tests, feature.keeps_tests) == (True, False)
    assert (audit.type, audit.description) == (TaskType.INVESTIGATION, "Say what you found.")
    assert (feature.type, feature.scope) == (TaskType.IMPLEMENTATION, ())


@given(
    st.lists(st.sampled_from(["src", "tests", "test", "spec", "e2e", "pkg"]), max_size=3),
    st.sampled_from(
        ["test_a.py", "a_test.go", "a.spec.ts", "ATest.java", "a.py", "main.go", "conftest.py", "a_spec.rb"]
    ),
)
def test_whatever_counts_as_a_test_may_be_changed_where_only_tests_may(folders: list[str], name: str) -> None:
    path = "/".join([*folders, name])
    if is_test(path):
        assert covers(path, TEST_FILES)
    if not folders and name in ("a.py", "main.go"):
        assert not covers(path, TEST_FILES)


@pytest.mark.covers("F10")
def test_who_only_reads_is_chosen_by_type_and_not_by_complexity() -> None:
    crew = tuple((str(kind), f"{kind}-agent") for kind in TaskType)
    terms = Terms(crew=crew, crew_by_complexity=(("high", "claude/opus"), ("low", "codex")))
    assert terms.agent_for(TaskType.IMPLEMENTATION, Complexity.HIGH) == ("claude", "opus")
    assert terms.agent_for(TaskType.DOCUMENTATION, Complexity.LOW) == ("codex", "")
    assert terms.agent_for(TaskType.IMPLEMENTATION, Complexity.MED) == ("implementation-agent", "")
    assert terms.agent_for(TaskType.REVIEW, Complexity.HIGH) == ("review-agent", "")


# ── parents and children ─────────────────────────────────────────────────────


@pytest.mark.covers("F8")
@pytest.mark.parametrize(
    ("children", "parent"),
    [
        ((D, D, R), D),
        ((D, X), X),
        ((D, P), X),
        ((E, A), X),
        ((D, E), B),
        ((D, B, R), B),
        ((E, B), E),
        ((R, R), E),
        ((), E),
    ],
)
def test_a_parent_stands_as_its_children_do(children: tuple[IntentStatus, ...], parent: IntentStatus) -> None:
    assert parent_status(children) is parent
    assert parent_status(reversed(children)) is parent


@pytest.mark.covers("F8", "G39")
def test_who_approved_the_whole_has_approved_parts_that_are_no_riskier() -> None:
    by_person = Pursuit("all", risk=Risk.MED, released_by="a person")
    assert child_status(by_person, Risk.MED) is A
    assert child_status(by_person, Risk.HIGH) is P
    assert child_status(by_person, None) is P, "nobody knows"
    assert child_status(Pursuit("all", risk=Risk.LOW, released_by=AUTONOMY), Risk.LOW) is P


def test_generations_are_counted_also_in_a_circle() -> None:
    assert generation("c", {"c": "b", "b": "a", "a": ""}) == 2
    assert generation("a", {"a": "b", "b": "a"}) == 1


@pytest.mark.covers("F8")
def test_parts_that_form_a_circle_do_not_wait_for_each_other() -> None:
    first, second, third = Intent("a", "A", parent="c"), Intent("b", "B", parent="a"), Intent("c", "C", parent="b")
    own, part = Intent("self", "Self", parent="self"), Intent("part", "Part", parent="self")
    everybody = [first, second, third, own, part]
    assert [parts_of(one, everybody) for one in (first, second, third)] == [[], [], []]
    assert parts_of(own, everybody) == [part]
    assert parts_of(Intent("a", "A"), [Intent("a", "A"), second, third]) == [second], "no circle: it has no parent"
