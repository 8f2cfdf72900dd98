"""The agent that needs no model: runs the task's own command in its worktree."""

from collections.abc import Mapping
from types import MappingProxyType

from toryo.adapters.agents.plain import Plain
from toryo.ports import Errand, Invocation


class ShellAgent(Plain):
    """Codemods, generators, fixers: anything a command can do."""

    name = credential = "shell"

    def __init__(self, env: Mapping[str, str] = MappingProxyType({}), passes: tuple[str, ...] = ()) -> None:
        self._env, self.passes = env, passes

    def invocation(self, errand: Errand) -> Invocation:
        return Invocation(argv=("/bin/sh", "-c", errand.command), env=self._env)
