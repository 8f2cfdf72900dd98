"""What goes wrong with models and agents: each has a recorded, right outcome, and the other tasks go on."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.agent_programs import AgentHome
from tests.support.crews import (
    EVERY_AGENT,
    PROGRAMS,
    agent_process,
    begun,
    closed_port,
    ended,
    inbox_of,
    needs_programs,
    run_crew,
    runs_of,
    session_of,
    states_of,
    task_of,
    told,
    told_each_time,
)
from tests.support.model_server import ModelServer
from tests.support.repositories import Repo, shell, until

pytestmark = needs_programs

_FEW_RETRIES = [f"-c=model_providers.local.{kind}_max_retries=1" for kind in ("request", "stream")]


@pytest.fixture(autouse=True)
def impatient(repo: Repo) -> None:
    """Agents that do not try for minutes by themselves, and a Toryo that does not wait for them to recover."""
    repo.environ |= {
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "TORYO_AGENTS_CODEX_FLAGS": json.dumps(_FEW_RETRIES),
        "TORYO_RUN_API_WAIT": "1s",
    }


# ── the model's service ──────────────────────────────────────────────────────


@pytest.mark.covers("B2", "A5")
@pytest.mark.parametrize("agent", EVERY_AGENT)
def test_a_service_that_fails_for_ever_blocks_its_task_only(agent: str, repo: Repo) -> None:
    done = run_crew(repo, told("A", "http 500", "write a.txt a", agent=agent), shell("S", "echo s > s"))
    assert_blocked_by_service(repo)
    assert done.code == 2, done


@pytest.mark.covers("B2", "A5")
def test_an_overloaded_service_is_a_passing_trouble(repo: Repo) -> None:
    assert repo.run(told("A", "http 529", "write a.txt a"), shell("S", "echo s > s")).code == 2
    assert_blocked_by_service(repo)


@pytest.mark.covers("B2", "A5")
def test_a_service_that_does_not_answer_at_all(repo: Repo) -> None:
    repo.environ["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{closed_port()}"
    assert repo.run(told("A", "write a.txt a"), shell("S", "echo s > s")).code == 2
    assert_blocked_by_service(repo)


@pytest.mark.covers("B2")
def test_codex_without_a_connection_would_wait_for_ever_and_is_ended(repo: Repo, home: AgentHome) -> None:
    config = home.path / ".codex" / "config.toml"
    port = f"127.0.0.1:{closed_port()}"
    lines = config.read_text().splitlines()
    lines = [f'base_url = "http://{port}/v1"' if line.startswith("base_url") else line for line in lines]
    config.write_text("\n".join(lines))
    assert repo.run(told("A", "write a.txt a", agent="codex"), shell("S", "echo s > s")).code == 2
    assert_blocked_by_service(repo)


def assert_blocked_by_service(repo: Repo) -> None:
    task = task_of(repo)
    assert (task["state"], task["block_reason"]) == ("blocked", "transient system error"), task["reason"]
    (run,) = task["runs"]
    assert run["report"]["trouble"] == "model API error"
    assert session_of(repo)["state"] == "paused"
    assert states_of(repo)["S"] == "integrated"


@pytest.mark.covers("A24", "P52")
def test_a_service_that_recovers_costs_no_attempt(repo: Repo, tmp_path: Path) -> None:
    repo.environ["TORYO_RUN_API_WAIT"] = "10m"
    plan = repo.plan(told("A", f"http 500 unless={tmp_path}/over", "write a.txt a"))
    process = repo.start("run", "--plan", str(plan))
    begun(repo)
    until(lambda: runs_of(repo)[0]["disposition"])
    (tmp_path / "over").touch()
    said = ended(process)
    assert process.returncode == 0, said
    task = task_of(repo)
    assert task["attempts"] == 1
    assert task["runs"][0]["disposition"] == "postpone"


@pytest.mark.covers("A5")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_who_is_not_logged_in_is_asked_once(agent: str, repo: Repo, model: ModelServer) -> None:
    tasks = [told(key, "http 401", f"write {key}.txt x", agent=agent) for key in "AB"]
    done = repo.run(*tasks, shell("S", "echo s > s"), flags=["--parallel", "1"])
    assert done.code == 2, done
    task = task_of(repo)
    assert (task["state"], task["block_reason"]) == ("blocked", "not logged in")
    assert runs_of(repo, "B") == [], "it would fare no better"
    assert states_of(repo)["S"] == "integrated"
    login = inbox_of(repo)[0]
    assert (login["task"], login["what"]) == ("A", "login")
    assert agent in login["do"]


# ── agents that do not do what they say ──────────────────────────────────────


@pytest.mark.covers("P1", "B2")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_agent_that_says_done_and_changed_nothing_is_not_believed(agent: str, repo: Repo) -> None:
    repo.environ["TORYO_RUN_ATTEMPTS"] = "2"
    done = repo.run(told_each_time("A", "say All done, all tests pass.", agent=agent))
    assert done.code == 2, done
    task = task_of(repo)
    assert (task["state"], task["outcome"], task["block_reason"]) == ("blocked", "NO_EVIDENCE", "no evidence")
    assert [run["report"]["last_words"] for run in task["runs"]] == ["All done, all tests pass."] * 2


@pytest.mark.covers("P1", "P55")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_agent_that_only_asks_has_done_nothing(agent: str, repo: Repo) -> None:
    repo.environ["TORYO_RUN_ATTEMPTS"] = "1"
    done = repo.run(told("A", "say Shall I use tabs or spaces?", agent=agent))
    assert done.code == 2, done
    assert task_of(repo)["outcome"] == "NO_EVIDENCE"
    assert "tabs or spaces" in runs_of(repo)[0]["report"]["last_words"]
    assert "tabs or spaces" in json.dumps(inbox_of(repo)), "what it wants to know reaches the person"


# ── programs that are not there ──────────────────────────────────────────────


@pytest.mark.covers("P2")
def test_a_missing_program_is_named_before_anything_starts(repo: Repo) -> None:
    repo.environ["PATH"] = os.pathsep.join(
        part for part in repo.environ["PATH"].split(os.pathsep) if part != str(PROGRAMS)
    )
    done = repo.run(told("A", "write a.txt a"), shell("S", "echo s > s"))
    assert done.code == 69, done
    assert "'claude' is not installed" in done.err
    assert repo.status()["sessions"] == []


@pytest.mark.covers("A5", "P36")
def test_a_program_that_disappears_blocks_what_needs_it(repo: Repo, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    found = shutil.which("claude", path=str(PROGRAMS))
    assert found
    program.symlink_to(found)
    repo.environ["TORYO_AGENTS_CLAUDE_PROGRAM"] = str(program)
    plan = repo.plan(shell("S", f"rm {program}; echo s > s"), told("A", "write a.txt a", depends_on=["S"]))
    done = repo.toryo("run", "--plan", str(plan))
    assert done.code == 2, done
    task = task_of(repo)
    assert (task["state"], len(task["runs"])) == ("blocked", 1), "no use in trying again"
    assert str(program) in task["reason"]
    assert inbox_of(repo)[0]["what"] == "program"
    assert states_of(repo)["S"] == "integrated"


# ── crashes ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("B2")
@pytest.mark.parametrize(
    ("agent", "blow"),
    [
        ("claude", "SIGKILL"),
        ("codex", "SIGTERM"),
        pytest.param("gemini", "SIGTERM", marks=pytest.mark.timeout(400)),
    ],
)
def test_an_agent_that_is_struck_down_is_tried_again(agent: str, blow: str, repo: Repo, tmp_path: Path) -> None:
    """What it had begun stays, and never counts as done, whatever exit code it ends with: Gemini's is 0."""
    script = f"run if mkdir {tmp_path}/first; then echo half > half.txt; sleep 1000; fi; echo a > a.txt"
    process = repo.start("run", "--plan", str(repo.plan(told_each_time("A", script, agent=agent))))
    until((tmp_path / "first").exists)
    run = begun(repo)
    program = "node" if agent == "gemini" else agent
    os.kill(agent_process(repo, run, program), signal.Signals[blow])
    said = ended(process, timeout=300)
    assert process.returncode == 0, said
    first, second = runs_of(repo)
    assert (first["id"], first["outcome"], second["outcome"]) == (run["id"], "ERROR", "COMPLETE"), said
    assert {"half.txt", "a.txt"} <= repo.files_on("agent/the-plan")


