"""Stopping, interrupting and resuming: nothing is lost, nothing counts as failed, nothing is left running."""

import signal
from pathlib import Path

import pytest
from tests.support.repositories import Repo, kill, processes_of, shell, until

_TREE = """
echo partial > partial
sleep 1000 & setsid sleep 1001 & (setsid sh -c 'trap "" TERM; touch {ready}; sleep 1002; sleep 1003' &)
sleep 1004
"""


def gated(tmp_path: Path, key: str) -> str:
    """A command that says it has begun and goes on only when the test lets it."""
    return f"echo begun >> {tmp_path}/begun-{key}; until test -e {tmp_path}/go; do sleep 0.02; done; echo {key} > {key}"


def begun(tmp_path: Path, *keys: str) -> None:
    until(lambda: all((tmp_path / f"begun-{key}").exists() for key in keys))


@pytest.mark.covers("G25")
@pytest.mark.parametrize("how", ["stop", "SIGINT", "SIGTERM"])
def test_stopping_pauses_the_session_and_resume_finishes_it(repo: Repo, tmp_path: Path, how: str) -> None:
    plan = repo.plan(*(shell(key, gated(tmp_path, key)) for key in "ABC"))
    process = repo.start("run", "--plan", str(plan), "--parallel", "2")
    begun(tmp_path, "A", "B")
    if how == "stop":
        stopped = repo.toryo("stop")
        assert stopped.code == 0, stopped
        assert "toryo resume" in stopped.out
    else:
        process.send_signal(signal.Signals[how])
    process.communicate(timeout=60)
    assert process.returncode == (2 if how == "stop" else 130)
    assert processes_of(repo.store) == []
    tasks = repo.tasks()
    assert {task["state"] for task in tasks.values()} == {"planned"}
    assert {task["attempts"] for task in tasks.values()} == {0}, "a stopped run is not a failed attempt"
    assert repo.status()["sessions"][0]["state"] == "paused"
    assert "The plan" in repo.toryo("resume", "--list").out
    (tmp_path / "go").touch()
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert {"A", "B", "C"} <= repo.files_on("agent/the-plan")
    assert "nothing to resume" in repo.toryo("resume", "--list").out


@pytest.mark.covers("G25")
def test_stopping_ends_the_whole_tree_and_keeps_what_was_written(repo: Repo, tmp_path: Path) -> None:
    repo.write(".toryo/config.toml", '[run]\ngrace = "0.3s"\n')
    plan = repo.plan(shell("A", _TREE.format(ready=tmp_path / "ready")))
    process = repo.start("run", "--plan", str(plan))
    until(lambda: (tmp_path / "ready").exists())
    assert len(processes_of(repo.store)) >= 5
    assert repo.toryo("stop").code == 0
    process.communicate(timeout=60)
    assert processes_of(repo.store) == []
    assert (repo.path / ".worktrees" / "task-a" / "partial").read_text() == "partial\n"


@pytest.mark.covers("G25")
def test_a_second_interrupt_leaves_the_runs_alone_and_resume_picks_them_up(repo: Repo, tmp_path: Path) -> None:
    repo.write(".toryo/config.toml", '[run]\ngrace = "60s"\n')
    command = f"trap '' TERM; {gated(tmp_path, 'A')}"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", command))))
    begun(tmp_path, "A")
    process.send_signal(signal.SIGINT)
    until(lambda: repo.status()["sessions"][0]["state"] == "paused")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert processes_of(repo.store)
    (tmp_path / "go").touch()
    until(lambda: not processes_of(repo.store))
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert (tmp_path / "begun-A").read_text() == "begun\n", "it ran once"


@pytest.mark.covers("G25", "B2")
def test_stop_works_when_the_conductor_was_killed_and_runs_went_on(repo: Repo, tmp_path: Path) -> None:
    process = repo.start("run", "--plan", str(repo.plan(shell("A", gated(tmp_path, "A")))))
    begun(tmp_path, "A")
    kill(process)
    assert processes_of(repo.store)
    stopped = repo.toryo("stop")
    assert stopped.code == 0, stopped
    assert processes_of(repo.store) == []
    assert repo.tasks()["A"]["state"] == "planned"


