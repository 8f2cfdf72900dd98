"""Budgets, with real processes: agents that tell what they use, and sessions that pause before they use too much."""

import json
import signal
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import Repo, kill, processes_of, shell, until

pytestmark = pytest.mark.covers("B3", "G35")

# Speaks the protocol of Claude Code, as far as it tells the end of a turn and what it took.
PROGRAM = """#!/bin/sh
case "$1" in --version) echo "2.1.325 (Claude Code)"; exit 0;; esac
cat > /dev/null
key=$(basename "$PWD")
touch {notes}/begun-$key
while test -e {notes}/hold-$key; do sleep 0.02; done
echo $key > $key.txt
printf '%s\\n' '{{"type": "result", "subtype": "success", "is_error": false, "result": "done", \
"total_cost_usd": {usd}, "usage": {{"input_tokens": {tokens}, "output_tokens": 0}}}}'
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def hire(repo: Repo, notes: Path, tokens: int = 1000, usd: float = 0.5, config: str = "") -> None:
    """An agent that uses so much in each run."""
    program = notes / "claude"
    program.write_text(PROGRAM.format(notes=notes, tokens=tokens, usd=usd))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    repo.environ["TORYO_AGENTS_CLAUDE_PROGRAM"] = str(program)
    folder = repo.path / ".toryo"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(config)
    repo.commit("configured")


def told(key: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "title": f"Task {key}", "agent": "claude", "description": "do it", **more}


def budget(repo: Repo) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(repo.toryo("budget", "--json").out)["budget"]
    return data


def runs(repo: Repo) -> int:
    return sum(event["kind"] == "RunPlanned" for event in repo.events())


def test_tokens_from_the_configuration_pause_the_session_and_raising_goes_on(repo: Repo, notes: Path) -> None:
    hire(repo, notes, config='[budget]\ntokens = "2500"\n')
    done = repo.run(*(told(key) for key in "ABCDE"), flags=["--parallel", "1"])
    assert done.code == 2, done
    assert "budget: 2500 tokens" in done.err
    reason = "the budget of 2,500 tokens is used up: 3,000 used"
    assert reason in done.out
    assert {key: task["state"] for key, task in repo.tasks().items()} == {
        **dict.fromkeys("ABC", "integrated"),
        **dict.fromkeys("DE", "planned"),
    }
    short = repo.status()["session"].removeprefix("session-")[:8]
    inbox = repo.toryo("inbox")
    assert reason in inbox.out
    assert f"toryo budget {short} --tokens +2000, then toryo resume {short}" in inbox.out
    refused = repo.toryo("resume")
    assert (refused.code, runs(repo)) == (2, 3), refused
    assert "E215" in refused.err
    assert reason in refused.err
    assert "used up" in repo.toryo("budget").out
    raised = repo.toryo("budget", "--tokens", "+2k")
    assert raised.code == 0, raised
    assert f"toryo resume {short}" in raised.err
    assert budget(repo)["tokens"] == {"limit": 4500, "used": 3000, "reserved": 0, "left": 1500}
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert budget(repo)["tokens"]["used"] == 5000
    row = repo.info(repo.status()["session"])["session"]
    assert row["budget"]["tokens"]["limit"] == 4500
    assert "5000 of 4500 tokens" in repo.toryo("info").out
    assert "- Budget: 5000 of 4500 tokens" in repo.toryo("report").out


def test_what_is_running_is_set_aside(repo: Repo, notes: Path) -> None:
    """Two could run at once, but after the first one it is known that two do not fit."""
    hire(repo, notes, tokens=1000)
    done = repo.run(*(told(key) for key in "ABCD"), flags=["--parallel", "2", "--budget", "tokens=2900"])
    assert done.code == 2, done
    assert budget(repo)["tokens"]["used"] == 3000


def test_money_and_an_option_of_resume(repo: Repo, notes: Path) -> None:
    hire(repo, notes, usd=0.5)
    done = repo.run(*(told(key) for key in "ABC"), flags=["--parallel", "1", "--budget", "usd=1"])
    assert done.code == 2, done
    assert "the budget of $1.00 is used up: $1.00 used" in done.out
    done = repo.toryo("resume", "--budget", "usd=+1")
    assert done.code == 0, done
    assert "budget: $2.00" in done.err
    assert budget(repo)["usd"] == {"limit": 2.0, "used": 1.5, "reserved": 0.0, "left": 0.5}


def test_runs_retries_included(repo: Repo) -> None:
    done = repo.run(shell("A", "exit 1"), shell("B", "echo b > b"), flags=["--parallel", "1", "--budget", "runs=2"])
    assert done.code != 0
    assert "the budget of 2 runs is used up: 2 started" in done.out
    assert runs(repo) == 2
    # Lowered to what was used already, nothing is started; taken away, it goes on to its end.
    lowered = repo.toryo("budget", "--runs", "1")
    assert (lowered.code, "the budget of 1 run is used up: 2 started" in lowered.out) == (0, True), lowered
    assert repo.toryo("resume").code == 2
    shown = repo.toryo("status")
    assert "--runs +1, then toryo resume" in shown.out + shown.err
    assert repo.toryo("budget", "--runs", "0").code == 0
    repo.toryo("resume")
    assert repo.tasks()["B"]["state"] == "integrated"


def test_when_the_time_is_over_agents_are_stopped_and_the_attempt_does_not_count(repo: Repo, tmp_path: Path) -> None:
    command = f"test -e {tmp_path}/go || sleep 1000; echo a > a"
    done = repo.run(shell("A", command), flags=["--budget", "wall=1s"])
    assert done.code == 2, done
    assert "the time of 1s is used up" in done.out
    task = repo.tasks()["A"]
    assert (task["state"], task["attempts"]) == ("planned", 0)
    assert processes_of(repo.store) == []
    refused = repo.toryo("resume")
    assert refused.code == 2, refused
    assert "--wall +1m00s" in refused.err
    (tmp_path / "go").touch()
    done = repo.toryo("resume", "--budget", "wall=+1m")
    assert done.code == 0, done


def test_killed_in_between_nothing_is_forgotten(repo: Repo, notes: Path) -> None:
    hire(repo, notes, tokens=1000)
    (notes / "hold-task-b").touch()
    plan = repo.plan(*(told(key) for key in "ABCD"))
    process = repo.start("run", "--plan", str(plan), "--parallel", "1", "--budget", "tokens=2000")
    until(lambda: (notes / "begun-task-b").exists())
    kill(process)
    (notes / "hold-task-b").unlink()
    done = repo.toryo("resume")
    assert done.code == 2, done
    assert budget(repo)["tokens"]["used"] == 2000
    assert [key for key, task in repo.tasks().items() if task["state"] == "integrated"] == ["A", "B"]


def test_raised_by_another_process_while_it_works(repo: Repo, notes: Path) -> None:
    hire(repo, notes, tokens=1000)
    (notes / "hold-task-a").touch()
    plan = repo.plan(*(told(key) for key in "ABC"))
    process = repo.start("run", "--plan", str(plan), "--parallel", "1", "--budget", "tokens=1000,runs=9")
    until(lambda: (notes / "begun-task-a").exists())
    assert budget(repo)["tokens"] == {"limit": 1000, "used": 0, "reserved": 125, "left": 875}
    assert repo.toryo("budget", "--tokens", "1M").code == 0
    (notes / "hold-task-a").unlink()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, (out, err)
    assert "budget from now on: 1.0M tokens, 9 runs" in err


def test_lowered_by_another_process_while_it_works(repo: Repo, notes: Path) -> None:
    hire(repo, notes, tokens=1000)
    (notes / "hold-task-a").touch()
    process = repo.start("run", "--plan", str(repo.plan(*(told(key) for key in "AB"))), "--parallel", "1")
    until(lambda: (notes / "begun-task-a").exists())
    assert repo.toryo("budget", "--runs", "1").code == 0
    (notes / "hold-task-a").unlink()
    process.communicate(timeout=60)
    assert process.returncode == 2
    assert runs(repo) == 1


def test_an_interrupted_session_that_only_has_to_be_merged_is_not_held_up(repo: Repo, tmp_path: Path) -> None:
    """Its one run is used, but no other is needed."""
    check = f"touch {tmp_path}/checking; until test -e {tmp_path}/go; do sleep 0.02; done"
    plan = repo.plan(shell("A", "echo a > a"), checks=check)
    process = repo.start("run", "--plan", str(plan), "--budget", "runs=1")
    until(lambda: (tmp_path / "checking").exists())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    (tmp_path / "go").touch()
    done = repo.toryo("resume")
    assert done.code == 0, done


def test_agents_that_do_not_tell_what_they_use_are_named(repo: Repo, notes: Path) -> None:
    config = '[agents.other]\ncommand = ["sh", "-c", "echo x > x.txt"]\n'
    hire(repo, notes, config=config)
    tasks = [{"key": "A", "title": "A", "agent": "other", "description": "x"}, told("B")]
    done = repo.run(*tasks, flags=["--budget", "usd=5,tokens=1M"])
    assert done.code == 0, done
    assert "note: other: tokens cannot be counted, so the budget does not hold for that" in done.err
    assert "note: other: costs cannot be counted" in done.err


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("budget", "--tokens", "many"), 64, "E214"),
        (("budget", "--tokens", "+5"), 64, "no limit of tokens"),
        (("run", "--plan", "x.yaml", "--budget", "tokens"), 64, "tokens=2M"),
        (("run", "--plan", "x.yaml", "--budget", "gold=5"), 64, "tokens=2M"),
        (("resume", "--budget", "wall=soon"), 64, "length of time"),
    ],
)
def test_what_is_no_budget(repo: Repo, tmp_path: Path, args: tuple[str, ...], code: int, words: str) -> None:
    process = repo.start("run", "--plan", str(repo.plan(shell("A", f"touch {tmp_path}/on; sleep 1000"))))
    until(lambda: (tmp_path / "on").exists())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    done = repo.toryo(*args)
    assert done.code == code, done
    assert words in done.err
    assert budget(repo)["tokens"]["limit"] is None


def test_a_wrong_budget_in_the_configuration_is_named_with_its_line(repo: Repo) -> None:
    repo.write(".toryo/config.toml", '[budget]\ntokens = "lots"\nusd = -1\nwall = "8h"\n')
    done = repo.run(shell("A", "true"))
    assert done.code == 64
    assert "config.toml:2: budget.tokens" in done.err
    assert "config.toml:3: budget.usd" in done.err
