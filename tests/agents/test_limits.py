"""Usage limits: one answer of the model's service pauses everything on that credential, burns nothing, and is shown."""

import time
from pathlib import Path

import pytest
from tests.support.crews import (
    EVERY_AGENT,
    begun,
    ended,
    happened,
    inbox_of,
    make_subscriber,
    needs_programs,
    run_crew,
    runs_of,
    session_of,
    states_of,
    task_of,
    told,
)
from tests.support.model_server import ModelServer
from tests.support.repositories import Repo, shell, until

from toryo.journal.lease import holder

pytestmark = needs_programs

SOON, LATER, TOO_LATE = 15, 3600, 30 * 3600
"""Seconds until the limit is over; `run.quota_wait` is six hours."""


@pytest.fixture(autouse=True)
def subscriber(repo: Repo) -> None:
    make_subscriber(repo)
    repo.environ["CLAUDE_CODE_MAX_RETRIES"] = "1"


def limit(seconds: int, over: Path | None = None) -> str:
    """Until then, or until there is a file."""
    return f"http 429 reset={int(time.time()) + seconds}" + (f" unless={over}" if over else "")


def paused(repo: Repo) -> bool:
    return (repo.store / "journal.db").exists() and bool(repo.status()["sessions"]) and bool(_pauses(repo))


def _pauses(repo: Repo) -> list[dict[str, object]]:
    pauses: list[dict[str, object]] = session_of(repo)["pauses"]
    return pauses


@pytest.mark.covers("A24", "B2")
@pytest.mark.parametrize(("agent", "override"), [("claude", "resume --now"), ("codex", "retry A")])
def test_a_limit_pauses_all_tasks_of_the_credential_until_it_is_over_or_a_person_says_so(
    agent: str, override: str, repo: Repo, model: ModelServer, tmp_path: Path
) -> None:
    """With one slot: after the first answer nobody else is sent to ask."""
    plan = repo.plan(
        told("A", limit(LATER, tmp_path / "over"), "write a.txt a", agent=agent),
        told("B", "write b.txt b", agent=agent),
        told("C", "write c.txt c", agent=agent),
        shell("S", "echo s > s"),
        parallel=1,
    )
    process = repo.start("run", "--plan", str(plan))
    until(lambda: paused(repo) and states_of(repo)["S"] == "integrated")
    assert len([record for record in model.requests() if record.question]) == 1
    assert [len(runs_of(repo, key)) for key in "ABC"] == [1, 0, 0]

    tasks = repo.tasks()
    assert {tasks[key]["state"] for key in "ABC"} == {"planned"}
    assert all(tasks[key]["says"].startswith("paused until ") for key in "ABC"), tasks
    assert tasks["A"]["attempts"] == 0
    (pause,) = _pauses(repo)
    assert (pause["credential"], pause["reason"]) == (agent, "quota")
    assert float(str(pause["until"])) > time.time() + LATER / 2
    assert "paused until" in repo.toryo("status").out
    assert [item["what"] for item in inbox_of(repo)] == ["pause"]
    assert repo.toryo("inbox").code == 0, "nothing that a person would have to do"
    (run,) = runs_of(repo)
    assert (run["disposition"], run["report"]["trouble"]) == ("postpone", "usage limit")

    (tmp_path / "over").touch()
    assert repo.toryo(*override.split()).code == 0
    said = ended(process)
    assert process.returncode == 0, said
    assert {"a.txt", "b.txt", "c.txt", "s"} <= repo.files_on("agent/the-plan")
    assert [run["outcome"] for run in runs_of(repo)][-1] == "COMPLETE"
    assert _pauses(repo) == []


@pytest.mark.covers("A24")
def test_a_limit_that_is_over_soon_is_waited_for_and_burns_no_attempt(repo: Repo) -> None:
    """Nor do tasks that were at work already when it came."""
    tasks = [told(key, limit(SOON), f"write {key}.txt x") for key in "AB"]
    done = repo.run(*tasks, told("C", "write C.txt c", depends_on=["A"]), flags=["--parallel", "3"])
    assert done.code == 0, done
    assert "paused until" in done.err
    assert {task["attempts"] for task in repo.tasks().values()} == {1}
    assert {"A.txt", "B.txt", "C.txt"} <= repo.files_on("agent/the-plan")
    first, *_, last = runs_of(repo)
    assert (first["disposition"], last["outcome"]) == ("postpone", "COMPLETE")
    assert last["started_at"] >= first["report"]["until"], "not a moment before"


