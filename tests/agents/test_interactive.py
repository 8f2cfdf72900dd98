"""Real agents on their own screens in tmux: work, prompts, questions, and the end of their terminal."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.agent_programs import AGENTS, AgentHome
from tests.support.crews import (
    EVERY_AGENT,
    NASTY,
    PRICED,
    agent_process,
    assert_untouched,
    begun,
    ended,
    inbox_of,
    needs_programs,
    needs_tmux,
    prompt_of,
    run_crew,
    runs_of,
    session_of,
    settings_in,
    shown_in,
    states_of,
    task_of,
    tmux,
    told,
    told_each_time,
    window_of,
)
from tests.support.model_server import ModelServer
from tests.support.repositories import Repo, kill, shell, until

pytestmark = [needs_programs, needs_tmux]


@pytest.fixture(autouse=True)
def interactive(repo: Repo) -> None:
    repo.environ["TORYO_RUN_HOST"] = "tmux"
    for agent in AGENTS:
        repo.environ[f"TORYO_AGENTS_{agent.upper()}_MODE"] = "interactive"


@pytest.mark.covers("G17", "G19")
@pytest.mark.parametrize("agent", EVERY_AGENT)
def test_an_agent_works_on_its_screen_and_nothing_of_the_person_is_touched(
    agent: str, repo: Repo, home: AgentHome, model: ModelServer
) -> None:
    _note_what_codex_notes_at_its_first_start(home)
    before = settings_in(home)
    task = told("A", "write a.txt hello", "say I am done", agent=agent)
    done = run_crew(repo, task, checks="grep hello a.txt")
    assert done.code == 0, done
    assert repo.show("agent/the-plan", "a.txt") == "hello"
    (run,) = runs_of(repo)
    assert (run["outcome"], run["ended_by"]) == ("COMPLETE", "end of turn")
    ((said, times),) = model.prompts().items()
    # Gemini takes the line break at the end of an argument away.
    assert (said, times) == (prompt_of(repo, run).rstrip() if agent == "gemini" else prompt_of(repo, run), 1)
    usage = task_of(repo)["usage"]
    if agent != "gemini":
        assert run["report"]["last_words"] == "I am done"
        assert usage["output_tokens"] > 0
    assert (usage["usd"] > 0) == (agent in PRICED)
    assert session_of(repo)["usage"] == usage
    assert_untouched(repo)
    assert settings_in(home) == before


def _note_what_codex_notes_at_its_first_start(home: AgentHome) -> None:
    with (home.path / ".codex" / "config.toml").open("a") as config:
        config.write("\n[tui]\nscreen_reader_detection_done = true\n")


def test_its_log_reads_the_same_when_the_agent_is_headless_by_now(repo: Repo) -> None:
    assert run_crew(repo, told("A", "write a.txt a", "say All done.")).code == 0
    before = repo.toryo("logs", "A").out
    assert "All done." in before
    repo.environ["TORYO_AGENTS_CLAUDE_MODE"] = "headless"
    assert repo.toryo("logs", "A").out == before


@pytest.mark.covers("G28")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_retry_goes_on_in_the_same_conversation(agent: str, repo: Repo, model: ModelServer) -> None:
    task = told_each_time("A", "run echo x >> n.txt", "say I am done", agent=agent)
    done = repo.run(task, checks="test $(wc -l < n.txt) -eq 2")
    assert done.code == 0, done
    first, second = runs_of(repo)
    assert first["conversation"] == second["conversation"]
    prompts = [prompt_of(repo, first), prompt_of(repo, second)]
    assert model.prompts() == dict.fromkeys(prompts, 1)
    assert model.requests()[-1].user_texts == tuple(prompts), "the second run remembers the first"
    for part in ("input_tokens", "output_tokens"):
        shares = [run["report"]["usage"][part] for run in (first, second)]
        assert 0 < max(shares) < 1.5 * min(shares), f"both do the same: {part} {shares}"


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_long_and_nasty_prompt_arrives_byte_for_byte_and_once(agent: str, repo: Repo, model: ModelServer) -> None:
    hard = "--dangerously -p\n" + NASTY * (100_000 // len(NASTY.encode())) + "\nMODEL: write a.txt a\n--end"
    done = repo.run({"key": "A", "title": "-n --help $HOME", "agent": agent, "description": hard})
    assert done.code == 0, done
    prompt = prompt_of(repo, runs_of(repo)[0])
    assert len(prompt.encode()) > 100_000
    assert model.prompts() == {prompt: 1}


def test_a_prompt_that_no_argument_can_hold_is_read_from_its_file(repo: Repo, model: ModelServer) -> None:
    script = 'run test $(wc -c < "$TORYO_PROMPT") -gt 300000 && cp "$TORYO_PROMPT" a.txt'
    task = told("A", script, "say read")
    task["description"] += NASTY * (300_000 // len(NASTY.encode()))
    process = repo.start("run", "--plan", str(repo.plan(task)))
    run = begun(repo)
    said = until(model.prompts)
    assert list(said.values()) == [1]
    assert str(repo.store / "runs" / run["id"] / "prompt.md") in next(iter(said))
    process.send_signal(signal.SIGINT)
    assert "exit 130" in ended(process)


# ── kill -9 of Toryo ─────────────────────────────────────────────────────────


@pytest.mark.covers("B2")
def test_a_run_that_went_on_after_kill_9_is_picked_up(repo: Repo, model: ModelServer, tmp_path: Path) -> None:
    wait = f"until test -e {tmp_path}/go; do sleep 0.05; done"
    task = told("A", f"run touch {tmp_path}/begun; {wait}; echo a > a.txt", "say done at last", agent="codex")
    process = repo.start("run", "--plan", str(repo.plan(task)))
    until((tmp_path / "begun").exists)
    run = begun(repo)
    kill(process)
    assert agent_process(repo, run, "codex"), "it works on"
    (tmp_path / "go").touch()
    done = repo.toryo("resume")
    assert done.code == 0, done
    (only,) = runs_of(repo)
    assert (only["id"], only["report"]["last_words"]) == (run["id"], "done at last")
    assert model.prompts() == {prompt_of(repo, run): 1}


# ── crashes ──────────────────────────────────────────────────────────────────

Blow = Callable[[Repo, int, str], object]
BLOWS: dict[str, Blow] = {
    "SIGKILL": lambda _repo, pid, _pane: os.kill(pid, signal.SIGKILL),
    "SIGTERM": lambda _repo, pid, _pane: os.kill(pid, signal.SIGTERM),
    "kill-pane": lambda repo, _pid, pane: tmux(repo, "kill-pane", "-t", pane),
    "kill-server": lambda repo, _pid, _pane: tmux(repo, "kill-server"),
}


@pytest.mark.covers("B2")
@pytest.mark.parametrize(
    ("agent", "blow"),
    [("claude", "SIGKILL"), ("codex", "SIGTERM"), ("claude", "kill-pane"), ("codex", "kill-server")],
)
def test_an_agent_that_is_struck_down_is_tried_again(agent: str, blow: str, repo: Repo, tmp_path: Path) -> None:
    """What it had begun stays, and never counts as done, whatever exit code it ends with."""
    script = f"run if mkdir {tmp_path}/first; then echo half > half.txt; sleep 1000; fi; echo a > a.txt"
    process = repo.start("run", "--plan", str(repo.plan(told_each_time("A", script, agent=agent))))
    until((tmp_path / "first").exists)
    run = begun(repo)
    BLOWS[blow](repo, agent_process(repo, run, agent), window_of(repo, run)["pane"])
    said = ended(process)
    assert process.returncode == 0, said
    first, second = runs_of(repo)
    assert (first["id"], first["outcome"], second["outcome"]) == (run["id"], "ERROR", "COMPLETE"), said
    assert repo.show("agent/the-plan", "a.txt") == "a"


# ── waiting for a person ─────────────────────────────────────────────────────


@pytest.fixture
def asking(repo: Repo) -> None:
    repo.environ["TORYO_AGENTS_CLAUDE_FULL_AUTO"] = "false"
    repo.environ["TORYO_AGENTS_CLAUDE_FLAGS"] = '["--permission-mode", "default"]'


@pytest.mark.covers("G40")
@pytest.mark.usefixtures("asking")
def test_a_request_for_permission_waits_in_the_inbox_and_frees_its_slot(repo: Repo, model: ModelServer) -> None:
    plan = repo.plan(told("A", "run touch asked.txt"), shell("B", "echo b > b"), parallel=1)
    process = repo.start("run", "--plan", str(plan))
    until(lambda: states_of(repo).get("B") == "integrated" if (repo.store / "journal.db").exists() else False)
    run = runs_of(repo)[0]
    assert run["state"] == "waiting"
    assert "touch asked.txt" in run["question"]
    (item,) = inbox_of(repo)
    assert (item["task"], item["what"]) == ("A", "question")
    assert "touch asked.txt" in item["says"]
    assert repo.toryo("inbox").code == 2
    assert repo.tasks()["A"]["says"] == "waits for an answer"

    pane = window_of(repo, run)["pane"]
    until(lambda: "Do you want to proceed?" in shown_in(repo, pane))
    tmux(repo, "send-keys", "-t", pane, "Enter")
    said = ended(process)
    assert process.returncode == 0, said
    assert {"asked.txt", "b"} <= repo.files_on("agent/the-plan")
    assert len(runs_of(repo)) == 1
    assert list(model.prompts().values()) == [1]


@pytest.mark.covers("P34", "P35")
@pytest.mark.usefixtures("asking")
def test_a_request_that_nobody_answers_blocks_its_task(repo: Repo) -> None:
    repo.environ["TORYO_RUN_ANSWER_TIME"] = "2s"
    done = repo.run(told("A", "run touch asked.txt"), shell("B", "echo b > b"))
    assert done.code == 2, done
    task = task_of(repo)
    assert (task["state"], task["block_reason"]) == ("blocked", "interactive prompt")
    (run,) = task["runs"]
    assert run["ended_by"] == "unanswered question"
    assert "touch asked.txt" in run["report"]["question"]
    facts = next(record["facts"] for record in task["evidence"] if record["operation"] == "agent")
    assert facts["blocked_reason"] == "interactive prompt"
    assert "touch asked.txt" in facts["detected_pattern"]
    assert facts["terminated_by"] == "toryo"
    assert int(facts["timeout_ms"]) >= 2000
    (item,) = inbox_of(repo)
    assert "touch asked.txt" in item["says"]
    assert states_of(repo)["B"] == "integrated"


@pytest.mark.covers("G40")
def test_a_question_of_the_agent_can_be_answered_in_its_window(repo: Repo) -> None:
    plan = repo.plan(told("A", "ask Which way shall I go?", "write a.txt a", "say went"))
    process = repo.start("run", "--plan", str(plan))
    items = until(lambda: inbox_of(repo) if (repo.store / "journal.db").exists() else [])
    assert "Which way shall I go?" in items[0]["says"]
    pane = window_of(repo, runs_of(repo)[0])["pane"]
    until(lambda: "Which way shall I go?" in shown_in(repo, pane))
    tmux(repo, "send-keys", "-t", pane, "Enter")
    said = ended(process)
    assert process.returncode == 0, said
    assert inbox_of(repo) == []
    assert runs_of(repo)[0]["report"]["last_words"] == "went"
