"""The agent that needs no model: runs the task's own command in its worktree."""

from toryo.ports import Errand, Invocation


class ShellAgent:
    """Codemods, generators, fixers: anything a command can do."""

    name = "shell"

    def invocation(self, errand: Errand) -> Invocation:
        return Invocation(argv=("/bin/sh", "-c", errand.command), env={})
