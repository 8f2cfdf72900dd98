"""No secret stays on the disk or comes to a screen, however a run ends and whoever was there to see it."""

import hashlib
import json
import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from tests.support.instructions import asks, planner, usual
from tests.support.repositories import TORYO, Repo, kill, processes_of, shell, until
from tests.support.secrets import LINE, MIXED, key_block

from toryo.app.project import open_project
from toryo.domain.evidence import seal

pytestmark = pytest.mark.covers("P24", "P25", "P47")
SECRET = "ghp_" + MIXED[:36]
SAYS = f'echo "the token is gh""p_{MIXED[:36]} and so on"'
"""Prints the secret, and is not it."""


def files_with(folder: Path, secret: str = SECRET) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(str(path.relative_to(folder)) for path in files if secret.encode() in path.read_bytes())


def run_folder(repo: Repo, key: str = "A", place: int = 0) -> Path:
    return repo.store / "runs" / repo.info(key)["task"]["runs"][place]["id"]


def test_nothing_is_left_of_what_set_ups_agents_checks_and_proofs_printed(repo: Repo) -> None:
    repo.write(".toryo/config.toml", f"[worktree]\nsetup = ['{SAYS}']\n")
    repo.commit("configuration")
    key = key_block().replace("\n", "\\n").replace("KEY-", 'K""EY-')
    tasks = [shell("A", f'{SAYS}; printf "%b\\n" "{key}"; echo a > a'), shell("B", f"{SAYS}; echo b > b")]
    done = repo.run(*tasks, checks=f"{SAYS}; true")
    assert done.code == 0, done
    logs = [path.read_text() for path in (repo.store / "runs").rglob("output.log")]
    assert len(logs) >= 7, "two set-ups, two agents, two checks, a check of a merge or the proof"
    assert all("[MASKED:GITHUB_TOKEN]" in log for log in logs)
    assert any("[MASKED:PRIVATE_KEY]" in log for log in logs)
    assert files_with(repo.store) == []
    assert not any(LINE in log for log in logs)
    assert list((repo.store / "runs").rglob("*.masking")) == []


def test_evidence_is_taken_of_the_masked_log_and_says_so(repo: Repo) -> None:
    assert repo.run(shell("A", f"{SAYS}; echo a > a"), checks="echo fine").code == 0
    evidence = {record["operation"]: record for record in repo.info("A")["task"]["evidence"]}
    agent, check = evidence["agent"], evidence["check"]
    assert (agent["sensitive"], check["sensitive"]) == (True, False)
    log = repo.store / agent["log"]
    assert agent["log_sha256"] == hashlib.sha256(log.read_bytes()).hexdigest()


def held(repo: Repo, tmp_path: Path, after: str = "echo a > a") -> tuple["subprocess.Popen[str]", Path]:
    """A run that has printed the secret, and waits."""
    command = f"{SAYS}; touch {tmp_path}/said; until test -e {tmp_path}/go; do sleep 0.02; done; {after}"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", command))), "--yes")
    until(lambda: (tmp_path / "said").exists())
    until(lambda: repo.info("A")["task"]["runs"][0]["state"] == "working")
    return process, run_folder(repo)


def test_what_a_run_printed_while_nobody_watched_is_masked_by_the_next_conductor(repo: Repo, tmp_path: Path) -> None:
    process, folder = held(repo, tmp_path, after=f"{SAYS}; echo a > a")
    kill(process)
    (tmp_path / "go").touch()
    until(lambda: not processes_of(repo.store))
    assert (folder / "output.log").read_text().count(SECRET) == 2, "nobody was there to mask it"
    (folder / "output.log.masking").write_text("half of it")
    assert repo.toryo("resume").code == 0
    assert files_with(repo.store) == []
    assert not (folder / "output.log.masking").exists()
    assert (folder / "output.log").read_text().count("[MASKED:GITHUB_TOKEN]") == 2


def test_what_a_stopped_run_printed_is_masked(repo: Repo, tmp_path: Path) -> None:
    process, folder = held(repo, tmp_path)
    assert SECRET in (folder / "output.log").read_text()
    assert repo.toryo("stop").code == 0
    process.communicate(timeout=60)
    assert files_with(repo.store) == []


def test_what_a_lost_run_printed_is_masked(repo: Repo, tmp_path: Path) -> None:
    process, _ = held(repo, tmp_path)
    pid = until(lambda: repo.info("A")["task"]["runs"][0]["pid"])
    (tmp_path / "go").touch()
    os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert repo.info("A")["task"]["runs"][0]["state"] == "lost"
    assert files_with(repo.store) == []


def test_a_check_that_was_given_up_is_masked_once_somebody_conducts_again(repo: Repo, tmp_path: Path) -> None:
    check = f"{SAYS}; touch {tmp_path}/said; until test -e {tmp_path}/go; do sleep 0.02; done"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", "echo a > a"), checks=check)), "--yes")
    until(lambda: (tmp_path / "said").exists())
    kill(process)
    (tmp_path / "go").touch()
    until(lambda: not processes_of(repo.store))
    assert files_with(repo.store) != []
    assert repo.toryo("resume").code == 0
    assert files_with(repo.store) == []


