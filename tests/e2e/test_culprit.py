"""The whole is red though each task was green: the merge that did it is found and taken back, and the rest goes on."""

import json
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


@pytest.mark.covers("F2", "G29", "A17")
def test_one_of_five_breaks_the_whole_and_the_others_are_kept(repo: Repo, tmp_path: Path) -> None:
    at_the_end(repo)
    second = f"test -e {tmp_path}/retried && {{ echo other > b2; exit; }}; echo B > B"
    tasks = [makes("A"), shell("B", second), makes("C"), makes("D", depends_on=["B"]), makes("E")]
    done = repo.run(*tasks, checks=NOT_BOTH)
    assert done.code == 2, done
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
    kept = next(event for event in repo.events() if event["kind"] == "MergesTakenBack")["body"]["kept"]
    assert "B" in merged_on(repo, kept), "what the branch had is still there"
    assert parked["body"]["again"], "those behind it were merged again"
    item = json.loads(repo.toryo("inbox", "--json").out)["items"][0]
    assert (item["task"], item["what"]) == ("B", "culprit")
    assert "A and B do not go together" in item["says"]
    assert "toryo retry B --say" in item["do"]
    assert_verified(repo)

    old = repo.info("B")["task"]["commit"]
    (tmp_path / "retried").touch()
    done = repo.toryo("retry", "B", "--say", "leave A alone")
    assert done.code == 0, done
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert merged_on(repo) == ["A", "C", "E", "B", "D"]
    assert repo.files_on(BRANCH) >= set("ACDE") | {"b2"}
    assert "B" not in repo.files_on(BRANCH)
    assert repo.git("for-each-ref", "--contains", old, "refs/toryo/kept")
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"
    assert_verified(repo)
