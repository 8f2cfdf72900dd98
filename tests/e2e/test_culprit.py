"""The whole is red though each task was green: the merge that did it is found and taken back, and the rest goes on."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import Repo, shell

NOT_BOTH = "! { test -e A && test -e B; } || { echo A and B do not go together; exit 3; }"
BRANCH = "agent/the-plan"


def makes(key: str, **more: Any) -> dict[str, Any]:
    return shell(key, f"echo {key} > {key}", **more)


def at_the_end(repo: Repo) -> None:
    repo.environ["TORYO_RUN_CHECK_MERGES"] = "end"
    repo.environ["TORYO_RUN_PARALLEL"] = "1"


def merged_on(repo: Repo, branch: str = BRANCH) -> list[str]:
    subjects = repo.git("log", "--format=%s", "--first-parent", "--reverse", f"main..{branch}").splitlines()
    return [subject.removeprefix("Merge ").partition(":")[0] for subject in subjects]


def kinds(repo: Repo) -> list[str]:
    return [event["kind"] for event in repo.events()]


def assert_verified(repo: Repo) -> None:
    done = repo.toryo("verify", "--rerun")
    assert done.code == 0, done


@pytest.mark.covers("F2")
def test_one_of_five_breaks_the_whole_and_the_others_are_kept(repo: Repo, tmp_path: Path) -> None:
    at_the_end(repo)
    second = f"test -e {tmp_path}/retried && {{ echo other > b2; exit; }}; echo B > B"
    tasks = [makes("A"), shell("B", second), makes("C"), makes("D", depends_on=["B"]), makes("E")]
    done = repo.run(*tasks, checks=NOT_BOTH)
    assert done.code == 2, done
    assert "(2 tasks are merged again, 1 task is done anew, since it builds on it)" in done.err
    assert {key: task["state"] for key, task in repo.tasks().items()} == {
        **dict.fromkeys("ACE", "integrated"),
        "B": "blocked",
        "D": "planned",
    }
    assert merged_on(repo) == ["A", "C", "E"]
    report = repo.toryo("report").out
    assert "Outcome: **INCOMPLETE**" in report
    assert "Proof: the checks pass on agent/the-plan" in report
    parked = next(event for event in repo.events() if event["kind"] == "CulpritParked")
    kept = next(event for event in repo.events() if event["kind"] == "MergesTakenBack")["kept"]
    assert "B" in merged_on(repo, kept), "what the branch had is still there"
    assert parked["again"], "those behind it were merged again"
    item = json.loads(repo.toryo("inbox", "--json").out)["items"][0]
    assert (item["task"], item["what"]) == ("B", "culprit")
    assert "A and B do not go together" in item["says"]
    assert "toryo retry B --say" in item["do"]
    assert_verified(repo)

    old = repo.info("B")["task"]["commit"]
    (tmp_path / "retried").touch()
    done = repo.toryo("retry", "B", "--say", "leave A alone")
    assert done.code == 0, done
    assert merged_on(repo) == ["A", "C", "E", "B", "D"]
    assert repo.files_on(BRANCH) >= set("ACDE") | {"b2"}
    assert "B" not in repo.files_on(BRANCH)
    assert repo.git("for-each-ref", "--contains", old, "refs/toryo/kept")
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"
    assert_verified(repo)


@pytest.mark.covers("F2")
def test_what_no_check_looks_at_when_it_is_merged_can_still_be_the_culprit(repo: Repo) -> None:
    """The checks of the plan are about code, so they do not run on documentation until all is merged."""
    writes = "mkdir -p docs; echo wrong > docs/c.md"
    wrong = shell("C", writes, type="documentation", depends_on=list("ABDE"))
    done = repo.run(*(makes(key) for key in "ABDE"), wrong, checks="! grep -q wrong docs/c.md")
    assert done.code == 2, done
    assert {key: task["state"] for key, task in repo.tasks().items()} == {
        **dict.fromkeys("ABDE", "integrated"),
        "C": "blocked",
    }
    assert sorted(merged_on(repo)) == list("ABDE")
    assert "Proof: the checks pass on agent/the-plan" in repo.toryo("report").out
    assert kinds(repo).count("MergeBisected") == 6, "tip, base, three in between, and the last good one once more"
    assert_verified(repo)
    bundle = repo.path.parent / "proof.zip"
    assert repo.toryo("proof", "export", "-o", str(bundle)).code == 0
    assert repo.toryo("verify", str(bundle)).code == 0


@pytest.mark.covers("F2", "B2")
def test_killed_before_and_after_every_step_on_the_way_to_the_culprit(repo: Repo, tmp_path: Path) -> None:
    at_the_end(repo)
    plan = repo.plan(makes("A"), makes("B"), makes("C"), checks=NOT_BOTH)
    steps = ["ProveSession", "BisectMerges", "ParkCulprit", "TakeBackMerges"]
    conductor = [sys.executable, "-m", "tests.support.mortal_conductor", str(plan), str(tmp_path / "deaths"), *steps]
    environ = {**repo.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    codes = [-9]
    while codes[-1] == -9:
        assert len(codes) < 60
        codes.append(subprocess.run(conductor, cwd=repo.path, env=environ, check=False, capture_output=True).returncode)
    died = (tmp_path / "deaths").read_text()
    assert all(f"died {moment}" in died and f'"{step}"' in died for moment in ("before", "after") for step in steps)
    assert len(died.splitlines()) >= 14
    assert codes[-1] == 1
    assert kinds(repo).count("CulpritParked") == 1
    assert len(merged_on(repo)) == 2
    assert repo.tasks()["C"]["state"] == "integrated"
    assert repo.git("-C", ".worktrees/the-plan", "status", "--porcelain", "--branch") == "## agent/the-plan"
    assert_verified(repo)
