"""kill -9 at any moment: resume finishes the session, and nothing is lost, doubled or run twice at once."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.support.repositories import Repo, kill, processes_of, shell, until

# Each run notes its begin and end; a lock folder shows whether two runs of a task ever overlap.
_COMMAND = (
    "mkdir {notes}/busy-{key} || echo OVERLAP >> {notes}/log; echo begin {key} $TORYO_RUN >> {notes}/log; "
    "sleep 0.{pause}; echo {key} > {key}; echo x >> shared-{key}; "
    "rmdir {notes}/busy-{key}; echo end {key} $TORYO_RUN >> {notes}/log"
)


def crew(notes: Path) -> list[dict[str, object]]:
    """Independent tasks, a diamond, a retry, and two that collide."""
    notes.mkdir()

    def task(key: str, pause: int = 1, **more: object) -> dict[str, object]:
        return shell(key, _COMMAND.format(notes=notes, key=key, pause=pause), **more)

    retried = f"; test -e {notes}/once || {{ touch {notes}/once; exit 4; }}"
    again = task("R")
    again["command"] = str(again["command"]) + retried
    collide = [dict(task(key, 1), command=f"echo {key} > same; " + str(task(key)["command"])) for key in "XY"]
    return [
        task("A"),
        task("B", 2, depends_on=["A"]),
        task("C", 1, depends_on=["A"]),
        task("D", 1, depends_on=["B", "C"]),
        again,
        *collide,
    ]


def assert_sound(repo: Repo, notes: Path) -> None:
    """Everything a person relies on after however many deaths."""
    keys = list("ABCDRXY")
    log = (notes / "log").read_text().splitlines()
    assert "OVERLAP" not in log, log
    begins = Counter(line.split()[2] for line in log if line.startswith("begin"))
    assert set(begins.values()) == {1}, "no run is started twice"
    assert Counter(line.replace("end", "begin") for line in log if line.startswith("end")) == Counter(
        line for line in log if line.startswith("begin")
    ), "no run was cut short"
    assert set(keys) <= repo.files_on("agent/the-plan")
    subjects = Counter(repo.git("log", "--format=%s", "--first-parent", "main..agent/the-plan").splitlines())
    assert subjects == Counter(f"Merge {key}: Task {key}" for key in keys), "each merged exactly once"
    tasks = repo.tasks()
    assert {task["state"] for task in tasks.values()} == {"integrated"}
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert processes_of(repo.store) == []


@pytest.mark.covers("B2", "A6", "G32")
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_moments_again_and_again(repo: Repo, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    notes = tmp_path / "notes"
    plan = repo.plan(*crew(notes), checks="true")
    process = repo.start("run", "--plan", str(plan), "--yes", "--parallel", "3")
    until(lambda: (repo.store / "journal.db").exists())
    for _ in range(12):
        try:
            process.communicate(timeout=chance.uniform(0.05, 0.8))
            break
        except subprocess.TimeoutExpired:
            kill(process)
            sessions = repo.status()["sessions"]
            if sessions and sessions[0]["state"] == "closed":
                break
            args = ("resume",) if sessions else ("run", "--plan", str(plan), "--yes", "--parallel", "3")
            process = repo.start(*args)
    else:
        process.communicate(timeout=120)
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE", repo.toryo("logs").out
    assert_sound(repo, notes)


@pytest.mark.covers("B2", "A6", "G26", "G32")
def test_killed_before_and_after_every_single_effect(repo: Repo, tmp_path: Path) -> None:
    """Deterministic: a conductor that dies by SIGKILL just before, and just after, each effect it performs."""
    notes = tmp_path / "notes"
    plan = repo.plan(*crew(notes), checks="true")
    deaths: Counter[str] = Counter()
    for _ in range(400):
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.mortal_conductor", str(plan), str(tmp_path / "deaths")],
            cwd=repo.path,
            env={**repo.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            break
        assert done.returncode == -9, done.stderr
        deaths[(tmp_path / "deaths").read_text().splitlines()[-1].split()[1]] += 1
    else:
        pytest.fail(f"it never got to the end: {deaths}")
    kinds = {json.loads(line.split(" ", 2)[2])["kind"] for line in (tmp_path / "deaths").read_text().splitlines()}
    assert {"PlanRun", "PrepareWorkspace", "StartRun", "AwaitRun", "ObserveWork", "RunCheck", "JudgeRun",
            "MergeTask", "RemoveWorkspace", "SettleWork", "Conclude"} <= kinds  # fmt: skip
    assert deaths["before"] >= 25
    assert deaths["after"] >= 25
    assert_sound(repo, notes)


@pytest.mark.covers("B2", "P9")
def test_a_run_that_ended_while_nobody_watched_keeps_its_real_exit_status(repo: Repo, tmp_path: Path) -> None:
    command = f"touch {tmp_path}/begun; until test -e {tmp_path}/go; do sleep 0.02; done; echo a > a; exit 7"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", command))))
    until(lambda: (tmp_path / "begun").exists())
    until(lambda: repo.info("A")["task"]["runs"][0]["state"] == "working")
    kill(process)
    (tmp_path / "go").touch()
    until(lambda: not processes_of(repo.store))
    repo.environ["TORYO_RUN_ATTEMPTS"] = "1"
    done = repo.toryo("resume")
    assert done.code == 1, done
    first = repo.info("A")["task"]["runs"][0]
    assert (first["code"], first["state"]) == (7, "exited")


@pytest.mark.covers("B2", "P9")
def test_a_killed_wrapper_is_a_lost_run_and_the_task_is_tried_again(repo: Repo, tmp_path: Path) -> None:
    command = f"echo x >> {tmp_path}/begun; test -e {tmp_path}/go || sleep 1000; echo a > a"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", command))))
    until(lambda: (tmp_path / "begun").exists())
    pid = until(lambda: repo.info("A")["task"]["runs"][0]["pid"])
    (tmp_path / "go").touch()
    os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == 0
    runs = repo.info("A")["task"]["runs"]
    assert [(run["state"], run["outcome"]) for run in runs] == [("lost", "ERROR"), ("exited", "COMPLETE")]


@pytest.mark.covers("A6", "B2")
def test_a_git_command_that_outlives_the_conductor_keeps_the_next_one_waiting(repo: Repo, tmp_path: Path) -> None:
    """Else two of them would be at work on the same worktree."""
    real = shutil.which("git")
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    log = tmp_path / "log"
    slow.write_text(
        f'#!/bin/sh\ncase " $* " in *" worktree add "*) ;; *) exec {real} "$@";; esac\n'
        f"echo begin >> {log}; test $(wc -l < {log}) -gt 1 || sleep 2\n"
        f'{real} "$@"; rc=$?; echo end >> {log}; exit $rc\n'
    )
    slow.chmod(0o755)
    repo.environ["PATH"] = f"{slow.parent}:{repo.environ['PATH']}"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", "echo a > a"))))
    until(log.exists)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = repo.toryo("resume")
    process.communicate()
    assert done.code == 0, done
    assert log.read_text().split() in (["begin", "end"], ["begin", "end"] * 2), "never two at once"
