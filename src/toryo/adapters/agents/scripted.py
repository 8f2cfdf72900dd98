"""An agent that follows a scenario instead of a model, for the demo and for tests."""

import sys
from pathlib import Path

from toryo.adapters.agents.plain import Plain
from toryo.domain.run import Mode
from toryo.ports import Abilities, Errand, Invocation


class ScriptedAgent(Plain):
    """A real process that edits real files; everything it prints is marked as scripted."""

    name = credential = "scripted"

    def __init__(self, scenario: Path | None, mode: Mode = Mode.HEADLESS) -> None:
        self._scenario, self.mode = scenario, mode
        self.abilities = Abilities(modes=tuple(Mode), needs_sentinel=mode is Mode.INTERACTIVE)

    def invocation(self, errand: Errand) -> Invocation:
        program = "toryo.adapters.agents.scripted_program"
        scenario = str(self._scenario) if self._scenario else ""
        argv = (sys.executable, "-m", program, scenario, errand.task_key, str(errand.attempt))
        return Invocation(argv=argv, env={}, reads_prompt_from_stdin=self.mode is Mode.HEADLESS)