@pytest.mark.covers("A24", "A5")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_limit_that_lasts_too_long_is_left_to_a_person(agent: str, repo: Repo, model: ModelServer) -> None:
    tasks = [told("A", limit(TOO_LATE), agent=agent), told("B", "write b.txt b", agent=agent)]
    done = repo.run(*tasks, shell("S", "echo s > s"), flags=["--parallel", "1"])
    assert done.code == 2, done
    task = task_of(repo)
    assert (task["state"], task["block_reason"]) == ("blocked", "quota")
    assert session_of(repo)["state"] == "paused"
    assert runs_of(repo, "B") == [], "the credential is known to be used up"
    assert states_of(repo)["S"] == "integrated"
    assert inbox_of(repo)[0]["what"] == "limit"


def test_a_limit_that_lasts_too_long_is_nobodys_error(repo: Repo) -> None:
    done = repo.run(told("A", limit(TOO_LATE)))
    assert done.code == 2, done
    assert task_of(repo)["attempts"] == 0


@pytest.mark.covers("A24", "B2")
def test_after_kill_9_a_pause_still_holds(repo: Repo, model: ModelServer, tmp_path: Path) -> None:
    plan = repo.plan(
        told("A", limit(LATER, tmp_path / "over"), "write a.txt a"), told("B", "write b.txt b"), parallel=1
    )
    process = repo.start("run", "--plan", str(plan))
    until(lambda: paused(repo))
    process.kill()
    ended(process)
    requests = len(model.requests())
    resumed = repo.start("resume")
    until(lambda: holder(repo.store / "conductor.lock") == resumed.pid)
    assert len(model.requests()) == requests
    (tmp_path / "over").touch()
    assert repo.toryo("resume", "--now").code == 0
    said = ended(resumed)
    assert resumed.returncode == 0, said
    assert {"a.txt", "b.txt"} <= repo.files_on("agent/the-plan")


@pytest.mark.covers("A24", "P1", "B2")
@pytest.mark.parametrize("agent", EVERY_AGENT)
def test_refusals_without_an_end_never_count_as_success(agent: str, repo: Repo, model: ModelServer) -> None:
    """OpenCode and Gemini would try by themselves for ever; they say for how long they were told to wait."""
    repo.environ["TORYO_RUN_QUOTA_WAIT"] = "1s"
    refusal = "http 429" if agent in ("claude", "codex") else "http 429 retry-after=7200"
    done = run_crew(repo, told("A", refusal, "write a.txt a", agent=agent), shell("S", "echo s > s"))
    assert done.code == 2, done
    task = task_of(repo)
    assert (task["state"], task["block_reason"], len(task["runs"])) == ("blocked", "quota", 1)
    assert task["runs"][0]["report"]["trouble"] == "usage limit"
    assert states_of(repo)["S"] == "integrated"
    assert happened(repo, "SessionClosed") == []


def test_a_limit_shows_when_it_ends_while_the_agent_itself_tries_again(repo: Repo, model: ModelServer) -> None:
    """A short refusal is the agent's own business: it is told of, and nothing is ended for it."""
    repo.environ["CLAUDE_CODE_MAX_RETRIES"] = "5"
    plan = repo.plan(told("A", "http 429 times=2 retry-after=1", "write a.txt a"))
    process = repo.start("run", "--plan", str(plan))
    begun(repo)
    said = ended(process)
    assert process.returncode == 0, said
    assert len(runs_of(repo)) == 1
    kinds = [event["kind"] for event in happened(repo, "RunStalled", "RunWentOn", "RunExited")]
    assert kinds == ["RunStalled", "RunWentOn", "RunExited"]
