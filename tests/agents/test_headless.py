"""Real agents in their own JSON mode, through Toryo: work, conversations, prompts, and Toryo's own deaths."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.agent_programs import AGENTS, AgentHome
from tests.support.crews import (
    EVERY_AGENT,
    NASTY,
    PRICED,
    assert_untouched,
    begun,
    happened,
    needs_programs,
    prompt_of,
    run_crew,
    runs_of,
    session_of,
    settings_in,
    task_of,
    told,
    told_each_time,
)
from tests.support.crews import ended as over
from tests.support.model_server import ModelServer
from tests.support.repositories import Repo, kill, until

from toryo.journal.lease import holder

pytestmark = needs_programs


def test_every_agent_is_found_in_the_version_it_was_tested_with_and_no_model_is_asked(
    repo: Repo, model: ModelServer
) -> None:
    listed = {row["name"]: row for row in json.loads(repo.toryo("agents", "--json").out)["agents"]}
    for name in AGENTS:
        row = listed[name]
        assert (row["installed"], row["version"], row["logged_in"]) == (True, row["tested_version"], True), row
    assert model.requests() == ()


@pytest.mark.covers("G28", "F16")
@pytest.mark.parametrize("agent", EVERY_AGENT)
def test_a_retry_goes_on_in_the_same_conversation_and_nothing_of_the_person_is_touched(
    agent: str, repo: Repo, home: AgentHome, model: ModelServer
) -> None:
    before = settings_in(home)
    task = told_each_time("A", "run echo x >> n.txt", "say I am done", agent=agent)
    done = run_crew(repo, task, checks="test $(wc -l < n.txt) -eq 2")
    assert done.code == 0, done
    assert repo.show("agent/the-plan", "n.txt") == "x\nx"

    first, second = runs_of(repo)
    assert [first["outcome"], second["outcome"]] == ["INCOMPLETE", "COMPLETE"]
    assert second["report"]["last_words"] == "I am done"
    assert first["conversation"] == second["conversation"]
    prompts = [prompt_of(repo, first), prompt_of(repo, second)]
    assert model.prompts() == dict.fromkeys(prompts, 1)
    assert model.requests()[-1].user_texts == tuple(prompts), "the second run remembers the first"
    _assert_conversation_is_known_in_time(repo, agent, first["conversation"])

    task = task_of(repo)
    for part in ("input_tokens", "output_tokens"):
        shares = [run["report"]["usage"][part] for run in (first, second)]
        assert 0 < max(shares) < 1.5 * min(shares), "both do the same, so the second is not told the sum"
        assert task["usage"][part] == session_of(repo)["usage"][part] == sum(shares)
    prices = [run["report"]["usage"]["usd"] for run in (first, second)]
    assert (prices[0] > prices[1] > 0) == (agent in PRICED), "most of the second comes from the cache"
    assert session_of(repo)["usage"]["usd"] == pytest.approx(sum(prices))

    assert_untouched(repo)
    assert settings_in(home) == before


def _assert_conversation_is_known_in_time(repo: Repo, agent: str, conversation: str) -> None:
    journal = happened(repo, "RunPlanned", "RunStarted", "ConversationNamed", "RunExited")
    kinds = [event["kind"] for event in journal]
    if agent in ("claude", "gemini"):
        assert journal[0]["conversation"] == conversation
        assert kinds == ["RunPlanned", "RunStarted", "RunExited"] * 2
    else:
        named = kinds.index("ConversationNamed")
        assert journal[named]["conversation"] == conversation
        assert (named, kinds.count("ConversationNamed")) == (2, 1), kinds
        assert journal[named + 2]["conversation"] == conversation, "the next run is planned with it"


@pytest.mark.covers("G17")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_long_and_nasty_prompt_arrives_byte_for_byte_and_once(agent: str, repo: Repo, model: ModelServer) -> None:
    hard = "--dangerously -p\n" + NASTY * (100_000 // len(NASTY.encode())) + "\nMODEL: write a.txt a\n--end"
    done = repo.run({"key": "A", "title": "-n --help $HOME", "agent": agent, "description": hard})
    assert done.code == 0, done
    prompt = prompt_of(repo, runs_of(repo)[0])
    assert hard in prompt
    assert len(prompt.encode()) > 100_000
    assert model.prompts() == {prompt: 1}


@pytest.mark.covers("B2", "A6")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_run_that_went_on_after_kill_9_is_picked_up(
    agent: str, repo: Repo, model: ModelServer, tmp_path: Path
) -> None:
    wait = f"until test -e {tmp_path}/go; do sleep 0.05; done"
    task = told("A", f"run touch {tmp_path}/begun; {wait}; echo a > a.txt", "say done at last", agent=agent)
    process = repo.start("run", "--plan", str(repo.plan(task)))
    until((tmp_path / "begun").exists)
    run = begun(repo)
    kill(process)
    resumed = repo.start("resume")
    until(lambda: holder(repo.store / "conductor.lock") == resumed.pid)
    (tmp_path / "go").touch()
    said = over(resumed)
    assert resumed.returncode == 0, said
    assert [each["id"] for each in runs_of(repo)] == [run["id"]], "never a second run beside the first"
    assert runs_of(repo)[0]["report"]["last_words"] == "done at last"
    assert model.prompts() == {prompt_of(repo, run): 1}


@pytest.mark.covers("B2")
def test_what_an_agent_did_while_nobody_watched_counts(repo: Repo, model: ModelServer, tmp_path: Path) -> None:
    """It ends, with its usage and last words, before anybody asks again."""
    wait = f"until test -e {tmp_path}/go; do sleep 0.05; done"
    task = told("A", f"run touch {tmp_path}/begun; {wait}; echo a > a.txt", "say done meanwhile")
    process = repo.start("run", "--plan", str(repo.plan(task)))
    until((tmp_path / "begun").exists)
    run = begun(repo)
    kill(process)
    (tmp_path / "go").touch()
    until((repo.store / "runs" / run["id"] / "exit").exists)
    done = repo.toryo("resume")
    assert done.code == 0, done
    (only,) = runs_of(repo)
    assert (only["id"], only["code"], only["report"]["last_words"]) == (run["id"], 0, "done meanwhile")
    assert only["report"]["usage"]["output_tokens"] > 0
    assert model.prompts() == {prompt_of(repo, run): 1}


_AROUND = ("PlanRun", "PrepareWorkspace", "StartRun", "AwaitRun", "ObserveWork")


@pytest.mark.covers("B2", "F16")
@pytest.mark.parametrize(
    ("agent", "mode"),
    [("codex", "headless"), ("claude", "interactive")],
)
def test_toryo_dies_around_the_start_of_a_run_and_the_prompt_is_submitted_once(
    agent: str, mode: str, repo: Repo, model: ModelServer, tmp_path: Path
) -> None:
    """Among others: after the start of the agent, and after it was ended, before that is recorded."""
    if mode == "interactive":
        repo.environ["TORYO_RUN_HOST"] = "tmux"
        repo.environ[f"TORYO_AGENTS_{agent.upper()}_MODE"] = mode
    root, given = str(Path(__file__).parents[2]), repo.environ.get("PYTHONPATH")
    repo.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (root, given)))
    plan = repo.plan(told("A", "run echo a >> a.txt", "say ok", agent=agent), checks="test -s a.txt")
    deaths = tmp_path / "deaths"
    for _ in range(20):
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.mortal_conductor", str(plan), str(deaths), *_AROUND],
            cwd=repo.path,
            env=repo.environ,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode == 0:
            break
        assert done.returncode == -9, done.stderr
    else:
        pytest.fail(f"it never got to the end: {deaths.read_text()}")
    assert any(line.startswith("died after") and "StartRun" in line for line in deaths.read_text().splitlines())
    (run,) = runs_of(repo)
    assert run["outcome"] == "COMPLETE"
    assert model.prompts() == {prompt_of(repo, run): 1}
    assert repo.show("agent/the-plan", "a.txt") == "a", "once, too"
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"
