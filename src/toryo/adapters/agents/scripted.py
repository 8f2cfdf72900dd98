"""An agent that follows a scenario instead of a model, for the demo and for tests."""

import sys
from pathlib import Path

from toryo.ports import Errand, Invocation


class ScriptedAgent:
    """A real process that edits real files; everything it prints is marked as scripted."""

    name = "scripted"

    def __init__(self, scenario: Path | None) -> None:
        self._scenario = scenario

    def invocation(self, errand: Errand) -> Invocation:
        program = "toryo.adapters.agents.scripted_program"
        scenario = str(self._scenario) if self._scenario else ""
        argv = (sys.executable, "-m", program, scenario, errand.task_key, str(errand.attempt))
        return Invocation(argv=argv, env={}, reads_prompt_from_stdin=True)
