"""The worst outcome present decides, and nothing at all is never a success."""

import itertools

import pytest

from toryo.domain.verdict import Outcome, worst

BEST_TO_WORST = ["COMPLETE", "INCOMPLETE", "NO_EVIDENCE", "ERROR", "INVALID"]


@pytest.mark.covers("P9", "P64")
def test_nothing_observed_is_no_evidence() -> None:
    assert worst([]) is Outcome.NO_EVIDENCE
    assert worst(iter(())) is Outcome.NO_EVIDENCE


@pytest.mark.covers("P64")
def test_order() -> None:
    assert [outcome.value for outcome in sorted(Outcome, key=lambda one: one.badness)] == BEST_TO_WORST


@pytest.mark.covers("P64")
@pytest.mark.parametrize(("better", "worse"), list(itertools.combinations(BEST_TO_WORST, 2)))
def test_the_worse_of_two_decides_in_either_order(better: str, worse: str) -> None:
    assert worst([Outcome(better), Outcome(worse)]) is Outcome(worse)
    assert worst([Outcome(worse), Outcome(better)]) is Outcome(worse)


@pytest.mark.covers("P64")
@pytest.mark.parametrize(
    "outcomes", [some for size in range(1, 6) for some in itertools.combinations(BEST_TO_WORST, size)]
)
def test_one_bad_one_spoils_any_number_of_good_ones(outcomes: tuple[str, ...]) -> None:
    assert worst(Outcome(name) for name in outcomes) is Outcome(outcomes[-1])


@pytest.mark.covers("P64")
def test_complete_needs_everything_to_be_complete() -> None:
    assert worst([Outcome.COMPLETE] * 100) is Outcome.COMPLETE
    assert worst([*[Outcome.COMPLETE] * 100, Outcome.INCOMPLETE]) is Outcome.INCOMPLETE
