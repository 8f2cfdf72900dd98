"""A person at a terminal who leaves in the middle of a decision finds everything as it was, and how to go on."""

import json

import pytest
from tests.support.instructions import planner, question, questions, score, usual
from tests.support.repositories import Repo
from tests.support.terminals import on_terminal

WISH = "Add a greeting to the program"
ENOUGH = "\x04"
"""The end of input, as Ctrl-D sends it: the prompt is left as with Ctrl-C."""


@pytest.fixture(autouse=True)
def no_pager(repo: Repo) -> None:
    repo.environ["PAGER"] = "cat"


@pytest.mark.covers("A8")
def test_leaving_a_question(repo: Repo) -> None:
    with planner(repo, [questions(question("Which one?", "this", "that")), *usual("A")[1:]]):
        code, seen = on_terminal(repo, "run", WISH, answer=ENOUGH)
        assert code == 130, seen
        assert "Enter takes the default; or a letter, or your own words:" in seen
        short = json.loads(repo.toryo("status", "--json").out)["session"].removeprefix("session-")[:8]
        assert f"next: toryo answer {short} --defaults, or toryo answer {short} 'b'" in seen
        assert seen.count("1. Which one?") == 1
        status = repo.toryo("status").out
        assert "waits for answers" in status
        assert f"toryo answer {short}" in status
        assert "state     planning (waits for answers)" in repo.toryo("info").out
        asked = json.loads(repo.toryo("answer", "--json").out)
        assert asked["kind"] == "questions"
        assert [row["question"] for row in asked["questions"]] == ["Which one?"]
        assert repo.toryo("answer", "b", "--yes").code == 0


@pytest.mark.covers("A8")
def test_leaving_the_approval(repo: Repo) -> None:
    with planner(repo, usual("A")):
        code, seen = on_terminal(repo, "run", WISH, answer=ENOUGH)
        assert code == 130, seen
        assert "Enter: carry it out · q: not now" in seen
        assert "next: toryo approve" in seen
        status = repo.toryo("status", "--json")
        assert json.loads(status.out)["sessions"][0]["waits_for"] == "approval"
        assert repo.toryo("approve").code == 0


def test_not_now_is_no_interruption(repo: Repo) -> None:
    with planner(repo, usual("A")):
        code, seen = on_terminal(repo, "run", WISH, answer="q\n")
        assert code == 2, seen
        assert "waits for your approval" in seen


def test_yes_asks_nothing_also_at_a_terminal(repo: Repo) -> None:
    poor = [score(20, "everything is vague") for _ in range(5)]
    replies = usual("A")
    drafts = [reply for draft in poor for reply in (replies[3], draft)]
    with planner(repo, [*replies[:3], *drafts]):
        code, seen = on_terminal(repo, "run", WISH, "--yes", answer="\n")
        assert code == 2, seen
        assert "Enter: carry it out" not in seen
        assert "which is below 60: look at it closely" in seen
