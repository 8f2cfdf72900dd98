"""Task logs, tasks and results of real sessions: `logs`, `tasks`, `info` and `report`."""

import json
import re
import subprocess
from typing import Any

import pytest
from tests.support.answers import assert_answer
from tests.support.repositories import TORYO, Repo, shell, until

SECRET = "sk-ant-" + "a1B2c3D4" * 4


def mixed(repo: Repo) -> None:
    """A complete task, one in error, one without evidence, and one that waits for it in vain."""
    done = repo.run(
        shell("A", "echo a > a; rm README.md; echo b >> b", expect=["a", "b"], title="A を作って"),
        shell("B", "exit 3"),
        shell("C", "true", expect=["c"]),
        shell("D", "echo d > d", depends_on=["B"]),
        checks={"test": "true"},
        flags=("--parallel", "1"),
    )
    assert done.code == 1, done


def loaded(repo: Repo, *args: str) -> Any:
    done = repo.toryo(*args, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def log_of(repo: Repo, name: str, *flags: str) -> dict[str, Any]:
    log: dict[str, Any] = loaded(repo, "logs", name, *flags)
    assert_answer("logs TASK", log)
    return log


@pytest.mark.covers("P26", "P31", "P33", "P39")
def test_every_task_has_a_log_that_says_how_it_ended_and_why(repo: Repo) -> None:
    mixed(repo)
    logs = {key: log_of(repo, key, "--full") for key in "ABCD"}
    assert {key: log["status"] for key, log in logs.items()} == {
        "A": "complete",
        "B": "error",
        "C": "incomplete",
        "D": "queued",
    }
    assert logs["A"]["error_reason"] is None
    assert "exited with code 3" in logs["B"]["error_reason"]
    assert "no file was created" in logs["C"]["error_reason"]
    assert logs["A"]["artifacts"] == {
        "files_touched": ["README.md", "a", "b"],
        "files_expected": ["a", "b"],
        "files_created": ["a", "b"],
        "files_modified": [],
        "files_deleted": ["README.md"],
    }
    seen = {file["path"]: (file["exists"], file["detection_method"]) for file in logs["A"]["verified_files"]}
    assert seen == {"README.md": (False, "diff"), "a": (True, "diff"), "b": (True, "diff")}
    assert logs["A"]["verification_root"].startswith(f"{repo.path}/.worktrees/")
    claimed = [(file["path"], file["exists"], file["detection_method"]) for file in logs["C"]["verified_files"]]
    assert claimed == [("c", False, "executor_claim")]
    assert logs["C"]["evidence_summary"]["files_missing"] == ["c"]
    assert logs["C"]["evidence_summary"]["verification_reason"] == "1 file(s) not found on disk"
    assert {event["event_type"] for event in logs["C"]["events"]} >= {"EVIDENCE_MISSING", "TASK_INCOMPLETE"}
    kinds = [event["event_type"] for event in logs["A"]["events"]]
    assert kinds[:2] == ["USER_INPUT", "TASK_STARTED"]
    assert {"EXECUTOR_DISPATCH", "EXECUTOR_OUTPUT", "FILE_OPERATION", "TEST_EXECUTION", "TASK_COMPLETED"} <= set(kinds)


@pytest.mark.covers("P25", "P43")
def test_a_log_is_short_unless_all_of_it_is_wanted(repo: Repo) -> None:
    mixed(repo)
    short, full = log_of(repo, "A"), log_of(repo, "A", "--full")
    assert (short["visibility"], full["visibility"]) == ("summary", "full")
    assert [event["event_type"] for event in short["events"]] == ["USER_INPUT", "TASK_STARTED", "TASK_COMPLETED"]
    assert short["summary"] == full["summary"]
    assert len(full["events"]) == full["summary"]["total_events"]
    story, everything = repo.toryo("logs").out, repo.toryo("logs", "--full").out
    assert "A: worktree ready at" not in story
    assert "A: worktree ready at" in everything
    assert set(story.splitlines()) < set(everything.splitlines())
    assert "started (pid" in repo.toryo("logs", "A", "--events", "--full").out


@pytest.mark.covers("P27", "P30", "P42", "P43")
def test_tasks_and_logs_agree_and_both_ids_are_shown_and_taken(repo: Repo) -> None:
    mixed(repo)
    index, tasks = loaded(repo, "logs"), loaded(repo, "tasks")
    assert_answer("logs", index)
    assert_answer("tasks", tasks)
    assert loaded(repo, "logs", "--list") == index | {"entries": index["entries"]}
    grouped = {group: [row["key"] for row in tasks[group]] for group in tasks["summary"]}
    assert grouped == {"failed": ["B", "C"], "active": [], "pending": ["D"], "completed": ["A"], "dropped": []}
    rows = {row["task_id"]: row for group in tasks["summary"] for row in tasks[group]}
    for entry in index["entries"]:
        row = rows[entry["task_id"]]
        assert (entry["external_task_id"], entry["status"]) == (row["external_task_id"], row["status"])
        for name in (entry["task_id"], entry["external_task_id"]):
            log = log_of(repo, name)
            assert (log["task_id"], log["status"]) == (row["external_task_id"], row["log_status"])
            assert repo.info(name)["task"]["id"] == row["external_task_id"]
    assert [entry["files_modified_count"] for entry in index["entries"]] == [2, 0, 0, 0]
    shown, listed = repo.toryo("tasks").out, repo.toryo("logs", "--list").out
    for task_id, row in rows.items():
        for text in (shown, listed):
            assert re.search(rf"{task_id} +{row['external_task_id']} +{row['key']} ", text), text
    assert shown.splitlines()[0] == "FAILED (2)"
    assert shown.splitlines()[-1] == "4 tasks: 2 failed, 0 active, 1 pending, 1 completed"
    assert repo.toryo("info", "task-009").code == 64


@pytest.mark.covers("P3", "P43")
def test_the_tree_has_threads_rounds_tasks_and_runs(repo: Repo) -> None:
    mixed(repo)
    assert repo.toryo("retry", "B").code == 1
    tree = repo.toryo("logs", "--tree").out
    lines = [line.split() for line in tree.splitlines()]
    rounds = [(words[0], words[1], words[2]) for words in lines if words[0].startswith("run_")]
    assert rounds[0] == ("run_001", "USER_INPUT", "COMPLETED")
    triggers = {name: trigger for name, trigger, _ in rounds}
    assert [triggers[name] for name in sorted(triggers)] == [
        "USER_INPUT",
        "EXECUTOR",
        "CONTINUATION",
        "CONTINUATION",
        "EXECUTOR",
        "CONTINUATION",
    ]
    assert [words[0] for words in lines if words[0].startswith("thr_")] == ["thr_001", "thr_002", "thr_003"]
    runs = [words[0] for words in lines if words[0].startswith("run-")]
    assert sorted(runs) == sorted(run["id"] for key in "ABC" for run in repo.info(key)["task"]["runs"])
    found = loaded(repo, "logs", "--tree")
    assert_answer("logs --tree", found)
    assert {each["run_id"]: each["status"] for each in found["runs"]} == {name: status for name, _, status in rounds}
    assert log_of(repo, "B")["run_id"] == "run_005"


@pytest.mark.covers("P10", "P64")
def test_the_result_of_a_session_says_what_is_left_and_on_what_it_stands(repo: Repo) -> None:
    mixed(repo)
    report = loaded(repo, "report")
    assert_answer("report", report)
    result = report["result"]
    assert (result["overall_status"], result["next_action"]) == ("ERROR", False)
    assert "next_action_reason" not in result
    assert [task["status"] for task in result["tasks"]] == ["COMPLETE", "ERROR", "NO_EVIDENCE", "INCOMPLETE"]
    assert len(result["incomplete_task_reasons"]) == 3
    inventory = result["evidence_inventory"]
    assert inventory["missing_evidence_operations"] == inventory["integrity_failures"] == []
    assert inventory["total_evidence_items"] == sum(len(task["evidence_refs"]) for task in result["tasks"])
    assert all((repo.store / name).is_file() for name in inventory["raw_evidence_files"])
    assert report["session"]["outcome"] == "ERROR"


@pytest.mark.covers("P4", "P10")
def test_info_carries_the_known_facts_of_sessions_tasks_and_runs(repo: Repo) -> None:
    mixed(repo)
    session = loaded(repo, "info")
    assert_answer("info", session)
    record = session["session"]["record"]
    assert (record["target_project"], record["current_phase"]) == (str(repo.path), "COMPLETION_VALIDATION")
    assert record["runner_version"] == repo.toryo("--version").out.split()[1]
    assert record["configuration"]["parallel"] == 1
    assert "  phase     COMPLETION_VALIDATION" in repo.toryo("info").out
    task = loaded(repo, "info", "A")
    assert_answer("info TASK", task)
    assert task["task"]["record"]["log_ref"] == "task-001"
    assert [evidence["integrity_validated"] for evidence in task["task"]["result"]["evidence"]] == [True] * len(
        task["task"]["evidence"]
    )
    run = loaded(repo, "info", repo.info("B")["task"]["runs"][-1]["id"])
    assert_answer("info RUN", run)
    assert run["run"]["status"] == "FAILURE"
    assert "code 3" in run["run"]["error_message"]


@pytest.mark.covers("P34", "P26")
def test_a_run_that_waits_for_input_or_takes_too_long_is_said_so(repo: Repo) -> None:
    repo.environ |= {"TORYO_RUN_PROMPT_SILENCE": "0.2s", "TORYO_RUN_TIME_LIMIT": "3s", "TORYO_RUN_GRACE": "0.2s"}
    done = repo.run(shell("A", "printf 'Overwrite it? [y/n] '; sleep 60"), shell("B", "echo on it; sleep 60"))
    assert done.code == 2, done
    asks, slow = log_of(repo, "A"), log_of(repo, "B")
    assert asks["executor_blocked"] is slow["executor_blocked"] is True
    assert (asks["blocked_reason"], asks["terminated_by"]) == ("INTERACTIVE_PROMPT", "REPL_FAIL_CLOSED")
    assert (slow["blocked_reason"], slow["terminated_by"]) == ("TIMEOUT", "TIMEOUT")
    assert slow["timeout_ms"] >= 3000
    assert asks["runner_decision"] == "clarify"
    blocked = next(event["content"] for event in asks["events"] if event["event_type"] == "EXECUTOR_BLOCKED")
    assert "Overwrite it? [y/n]" in blocked["detected_pattern"]
    result = loaded(repo, "report")["result"]
    assert (result["overall_status"], result["next_action"]) == ("NO_EVIDENCE", True)
    assert "Overwrite it?" in result["next_action_reason"]


def test_a_log_can_be_had_while_its_task_runs(repo: Repo) -> None:
    process = repo.start("run", "--plan", str(repo.plan(shell("A", "echo a > a; sleep 60"), shell("B", "echo b > b"))))
    try:
        until(lambda: (repo.store / "journal.db").exists() and repo.status()["tasks"])
        until(lambda: repo.tasks()["A"]["says"] == "working")
        log = log_of(repo, "A")
        assert (log["status"], log["ended_at"], log["error_reason"]) == ("running", None, None)
        assert repo.toryo("tasks").out.startswith("ACTIVE (")
        assert loaded(repo, "logs")["entries"][0]["duration_ms"] >= 0
    finally:
        assert repo.toryo("stop").code in (0, 2)
        process.communicate(timeout=60)
    log = log_of(repo, "A", "--full")
    assert log["status"] == "queued"
    assert "executor_blocked" in log


@pytest.mark.covers("P25", "P47")
def test_no_way_of_showing_logs_shows_a_secret(repo: Repo) -> None:
    title = f"Use {SECRET}"
    done = repo.run(shell("A", f"echo TOKEN={SECRET}; exit 3", title=title, description=f"TOKEN={SECRET}\nand more"))
    assert done.code == 1
    for args in (
        ("logs", "A", "--full", "--json"),
        ("logs", "--events", "--json"),
        ("logs", "--full"),
        ("tasks", "--json"),
        ("report", "--json"),
        ("trace", "--full", "--json"),
        ("trace", "--full"),
        ("info", "A", "--json"),
    ):
        shown = repo.toryo(*args)
        assert shown.code == 0, shown
        assert SECRET not in shown.out, args


def test_events_are_lines_and_a_reader_may_stop_reading(repo: Repo) -> None:
    mixed(repo)
    lines = repo.toryo("logs", "--events", "--json").out.splitlines()
    for line in lines:
        assert_answer("logs --events", json.loads(line))
    for args in ("logs --full", "logs --events --json", "logs A --json --full", "tasks", "trace --json", "logs --tree"):
        piped = subprocess.run(
            ["/bin/sh", "-c", f"{' '.join(TORYO)} {args} | head -1"],
            cwd=repo.path,
            env=repo.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (piped.returncode, piped.stderr) == (0, ""), (args, piped)


def test_ways_of_showing_do_not_mix(repo: Repo) -> None:
    mixed(repo)
    for args in (
        ("--list", "--tree"),
        ("--list", "--follow"),
        ("--tree", "--events"),
        ("--list", "--full"),
        ("A", "--list"),
        ("--raw",),
        ("A", "--raw", "--events"),
    ):
        assert repo.toryo("logs", *args).code == 64, args


def test_an_agent_that_printed_nothing_is_said_so(repo: Repo) -> None:
    repo.run(shell("A", "echo a > a"))
    shown = repo.toryo("logs", "A")
    assert (shown.code, shown.out) == (0, "")
    assert "toryo logs A --events" in shown.err
    assert repo.toryo("logs", "A", "--raw", "--json").err == ""


def test_a_task_where_a_session_is_wanted_is_called_one(repo: Repo) -> None:
    repo.run(shell("T1", "echo a > a"))
    for verb in ("tasks", "report", "budget"):
        refused = repo.toryo(verb, "T1")
        assert refused.code == 64
        assert "T1 is a task" in refused.err
