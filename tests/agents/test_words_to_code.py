"""Words become merged code with the real programs alone: Claude Code or Codex plans, reviews and does the work."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import make_agent_home
from tests.support.crews import PROGRAMS, needs_programs
from tests.support.instructions import usual
from tests.support.model_server import ModelServer
from tests.support.model_server.director import Deed, Director
from tests.support.model_server.exchange import Question
from tests.support.planning_server import Prepared, Script, json_text
from tests.support.repositories import Repo

pytestmark = [needs_programs, pytest.mark.timeout(300)]


class PlannerAndCrew(Script):
    """Prepared replies to Toryo's own questions; agents at work get what their prompt says."""

    def decide(self, question: Question, pause: Callable[[float], None], body: Any = None) -> Deed:
        if "# Your task:" in json.dumps(body, ensure_ascii=False):
            return super().decide(question, pause, body)
        return Director.decide(self, question, pause, body)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    replies: list[Prepared] = usual("A", "B")
    work = [
        {
            "key": key,
            "title": f"Work {key}",
            "description": f"MODEL: write {key}.txt hello\nMODEL: say Done, with tests.",
        }
        for key in ("A", "B")
    ]
    planned = [{**task, "acceptance": [f"{task['key']}.txt is there"]} for task in work]
    replies[3] = json_text({"tasks": planned}, when="Your task: the tasks")
    with ModelServer(director=PlannerAndCrew(replies)) as server:
        yield server


@pytest.mark.covers("A18", "P23")
@pytest.mark.parametrize("who", ["", "codex"], ids=["the first that is ready", "codex"])
def test_one_program_does_all_of_it(repo: Repo, model: ModelServer, tmp_path: Path, who: str) -> None:
    """Without a word about who plans and who works, it is Claude Code, which comes first and is logged in."""
    assert PROGRAMS
    home = make_agent_home(tmp_path / "own-home", model.url, PROGRAMS, {**os.environ, **repo.environ})
    repo.environ |= {**home.environ, "TORYO_MODEL_MODEL": "scripted"}
    named = ["--agent", who] if who else []
    if who:
        repo.environ["TORYO_MODEL_PROVIDER"] = who
    done = repo.toryo("run", "Add two greetings to the program", *named, "--yes", timeout=240)
    assert done.code == 0, done
    assert repo.files_on("agent/add-two-greetings-to-the-program") == {"README.md", "A.txt", "B.txt"}
    assert {task["agent"] for task in repo.tasks().values()} == {who or "claude"}
    counted = repo.info(repo.status()["sessions"][0]["id"])["session"]["calls"]
    assert counted["count"] == 8
    assert counted["input_tokens"] > 0
