"""`toryo trace`: every round trip with models and agents."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.answers import assert_answer
from tests.support.instructions import asks, calls_of, planner, usual
from tests.support.repositories import Repo, shell

WISH = "Write a file for each letter"


@pytest.fixture
def worked(repo: Repo) -> Repo:
    with planner(repo, usual("A", "B")):
        done = asks(repo, WISH, "--yes", "--parallel", "1")
        assert done.code == 0, done
    return repo


def lines(repo: Repo, *args: str) -> list[dict[str, Any]]:
    done = repo.toryo("trace", *args, "--json")
    assert done.code == 0, done
    found = [json.loads(line) for line in done.out.splitlines()]
    for each in found:
        assert_answer(f"trace ({each['kind']})", each)
    return found


@pytest.mark.covers("P57", "G34")
def test_every_call_and_every_run_is_shown_in_order(worked: Repo) -> None:
    trips = lines(worked, "--full")
    assert [trip["at"] for trip in trips] == sorted(trip["at"] for trip in trips)
    calls = [trip for trip in trips if trip["kind"] == "call"]
    assert sorted(call["at"] for call in calls) == sorted(call["at"] for call in calls_of(worked))
    asked = [trip["question"] if trip["kind"] == "call" else f"run of {trip['key']}" for trip in trips]
    assert asked[:5] == ["questions", "specify", "plan", "tasks", "score"]
    assert sorted(asked[5:9]) == ["review", "review", "run of A", "run of B"], "a review need not hold up the next run"
    for key in "AB":
        own = [trip["kind"] for trip in trips if trip["task"] == worked.info(key)["task"]["id"]]
        assert own == ["run", "call"]
    assert {call["provider"] for call in calls} == {"openai"}
    on_disk = [(call["question"], call["task"], call["run"]) for call in calls_of(worked)]
    assert sorted(about for about in on_disk if about[1]) == sorted(
        ("review", worked.info(key)["task"]["id"], worked.info(key)["task"]["runs"][0]["id"]) for key in "AB"
    )
    runs = [trip for trip in trips if trip["kind"] == "run"]
    assert all(WISH in json.dumps(call["messages"]) for call in calls[:1])
    assert all("Do A well" in run["prompt"] for run in runs if run["key"] == "A")
    assert [(run["outcome"], run["disposition"]) for run in runs] == [("COMPLETE", "accept")] * 2
    started = {event["run"] for event in worked.events() if event["kind"] == "RunStarted"}
    ended = {event["run"] for event in worked.events() if event["kind"] == "RunExited"}
    assert {run["run"] for run in runs} == started == ended


@pytest.mark.covers("P57")
def test_a_task_or_a_run_has_its_own_trips_only(worked: Repo) -> None:
    task = worked.info("A")["task"]
    run = task["runs"][0]["id"]
    for name in ("A", task["id"], "task-001", run):
        trips = lines(worked, name)
        assert [trip["kind"] for trip in trips] == ["run", "call"]
        assert {(trip["task"], trip["run"]) for trip in trips} == {(task["id"], run)}
        assert not {"prompt", "messages", "system", "reply"} & set().union(*trips)
    mediated = json.loads(worked.toryo("logs", "A", "--full", "--json").out)
    kinds = [event["event_type"] for event in mediated["events"]]
    assert [kind for kind in kinds if kind.startswith("LLM")] == ["LLM_MEDIATION_REQUEST", "LLM_MEDIATION_RESPONSE"]
    assert mediated["summary"]["total_tokens_input"] > 0
    assert worked.info(worked.status()["session"])["session"]["record"]["selected_provider"] == "openai"


@pytest.mark.covers("P57")
def test_one_line_each_or_all_that_was_said(worked: Repo) -> None:
    short = worked.toryo("trace").out
    assert len(short.splitlines()) == len(lines(worked)) + 1
    assert "asked: review" in short
    assert "COMPLETE, accept" in short
    full = worked.toryo("trace", "--full").out
    assert WISH in full
    assert full.count("[system]") == 1, "what every call says again is only counted"
    assert "texts as before)" in full
    assert "[prompt]" in full


def log_file(repo: Repo) -> Path:
    (found,) = (repo.store / "calls").glob("*.jsonl")
    return found


@pytest.mark.covers("P57")
def test_damaged_lines_are_left_out_and_named(worked: Repo) -> None:
    log = log_file(worked)
    whole = log.read_bytes().splitlines(keepends=True)
    whole[2] = b'{"at": "yesterday"}\n'
    whole[4] = b"\xff\xfe not JSON\n"
    whole[-1] = whole[-1][: len(whole[-1]) // 2]
    log.write_bytes(b"".join(whole))
    done = worked.toryo("trace", "--json")
    assert done.code == 0
    notes = done.err.splitlines()
    assert len(notes) == 3
    for number, note in zip((3, 5, len(whole)), notes, strict=True):
        assert note.startswith(f"note: line {number} of calls/{log.name} cannot be read")
    assert "not written to its end" in notes[-1]
    found = [json.loads(line) for line in done.out.splitlines()]
    assert len([trip for trip in found if trip["kind"] == "call"]) == len(whole) - 3


@pytest.mark.covers("P57")
def test_a_missing_log_of_calls_is_said_and_runs_are_shown_all_the_same(worked: Repo) -> None:
    log_file(worked).unlink()
    done = worked.toryo("trace")
    assert "the log of calls is missing" in done.err
    assert "the journal counts 8 calls" in done.err
    assert len(done.out.splitlines()) == 3


def test_calls_of_an_older_log_are_tied_to_their_task_by_the_journal(worked: Repo) -> None:
    log = log_file(worked)
    old = [json.loads(line) for line in log.read_text().splitlines()]
    for entry in old:
        del entry["task"], entry["run"], entry["provider"], entry["message"]
    log.write_text("".join(json.dumps(entry) + "\n" for entry in old))
    assert [trip["kind"] for trip in lines(worked, "B")] == ["run", "call"]


def test_where_no_model_was_asked_there_are_only_runs(repo: Repo) -> None:
    repo.run(shell("A", "echo a > a"))
    done = repo.toryo("trace")
    assert done.err == ""
    assert "shell" in done.out.splitlines()[1]
