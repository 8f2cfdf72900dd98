"""Intents taken up as whoever tends them does, each step a process of its own in the repository's environment."""

import json
import subprocess
import sys
from typing import Any

from tests.support.instructions import json_text
from tests.support.planning_server import Answer
from tests.support.repositories import Repo

INTENT = "Your task: what does this intent come to"

_PURSUE = """
import sys
from pathlib import Path
from toryo.app.intents import find_intent
from toryo.app.project import open_project
from toryo.app.pursuing import pursue
project = open_project(Path.cwd(), writing=True)
print(pursue(project, find_intent(project, sys.argv[1])).short)
"""
_RELEASE = """
import sys, time
from pathlib import Path
from toryo.app.project import open_project
from toryo.domain.events import IntentReleased
project = open_project(Path.cwd(), writing=True)
project.append(project.session(sys.argv[1]), IntentReleased(time.time(), sys.argv[2]))
"""


def analysed(end: str = "tasks", type_: str = "feature", risk: str = "med", **more: Any) -> Answer:
    said = {"end": end, "type": type_, "risk": risk, "why": "it is so", "title": "The wish", **more}
    return json_text(said, when=INTENT)


def wish(repo: Repo, slug: str, title: str = "", **fields: Any) -> None:
    """A file as a person writes it."""
    said = {"title": title or f"Do {slug}", "created_at": "2026-01-02T03:04:05Z", **fields}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in said.items()]
    repo.write(f".toryo/intents/{slug}.yaml", "\n".join(lines) + "\n")


def wishes(repo: Repo) -> dict[str, str]:
    """What stands in each file, by slug."""
    folder = repo.path / ".toryo" / "intents"
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))}


def pursued(repo: Repo, slug: str) -> str:
    """Its session is open; the session's short id."""
    return _script(repo, _PURSUE, slug)


def released(repo: Repo, short: str, by: str = "a person") -> None:
    _script(repo, _RELEASE, short, by)


def _script(repo: Repo, source: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", source, *args],
        cwd=repo.path,
        env=repo.environ,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
