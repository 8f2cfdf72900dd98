"""What waits for a person, and what to do about it."""

import json

import pytest
from tests.support.planning import instructed, postponed, surveyed
from tests.support.sessions import (
    AT,
    a_session,
    after,
    ask,
    block,
    finish,
    go_on,
    judge,
    limit,
    planned,
    retry,
    stall,
    start,
)

from toryo.domain import events as e
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.domain.verdict import BlockReason, Outcome
from toryo.views.inbox import inbox
from toryo.views.inboxitems import item_row

SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234"


def items(session: Session) -> list[tuple[str, str, str]]:
    return [(item.task, item.what, item.says) for item in inbox(session)]


def test_where_all_goes_well_nobody_is_needed() -> None:
    session = a_session("A", "B")
    for now in (session, start(session, "A"), retry(session, "A"), stall(start(session, "A"), "A")):
        assert inbox(now) == []


@pytest.mark.covers("G40")
def test_a_question_waits_until_it_is_answered() -> None:
    session = ask(start(a_session("A"), "A"), "A", "left or right?", AT + 5)
    (item,) = inbox(session)
    assert (item.task, item.since, item.what, item.says) == ("A", AT + 5, "question", "left or right?")
    assert item.do == "toryo answer A 'your answer', or answer it there: toryo attach A"
    assert inbox(go_on(session, "A")) == []
    assert inbox(stall(session, "A")) == []


def test_a_question_nobody_answered_in_time() -> None:
    asked = Report(question="left or right?")
    session = finish(start(a_session("A"), "A"), "A", code=143, ended_by=EndedBy.QUESTION, report=asked)
    (item,) = inbox(judge(session, "A"))
    assert (item.what, item.says) == ("question", "left or right?")
    assert item.do == "toryo answer A 'your answer'"


@pytest.mark.parametrize(
    ("kind", "what", "do"),
    [
        (Trouble.LOGIN, "login", "log in to crew, then toryo retry A"),
        (Trouble.PROGRAM, "program", "install it, then toryo retry A; or give the task to another --agent"),
    ],
)
def test_what_an_agent_lacks(kind: Trouble, what: str, do: str) -> None:
    (item,) = inbox(limit(a_session("A"), "A", kind))
    assert (item.what, item.says, item.do) == (what, f"{kind}: not now", do)


def test_a_limit_that_lasts_too_long() -> None:
    (item,) = inbox(limit(a_session("A", quota_wait=60.0), "A", until=AT + 3600))
    assert (item.what, item.says) == ("limit", "usage limit: not now (until 1970-01-12 14:46 UTC)")
    assert "--agent" in item.do


def test_anything_else_that_is_blocked() -> None:
    (item,) = inbox(block(a_session("A"), "A"))
    assert (item.task, item.what, item.says) == ("A", "blocked", "it did not work")
    assert item.do == "toryo info A, then toryo retry A"


def test_a_pause_is_told_though_it_ends_by_itself() -> None:
    session = limit(a_session("A", "B"), "A", until=AT + 3600)
    ((task, what, says),) = items(session)
    assert (task, what) == ("", "pause")
    assert says.startswith("crew: paused until ")
    assert "resume --now" in inbox(session)[0].do


def test_a_pause_that_needs_a_person_is_told_by_the_tasks_it_blocks() -> None:
    session = limit(a_session("A", "B"), "A", Trouble.LOGIN)
    assert [task for task, *_ in items(session)] == ["A"]
    session = after(session, e.TaskBlocked(AT, 2, BlockReason.LOGIN, "not logged in"))
    assert [task for task, *_ in items(session)] == ["A", "B"]


def test_a_blocked_task_waits_since_something_happened_to_it() -> None:
    never_ran = after(a_session("A"), e.TaskBlocked(AT + 7, 1, BlockReason.LOGIN, "x"))
    assert inbox(never_ran)[0].since == AT + 7
    never_ended = after(start(a_session("A"), "A"), e.TaskBlocked(AT + 7, 1, BlockReason.SYSTEM_ERROR, "x"))
    assert inbox(never_ended)[0].since >= AT


def test_the_oldest_comes_first() -> None:
    session = block(a_session("A", "B", planned("C", agent="other")), "A")
    session = ask(start(session, "B"), "B", at=AT - 9)
    session = limit(session, "C", until=AT + 3600, at=AT + 9)
    assert [what for _, what, _ in items(session)] == ["question", "blocked", "pause"]


def test_nothing_waits_in_a_closed_session() -> None:
    session = limit(block(a_session("A", "B"), "A"), "B", until=AT + 60)
    assert len(inbox(session)) == 2
    assert inbox(after(session, e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True))) == []


@pytest.mark.covers("P47")
def test_secrets_are_masked() -> None:
    (item,) = inbox(ask(start(a_session("A"), "A"), "A", f"use {SECRET}?"))
    assert SECRET not in item.says
    assert "[MASKED:GITHUB_TOKEN]" in item.says


def test_something_is_always_said() -> None:
    session = after(start(a_session("A"), "A"), e.TaskBlocked(AT, 1, BlockReason.MANUAL, " "))
    assert items(session) == [("A", "blocked", "manual")]


def test_items_as_data() -> None:
    session = limit(block(a_session("A", "B"), "A"), "B", until=AT + 60)
    rows = [item_row(item) for item in inbox(session)]
    assert json.loads(json.dumps(rows)) == rows
    assert [(row["session"], row["task"]) for row in rows] == [(session.id, "A"), (session.id, None)]


def test_a_model_that_needs_a_person_waits_in_the_inbox() -> None:
    session = postponed(surveyed(instructed()), until=0)
    (item,) = inbox(session)
    assert (item.what, item.task) == ("model", "")
    assert "not now" in item.says
    assert f"toryo resume {session.short}" in item.do


def test_whatever_else_needs_a_person_is_not_passed_over() -> None:
    session = after(a_session("A"), e.SessionPaused(AT, "Toryo could not do its part", waits_for_person=True))
    (item,) = inbox(session)
    assert (item.what, item.says) == ("stopped", "Toryo could not do its part")
