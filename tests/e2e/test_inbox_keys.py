"""The inbox at a real terminal: one key chooses, one decides, and each decision stands at once."""

import pytest
from tests.support.instructions import planner, question
from tests.support.intents import analysed, intent_file, read_intent
from tests.support.queueing import until_idle
from tests.support.repositories import Repo
from tests.support.terminals import converse

ASKS = ("clarifications:", "- question: 何色ですか", "  answer: null")
FAILED = ("feedback:", "- task: T001 Write it", "  says: the tests fail in dates.py")


@pytest.mark.covers("F5", "F6")
def test_one_key_approves_answers_rejects_and_retries(repo: Repo) -> None:
    intent_file(repo, "dangerous", "Rewrite it all", risk="high")
    intent_file(repo, "colour", "ログイン画面の色", *ASKS, risk="med")
    intent_file(repo, "fix-dates", "Fix dates", *FAILED, status="error", risk="med")
    intent_file(repo, "idle", "Do not do this", risk="low")
    keys = [
        ("q leave", "a"),
        ("1 of 3: questions, colour", "w"),
        ("何色ですか", "青\n"),
        ("1 of 3: approval, colour", "s"),
        ("2 of 3: error, fix-dates", "x"),
        ("'x' does nothing here", "t"),
        ("done better", "ISO, please\n"),
        ("2 of 2: approval, idle", "r"),
        ("Why", "no need\n"),
        ("1 of 1", "q"),
    ]
    code, seen = converse(repo, "inbox", answers=keys)
    assert code == 2, seen
    assert "the tests fail in dates.py" in seen
    assert read_intent(repo, "dangerous")["status"] == "approved"
    assert read_intent(repo, "colour")["clarifications"][0]["answer"] == "青"
    again = read_intent(repo, "fix-dates")
    assert again["status"] == "approved"
    assert "ISO, please" in again["body"]
    assert (read_intent(repo, "idle")["status"], read_intent(repo, "idle")["reason"]) == ("rejected", "no need")


@pytest.mark.covers("F5")
def test_rejected_by_key_nobody_says_that_its_session_goes_on(repo: Repo) -> None:
    intent_file(repo, "ask", "Ask something", status="approved", risk="low")
    with planner(repo, [analysed("questions", questions=[question("Which?", "this", "that")])]):
        assert repo.toryo("watch", "--once").code == 2
        until_idle(repo)
        _, seen = converse(repo, "inbox", answers=[("q leave", "r"), ("Why", "no need\n")])
    assert "is closed, and all it did is kept" in seen
    assert "goes on" not in seen
    assert read_intent(repo, "ask")["status"] == "rejected"


@pytest.mark.covers("F5")
def test_ctrl_c_decides_nothing_an_empty_one_says_so_and_without_a_terminal_it_only_shows(repo: Repo) -> None:
    assert converse(repo, "inbox") == (0, "nothing waits for you\r\n")
    intent_file(repo, "idle", "Do not do this", risk="low")
    _, seen = converse(repo, "inbox", answers=[("q leave", "r"), ("Why", "\x03"), ("nothing was decided", "q")])
    assert read_intent(repo, "idle")["status"] == "proposed", seen
    shown = repo.toryo("inbox")
    assert shown.code == 2
    assert "toryo approve idle" in shown.out
    assert "q leave" not in shown.out + shown.err
