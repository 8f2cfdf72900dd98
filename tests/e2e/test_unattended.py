"""Work that nobody attends to: from a draft to merged work, through questions of agents and deaths of Toryo's own."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.instructions import planner
from tests.support.intending import analysed, carried_out, intent, modelled, sessions, status, wish, work_off
from tests.support.mortal_program import dies_at
from tests.support.queueing import PATIENCE, until_idle
from tests.support.repositories import Repo, until

AGENT = '''
"""Asks about A in its first run, and never hears an answer there; B needs none."""
import os, sys
how, conversation, prompt = sys.argv[1], sys.argv[2], open(sys.argv[3]).read()
key = "A" if "Work A" in prompt or how == "again" else "B"
with open(os.environ["HEARD"], "a") as heard:
    heard.write(f"{key} {how} {conversation}\\n")
if key == "A" and how == "first":
    print("Which greeting shall it be? ", end="", flush=True)
    open(os.environ["NEVER"]).read()
with open(f"{key}.txt", "w") as file:
    file.write("Ahoy" if "Ahoy" in prompt else "done")
'''


def _asking(repo: Repo) -> Path:
    """An agent that is described in the configuration and can go on with a conversation; what it heard."""
    program, heard, never = (repo.path.parent / name for name in ("agent.py", "heard", "never"))
    program.write_text(AGENT)
    os.mkfifo(never)
    command = [sys.executable, str(program)]
    described = {
        "command": [*command, "first", "{conversation}", "{prompt_file}"],
        "resume": [*command, "again", "{conversation}", "{prompt_file}"],
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in described.items()]
    lines.append(f'env = {{HEARD = "{heard}", NEVER = "{never}"}}')
    repo.write(".toryo/config.toml", "\n".join(["[agents.asker]", *lines]) + "\n")
    repo.commit("configure")
    return heard


def _inbox(repo: Repo) -> list[dict[str, Any]]:
    return list(json.loads(repo.toryo("inbox", "--json").out)["items"])


@pytest.mark.covers("G40", "F5")
def test_a_question_of_an_agent_waits_frees_its_slot_and_its_answer_goes_on_with_that_conversation(repo: Repo) -> None:
    heard = _asking(repo)
    wish(repo, "greet", status="approved", type="docs", risk="low")
    with planner(repo, [analysed(), *carried_out("A", "B")]) as endpoint:
        repo.environ |= {
            "TORYO_RUN_AGENT": "asker",
            "TORYO_RUN_PARALLEL": "1",
            "TORYO_RUN_PROMPT_SILENCE": "1s",
        }
        watching = repo.start("watch")
        (item,) = until(lambda: [one for one in _inbox(repo) if one["task"] == "A"], PATIENCE)
        assert (item["what"], item["intent"]) == ("question", "greet")
        assert "Which greeting shall it be?" in item["says"]
        assert "answer" in item["can"]
        until(lambda: repo.tasks()["B"]["state"] == "integrated", PATIENCE)
        until(lambda: status(repo, "greet") == "blocked", PATIENCE)
        assert "Which greeting" in intent(repo, "greet")["feedback"][0]["says"]
        watching.send_signal(signal.SIGKILL)  # days may pass
        watching.communicate()
        until_idle(repo)
        assert repo.toryo("answer", "A", "Ahoy", "--detach").code == 0
        until_idle(repo)
        done = work_off(repo)
        assert done.code == 0, done
        assert endpoint.left_over == []
    lines = [line.split() for line in heard.read_text().splitlines()]
    ((_, _, first),) = [line for line in lines if line[:2] == ["A", "first"]]
    ((_, _, again),) = [line for line in lines if line[:2] == ["A", "again"]]
    assert first == again
    assert [line[0] for line in lines].count("B") == 1
    (session,) = sessions(repo)
    assert repo.show(session["branch"], "A.txt") == "Ahoy"
    assert status(repo, "greet") == "done"
    assert _inbox(repo) == []


@pytest.mark.covers("F3", "F6", "G26")
def test_killed_at_any_step_each_draft_becomes_merged_work_once(repo: Repo) -> None:
    """Of the steps that write, from the draft to the history, every few; after each death another watches."""
    modelled(repo)
    repo.environ["TORYO_AUTONOMY_ENABLED"] = "true"
    was_whole = False
    for number, step in enumerate(range(2, 60, 6), 1):
        repo.write(f".toryo/drafts/{step}.md", f"wish{step} about{step} subject{step}\n")
        was_whole = not dies_at(repo, step, "watch", "--once")
        done = work_off(repo)
        assert done.code == 0, (step, done)
        until_idle(repo)
        slugs = sorted(path.stem for path in (repo.path / ".toryo" / "intents").glob("*.yaml"))
        assert [status(repo, slug) for slug in slugs] == ["done"] * number, step
        found = sessions(repo)
        assert sorted(row["intent"] for row in found) == slugs, step
        assert {row["outcome"] for row in found} == {"COMPLETE"}, step
        assert len(list((repo.path / ".toryo" / "knowledge" / "history").glob("*.yaml"))) == number
        if was_whole:
            break
    assert was_whole, "there were more steps than it was killed at"
    assert number > 4, "there are that many steps at least"
    assert list((repo.path / ".toryo" / "drafts").iterdir()) == []
    assert all("A.txt" in repo.files_on(row["branch"]) for row in found)


@pytest.mark.covers("F6")
def test_whoever_begins_with_an_intent_at_the_same_moment_it_is_worked_on_once(repo: Repo) -> None:
    """Two that watch, and two people who want it at once."""
    modelled(repo)
    for number in range(3):
        slug = f"wish-{number}"
        wish(repo, slug, status="approved", type="docs", risk="low")
        racing = [
            repo.start("watch", "--once"),
            repo.start("approve", slug, "--now"),
            repo.start("watch", "--once"),
            repo.start("approve", slug, "--now"),
        ]
        said = [process.communicate(timeout=PATIENCE) for process in racing]
        assert {process.returncode for process in racing} <= {0, 2, 64, 75}, said
        until_idle(repo)
        assert work_off(repo).code == 0
        until_idle(repo)
        assert status(repo, slug) == "done"
        assert [row["intent"] for row in sessions(repo)].count(slug) == 1
    runs = [run for row in sessions(repo) for run in repo.info(row["id"])["tasks"]]
    assert len(runs) == 3
