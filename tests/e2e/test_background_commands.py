"""Every command that goes on with a session can leave that to the background, with or without a person's word."""

import json
import time
from pathlib import Path

import pytest
from tests.support.instructions import (
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
from tests.support.queueing import begun, detach, gated, let, row, short_in, until_idle
from tests.support.repositories import Repo, until

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"


def kinds_of(repo: Repo, short: str) -> list[str]:
    lines = repo.toryo("logs", short, "--events", "--json").out.splitlines()
    return [json.loads(line)["kind"] for line in lines]


@pytest.mark.covers("G12")
def test_run_with_yes_goes_through_questions_and_approval_without_anybody(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:]]) as endpoint:
        short = short_in(repo.toryo("run", WISH, "--yes", "--detach"))
        until_idle(repo)
        assert row(repo, short)["outcome"] == "COMPLETE", repo.toryo("logs", short).out
        assert "Which one? → this" in "\n".join(endpoint.conversations()[1])
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}


def test_plan_with_yes_stops_at_the_plan(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:5]]):
        short = short_in(repo.toryo("plan", WISH, "--yes", "--detach"))
        until_idle(repo)
        assert row(repo, short)["waits_for"] == "approval"
    assert "PlanApproved" not in kinds_of(repo, short)


@pytest.mark.covers("G5", "G11")
def test_answer_reject_and_approve_each_have_it_go_on(repo: Repo) -> None:
    again = [spec(), plan(), tasks(task("B")), score(95), review(), judged()]
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:5], *again]) as endpoint:
        short = short_in(repo.toryo("run", WISH, "--detach"))
        until_idle(repo)
        assert row(repo, short)["waits_for"] == "answers"
        assert short_in(repo.toryo("answer", short, "1b", "--detach")) == short
        until_idle(repo)
        assert row(repo, short)["waits_for"] == "approval"
        assert short_in(repo.toryo("reject", short, "--why", "Only B, please", "--detach")) == short
        until_idle(repo)
        assert row(repo, short)["waits_for"] == "approval"
        assert "Only B, please" in "\n".join(endpoint.conversations()[5])
        assert short_in(repo.toryo("approve", short, "--detach")) == short
        until_idle(repo)
    assert row(repo, short)["outcome"] == "COMPLETE"
    assert repo.files_on(BRANCH) == {"README.md", "B.txt"}


def test_yes_that_is_said_later_holds_for_all_that_follows(repo: Repo) -> None:
    """`resume --yes`, `answer --yes`: whoever goes on with it need not ask any more."""
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:]]):
        short = short_in(repo.toryo("run", WISH, "--detach"))
        until_idle(repo)
        assert row(repo, short)["waits_for"] == "answers"
        assert short_in(repo.toryo("resume", short, "--yes", "--detach")) == short
        until_idle(repo)
        assert row(repo, short)["outcome"] == "COMPLETE", repo.toryo("logs", short).out
    assert "AssentGiven" in kinds_of(repo, short)


def test_saying_run_it_approves_a_plan_in_the_background(repo: Repo) -> None:
    with planner(repo, usual("A")):
        short = short_in(repo.toryo("run", WISH, "--dry-run", "--detach"))
        until_idle(repo)
        assert row(repo, short)["waits_for"] == "approval"
        assert short_in(repo.toryo("say", "実行して", "--detach")) == short
        until_idle(repo)
    assert row(repo, short)["outcome"] == "COMPLETE"


def test_what_is_continued_goes_on_in_the_background(repo: Repo) -> None:
    more = [questions(), spec(), plan(), tasks(task("B")), score(90), review(), judged()]
    with planner(repo, [*usual("A"), *more]):
        first = short_in(repo.toryo("run", WISH, "--yes", "--detach"))
        until_idle(repo)
        second = short_in(repo.toryo("continue", first, "Add B as well", "--yes", "--detach"))
        assert second != first
        until_idle(repo)
        assert row(repo, second)["outcome"] == "COMPLETE", repo.toryo("logs", second).out


def test_retry_and_land_go_on_in_the_background(repo: Repo, tmp_path: Path) -> None:
    short = detach(repo, "A", f"test -e {tmp_path}/ok || exit 3; echo a > a")
    until_idle(repo)
    assert row(repo, short)["waits_for"] == "person"
    (tmp_path / "ok").touch()
    assert short_in(repo.toryo("retry", "A", "--detach")) == short
    until_idle(repo)
    assert row(repo, short)["outcome"] == "COMPLETE"
    assert "a" not in repo.files_on("main")
    assert short_in(repo.toryo("land", short, "--merge", "--detach")) == short
    until_idle(repo)
    assert row(repo, short)["landed"]
    assert "a" in repo.files_on("main")


@pytest.mark.covers("G14")
def test_what_is_decided_while_another_session_has_its_turn_is_queued_without_being_asked_to(
    repo: Repo, tmp_path: Path
) -> None:
    """Whoever works with the background need not say so again at each decision."""
    notes = tmp_path / "notes"
    notes.mkdir()
    with planner(repo, usual("A")):
        planned = short_in(repo.toryo("run", WISH, "--detach"))
        until_idle(repo)
        blocked = detach(repo, "X", f"test -e {notes}/ok || exit 3; echo x > x")
        until_idle(repo)
        detach(repo, "B", gated(notes, "B"))
        begun(notes, "B")
        (notes / "ok").touch()
        assert "after 1 other" in repo.toryo("approve", planned).out
        task_id = f"task-{blocked}-1"
        assert "after 2 others" in repo.toryo("retry", task_id).out
        let(notes, "B")
        until_idle(repo)
        assert row(repo, planned)["outcome"] == "COMPLETE"
        assert row(repo, blocked)["outcome"] == "COMPLETE"


@pytest.mark.covers("B3")
def test_time_in_the_queue_is_not_time_used(repo: Repo, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    detach(repo, "A", gated(notes, "A"))
    begun(notes, "A")
    short = detach(repo, "B", gated(notes, "B"), "--budget", "wall=1h")
    queued_at = row(repo, short)["queued_at"]
    used = wall_used(repo, short)
    until(lambda: time.time() > queued_at + 1.5)
    assert wall_used(repo, short) == used, "it stands still"
    let(notes, "A", "B")
    until_idle(repo)
    done = row(repo, short)
    assert done["outcome"] == "COMPLETE"
    assert wall_used(repo, short) < done["closed_at"] - done["opened_at"] - 1.4


def wall_used(repo: Repo, short: str) -> float:
    session = json.loads(repo.toryo("info", short, "--json").out)["session"]
    return float(session["budget"]["wall"]["used"])
