"""States, outcomes and events in words."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.sessions import (
    AT,
    a_session,
    accept,
    after,
    any_event,
    anything,
    ask,
    block,
    claim,
    go_on,
    integrate,
    leave,
    limit,
    planned,
    refusal,
    result,
    retry,
    seen,
    stall,
    start,
)

from toryo.domain import events as e
from toryo.domain.events import EVENTS
from toryo.domain.evidence import CheckStatus
from toryo.domain.intent import Proposal
from toryo.domain.plan import Check, PlannedTask
from toryo.domain.report import Report, Trouble, Usage
from toryo.domain.run import EndedBy
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.views.moments import moment_words
from toryo.views.words import event_words, outcome_words, state_words

SESSION = a_session("A", planned("B", "A"))
LONG_AGO = time.mktime((2001, 9, 9, 12, 30, 0, 0, 0, -1))
KINDS = sorted(name for name in EVENTS if name != "TaskEvent")
REFUSALS = st.builds(
    e.MergeRefused,
    at=st.floats(0, 1e9),
    task=st.integers(1, 2),
    disposition=st.sampled_from([Disposition.RESOLVE, Disposition.REDO, Disposition.BLOCK]),
    files=st.just(("a",)),
    feedback=st.text(max_size=20),
    resolution=st.none() | anything(PlannedTask),
)


@pytest.mark.covers("P43")
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
        (e.PlanProposed(AT, (PlannedTask("A", "Do it", "crew"),)), "plan: 1 task"),
        (e.PlanProposed(AT, (PlannedTask("A", "Do it", "crew"), PlannedTask("B", "Do it", "crew"))), "plan: 2 tasks"),
        (e.IntentsFiled(AT, (Proposal("a", "A wish"),)), "1 intent came of it"),
        (e.ParallelChanged(AT, 1), "at most 1 task at once from now on"),
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
        (e.ConversationNamed(AT, 1, "run", "talk"), "A: its conversation is talk"),
        (e.RunWaited(AT, 1, "run", "left or right?"), "A: waits for an answer: left or right?"),
        (e.RunStalled(AT, 1, "run", Trouble.API, "no answer"), "A: stalled, model API error: no answer"),
        (
            e.RunStalled(AT, 1, "run", Trouble.QUOTA, "enough", LONG_AGO),
            "A: stalled until 2001-09-09 12:30, usage limit: enough",
        ),
        (e.RunFellSilent(AT, 1, "run", LONG_AGO), "A: nothing was heard of it since 2001-09-09 12:30"),
        (e.RunWentOn(AT, 1, "run"), "A: works again"),
        (e.TaskReassigned(AT, 2, "codex"), "B: goes to codex"),
        (e.TaskRetried(AT, 1, says="Left."), "A: sent round again, with the words: Left."),
        (e.PauseLifted(AT, "account"), "account is tried again"),
        (
            e.RunExited(AT, 1, "run", 0, EndedBy.TURN, report=Report(usage=Usage(12_345, 67, 0, 0.5))),
            "A: exited with code 0, ended by end of turn, 12k tokens in, 67 out, $0.50",
        ),
        (e.RunExited(AT, 1, "run", 1, EndedBy.ITSELF, report=Report()), "A: exited with code 1"),
        (
            e.VerdictReached(
                AT, 1, "run", Verdict(Outcome.INCOMPLETE, Disposition.POSTPONE, ("enough",), until=LONG_AGO)
            ),
            "A: paused until 2001-09-09 12:30, no attempt used: enough",
        ),
        (
            e.VerdictReached(AT, 1, "run", Verdict(Outcome.INCOMPLETE, Disposition.POSTPONE, ("unknown",))),
            "A: INCOMPLETE, postpone: unknown",
        ),
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


@pytest.mark.covers("P47")
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


def test_a_run_says_what_keeps_it() -> None:
    session = start(a_session("A"), "A")
    silent = after(session, e.RunFellSilent(AT, 1, "run-1-1", LONG_AGO))
    said = {
        "waits for an answer": ask(session, "A"),
        "stalled: usage limit": stall(session, "A"),
        "silent since 2001-09-09 12:30": silent,
        "working": go_on(silent, "A"),
        "working (attempt 2)": go_on(stall(start(retry(a_session("A"), "A"), "A"), "A"), "A"),
    }
    assert {words: state_words(now, now.task("A")) for words, now in said.items()} == {words: words for words in said}


def test_a_task_says_what_its_agent_waits_for() -> None:
    session = a_session("A", planned("B", agent="other"))
    paused = limit(session, "A", until=LONG_AGO, at=LONG_AGO - 60)
    assert state_words(paused, paused.task("A")) == "paused until 2001-09-09 12:30 (quota)"
    assert state_words(paused, paused.task("B")) == "queued"
    assert state_words(claim(paused, "A"), claim(paused, "A").task("A")) == "preparing"
    barred = limit(a_session("A", "B"), "A", Trouble.LOGIN)
    assert state_words(barred, barred.task("A")) == "blocked: not logged in"
    assert state_words(barred, barred.task("B")) == "not logged in"


def test_a_time_of_today_needs_no_date() -> None:
    noon = time.mktime((*time.localtime()[:3], 12, 0, 0, 0, 0, -1))
    assert moment_words(noon) == "12:00"
    assert moment_words(LONG_AGO) == "2001-09-09 12:30"


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
