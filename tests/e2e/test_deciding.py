"""A person at a terminal: asked in one batch, shown the whole plan, and heard."""

import pytest
from tests.support.instructions import (
    SPEC,
    judged,
    plan,
    planner,
    question,
    questions,
    review,
    score,
    spec,
    task,
    tasks,
    usual,
)
from tests.support.planning_server import Hang
from tests.support.repositories import Repo
from tests.support.terminals import converse

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"
ASKED, DECIDE = "Enter takes", "carry it out"


@pytest.fixture(autouse=True)
def simple_pager(repo: Repo) -> None:
    repo.environ["PAGER"] = "cat"


@pytest.mark.covers("G5", "G11")
def test_enter_takes_all_defaults_and_enter_approves(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"), question("How many?", "one", "two", default="two"))
    with planner(repo, [asked, *usual("A")[1:]]) as endpoint:
        code, seen = converse(repo, "run", WISH, answers=[(ASKED, "\r"), (DECIDE, "\r")])
        assert code == 0, seen
        written = "\n".join(endpoint.conversations()[1])
    assert "Which one? → this" in written
    assert "How many? → two" in written
    for text in ("spec.md", "plan.md", "tasks.md", "Work A", "scored 90 of 100"):
        assert text in seen
    assert "A.txt" in repo.files_on(BRANCH)


@pytest.mark.covers("G5")
def test_answers_by_letter_and_in_own_words_and_what_is_not_understood_is_asked_again(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"), question("How many?", "one", "two"))
    with planner(repo, [asked, *usual("A")[1:]]) as endpoint:
        answers = [(ASKED, "9z\r"), ("is no", ""), (ASKED, "1b\r"), (DECIDE, "q\r")]
        code, seen = converse(repo, "run", WISH, answers=[answer for answer in answers if answer[1]])
        assert code == 2, seen
        assert "Which one? → that" in "\n".join(endpoint.conversations()[1])
    assert "toryo approve" in seen
    assert repo.status()["sessions"][0]["state"] == "awaiting approval"


@pytest.mark.covers("G11")
def test_whatever_else_is_said_to_a_plan_has_it_made_anew(repo: Repo) -> None:
    again = [spec(), plan(), tasks(task("B")), score(95), review(), judged()]
    with planner(repo, [*usual("A")[:5], *again]) as endpoint:
        code, seen = converse(repo, "run", WISH, answers=[(DECIDE, "Bだけにして\r"), (DECIDE, "y\r")])
        assert code == 0, seen
        assert "Bだけにして" in "\n".join(endpoint.conversations()[5])
    assert repo.files_on(BRANCH) == {"README.md", "B.txt"}


def test_a_reply_is_seen_while_it_comes(repo: Repo) -> None:
    with planner(repo, [questions(), Hang(60, after="# Half of a document", when=SPEC)]):
        code, seen = converse(repo, "run", WISH, interrupt_at="Half of a")
        assert code == 130, seen


@pytest.mark.covers("A8")
@pytest.mark.parametrize("where", [ASKED, DECIDE])
def test_ctrl_c_at_a_question_leaves_everything_to_go_on_with(repo: Repo, where: str) -> None:
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:]]):
        before = [] if where == ASKED else [(ASKED, "\r")]
        code, seen = converse(repo, "run", WISH, answers=[*before, (where, "\x03")])
        assert code == 130, seen
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
    assert "A.txt" in repo.files_on(BRANCH)
