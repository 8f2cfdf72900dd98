"""Each kind of task is proven in its own way: by what it wrote, by its documents, by tests that failed first."""

from typing import Any

import pytest
from tests.support.instructions import asks, planner, review, score, task, tasks, usual, work
from tests.support.repositories import Repo, shell

FAILS = {"no": {"command": "echo ran >> ../ran.txt; false", "on_failure": "block"}}


def runs_of(repo: Repo, key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = repo.info(key)["task"]["runs"]
    return found


# ── what is only written ─────────────────────────────────────────────────────


@pytest.mark.covers("P8", "P55")
@pytest.mark.parametrize("kind", ["investigation", "review"])
def test_a_read_only_task_is_complete_on_what_it_wrote(repo: Repo, kind: str) -> None:
    done = repo.run(shell("T1", "echo the parser drops 改行", type=kind), checks=FAILS)
    assert done.code == 0, done
    info = repo.info("T1")["task"]
    assert (info["state"], info["outcome"], info["unchecked"]) == ("integrated", "COMPLETE", False)
    (run,) = info["runs"]
    assert (run["result"], run["files"], run["checks"]) == ("the parser drops 改行", [], [])
    assert [record["operation"] for record in info["evidence"]][:2] == ["agent", "files"]
    assert info["evidence"][0]["log"]
    assert info["merge_commit"] is None
    assert repo.git("branch", "--list", "agent/*") == "", "there was nothing to merge"
    assert "the parser drops 改行" in repo.toryo("info", "T1").out
    report = repo.toryo("report").out
    assert "## What was found out\n\n### T1 Task T1\n\n```text\nthe parser drops 改行\n```" in report
    assert "what T1 found out: it is what the agent wrote, and nobody tested it" in report


@pytest.mark.covers("P8", "P55")
def test_a_read_only_task_must_change_nothing_and_say_something(repo: Repo) -> None:
    changes = shell("T1", "echo hm; touch new.txt", type="investigation")
    silent = shell("T2", "true", type="review")
    assert repo.run(changes, silent, flags=["--parallel", "1"]).code == 2
    tasks = repo.tasks()
    assert "must not change files: new.txt" in tasks["T1"]["reason"]
    assert (tasks["T2"]["outcome"], tasks["T2"]["block_reason"]) == ("NO_EVIDENCE", "no evidence")


@pytest.mark.covers("P8")
def test_whoever_depends_on_an_investigation_is_told_its_result(repo: Repo) -> None:
    found = shell(
        "T1",
        "printf 'use the ```second``` door\\n'; echo ghp_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234",
        type="investigation",
    )
    uses = shell("T2", 'cp "$TORYO_PROMPT" told.md', depends_on=["T1"])
    made = shell("T0", "echo x > made.txt")
    done = repo.run(made, found, uses, {**shell("T3", "echo y > y.txt"), "depends_on": ["T0", "T1"]})
    assert done.code == 0, done
    told = repo.show("agent/the-plan", "told.md")
    assert "## What T1: Task T1 found\n\n````text\nuse the ```second``` door\n" in told
    assert "[MASKED:GITHUB_TOKEN]" in told
    subjects = repo.git("log", "--format=%s", "main..agent/the-plan").splitlines()
    assert not [subject for subject in subjects if "Merge T1" in subject]


@pytest.mark.covers("P8")
def test_the_review_of_an_investigation_sees_what_it_wrote(repo: Repo) -> None:
    asked = task("A", type="investigation", acceptance=["it names the cause"])
    cites = [{"number": 1, "met": True, "evidence": '"because of the frobnicator"'}]
    work(repo, {"A": [[{"say": "It fails because of the frobnicator."}]]})
    replies = [*usual()[:3], tasks(asked), score(90), review(criteria=cites)]
    with planner(repo, replies) as endpoint:
        assert asks(repo, "Find out why the README.md is short", "--yes").code == 0
        assert "No file was to be changed" in str(endpoint.bodies[-1])
    assert [one["status"] for one in repo.info("A")["task"]["criteria"]] == ["proven"]


# ── documentation ────────────────────────────────────────────────────────────


@pytest.mark.covers("P55")
def test_documentation_needs_no_tests_but_the_result_as_a_whole_does(repo: Repo) -> None:
    docs = shell("T1", "mkdir docs; echo x > docs/guide.md", type="documentation")
    done = repo.run(docs, checks={"count": 'echo ran >> "$TORYO_MAIN"/../ran.txt'})
    assert done.code == 0, done
    (run,) = runs_of(repo, "T1")
    assert run["checks"] == []
    assert "documentation only: checks not needed" in run["reasons"]
    assert repo.tasks()["T1"]["unchecked"] is False
    assert (repo.path.parent / "ran.txt").read_text() == "ran\n", "once, on the merged work"
    report = repo.toryo("report").out
    assert "- documentation, which no check looks at: T1" in report
    assert "- Proof: the checks pass on agent/the-plan" in report
    verified = repo.toryo("verify")
    assert verified.code == 0, verified.out


@pytest.mark.covers("P55", "P49")
def test_a_documentation_task_that_touches_code_is_checked(repo: Repo) -> None:
    docs = shell("T1", "echo x > guide.md; echo x > setup.py", type="documentation")
    assert repo.run(docs, checks=FAILS).code == 2
    assert repo.tasks()["T1"]["block_reason"] == "check failed"


@pytest.mark.covers("P55")
def test_a_check_that_the_task_itself_names_always_runs(repo: Repo) -> None:
    docs = shell("T1", "echo x > guide.md", type="documentation", checks=["no"])
    other = shell("T2", "echo x > other.md", type="documentation", checks={"links": "false"})
    assert repo.run(docs, other, checks={**FAILS, "unit": "false"}, flags=["--parallel", "1"]).code == 2
    assert [one["name"] for one in runs_of(repo, "T1")[-1]["checks"]] == ["no"]
    assert [one["name"] for one in runs_of(repo, "T2")[-1]["checks"]] == ["links"]


# ── completion is what is on disk ────────────────────────────────────────────


@pytest.mark.covers("P8", "P31", "P33")
def test_deleting_a_file_is_work_and_saying_so_is_not(repo: Repo) -> None:
    repo.write("old.txt", "x")
    repo.commit("old")
    assert repo.run(shell("T1", "rm old.txt"), shell("T2", "echo I deleted old.txt")).code == 2
    assert runs_of(repo, "T1")[0]["files"] == [{"path": "old.txt", "change": "deleted", "exists": False}]
    tasks = repo.tasks()
    assert (tasks["T1"]["outcome"], tasks["T2"]["outcome"]) == ("COMPLETE", "NO_EVIDENCE")


# ── tests first ──────────────────────────────────────────────────────────────

TESTED = {"checks": {"test": "sh test.sh"}}


@pytest.mark.covers("P11")
def test_where_tests_come_first_they_must_fail_before_the_agent_starts(repo: Repo) -> None:
    repo.write("test.sh", "echo left-over > junk.txt; test -e made.txt\n")
    repo.commit("a failing test")
    done = repo.run(shell("T1", "test ! -e junk.txt && echo x > made.txt", tests_first=True), **TESTED)
    assert done.code == 0, done
    (run,) = runs_of(repo, "T1")
    assert [one["status"] for one in run["before"]] == ["failed"]
    assert [one["status"] for one in run["checks"]] == ["passed"]
    checks = [record for record in repo.info("T1")["task"]["evidence"] if record["operation"] == "check"]
    assert [record["facts"].get("stage") for record in checks] == ["before", "task"]
    assert "check test before the work, `sh test.sh`: exit code 1" in repo.toryo("report").out


@pytest.mark.covers("P11", "P16")
@pytest.mark.parametrize(
    ("command", "words"), [("true", "check 'test' passes"), ("no-such-program", "check 'test' could not be run")]
)
def test_tests_that_pass_already_or_do_not_exist_stop_it(repo: Repo, command: str, words: str) -> None:
    done = repo.run(shell("T1", "echo x > made.txt", tests_first=True), checks={"test": command})
    assert done.code == 2, done
    task = repo.tasks()["T1"]
    assert (task["state"], task["block_reason"]) == ("blocked", "tests not first")
    assert words in task["reason"]
    assert runs_of(repo, "T1")[0]["started_at"] is None, "no agent was started"
    assert "toryo approve T1 goes on without" in repo.toryo("inbox").out
    done = repo.toryo("approve", "T1")
    assert runs_of(repo, "T1")[-1]["files"], done


@pytest.mark.covers("P11")
@pytest.mark.parametrize(
    ("more", "words"),
    [({}, "no check that could fail first"), ({"type": "review", "checks": "false"}, "of type 'review' has no tests")],
)
def test_tests_first_needs_tests(repo: Repo, more: dict[str, Any], words: str) -> None:
    done = repo.run(shell("T1", "true", tests_first=True, **more))
    assert done.code == 64
    assert words in done.err
