"""Limits of a task are hard: gone beyond, it waits, and a person's word goes one step further."""

import json

import pytest
from tests.support.repositories import Repo, shell


def violations(repo: Repo, key: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = repo.info(key)["task"]["violations"]
    return found


@pytest.mark.covers("P13", "P16", "P17", "P20")
def test_too_many_files_wait_for_a_person_and_then_pass_the_other_proofs(repo: Repo) -> None:
    many = "for n in 1 2 3; do echo $n > $n.txt; done"
    done = repo.run(shell("T1", many, limits={"files": 2}), checks="test -e 1.txt")
    assert done.code == 2, done
    task = repo.tasks()["T1"]
    assert (task["state"], task["block_reason"]) == ("blocked", "limit")
    (found,) = violations(repo, "T1")
    assert found.pop("timestamp")
    assert found == {"limit_type": "max_files", "limit_value": 2, "actual_value": 3, "resolution_required": True}
    assert [one["task"] for one in json.loads(repo.toryo("info", "--json").out)["session"]["violations"]] == ["T1"]
    inbox = repo.toryo("inbox").out
    assert "3 files changed, 1 over the limit of 2" in inbox
    assert "toryo approve T1" in inbox
    done = repo.toryo("approve", "T1")
    assert done.code == 0, done
    task = repo.info("T1")["task"]
    assert (task["state"], len(task["runs"])) == ("integrated", 1), "that very work, not another run"
    assert [one["status"] for one in task["runs"][0]["checks"]] == ["passed"], "every other proof still has to hold"
    assert [one["resolution_required"] for one in violations(repo, "T1")] == [False]
    report = repo.toryo("report").out
    assert "T1: limit: 3 files changed, 1 over the limit of 2 — let through by a person" in report


@pytest.mark.covers("P13", "P16")
def test_an_approved_excess_does_not_wave_failing_checks_through(repo: Repo) -> None:
    repo.run(shell("T1", "touch a b", limits={"files": 1}), checks={"no": {"command": "false", "on_failure": "block"}})
    done = repo.toryo("approve", "T1")
    assert done.code == 2, done
    assert repo.tasks()["T1"]["block_reason"] == "check failed"


@pytest.mark.covers("P14", "P16")
def test_check_runs_are_counted_over_all_attempts_and_an_approval_grants_as_many_again(repo: Repo) -> None:
    count = shell("T1", "echo $TORYO_ATTEMPT >> n.txt", limits={"tests": 2})
    done = repo.run(count, checks={"three": "test $(wc -l < n.txt) -ge 3"})
    assert done.code == 2, done
    task = repo.info("T1")["task"]
    assert (task["block_reason"], len(task["runs"])) == ("limit", 3)
    assert [len(run["checks"]) for run in task["runs"]] == [1, 1, 0]
    (found,) = violations(repo, "T1")
    assert (found["limit_type"], found["limit_value"], found["actual_value"]) == ("max_tests", 2, 3)
    assert repo.toryo("approve", "T1").code == 0
    task = repo.info("T1")["task"]
    assert [len(run["checks"]) for run in task["runs"]] == [1, 1, 1], "the third run's work was looked at after all"


@pytest.mark.covers("P16", "P17", "P20")
def test_a_run_that_takes_too_long_may_go_on_for_as_long_again(repo: Repo) -> None:
    work = "if test -e half.txt; then echo whole > whole.txt; else echo half > half.txt; exec sleep 60; fi"
    done = repo.run(shell("T1", work, limits={"seconds": 1}, expect=["whole.txt"]))
    assert done.code == 2, done
    task = repo.tasks()["T1"]
    assert (task["state"], task["block_reason"]) == ("blocked", "timeout")
    (found,) = violations(repo, "T1")
    assert (found["limit_type"], found["limit_value"]) == ("max_seconds", 1.0)
    assert isinstance(found["actual_value"], float)
    assert 1.0 <= found["actual_value"] < 30.0
    assert "toryo approve T1 lets it go on" in repo.toryo("inbox").out
    assert repo.toryo("approve", "T1").code == 0
    task = repo.info("T1")["task"]
    assert (task["state"], len(task["runs"]), task["attempts"]) == ("integrated", 2, 1)
    assert repo.files_on("agent/the-plan") >= {"half.txt", "whole.txt"}
    lines = [json.loads(line) for line in repo.toryo("logs", "--json").out.splitlines()]
    assert "TaskApproved" in [line["kind"] for line in lines]


@pytest.mark.covers("P13")
@pytest.mark.parametrize("value", [0, -1, "x", 1.5])
def test_a_limit_is_a_positive_number(repo: Repo, value: object) -> None:
    done = repo.run(shell("T1", "touch a", limits={"files": value}))
    assert done.code == 64
    assert "limits.files" in done.err