def test_a_check_that_nobody_goes_on_with_is_masked_all_the_same(repo: Repo, tmp_path: Path) -> None:
    check = f"{SAYS}; touch {tmp_path}/said; until test -e {tmp_path}/go; do sleep 0.02; done"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", "echo a > a"), checks=check)), "--yes")
    until(lambda: (tmp_path / "said").exists())
    kill(process)
    (tmp_path / "go").touch()
    until(lambda: not processes_of(repo.store))
    assert repo.toryo("stop", "--discard").code == 0
    repo.toryo("clean")
    assert files_with(repo.store) == []


def test_what_a_live_run_prints_can_be_read_by_nobody_else_whatever_the_umask(repo: Repo, tmp_path: Path) -> None:
    command = f"{SAYS}; touch {tmp_path}/said; until test -e {tmp_path}/go; do sleep 0.02; done; echo a > a"
    plan = repo.plan(shell("A", command))
    with subprocess.Popen(
        [*TORYO, "run", "--plan", str(plan), "--yes"],
        cwd=repo.path,
        env=repo.environ,
        umask=0,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        until(lambda: (tmp_path / "said").exists())
        paths = [repo.store, *repo.store.rglob("*")]
        modes = {str(path): stat.S_IMODE(path.lstat().st_mode) for path in paths if not path.is_symlink()}
        (tmp_path / "go").touch()
        assert process.wait(60) == 0
    assert any(name.endswith("output.log") for name in modes)
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    after = {stat.S_IMODE(path.stat().st_mode) for path in (repo.store / "runs").rglob("*.log")}
    assert after == {0o600}


def test_somebody_who_follows_the_log_sees_no_secret_that_comes_in_two_pieces(repo: Repo, tmp_path: Path) -> None:
    wait = f"touch {tmp_path}/said; until test -e {tmp_path}/go; do sleep 0.02; done"
    command = f"echo first; printf 'see gh''p_{MIXED[:10]}'; {wait}; printf '{MIXED[10:36]} there\\n'; echo a > a"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", command))), "--yes")
    until(lambda: (tmp_path / "said").exists())
    following = repo.start("logs", "--follow", "A")
    assert following.stdout is not None
    assert following.stdout.readline() == "first\n"
    (tmp_path / "go").touch()
    rest = following.communicate(timeout=60)[0]
    process.communicate(timeout=60)
    assert rest == "see [MASKED:GITHUB_TOKEN] there\n"


def test_commands_are_carried_out_as_written_and_shown_masked(repo: Repo) -> None:
    command = f"echo API_KEY={SECRET} > a"
    done = repo.run(shell("A", command, description=f"Use {SECRET}, please."), checks=f"grep -q {SECRET} a")
    assert done.code == 0, done
    assert repo.show("agent/the-plan", "a") == f"API_KEY={SECRET}"
    assert "note: what looks like a secret (GITHUB_TOKEN) was masked; give agents secrets through" in done.err
    shown = [repo.toryo(*args) for args in (("info", "A"), ("info", "A", "--json"), ("logs",), ("logs", "--json"))]
    shown += [repo.toryo("report"), repo.toryo("status", "--json"), repo.toryo("logs", "A"), done]
    assert [one for one in shown if SECRET in one.out + one.err] == []
    assert [json.loads(line) for line in repo.toryo("logs", "--events", "--json").out.splitlines()]
    assert [name for name in files_with(repo.store) if not name.startswith("journal.db")] == []
    session = open_project(repo.path).session()
    records = session.tasks[1].evidence
    assert [record for record in records if SECRET in repr(record) or seal(record) != record.sha256] == []
    assert session.tasks[1].plan.command == command


def test_what_a_person_says_is_recorded_masked_and_they_are_told(repo: Repo) -> None:
    with planner(repo, usual("A")) as endpoint:
        done = asks(repo, f"Write a file with {SECRET} in it", "--yes")
    assert done.code == 0, done
    assert "note: what looks like a secret (GITHUB_TOKEN) was masked" in done.err
    assert SECRET not in done.out + done.err
    assert SECRET not in json.dumps(endpoint.bodies)
    assert files_with(repo.store) == []
    assert SECRET.lower()[:20] not in repo.git("branch", "--all").lower()


def test_what_agents_without_a_protocol_leave_as_prompts_is_masked_afterwards(repo: Repo) -> None:
    repo.run(shell("A", f"{SAYS}; exit 3"), flags=())
    prompts = [path.read_text() for path in (repo.store / "runs").rglob("prompt.md")]
    assert prompts
    assert not any(SECRET in prompt for prompt in prompts)
    assert files_with(repo.store) == []
