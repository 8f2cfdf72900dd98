"""The time of day is set forward or back by days, under a conductor and between two: nothing is lost or doubled."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.aftermath import assert_nothing_lost, held, runs_of
from tests.support.repositories import Repo, kill, processes_of, shell, until

DAYS = 3 * 86400


def conductor(repo: Repo, plan: Path, wrong: Path) -> subprocess.Popen[str]:
    """Its clock is wrong by what the file says."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.jumping_conductor", str(plan), str(wrong)],
        cwd=repo.path,
        env={**repo.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    repo.started.append(process)
    return process


def working(repo: Repo, gate: Path) -> None:
    until(Path(f"{gate}.begun").exists)
    until(lambda: runs_of(repo)[0]["state"] == "working")


def ended(process: subprocess.Popen[str]) -> int:
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said, said
    return process.returncode


def tasks(gate: Path) -> list[dict[str, Any]]:
    return [held("A", gate), shell("B", "echo B > B"), shell("C", "echo C > C", depends_on=["A"])]


@pytest.mark.covers("B2")
def test_set_back_under_a_run_nothing_changes(repo: Repo, tmp_path: Path) -> None:
    gate, wrong = tmp_path / "gate", tmp_path / "wrong"
    process = conductor(repo, repo.plan(*tasks(gate)), wrong)
    working(repo, gate)
    wrong.write_text(str(-DAYS))
    gate.touch()
    assert ended(process) == 0
    events = repo.events()
    assert events[-1]["at"] < events[0]["at"], "the journal goes by numbers, not by times"
    assert_nothing_lost(repo, "A", "B", "C")
    assert repo.toryo("report").code == 0


@pytest.mark.covers("B2", "P17")
def test_set_forward_beyond_its_limit_a_run_is_ended_as_too_long_and_costs_a_retry(repo: Repo, tmp_path: Path) -> None:
    """Nobody can tell a clock that was set from time that went by: the run is ended, and its task resumed."""
    gate, wrong = tmp_path / "gate", tmp_path / "wrong"
    plan = repo.plan(*tasks(gate))
    process = conductor(repo, plan, wrong)
    working(repo, gate)
    wrong.write_text(str(DAYS))
    assert ended(process) == 2
    (run,) = runs_of(repo)
    assert (run["ended_by"], repo.tasks()["A"]["block_reason"]) == ("time limit", "timeout")
    assert processes_of(repo.store) == []
    gate.touch()
    assert ended(conductor(repo, plan, wrong)) == 0
    assert_nothing_lost(repo, "A", "B", "C")


@pytest.mark.covers("B2")
def test_set_forward_within_its_limit_a_run_goes_on(repo: Repo, tmp_path: Path) -> None:
    gate, wrong = tmp_path / "gate", tmp_path / "wrong"
    process = conductor(repo, repo.plan(*tasks(gate)), wrong)
    working(repo, gate)
    wrong.write_text("600")
    until(lambda: repo.tasks()["B"]["state"] == "integrated")
    gate.touch()
    assert ended(process) == 0
    assert [run["ended_by"] for run in runs_of(repo)] == ["itself"]
    assert_nothing_lost(repo, "A", "B", "C")


@pytest.mark.covers("B2", "A6")
def test_set_back_between_two_conductors_the_second_goes_on_where_the_first_was(repo: Repo, tmp_path: Path) -> None:
    gate, wrong = tmp_path / "gate", tmp_path / "wrong"
    plan = repo.plan(*tasks(gate))
    first = conductor(repo, plan, wrong)
    working(repo, gate)
    kill(first)
    wrong.write_text(str(-DAYS))
    second = conductor(repo, plan, wrong)
    gate.touch()
    assert ended(second) == 0
    assert len(runs_of(repo)) == 1, "the same run, not a second one beside it"
    assert_nothing_lost(repo, "A", "B", "C")
