"""An agent defined in the configuration alone: a command, how the prompt goes in, and how the end is recognised."""

import re
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

from toryo.adapters.agents.hooks import argument_prompt
from toryo.adapters.agents.opening import Opening
from toryo.adapters.settingagents import AgentSettings
from toryo.adapters.settingkeys import Ends
from toryo.domain.report import Trouble
from toryo.domain.run import Mode
from toryo.domain.signals import Failed, Signal
from toryo.ports import Abilities, Errand, Invocation


class ConfiguredAgent:
    """Placeholders in its command say where the prompt goes; without any, it gets it on standard input."""

    def __init__(self, name: str, recipe: AgentSettings, passes: tuple[str, ...] = ()) -> None:
        self.name, self._recipe = name, recipe
        self.mode = recipe.mode
        self.credential = recipe.credential or name
        self.passes = (*recipe.pass_env, *passes)
        self._quota = re.compile(recipe.quota) if recipe.quota else None
        self.abilities = Abilities(
            modes=(recipe.mode,),
            tells_limits=bool(recipe.quota),
            needs_sentinel=recipe.ends is Ends.SENTINEL,
            resumes=bool(recipe.resume),
            names_conversations=any("{conversation}" in part for part in recipe.command),
        )

    def program(self) -> str | None:
        return self._recipe.command[0]

    def invocation(self, errand: Errand) -> Invocation:
        recipe = self._recipe
        command = recipe.resume if recipe.resume and not errand.is_first else recipe.command
        template = (*command, *recipe.flags)
        prompt = argument_prompt(errand.prompt, errand.prompt_file)
        argv = _filled(template, prompt, errand.prompt_file, errand.worktree, errand.conversation)
        takes_prompt = _takes_prompt(template)
        is_headless = self.mode is Mode.HEADLESS
        return Invocation(
            argv,
            recipe.env,
            reads_prompt_from_stdin=is_headless and not takes_prompt,
            ready="" if is_headless or takes_prompt else recipe.ready,
        )

    def opening(self, seat: Opening) -> Invocation | None:
        """Its command in a person's terminal; None: it takes no prompt there, or does nothing without one."""
        recipe = self._recipe
        template = (*recipe.command, *recipe.flags)
        takes_prompt = _takes_prompt(template)
        if takes_prompt != bool(seat.prompt) and not (recipe.ready and not takes_prompt):
            return None
        argv = _filled(template, seat.argument, seat.prompt_file, seat.worktree, str(uuid.uuid4()))
        return Invocation(argv, recipe.env, ready=recipe.ready if seat.prompt and not takes_prompt else "")

    def read(self, line: str, at: float) -> Iterable[Signal]:
        found = self._quota.search(line) if self._quota else None
        if found is None:
            return ()
        epoch, seconds = (_number(found.groupdict().get(name)) for name in ("epoch", "seconds"))
        return [Failed(Trouble.QUOTA, line.strip()[:500], epoch or (at + seconds if seconds else 0.0))]


def _takes_prompt(template: Sequence[str]) -> bool:
    return any("{prompt}" in part or "{prompt_file}" in part for part in template)


def _filled(
    template: Sequence[str], prompt: str, prompt_file: Path, worktree: Path, conversation: str
) -> tuple[str, ...]:
    values = {
        "{prompt}": prompt,
        "{prompt_file}": str(prompt_file),
        "{conversation}": conversation,
        "{worktree}": str(worktree),
    }
    return tuple(_PLACEHOLDER.sub(lambda found: values[found[0]], part) for part in template)


def _number(text: str | None) -> float:
    try:
        value = float(text or 0)
    except ValueError:
        return 0.0
    return value if 0 < value < _FOR_EVER else 0.0


_FOR_EVER = 1e12
_PLACEHOLDER = re.compile(r"\{(?:prompt|prompt_file|conversation|worktree)\}")
