"""Agents without a protocol: any program by configuration alone, and commands that stop at a question."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.crews import (
    NASTY,
    begun,
    ended,
    inbox_of,
    needs_tmux,
    prompt_of,
    record_of,
    runs_of,
    session_of,
    states_of,
    task_of,
    tmux,
)
from tests.support.repositories import Repo, shell, until

PROGRAM = '''
"""An agent for tests: takes its prompt in any way, does what `DO:` lines in it say, as shell commands."""
import os, subprocess, sys, termios, tty

def typed():
    """Waits for a bracketed paste and the Enter after it, as a real screen does."""
    tty.setraw(0)
    os.write(1, b"\\x1b[?2004h\\r\\nWhat shall I do? > ")
    heard = b""
    while not heard.endswith(b"\\x1b[201~\\r"):
        heard += os.read(0, 65536)
    termios.tcsetattr(0, termios.TCSANOW, COOKED)
    begin, end = heard.rindex(b"\\x1b[200~") + 6, heard.rindex(b"\\x1b[201~")
    return heard[begin:end].replace(b"\\r", b"\\n").decode()

how, rest = sys.argv[1], sys.argv[2:]
if how == "typed":
    COOKED = termios.tcgetattr(0)
prompt = {
    "argument": lambda: rest[0],
    "file": lambda: open(rest[0], newline="").read(),
    "stdin": lambda: sys.stdin.buffer.read().decode(),
    "typed": typed,
}[how]()
with open(os.environ["HEARD"], "a", newline="") as heard:
    heard.write(prompt + "\\0")
for line in prompt.splitlines():
    if line.startswith("DO: "):
        subprocess.run(["/bin/sh", "-c", line[4:]], check=True)
if "--stays" in rest:
    subprocess.run(["/bin/sh", "-c", 'echo done >> "$TORYO_SIGNALS"'], check=True)
    print("I am still here.", flush=True)
    os.read(0, 1) if how == "typed" else __import__("time").sleep(1000)
'''


class Helper:
    """The agent `helper` of `.toryo/config.toml`, and what it has heard."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._heard = repo.path.parent / "heard"
        self.program = repo.path.parent / "helper.py"
        self.program.write_text(PROGRAM)

    def command(self, *args: str) -> list[str]:
        return [sys.executable, str(self.program), *args]

    def configure(self, *args: str, **more: object) -> None:
        lines = {"command": self.command(*args), "env": {"HEARD": str(self._heard)}, **more}
        self._repo.write(
            ".toryo/config.toml",
            "[agents.helper]\n" + "".join(f"{name} = {_toml(value)}\n" for name, value in lines.items()),
        )
        self._repo.commit("configure")

    @property
    def heard(self) -> list[str]:
        text = self._heard.read_bytes().decode() if self._heard.exists() else ""
        return text.split("\0")[:-1]


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(inner)}" for name, inner in value.items()) + "}"
    return json.dumps(value)


@pytest.fixture
def helper(repo: Repo) -> Helper:
    return Helper(repo)


def asked(key: str, *lines: str, **more: object) -> dict[str, object]:
    does = "\n".join(f"DO: {line}" for line in lines)
    return {"key": key, "title": f"Task {key}", "agent": "helper", "acceptance": [f"it works\n{does}"], **more}


# ── how the prompt goes in, and how the end is recognised ────────────────────


@pytest.mark.parametrize("args", [("argument", "{prompt}"), ("file", "{prompt_file}"), ("stdin",)], ids=lambda a: a[0])
def test_the_prompt_goes_in_as_configured(args: tuple[str, ...], repo: Repo, helper: Helper) -> None:
    helper.configure(*args)
    done = repo.run(asked("A", "echo a > a.txt", description=NASTY * 50), checks="cat a.txt")
    assert done.code == 0, done
    (run,) = runs_of(repo)
    assert helper.heard == [prompt_of(repo, run)]
    assert (run["agent"], run["ended_by"]) == ("helper", "itself")


