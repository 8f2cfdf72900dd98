"""What an agent is told."""

from tests.support.sessions import a_session, accept, planned, refuse, retry

from toryo.domain.plan import Check, PlannedTask, TaskType
from toryo.domain.session import Session
from toryo.rules.briefing import brief, commit_message, conflict_description, merge_message

TESTS = Check("tests", "make test")


def told(session: Session) -> str:
    return brief(session.task("A"))


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


def test_everything_that_is_planned_is_said() -> None:
    text = told(a_session(full()))
    assert text.startswith("# Add a login\n\nUse the session cookie.\n\n## Acceptance criteria\n\n- one can log in\n")
    for part in ("- one can log out", "- `src/**`", "- `src/login.py`", "- `make test`", "## How to finish"):
        assert part in text
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def test_what_is_not_planned_is_not_said() -> None:
    text = told(a_session("A"))
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# Task A", "## How to finish"]


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


def test_commits_follow_the_convention_by_type_of_task() -> None:
    kinds = {
        TaskType.IMPLEMENTATION: "feat",
        TaskType.DOCUMENTATION: "docs",
        TaskType.INVESTIGATION: "chore",
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


def test_who_settles_a_conflict_is_told_both_sides() -> None:
    task = a_session(full()).task("A")
    text = conflict_description(task, ("src/a.py", "src/b.py"))
    for part in ("- `src/a.py`\n- `src/b.py`", "task A (Add a login)", "remove every marker"):
        assert part in text
    assert text.endswith("Use the session cookie.")
    assert conflict_description(a_session("A").task("A"), ()).endswith("Task A")
