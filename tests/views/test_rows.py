"""Sessions, tasks and runs as plain data."""

import json

import pytest
from tests.support.sessions import (
    AT,
    a_session,
    after,
    ask,
    finish,
    integrate,
    limit,
    planned,
    run_of,
    start,
    trouble,
)

from toryo.domain import events as e
from toryo.domain.report import Report, Trouble, Usage
from toryo.domain.session import Session
from toryo.views.rows import run_row, session_row, task_details

SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234"


def rows(session: Session) -> list[object]:
    return [session_row(session), *(task_details(session, task) for task in session.tasks.values())]


@pytest.mark.covers("A29")
def test_every_row_is_json_for_any_program() -> None:
    session = limit(a_session("A", "B", planned("C", agent="other")), "A", until=AT + 60)
    session = ask(start(limit(session, "C", Trouble.LOGIN), "B"), "B")
    for now in (session, integrate(a_session("A"), "A"), after(session, e.SessionPaused(AT, "x"))):
        assert json.loads(json.dumps(rows(now), allow_nan=False)) == rows(now)


def test_pauses_say_until_when() -> None:
    session = limit(a_session("A", planned("B", agent="other")), "A", until=AT + 60)
    session = limit(session, "B", Trouble.LOGIN)
    assert session_row(session)["pauses"] == [
        {"credential": "crew", "until": AT + 60, "reason": "quota", "message": "usage limit: not now"},
        {"credential": "other", "until": None, "reason": "not logged in", "message": "not logged in: not now"},
    ]


def test_a_run_tells_what_its_agent_said() -> None:
    session = finish(start(a_session("A"), "A"), "A", code=1, report=trouble(Trouble.QUOTA, AT + 60))
    assert run_row(run_of(session, "A"))["report"] == {
        "usage": {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "usd": 0.0},
        "trouble": "usage limit",
        "message": "not now",
        "until": AT + 60,
        "last_words": "",
        "question": None,
    }
    assert run_row(run_of(start(a_session("A"), "A"), "A"))["report"] is None


def test_a_run_tells_what_it_asks() -> None:
    session = start(a_session("A"), "A")
    assert run_row(run_of(session, "A"))["question"] is None
    assert run_row(run_of(ask(session, "A"), "A"))["question"] == "left or right?"


@pytest.mark.covers("P47")
def test_secrets_are_masked_in_what_an_agent_said() -> None:
    said = Report("talk", Usage(), trouble=Trouble.OTHER, message=SECRET, last_words=f"I used {SECRET}.")
    session = finish(start(a_session("A"), "A"), "A", code=1, report=said)
    assert SECRET not in json.dumps(rows(session))
    assert SECRET not in json.dumps(rows(ask(start(a_session("A"), "A"), "A", SECRET)))
