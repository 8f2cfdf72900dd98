"""What an agent is told."""

import pytest
from tests.support.sessions import AT, a_session, accept, after, block, limit, planned, refuse, retry, start, stop

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.plan import Check, PlannedTask, TaskType
from toryo.domain.planning import Answer, Planning
from toryo.domain.session import Session
from toryo.rules.briefing import (
    Setting,
    brief,
    commit_message,
    decisions_of,
    merge_message,
    others_of,
)

TESTS = Check("tests", "make test")


def told(session: Session, **setting: object) -> str:
    return brief(session.task("A"), Setting(**setting))


def full() -> PlannedTask:
    return planned(
        "A",
        title="Add a login",
        description="\nUse the session cookie.\n",
        acceptance=("one can log in", "one can log out"),
        scope=("src/**",),
        expect=("src/login.py",),
        checks=(TESTS,),
    )


@pytest.mark.covers("G18")
def test_everything_that_is_planned_is_said() -> None:
    text = told(a_session(full()))
    assert text.startswith("# Add a login\n\nUse the session cookie.\n\n## Acceptance criteria\n\n- one can log in\n")
    for part in ("- one can log out", "- `src/**`", "- `src/login.py`", "- `make test`", "## How to finish"):
        assert part in text
    assert text.endswith("\n")
    assert "\n\n\n" not in text


@pytest.mark.covers("G18")
def test_what_is_not_planned_is_not_said() -> None:
    text = told(a_session("A"))
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# Task A", "## How to finish"]


@pytest.mark.covers("G18", "P1")
def test_nobody_is_there_to_answer_and_claims_do_not_count() -> None:
    text = told(a_session("A"))
    assert "Do not ask questions" in text
    assert "not from what you report" in text


def test_an_investigation_is_told_to_leave_the_files_alone() -> None:
    text = told(a_session(planned("A", type=TaskType.INVESTIGATION)))
    assert "Do not change any file" in text
    assert "commit" not in text


def test_the_next_attempt_is_told_what_was_wrong() -> None:
    session = a_session("A")
    assert "previous attempt" not in told(session)
    assert "## What was wrong with the previous attempt\n\n- the agent exited with code 1" in told(retry(session, "A"))


def test_a_task_that_is_redone_is_told_why() -> None:
    assert "It conflicts" in told(refuse(accept(a_session("A", resolver="shell"), "A"), "A"))


# ── the same conversation goes on ────────────────────────────────────────────


def test_who_remembers_the_task_is_told_less() -> None:
    setting = {"rules": ("AGENTS.md",), "done": ("T1: the login",)}
    again = told(retry(a_session(full()), "A"), is_first=False, **setting)
    assert again.startswith(
        "# Add a login\n\nThis is not done yet; go on with it. About the previous attempt:\n\n- the agent exited"
    )
    for part in ("Use the session cookie.", "AGENTS.md", "T1", "## What was wrong"):
        assert part not in again
    for part in ("- one can log out", "- `src/**`", "- `src/login.py`", "- `make test`", "## How to finish"):
        assert part in again, "how it will be proven is said every time"
    assert again.count("code 1") == 1


def test_who_was_interrupted_is_told_to_look_first() -> None:
    stopped = stop(start(a_session("A"), "A"), "A")
    for session in (stopped, limit(a_session("A"), "A")):
        text = told(session, is_first=False)
        assert "You were interrupted before this was done. Look at what is there" in text
        assert "previous attempt" not in text


def test_who_was_interrupted_at_a_later_attempt_still_hears_what_was_wrong() -> None:
    session = limit(retry(a_session("A"), "A"), "A")
    assert "code 1" in told(session, is_first=False)
    assert "code 1" in told(session)


def test_a_persons_words_reach_the_agent() -> None:
    session = after(block(a_session("A"), "A"), e.TaskRetried(AT, 1, says="Use the second option."))
    for is_first in (True, False):
        assert "Use the second option." in told(session, is_first=is_first)