def test_a_prompt_too_long_for_an_argument_is_pointed_to(repo: Repo, helper: Helper) -> None:
    helper.configure("argument", "{prompt}")
    repo.environ["TORYO_RUN_ATTEMPTS"] = "1"
    done = repo.run(asked("A", description=NASTY * (200_000 // len(NASTY))))
    assert done.code == 2, done
    assert str(record_of(repo, runs_of(repo)[0]) / "prompt.md") in helper.heard[0]


@needs_tmux
def test_the_prompt_is_typed_once_the_screen_is_ready(repo: Repo, helper: Helper) -> None:
    repo.environ["TORYO_RUN_HOST"] = "tmux"
    helper.configure("typed", mode="interactive", ready="What shall I do?")
    done = repo.run(asked("A", "echo a > a.txt", description=NASTY * 50), checks="cat a.txt")
    assert done.code == 0, done
    (run,) = runs_of(repo)
    assert helper.heard == [prompt_of(repo, run)]


@pytest.mark.covers("G19")
@pytest.mark.parametrize(
    "mode",
    [
        "headless",
        pytest.param("interactive", marks=needs_tmux),
    ],
)
def test_a_program_that_stays_says_by_a_command_that_its_turn_is_over(mode: str, repo: Repo, helper: Helper) -> None:
    repo.environ["TORYO_RUN_HOST"] = "tmux" if mode == "interactive" else "headless"
    helper.configure("file", "{prompt_file}", "--stays", ends="sentinel", mode=mode)
    done = repo.run(asked("A", "echo a > a.txt", limits={"seconds": 20}), checks="cat a.txt")
    assert done.code == 0, done
    (run,) = runs_of(repo)
    assert run["ended_by"] == "end of turn"
    assert 'echo done >> "$TORYO_SIGNALS"' in helper.heard[0]


@pytest.mark.covers("B2")
def test_a_turn_that_was_over_stays_over_though_toryo_died_ending_it(
    repo: Repo, helper: Helper, tmp_path: Path
) -> None:
    helper.configure("file", "{prompt_file}", "--stays", ends="sentinel")
    root, given = str(Path(__file__).parents[2]), repo.environ.get("PYTHONPATH")
    repo.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (root, given)))
    plan, deaths = repo.plan(asked("A", "echo a > a.txt"), checks="cat a.txt"), tmp_path / "deaths"
    codes = [
        subprocess.run(
            [sys.executable, "-m", "tests.support.mortal_conductor", str(plan), str(deaths), "AwaitRun"],
            cwd=repo.path,
            env=repo.environ,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        ).returncode
        for _ in range(3)
    ]
    assert codes == [-9, -9, 0], "before it waited, and after it had ended the program"
    (run,) = runs_of(repo)
    assert (run["ended_by"], run["outcome"]) == ("end of turn", "COMPLETE")


def test_a_resume_command_goes_on_with_the_conversation(repo: Repo, helper: Helper) -> None:
    helper.configure(
        "stdin",
        "first",
        "{conversation}",
        resume=helper.command("stdin", "again", "{conversation}"),
        flags=["--worktree={worktree}"],
    )
    done = repo.run(
        asked("A", 'tr "\\0" " " < /proc/$PPID/cmdline >> n.txt; echo >> n.txt'), checks="test $(wc -l < n.txt) = 2"
    )
    assert done.code == 0, done
    first, second = runs_of(repo)
    assert first["conversation"] == second["conversation"]
    lines = repo.show("agent/the-plan", "n.txt").splitlines()
    worktree = str(repo.path / ".worktrees" / "task-a")
    assert [line.split()[-3:] for line in lines] == [
        [which, first["conversation"], f"--worktree={worktree}"] for which in ("first", "again")
    ]
    assert helper.heard == [prompt_of(repo, first), prompt_of(repo, second)]
    assert "go on with it" in helper.heard[1]


@pytest.mark.covers("A24")
def test_a_limit_is_found_by_the_configured_expression(repo: Repo, helper: Helper, tmp_path: Path) -> None:
    helper.configure("stdin", quota=r"limit reached, try again in (?P<seconds>\d+)s")
    once = f"if mkdir {tmp_path}/first; then echo limit reached, try again in 5s; exit 1; fi; echo a > a.txt"
    done = repo.run(asked("A", once), flags=["--verbose"])
    assert done.code == 0, done
    task = task_of(repo)
    assert [run["disposition"] for run in task["runs"]] == ["postpone", "accept"]
    assert task["attempts"] == 1


@pytest.mark.covers("A24")
def test_agents_with_one_credential_share_its_limits(repo: Repo, helper: Helper) -> None:
    helper.configure("stdin", quota=r"limit reached until (?P<epoch>\d+)", credential="corp")
    config = repo.path / ".toryo" / "config.toml"
    config.write_text(config.read_text() + config.read_text().replace("[agents.helper]", "[agents.other]"))
    limited = asked("A", f"echo limit reached until {int(time.time()) + 30 * 3600}; exit 1")
    done = repo.run(limited, asked("B", "echo b > b.txt", agent="other"), flags=["--parallel", "1"])
    assert done.code == 2, done
    assert task_of(repo)["block_reason"] == "quota"
    assert runs_of(repo, "B") == []
    assert [pause["credential"] for pause in session_of(repo)["pauses"]] == ["corp"]


@pytest.mark.covers("P2")
def test_a_missing_program_of_a_configured_agent_is_named(repo: Repo) -> None:
    repo.write(".toryo/config.toml", '[agents.helper]\ncommand = ["no-such-agent", "{prompt}"]\n')
    done = repo.run(asked("A"))
    assert done.code == 69, done
    assert "no-such-agent" in done.err
    listed = json.loads(repo.toryo("agents", "helper", "--json").out)["agents"][0]
    assert listed["installed"] is False


# ── commands that stop at a question ─────────────────────────────────────────


@pytest.fixture
def impatient(repo: Repo) -> None:
    repo.environ["TORYO_RUN_PROMPT_SILENCE"] = "1s"


@pytest.mark.covers("P34", "P35")
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("question", ["Continue? [y/N] ", "Overwrite the file? ", "Password: "])
def test_a_command_that_stops_at_a_question_is_ended_and_says_which(question: str, repo: Repo, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never")
    command = f"echo a > a; printf '%s' '{question}'; read answer < {tmp_path}/never"
    done = repo.run(shell("A", command), shell("B", "echo b > b"))
    assert done.code == 2, done
    task = task_of(repo)
    assert (task["state"], task["block_reason"], len(task["runs"])) == ("blocked", "interactive prompt", 1)
    facts = next(record["facts"] for record in task["evidence"] if record["operation"] == "agent")
    assert facts["blocked_reason"] == "interactive prompt"
    assert facts["detected_pattern"] == question.strip()
    assert facts["terminated_by"] == "toryo"
    assert int(facts["timeout_ms"]) >= 1000
    (item,) = inbox_of(repo)
    assert (item["what"], item["says"]) == ("question", question.strip())
    assert states_of(repo)["B"] == "integrated"


@pytest.mark.covers("P34", "G19")
@pytest.mark.usefixtures("impatient")
def test_a_command_that_talks_of_questions_and_goes_on_is_left_alone(repo: Repo, tmp_path: Path) -> None:
    """Neither one that prints them all the time, nor one that is silent after something else."""
    lines = "for i in 1 2 3 4 5 6 7 8; do echo 'Continue? [y/N] y'; sleep 0.4; done"
    done = repo.run(shell("A", f"{lines}; echo a > a"), shell("B", "echo working...; sleep 4; echo b > b"))
    assert done.code == 0, done
    assert [run["ended_by"] for key in "AB" for run in runs_of(repo, key)] == ["itself"] * 2


@pytest.mark.covers("G40")
@needs_tmux
@pytest.mark.usefixtures("impatient")
def test_a_question_on_a_screen_can_be_answered_there(repo: Repo, helper: Helper, tmp_path: Path) -> None:
    repo.environ["TORYO_RUN_HOST"] = "tmux"
    helper.configure("file", "{prompt_file}", mode="interactive")
    task = asked("A", "printf 'Continue? [y/N] '; read answer; echo $answer > a.txt")
    process = repo.start("run", "--plan", str(repo.plan(task, shell("B", "echo b > b"), parallel=1)))
    run = begun(repo)
    until(lambda: inbox_of(repo))
    assert runs_of(repo)[0]["state"] == "waiting"
    until(lambda: states_of(repo)["B"] == "integrated")
    note = json.loads((record_of(repo, run) / "window").read_text())
    tmux(repo, "send-keys", "-t", note["pane"], "y", "Enter")
    said = ended(process)
    assert process.returncode == 0, said
    assert repo.show("agent/the-plan", "a.txt") == "y"
