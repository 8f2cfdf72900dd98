"""An agent defined in the configuration alone: a command, and how the prompt goes in."""

from collections.abc import Mapping

from toryo.ports import Errand, Invocation

PROMPT_FILE = "{prompt_file}"


class ConfiguredAgent:
    """The prompt replaces `{prompt_file}` by its path; a command without that gets it on standard input."""

    def __init__(self, name: str, command: tuple[str, ...], env: Mapping[str, str]) -> None:
        self.name = name
        self._command, self._env = command, env

    def invocation(self, errand: Errand) -> Invocation:
        prompt = str(errand.directory / "prompt.md")
        argv = tuple(part.replace(PROMPT_FILE, prompt) for part in self._command)
        return Invocation(argv, self._env, reads_prompt_from_stdin=argv == self._command)
