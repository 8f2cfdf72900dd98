"""Whether a reply is as expected."""

from typing import Any

import pytest

from toryo.domain.evals import EvalCase, EvalResult, EvalTry, Expectation, Miss, Past, Scalar, Want
from toryo.rules.evaluating import is_met, is_wanted, misses, value_at
from toryo.views.evals import change_words, result_lines

pytestmark = pytest.mark.covers("F19")
RECORD = {
    "risk": "High",
    "complete": True,
    "score": 80,
    "parallel": None,
    "tasks": [
        {"key": "T001", "acceptance": ["a test passes", "it is quick"]},
        {"key": "T002", "acceptance": []},
    ],
}


def expect(field: str, want: Want, *values: Scalar) -> Expectation:
    return Expectation(field, want, values)


@pytest.mark.parametrize(
    ("field", "want", "values", "is_so"),
    [
        ("risk", Want.IS, ("high",), True),
        ("risk", Want.IS, ("low",), False),
        ("risk", Want.ONE_OF, ("med", "high"), True),
        ("risk", Want.ONE_OF, ("med", "low"), False),
        ("complete", Want.IS, (True,), True),
        ("complete", Want.IS, (False,), False),
        ("complete", Want.IS, (1,), False),
        ("score", Want.IS, (80,), True),
        ("score", Want.AT_LEAST, (80,), True),
        ("score", Want.AT_LEAST, (81,), False),
        ("score", Want.AT_MOST, (79.5,), False),
        ("parallel", Want.AT_MOST, (0,), True),
        ("parallel", Want.CONTAINS, ("none",), False),
        ("tasks", Want.AT_LEAST, (2,), True),
        ("tasks", Want.AT_MOST, (1,), False),
        ("tasks.key", Want.IS, ("t001", "t002"), True),
        ("tasks.key", Want.IS, ("T002",), False),
        ("tasks.key", Want.ONE_OF, ("T001", "T002", "T003"), True),
        ("tasks.key", Want.ONE_OF, ("T001",), False),
        ("tasks.acceptance", Want.AT_LEAST, (2,), True),
        ("tasks.acceptance", Want.CONTAINS, ("Test", "QUICK"), True),
        ("tasks.acceptance", Want.CONTAINS, ("test", "slow"), False),
        ("tasks.acceptance", Want.CONTAINS_ANY, ("slow", "quick"), True),
        ("tasks.acceptance", Want.CONTAINS_ANY, ("slow", "long"), False),
        ("tasks.acceptance", Want.LACKS, ("slow",), True),
        ("tasks.acceptance", Want.LACKS, ("slow", "quick"), False),
    ],
)
def test_what_is_expected_of_a_field(field: str, want: Want, values: tuple[Any, ...], is_so: bool) -> None:
    expectation = expect(field, want, *values)
    assert is_met(expectation, value_at(RECORD, field)) is is_so
    case = EvalCase("a", "tasks", (expectation,))
    assert bool(misses(case, RECORD, "", 0)) is not is_so


def test_a_miss_says_what_was_expected_and_what_came() -> None:
    wanted = (
        expect("risk", Want.ONE_OF, "med", "low"),
        expect("tasks", Want.AT_MOST, 1),
        expect("tasks.key", Want.LACKS, "T002"),
        expect("reply", Want.CONTAINS, "bananas"),
    )
    found = misses(EvalCase("a", "tasks", wanted, corrections=0), RECORD, "a\n" * 1000, 1)
    assert found[:3] == (
        Miss("risk", "risk is one of med, low", "High"),
        Miss("tasks", "tasks at most 1", "2"),
        Miss("tasks.key", "tasks.key does not contain T002", "T001, T002"),
    )
    assert len(found[3].came) <= 200, "a model may have said pages"
    assert "\n" not in found[3].came
    assert found[4] == Miss("corrections", "corrections: at most 0", "1")


@pytest.mark.parametrize(
    ("wanted", "is_so"), [("review", True), ("review-a", True), ("review-*", True), ("*-a", True), ("rev", False)]
)
def test_cases_are_wanted_by_name_pattern_or_prompt(wanted: str, is_so: bool) -> None:
    assert is_wanted(EvalCase("review-a", "review"), wanted) is is_so


def past(passed: int, times: int = 5, model: str = "openai/a", question: str = "q") -> Past:
    return Past(passed, times, 0.0, model, question)


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (None, ""),
        (past(3), ""),
        (past(6, 10), ""),
        (past(5), "was 5/5"),
        (past(0, model="openai/b"), "was 0/5 with openai/b"),
        (past(5, question="other"), "was 5/5; it was asked otherwise then"),
    ],
)
def test_a_change_is_told_with_what_else_has_changed(before: Past | None, words: str) -> None:
    bad = EvalTry((Miss("risk", "risk is low", "high"),))
    result = EvalResult(EvalCase("a", "intent"), (*[EvalTry(())] * 3, bad, bad), past(3), before)
    assert change_words(result) == words
    head, *more = result_lines(result, 3)
    assert head == "FAIL  a    3/5  0s" + (f"  ({words})" if words else "")
    assert more == ["      2 of 5: expected risk is low; came high"]
