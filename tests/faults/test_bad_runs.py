"""Agents that lie, fall silent, crash or stop half-way: each has its outcome, and the session goes on."""

import signal
from pathlib import Path

import pytest
from tests.support.aftermath import assert_nothing_lost, runs_of
from tests.support.repositories import Repo, shell

CLAIM = "echo 'All done. All tests pass.'"


@pytest.mark.covers("B2", "P1")
def test_false_done_with_the_wrong_change_is_told_what_is_missing(repo: Repo, tmp_path: Path) -> None:
    """The claim stays on record, the next attempt hears what was not there, and only its work is merged."""
    wrong = f"{CLAIM}; mkdir {tmp_path}/once 2>/dev/null && echo x > wrong && exit 0; rm -f wrong; echo A > A"
    done = repo.run(shell("A", wrong, expect=["A"]), shell("B", "echo B > B"))
    assert done.code == 0, done
    first, second = runs_of(repo)
    assert (first["outcome"], second["outcome"]) == ("INCOMPLETE", "COMPLETE")
    assert "expected but not there: A" in first["reasons"][0]
    assert "All tests pass" in repo.toryo("logs", "A", "--raw").out
    assert "wrong" not in repo.files_on("agent/the-plan")
    assert_nothing_lost(repo, "A", "B")


@pytest.mark.covers("B2", "P1", "G28")
def test_false_done_that_breaks_the_checks_is_never_merged(repo: Repo) -> None:
    done = repo.run(
        shell("A", f"{CLAIM}; date +%N > A; echo broken > state", checks="! grep -q broken state"),
        shell("B", "echo B > B", checks="true"),
    )
    assert done.code == 2, done
    task = repo.info("A")["task"]
    assert (task["state"], task["outcome"], task["block_reason"]) == ("blocked", "INCOMPLETE", "max retries")
    assert "state" not in repo.files_on("agent/the-plan")
    assert "B" in repo.files_on("agent/the-plan")
    assert repo.show(task["branch"], "state") == "broken", "what it did is kept for a person to see"


@pytest.mark.covers("B2", "G19", "P17", "P36")
def test_silence_is_no_end_and_only_its_own_task_waits(repo: Repo, tmp_path: Path) -> None:
    once = f"test -e {tmp_path}/again || {{ touch {tmp_path}/again; sleep 1000; }}; echo A > A"
    done = repo.run(shell("A", once, limits={"seconds": 1}), shell("B", "echo B > B"), flags=["--parallel", "1"])
    assert done.code == 2, done
    (run,) = runs_of(repo)
    assert (run["ended_by"], run["outcome"]) == ("time limit", "NO_EVIDENCE")
    assert repo.tasks()["A"]["block_reason"] == "timeout"
    assert repo.tasks()["B"]["state"] == "integrated"
    done = repo.toryo("resume", "--yes")
    assert done.code == 0, done
    assert_nothing_lost(repo, "A", "B")


@pytest.mark.covers("B2", "P34", "P35", "P36")
def test_silence_at_a_prompt_is_recorded_with_what_it_asked(repo: Repo, tmp_path: Path) -> None:
    repo.environ["TORYO_RUN_PROMPT_SILENCE"] = "1s"
    asks = "printf 'Overwrite everything? [y/N] '; sleep 1000"
    once = f"test -e {tmp_path}/again || {{ touch {tmp_path}/again; {asks}; }}; echo A > A"
    done = repo.run(shell("A", once), shell("B", "echo B > B"), flags=["--parallel", "1"])
    assert done.code == 2, done
    task = repo.info("A")["task"]
    facts = next(record["facts"] for record in task["evidence"] if record["operation"] == "agent")
    assert (task["block_reason"], facts["detected_pattern"]) == ("interactive prompt", "Overwrite everything? [y/N]")
    assert {"timeout_ms", "terminated_by"} <= facts.keys()
    assert repo.tasks()["B"]["state"] == "integrated", "what comes after it still runs"
    assert repo.toryo("resume", "--yes").code == 0
    assert_nothing_lost(repo, "A", "B")


@pytest.mark.covers("B2")
@pytest.mark.parametrize("blow", [signal.SIGSEGV, signal.SIGKILL], ids=lambda s: s.name)
def test_a_crash_is_an_error_with_its_signal_and_is_tried_again(
    repo: Repo, tmp_path: Path, blow: signal.Signals
) -> None:
    crash = f"mkdir {tmp_path}/once 2>/dev/null && kill -{blow.value} $$; echo A > A"
    done = repo.run(shell("A", crash), shell("B", "echo B > B", depends_on=["A"]))
    assert done.code == 0, done
    first, second = runs_of(repo)
    assert (first["code"], first["outcome"]) == (128 + blow.value, "ERROR")
    assert second["outcome"] == "COMPLETE"
    assert_nothing_lost(repo, "A", "B")


@pytest.mark.covers("B2", "P9")
def test_a_partial_write_never_counts_as_the_work(repo: Repo, tmp_path: Path) -> None:
    """Killed while it writes: the half of a file is there, and so is the claim; neither is believed."""
    half = f"printf 'first half, ' > A; {CLAIM}; mkdir {tmp_path}/once 2>/dev/null && kill -9 $$; echo 'second' >> A"
    done = repo.run(shell("A", half, checks="grep -q second A"), shell("B", "echo B > B"))
    assert done.code == 0, done
    first, second = runs_of(repo)
    assert (first["outcome"], second["outcome"]) == ("ERROR", "COMPLETE")
    assert first["checks"] == [], "there was nothing worth checking"
    assert repo.show("agent/the-plan", "A") == "first half, second"
    assert_nothing_lost(repo, "A", "B")


@pytest.mark.covers("B2")
def test_a_crash_in_every_attempt_blocks_one_task_and_no_other(repo: Repo) -> None:
    done = repo.run(shell("A", "echo half > A; kill -SEGV $$"), shell("B", "echo B > B"), shell("C", "echo C > C"))
    assert done.code == 1, done
    assert [run["code"] for run in runs_of(repo)] == [139, 139, 139]
    states = {key: task["state"] for key, task in repo.tasks().items()}
    assert states == {"A": "blocked", "B": "integrated", "C": "integrated"}
    assert repo.files_on("agent/the-plan") >= {"B", "C"}
    assert repo.show("agent/task-a", "A") == "half", "and what it left is not lost either"
