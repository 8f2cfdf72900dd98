"""Texts of a session as a model gets to read them; filling templates is tested in tests/adapters/test_prompts.py."""

from dataclasses import replace

from tests.support.planning import TESTS, asked, instructed, surveyed
from tests.support.sessions import a_session, block, finish, judge, planned, result, retry, start

from toryo.domain.evidence import CheckStatus
from toryo.domain.planning import Answer, Draft
from toryo.domain.report import Report
from toryo.rules import wording


def planning(**more: object):  # type: ignore[no-untyped-def]
    found = asked(surveyed(instructed())).planning
    assert found is not None
    return replace(found, **more)


def test_bullets() -> None:
    assert wording.bullets(["a", "b"]) == "- a\n- b"
    assert wording.bullets(()) == "(none)"
    assert wording.bullets((), "(nothing)") == "(nothing)"


def test_decisions_and_rejections() -> None:
    assert wording.answers_text(planning()) == "(nothing was asked)"
    assert wording.answers_text(planning(answers=(Answer("Which?", "a.txt"),))) == "- Which? → a.txt"
    assert wording.rejections_text(planning()) == ""
    assert wording.rejections_text(planning(rejections=("too large", "no tests"))).endswith("- too large\n- no tests")


def test_a_task_with_all_that_belongs_to_it() -> None:
    task = planned("B", "A", description="Do it\n", acceptance=("it greets",), scope=("src/**", "a.md"))
    assert wording.task_text(task) == (
        "## B: Task B (after A)\n\nDo it\n\nAcceptance:\n- it greets\n\nMay change: `src/**`, `a.md`"
    )
    assert wording.task_text(planned("A"), "running") == "## A, running: Task A"


def test_a_draft() -> None:
    draft = Draft((planned("A"), planned("B", "A")), 2)
    assert wording.draft_text(draft) == "At most 2 at once.\n\n## A: Task A\n\n## B: Task B (after A)"
    assert wording.draft_text(replace(draft, parallel=None)).startswith("## A")


def test_states_of_tasks_with_their_reasons() -> None:
    session = block(a_session("A", planned("B", "A")), "A")
    assert wording.states_text(session) == "- A, blocked: Task A (it did not work)\n- B, planned: Task B"


def test_checks() -> None:
    assert wording.checks_text(()) == "(there are no checks)"
    results = (result("tests"), result("lint", CheckStatus.FAILED), result("slow", CheckStatus.TIMED_OUT))
    assert wording.checks_text(results) == (
        "- tests: passed\n- check 'lint' failed with code 1\n- check 'slow' did not end within its time limit"
    )


def test_what_went_wrong_with_a_task_is_bounded() -> None:
    session = start(retry(a_session(planned("A", checks=(TESTS,)), attempts=2), "A"), "A")
    session = judge(finish(session, "A", code=1, report=Report(last_words="I could not " + "x" * 9000)), "A")
    text = wording.trouble_text(session.task("A"))
    assert text.startswith("Blocked: max retries. the agent exited with code 1")
    assert "The agent's last words: I could not" in text
    assert len(text) == 6000
