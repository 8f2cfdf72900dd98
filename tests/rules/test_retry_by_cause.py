"""Every cause of failure, and what happens then: what is tried again, when, and what waits for a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import AT, a_session, check, finish, limit, planned, result, seen, start, trouble

from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import Check, Limits, OnFailure
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.domain.verdict import BlockReason, Disposition
from toryo.rules.judging import verdict_on
from toryo.rules.patience import spread_of, wait_after

TESTS = Check("tests", "make test")
STRICT = Check("tests", "make test", on_failure=OnFailure.BLOCK)
FAILED = result("tests", CheckStatus.FAILED)
RETRY, BLOCK, POSTPONE = Disposition.RETRY, Disposition.BLOCK, Disposition.POSTPONE


def ended(*, plan: dict[str, object] | None = None, **how: object) -> Session:
    return finish(start(a_session(planned("A", **(plan or {}))), "A"), "A", **how)  # type: ignore[arg-type]


CAUSES = {
    "a non-zero exit code": (ended(code=3), RETRY, None),
    "nothing changed": (ended(observation=seen(changes=())), RETRY, None),
    "an expected file is missing": (ended(observation=seen(missing=("a.txt",))), RETRY, None),
    "outside its scope": (ended(observation=seen(out_of_scope=("x",))), RETRY, None),
    "a failing check": (check(ended(plan={"checks": (TESTS,)}), "A", FAILED), RETRY, None),
    "a failing check that blocks": (
        check(ended(plan={"checks": (STRICT,)}), "A", FAILED),
        BLOCK,
        BlockReason.CHECK_FAILED,
    ),
    "a turn that was cut short": (ended(report=Report(tells_end=True)), RETRY, None),
    "the time limit": (ended(ended_by=EndedBy.TIME_LIMIT), BLOCK, BlockReason.TIMEOUT),
    "too many files": (ended(plan={"limits": Limits(files=1)}, observation=seen("a", "b")), BLOCK, BlockReason.LIMIT),
    "an unanswered question": (ended(ended_by=EndedBy.QUESTION), BLOCK, BlockReason.INTERACTIVE_PROMPT),
    "a usage limit": (ended(code=1, report=trouble(Trouble.QUOTA)), POSTPONE, BlockReason.QUOTA),
    "an API that does not answer": (ended(code=1, report=trouble(Trouble.API)), POSTPONE, BlockReason.TRANSIENT_ERROR),
    "an unknown conversation": (ended(code=1, report=trouble(Trouble.CONVERSATION)), POSTPONE, None),
    "no login": (ended(code=1, report=trouble(Trouble.LOGIN)), BLOCK, BlockReason.LOGIN),
    "a missing program": (ended(code=127, report=trouble(Trouble.PROGRAM)), BLOCK, BlockReason.PROGRAM),
}


@pytest.mark.covers("P52")
@pytest.mark.parametrize("cause", CAUSES)
def test_what_happens_by_cause(cause: str) -> None:
    session, disposition, reason = CAUSES[cause]
    verdict = verdict_on(session.task("A"), session.terms)
    assert (verdict.disposition, verdict.block_reason) == (disposition, reason)
    assert bool(verdict.feedback) is (disposition is not POSTPONE), "the next run hears what was wrong"
    assert bool(verdict.until) is (reason in (BlockReason.QUOTA, BlockReason.TRANSIENT_ERROR))


@pytest.mark.covers("P52")
@pytest.mark.parametrize("kind", [Trouble.QUOTA, Trouble.API])
def test_waits_grow_and_runs_that_failed_together_come_back_apart(kind: Trouble) -> None:
    session = a_session("A", "B")
    session = limit(limit(session, "A", kind), "B", kind)
    verdicts = [run.verdict for key in "AB" for run in session.task(key).runs]
    untils = [verdict.until for verdict in verdicts if verdict]
    assert len(set(untils)) == 2
    for until in untils:
        assert AT + wait_after(kind, 0) <= until <= AT + 1.25 * wait_after(kind, 0)
    assert wait_after(kind, 1) == 2 * wait_after(kind, 0)


@given(st.text(), st.integers(0, 50), st.sampled_from([Trouble.QUOTA, Trouble.API]))
def test_the_spread_is_the_runs_own_and_only_ever_adds(run: str, times: int, kind: Trouble) -> None:
    assert spread_of(run) == spread_of(run)
    assert 0 <= spread_of(run) <= 1
    assert wait_after(kind, times) <= wait_after(kind, times, spread_of(run)) <= 1.25 * wait_after(kind, times)
