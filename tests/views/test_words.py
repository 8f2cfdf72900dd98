"""States, outcomes and events in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.sessions import (
    AT,
    a_session,
    accept,
    after,
    any_event,
    block,
    claim,
    integrate,
    leave,
    planned,
    refusal,
    result,
    retry,
    seen,
    start,
)

from toryo.domain import events as e
from toryo.domain.events import EVENTS
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import Check, PlannedTask
from toryo.domain.run import EndedBy
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.views.words import event_words, outcome_words, state_words

SESSION = a_session("A", planned("B", "A"))
KINDS = sorted(name for name in EVENTS if name != "TaskEvent")
REFUSALS = st.builds(
    e.MergeRefused,
    at=st.floats(0, 1e9),
    task=st.integers(1, 2),
    disposition=st.sampled_from([Disposition.RESOLVE, Disposition.REDO, Disposition.BLOCK]),
    files=st.just(("a",)),
    feedback=st.text(max_size=20),
    resolution=st.none() | st.from_type(PlannedTask),
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_has_words(kind: str) -> None:
    strategy = REFUSALS if kind == "MergeRefused" else any_event(EVENTS[kind])

    @settings(max_examples=15, deadline=None)
    @given(strategy)
    def has_words(event: e.Event) -> None:
        for session in (SESSION, None):
            assert event_words(session, event).strip(" :")
        assert event_words(SESSION, event) != kind, "a class name is no sentence"

    has_words()


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (e.PlanApproved(AT, "me"), "plan approved by me"),
        (e.ParallelChanged(AT, 3), "at most 3 tasks at once from now on"),
        (e.SessionPaused(AT, "a person"), "paused: a person"),
        (e.SessionClosed(AT, Outcome.COMPLETE), "closed: COMPLETE"),
        (e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True), "discarded"),
        (e.RunStarted(AT, 1, "run", 7), "A: started (pid 7)"),
        (e.RunExited(AT, 2, "run", 0, EndedBy.ITSELF), "B: exited with code 0"),
        (
            e.RunExited(AT, 1, "run", 143, EndedBy.TIME_LIMIT, 2),
            "A: exited with code 143, ended by time limit, 2 left-over processes ended",
        ),
        (e.RunLost(AT, 1, "run", "vanished"), "A: lost: vanished"),
        (e.WorkObserved(AT, 1, "run", seen("a", "b")), "A: created a, created b"),
        (e.WorkObserved(AT, 1, "run", seen(*"abcde")), "A: created a, created b, created c and 2 more"),
        (e.WorkObserved(AT, 1, "run", seen(changes=())), "A: no file changed"),
        (e.CheckFinished(AT, 1, "run", result("tests")), "A: check tests passed (500ms)"),
        (
            e.VerdictReached(AT, 1, "run", Verdict(Outcome.ERROR, Disposition.RETRY, ("a", "b"))),
            "A: ERROR, retry: a; b",
        ),
        (e.TaskIntegrated(AT, 1, "0123456789", "t"), "A: merged as 01234567"),
        (refusal(SESSION, SESSION.task("A")), "A: not merged, an agent settles the conflict: It conflicts"),
        (e.TaskBlocked(AT, 1, BlockReason.MANUAL, "enough"), "A: blocked, manual: enough"),
        (
            e.EffectFailed(AT, "StartRun", "no disk", AT, 1),
            "A: Toryo's own step StartRun failed, trying again: no disk",
        ),
        (
            e.EffectFailed(AT, "Conclude", "no disk", AT),
            "session: Toryo's own step Conclude failed, trying again: no disk",
        ),
        (
            e.SessionProven(AT, "c", "t", (result("tests"), result("lint", CheckStatus.FAILED))),
            "proof on the integrated branch: tests passed, lint failed",
        ),
    ],
)
def test_event_words(event: e.Event, words: str) -> None:
    assert event_words(SESSION, event) == words


def test_secrets_are_masked_in_words() -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234"
    words = event_words(SESSION, e.RunLost(AT, 1, "run", f"token {secret}"))
    assert secret not in words
    assert "[MASKED:GITHUB_TOKEN]" in words


def test_an_outcome_without_checks_says_so() -> None:
    unchecked = accept(a_session("A"), "A").task("A")
    assert outcome_words(unchecked) == "COMPLETE (no checks)"
    checked = accept(a_session(planned("A", checks=(Check("tests", "make test"),))), "A").task("A")
    assert outcome_words(checked) == "COMPLETE"
    assert outcome_words(a_session("A").task("A")) == "-"


def test_state_words() -> None:
    session = a_session("A", planned("B", "A"), "C")
    said = {
        "queued": session,
        "preparing": claim(session, "A"),
        "working": start(session, "A"),
        "checking": leave(start(session, "A"), "A"),
        "queued for attempt 2": retry(session, "A"),
        "preparing (attempt 2)": claim(retry(session, "A"), "A"),
        "accepted": accept(session, "A"),
        "integrated": integrate(session, "A"),
        "blocked: timeout": block(session, "A", BlockReason.TIMEOUT),
        "cancelled": after(session, e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True)),
    }
    assert {words: state_words(now, now.task("A")) for words, now in said.items()} == {words: words for words in said}


def test_a_task_says_what_it_waits_for() -> None:
    session = a_session("A", "B", planned("C", "A", "B"))
    assert state_words(session, session.task("C")) == "waits for A, B"
    blocked = block(session, "A")
    assert state_words(blocked, blocked.task("C")) == "waits for A (blocked)"
    merged = integrate(session, "A")
    assert state_words(merged, merged.task("C")) == "waits for B"


def test_a_task_does_not_wait_for_what_is_accepted() -> None:
    session = accept(a_session("A", "B", planned("C", "A", "B")), "A")
    assert state_words(session, session.task("C")) == "waits for B"
