"""A report for every session, also for those that failed."""

import pytest
from tests.support.sessions import (
    AT,
    a_session,
    accept,
    after,
    block,
    check,
    finish,
    integrate,
    judge,
    merge,
    planned,
    refuse,
    result,
    retry,
    start,
)

from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import Check
from toryo.domain.session import Session
from toryo.domain.verdict import Disposition, Outcome
from toryo.rules.judging import session_outcome
from toryo.views.report import next_steps, report

TESTS = Check("tests", "make test")
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234"


def told(session: Session, now: float = AT + 90) -> str:
    return report(session, session_outcome(session), now)


def table(session: Session) -> dict[str, list[str]]:
    rows = [line.strip("| ").split(" | ") for line in told(session).splitlines() if line.startswith("| ")]
    return {row[0]: row for row in rows[1:]}


def complete() -> Session:
    session = a_session(planned("A", checks=(TESTS,)), checks=(TESTS,))
    session = merge(accept(session, "A"), "A", result("tests"))
    return after(session, e.WorkspaceRemoved(AT, 1), e.WorkSettled(AT), e.SessionClosed(AT + 64, Outcome.COMPLETE))


def test_a_complete_session() -> None:
    session = complete()
    text = told(session)
    assert text.startswith("# The session\n\n- Outcome: **COMPLETE**\n")
    for part in (
        f"- Session: `{session.id}`",
        "took 1m 04s",
        "- From: `main` at `bbbbbbbbbbbb`",
        f"- Result: `agent/the-session` at `{session.tip[:12]}`",
        "- Proof: the checks pass on agent/the-session",
        "git merge agent/the-session",
    ):
        assert part in text
    assert table(session) == {"A": ["A", "Task A", "integrated", "COMPLETE", "1", "1", "-"]}
    for part in ("blocked", "toryo resume", "No check exists", "kept"):
        assert part not in text
    assert text.endswith("\n")


def test_a_session_that_is_still_going_on_has_taken_until_now() -> None:
    assert "took 1m 30s" in told(a_session("A"))


def test_an_outcome_without_checks_says_so() -> None:
    session = integrate(a_session("A", planned("B", checks=(TESTS,))), "A")
    text = told(session)
    assert table(session)["A"][3] == "COMPLETE (no checks)"
    assert "No check exists for: A." in text
    assert "- Proof: no checks: nothing but the observed changes stands behind the result" in text


def test_what_is_blocked_is_told_with_the_reason_and_what_to_do() -> None:
    session = a_session(planned("A", checks=(TESTS,)), planned("B", "A"), attempts=1)
    tail = "assert 1 == 2\n```\nboom"
    failed = result("tests", CheckStatus.FAILED, tail)
    session = judge(check(finish(start(session, "A"), "A"), "A", failed), "A")
    text = told(session)
    assert "- Outcome: **INCOMPLETE**" in text
    assert "## What is blocked, and why\n\n### A Task A\n\ncheck 'tests' failed with code 1" in text
    assert "assert 1 == 2" in text
    assert text.count("```") == 2, "output cannot break out of its block"
    assert table(session)["A"][2] == "blocked: max retries"
    assert table(session)["B"][2] == "waits for A (blocked)"
    assert "toryo resume 0123abcd" in text
    assert "toryo stop --discard 0123abcd" in text


def test_nothing_merged_means_nothing_to_take_over() -> None:
    session = block(a_session("A"), "A")
    steps = next_steps(session, Outcome.INCOMPLETE)
    assert not [step for step in steps if "git merge" in step]
    assert len(steps) == 3
    assert len(next_steps(integrate(a_session("A", "B"), "A"), Outcome.INCOMPLETE)) == 4


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ((result("tests"),), "the checks pass on agent/the-session"),
        ((result("tests", CheckStatus.FAILED),), "the checks do not all pass on agent/the-session"),
        ((), "the checks have not run on the integrated branch"),
    ],
)
def test_the_proof(results: tuple[e.CheckResult, ...], words: str) -> None:
    session = integrate(a_session("A", checks=(TESTS,)), "A")
    session = after(session, e.SessionProven(AT, session.tip, session.tip_tree, results))
    assert words in told(session)


def test_a_proof_of_an_earlier_commit_is_none() -> None:
    session = integrate(a_session("A", "B", checks=(TESTS,)), "A")
    session = after(session, e.SessionProven(AT, session.tip, session.tip_tree, (result("tests"),)))
    assert "the checks have not run on the integrated branch" in told(integrate(session, "B"))


def test_secrets_do_not_get_into_the_report() -> None:
    session = a_session(planned("A", title=f"Use {SECRET}"), attempts=1)
    session = after(block(session, "A"), e.TaskRetried(AT, 1))
    session = after(start(session, "A"), e.TaskBlocked(AT, 1, e.BlockReason.MANUAL, f"got {SECRET}"))
    assert SECRET not in told(session)
    assert "[MASKED:GITHUB_TOKEN]" in told(session)


def test_worktrees_that_were_kept() -> None:
    session = after(integrate(a_session("A"), "A"), e.WorkspaceKept(AT, 1, "it is not clean"))
    assert "## Worktrees that were kept\n\n- `agent/task-a`: it is not clean" in told(session)


def test_titles_cannot_break_the_table() -> None:
    session = a_session(planned("A", title="a | b\nc"))
    assert r"| A | a \| b c | queued |" in told(session)


def test_every_state_a_task_can_be_in_has_a_row() -> None:
    session = integrate(a_session(*"ABCDE", planned("F", "E"), resolver="shell"), "A")
    session = start(retry(block(accept(session, "B"), "C"), "D"), "D")
    states = {key: row[2] for key, row in table(session).items()}
    assert states == {
        "A": "integrated",
        "B": "accepted",
        "C": "blocked: check failed",
        "D": "working (attempt 2)",
        "E": "queued",
        "F": "waits for E",
    }


def test_a_conflict_that_is_being_settled() -> None:
    session = refuse(accept(a_session("A"), "A"), "A")
    assert table(session)["A"][2] == "accepted, conflict being settled"
    assert table(refuse(session, "A", Disposition.BLOCK))["A"][2] == "blocked: conflict"
