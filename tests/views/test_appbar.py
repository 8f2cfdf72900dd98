"""One line for a screen that stays open."""

import pytest
from tests.support.sessions import AT, a_session, limit, planned, start

from toryo.domain import events as e
from toryo.domain.calls import CallRecord
from toryo.domain.report import Usage
from toryo.rules.evolve import evolve
from toryo.views.appbar import appbar_words


@pytest.mark.covers("G14", "G35")
def test_session_queue_agents_calls_tokens_and_money_are_all_there() -> None:
    session = start(start(a_session("A", "B", "C"), "A"), "B")
    call = CallRecord("review", "openai/x", AT, 1.0, Usage(1200, 300, usd=0.25))
    session = evolve(session, e.CallPostponed(AT, (call,), "review", "api", "busy", 0.0))
    words = appbar_words(session, 2, is_conducted=True, now=AT)
    assert words[0].startswith(session.short)
    assert words[1] == "0 of 3 done, 2 running"
    assert {"2 agents at work", "2 queued", "1 call", "1500 tokens", "$0.25"} <= set(words)


@pytest.mark.covers("A24")
@pytest.mark.parametrize("running", ["", "B"])
def test_until_when_agents_pause_is_shown_once_whatever_else_goes_on(running: str) -> None:
    session = limit(a_session("A", planned("B", agent="shell")), "A", until=AT + 600)
    session = start(session, running) if running else session
    words = appbar_words(session, 0, is_conducted=True, now=AT)
    assert sum("paused until" in word for word in words) == 1, words


def test_what_nobody_works_on_is_gone_on_with_by_a_key_and_not_by_a_command() -> None:
    words = appbar_words(a_session("A"), 0, is_conducted=False, now=AT)
    assert words[1] == "nobody works on it: Enter in agent mode goes on"
    assert appbar_words(None, 0, is_conducted=False, now=AT) == ["nothing is being worked on"]
