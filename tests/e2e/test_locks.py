"""Tasks on the same files, and many checks, with real processes: who may be at work beside whom."""

from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell, until


def noting(folder: Path, command: str) -> str:
    """The command, noting how many are at it while it goes on."""
    folder.mkdir(exist_ok=True)
    count = f"ls {folder} | wc -l >> {folder}.seen"
    return f"touch {folder}/$$; {count}; sleep 0.1; {command}; {count}; rm {folder}/$$"


def most(folder: Path) -> int:
    return max(int(line) for line in Path(f"{folder}.seen").read_text().split())


@pytest.mark.covers("P6", "P12")
def test_tasks_on_the_same_files_take_turns_and_others_do_not_wait(repo: Repo, tmp_path: Path) -> None:
    same, other = tmp_path / "same", tmp_path / "other"
    tasks = [
        *(shell(f"S{n}", noting(same, f"mkdir -p src; echo {n} > src/{n}"), scope=["src/**"]) for n in range(3)),
        *(shell(f"O{n}", noting(other, f"echo {n} > o{n}"), scope=[f"o{n}"]) for n in range(3)),
    ]
    done = repo.run(*tasks, flags=["--parallel", "6"])
    assert done.code == 0, done
    assert most(same) == 1
    assert repo.files_on("agent/the-plan") >= {"src/0", "src/1", "src/2", "o0", "o1", "o2"}


@pytest.mark.covers("P6", "P12")
def test_who_waits_for_whom_is_shown(repo: Repo, tmp_path: Path) -> None:
    gated = f"touch {tmp_path}/begun; until test -e {tmp_path}/go; do sleep 0.02; done; mkdir -p src; echo a > src/a"
    plan = repo.plan(
        shell("A", gated, scope=["src/**"]),
        shell("B", "mkdir -p src; echo b > src/b", expect=["src/b"]),
        shell("C", f"mkdir -p src; echo c > src/c; touch {tmp_path}/c", scope=["src/c"], may_overlap=True),
    )
    process = repo.start("run", "--plan", str(plan))
    until(lambda: (tmp_path / "begun").exists() and (tmp_path / "c").exists())
    task = repo.tasks()["B"]
    assert task["says"] == "waits for A (same files: src/b)"
    assert task["held_up_by"]["key"] == "A"
    assert "waits for A (same files: src/b)" in repo.toryo("status").out
    (tmp_path / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert {task["state"] for task in repo.tasks().values()} == {"integrated"}


@pytest.mark.covers("P6")
def test_a_plan_may_let_all_its_tasks_overlap(repo: Repo, tmp_path: Path) -> None:
    meeting = "touch {0}/{1}; until test -e {0}/A -a -e {0}/B; do sleep 0.02; done; echo {1} > {1}"
    tasks = [shell(key, meeting.format(tmp_path, key), scope=["*"]) for key in "AB"]
    done = repo.run(*tasks, may_overlap=True)
    assert done.code == 0, done


@pytest.mark.covers("B4")
def test_ten_finished_agents_do_not_start_ten_test_suites(repo: Repo, tmp_path: Path) -> None:
    repo.environ["TORYO_RUN_CHECKS_AT_ONCE"] = "2"
    checks, agents = tmp_path / "checks", tmp_path / "agents"
    tasks = [shell(f"T{n}", noting(agents, f"echo {n} > {n}")) for n in range(10)]
    done = repo.run(*tasks, checks={"suite": noting(checks, "true")}, flags=["--parallel", "4"])
    assert done.code == 0, done
    assert most(checks) <= 2
    assert most(agents) <= 4


@pytest.mark.covers("B4")
def test_an_agent_starts_while_others_are_being_checked(repo: Repo, tmp_path: Path) -> None:
    """With one slot: the check of the first ends only when the second agent is at work."""
    check = f"test ! -e a -o -e {tmp_path}/b-begun || until test -e {tmp_path}/b-begun; do sleep 0.02; done"
    tasks = [shell("A", "echo a > a"), shell("B", f"touch {tmp_path}/b-begun; echo b > b")]
    done = repo.run(*tasks, checks=check, flags=["--parallel", "1"])
    assert done.code == 0, done