@pytest.mark.covers("G32")
def test_discarding_closes_the_session_and_keeps_every_branch(repo: Repo, tmp_path: Path) -> None:
    plan = repo.plan(shell("A", "echo a > a"), shell("B", gated(tmp_path, "B"), depends_on=["A"]))
    process = repo.start("run", "--plan", str(plan))
    begun(tmp_path, "B")
    done = repo.toryo("stop", "--discard")
    process.communicate(timeout=60)
    assert done.code == 0, done
    assert repo.status()["sessions"][0]["state"] == "closed"
    assert repo.tasks()["B"]["state"] == "cancelled"
    assert "a" in repo.files_on("agent/the-plan")
    assert "agent/task-b" in repo.git("branch", "--format=%(refname:short)")


def test_blocked_tasks_get_fresh_attempts_on_resume_and_on_retry(repo: Repo, tmp_path: Path) -> None:
    command = "test -e {0} || exit 5; echo {1} > {1}"
    done = repo.run(*(shell(key, command.format(tmp_path / f"ok-{key}", key)) for key in "AB"))
    assert done.code == 1, done
    (tmp_path / "ok-A").touch()
    retried = repo.toryo("retry", "A")
    assert retried.code == 1, retried
    assert repo.tasks()["A"]["state"] == "integrated"
    assert repo.tasks()["B"]["state"] == "blocked"
    refused = repo.toryo("retry", "A")
    assert refused.code == 64
    assert "not blocked" in refused.err
    (tmp_path / "ok-B").touch()
    done = repo.toryo("resume")
    assert done.code == 0, done


@pytest.mark.covers("G32", "G37")
def test_a_worktree_deleted_by_hand_is_noticed_and_made_again_from_its_branch(repo: Repo, tmp_path: Path) -> None:
    import shutil

    flag = tmp_path / "ok"
    done = repo.run(shell("A", f"echo 1 >> tries; test -e {flag} || exit 5"))
    assert done.code == 1, done
    shutil.rmtree(repo.path / ".worktrees" / "task-a")
    flag.touch()
    blocked = repo.toryo("resume")
    assert repo.tasks()["A"]["block_reason"] == "missing worktree", blocked
    assert "toryo retry A" in repo.tasks()["A"]["reason"]
    done = repo.toryo("retry", "A")
    assert done.code == 0, done
    assert repo.show("agent/the-plan", "tries").split() == ["1"] * 4


@pytest.mark.covers("G20")
def test_parallelism_can_be_changed_while_it_runs(repo: Repo, tmp_path: Path) -> None:
    plan = repo.plan(*(shell(key, gated(tmp_path, key)) for key in "ABCD"))
    process = repo.start("run", "--plan", str(plan), "--parallel", "1")
    begun(tmp_path, "A")
    assert repo.toryo("parallel", "3").code == 0
    begun(tmp_path, "A", "B", "C")
    assert not (tmp_path / "begun-D").exists()
    (tmp_path / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.mark.covers("G20", "P12")
def test_parallelism_is_never_above_the_cap(repo: Repo, tmp_path: Path) -> None:
    """Every task notes how many are at work, under a lock, while it is at work itself."""
    busy, seen = tmp_path / "busy", tmp_path / "seen"
    busy.mkdir()
    command = f"touch {busy}/$$; ls {busy} | wc -l >> {seen}; sleep 0.05; ls {busy} | wc -l >> {seen}; rm {busy}/$$; "
    tasks = [shell(f"T{n}", command + f"echo {n} > {n}") for n in range(12)]
    assert repo.run(*tasks, flags=["--parallel", "3"]).code == 0
    counts = [int(line) for line in seen.read_text().split()]
    assert len(counts) == 24
    assert max(counts) <= 3