# ── what else it should know ─────────────────────────────────────────────────


def test_an_agent_without_a_protocol_is_told_how_to_say_that_it_is_done() -> None:
    last_step = 'As your very last step, run this command: `echo done >> "$TORYO_SIGNALS"`'
    session = retry(a_session("A"), "A")
    for is_first in (True, False):
        assert last_step in told(session, is_first=is_first, needs_sentinel=True)
        assert "TORYO_SIGNALS" not in told(session, is_first=is_first)


@pytest.mark.covers("G18")
def test_where_the_rules_of_the_repository_are() -> None:
    text = told(a_session("A"), rules=("AGENTS.md", "CONTRIBUTING.md"))
    assert "## How to work in this repository is said in\n\n- `AGENTS.md`\n- `CONTRIBUTING.md`\n" in text


def test_what_was_done_before_by_others() -> None:
    text = told(a_session("A"), done=("T1: the login", "T2: the logout"))
    assert "## Done before by others, and here already\n\n- T1: the login\n- T2: the logout\n" in text


@pytest.mark.covers("G6", "G18")
def test_what_was_decided_is_told_once() -> None:
    planning = Planning("Add a login", "SPEC-0123abcd", answers=(Answer("Which\ncookie?", "the signed one"),))
    session = changed(a_session("A"), planning=planning)
    decisions = decisions_of(session)
    assert decisions == ("Which cookie? → the signed one",)
    assert decisions_of(a_session("A")) == ()
    heading = "## Decided, and not to be decided again\n\n- Which cookie? → the signed one\n"
    assert heading in told(session, decisions=decisions)
    assert "Decided" not in told(retry(session, "A"), decisions=decisions, is_first=False)


def test_a_task_that_is_not_simple_hears_what_is_not_its_job() -> None:
    session = a_session("A", planned("B", "A"), "C", planned("D", description="long " * 200))
    others = {key: others_of(session, session.task(key)) for key in "ABCD"}
    assert others == {"A": (), "B": ("C: Task C", "D: Task D"), "C": (), "D": ("A: Task A", "B: Task B", "C: Task C")}
    text = brief(session.task("B"), Setting(others=others["B"]))
    assert "## Other tasks of this plan, done by others: leave them alone\n\n- C: Task C\n- D: Task D\n" in text
    assert "leave them alone" not in brief(session.task("B"), Setting(others=others["B"], is_first=False))


@pytest.mark.covers("G18")
def test_of_a_large_plan_only_the_neighbours_are_named() -> None:
    keys = [f"T{number:03}" for number in range(1, 201)]
    session = a_session(*keys[:-1], planned(keys[-1], keys[0]), planned("mid", "T199"))
    assert len(others_of(session, session.task("T200"))) == 16
    assert "T100: Task T100" not in others_of(session, session.task("T200"))


# ── commits and conflicts ────────────────────────────────────────────────────


@pytest.mark.covers("A12")
def test_commits_follow_the_convention_by_type_of_task() -> None:
    kinds = {
        TaskType.IMPLEMENTATION: "feat",
        TaskType.DOCUMENTATION: "docs",
        TaskType.INVESTIGATION: "chore",
        TaskType.REVIEW: "chore",
        TaskType.INTEGRATION: "fix",
    }
    assert set(kinds) == set(TaskType)
    for type_, kind in kinds.items():
        task = a_session(planned("A", title="Two\nlines  here", type=type_)).task("A")
        assert commit_message(task) == f"{kind}: Two lines here\n\nToryo-Task: task-0123abcd-1\n"


def test_a_merge_names_session_and_task() -> None:
    session = a_session(full())
    lines = merge_message(session, session.task("A")).splitlines()
    assert lines[0] == "Merge A: Add a login"
    assert f"Toryo-Session: {session.id}" in lines
    assert "Toryo-Task: task-0123abcd-1" in lines