# ── the disk ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("B2")
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="mounting a file system needs root and unshare"
)
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_agent_that_fills_the_disk_is_recorded_and_its_task_goes_on_later(
    agent: str, repo: Repo, tmp_path: Path
) -> None:
    """The first attempt runs into a full disk. Once there is room again, the same task comes home, and so do others."""
    small, flag = tmp_path / "small", tmp_path / "full"
    small.mkdir()
    flag.touch()
    fill = f"run test ! -e {flag} || cat /dev/zero > big; echo a > a.txt"
    plan = repo.plan(told_each_time("A", fill, "say Done.", agent=agent), shell("S", "echo s > s"), parallel=1)
    toryo = f"{sys.executable} -m toryo"
    script = (
        f"mount -t tmpfs -o size=8m none {small} && git clone -q {repo.path} {small}/r && cd {small}/r && "
        f"{toryo} run --plan {plan} --yes; echo first $?; rm -f {flag} .worktrees/*/big; "
        f"{toryo} resume; echo second $?; git ls-tree --name-only agent/the-plan; git status --porcelain"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        cwd=tmp_path,
        env=repo.environ,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert "first 0" not in done.stdout, done
    assert "second 0" in done.stdout, done
    assert done.stdout.split()[-3:] == ["README.md", "a.txt", "s"], done
    assert "Traceback" not in done.stderr, done
