"""An agent's own screen, started by a person: what it is given."""

from pathlib import Path

from toryo.adapters.agents.hooks import argument_prompt
from toryo.domain.facts import fact


@fact
class Opening:
    worktree: Path
    prompt: str
    """Empty: it waits for what the person types."""
    prompt_file: Path
    """Where the prompt is, too."""

    @property
    def argument(self) -> str:
        """The prompt as the kernel takes it."""
        return argument_prompt(self.prompt, self.prompt_file)
