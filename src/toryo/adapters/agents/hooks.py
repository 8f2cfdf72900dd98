"""Hooks by which interactive programs tell Toryo what they do: whatever they say becomes a line of the signals."""

import shlex
from pathlib import Path

_LONGEST_ARGUMENT = 120_000


def command(signals: Path | None) -> str:
    """Takes what the program says on standard input; one line, one write, and nothing on standard output.

    The path is in it where that can be, because programs may keep variables from their hooks.
    """
    target = shlex.quote(str(signals)) if signals else '"$TORYO_SIGNALS"'
    return f"""printf '%s\\n' "$(cat)" >> {target}"""


def settings(names: tuple[str, ...], signals: Path | None) -> dict[str, list[object]]:
    """The same command for each of these hooks, in the form that Claude Code and Gemini CLI share."""
    return {name: [{"hooks": [{"type": "command", "command": command(signals)}]}] for name in names}


def argument_prompt(prompt: str, prompt_file: Path) -> str:
    """The prompt as an argument; where the kernel would not take it, the program is told where to read it."""
    text = prompt.encode(errors="backslashreplace")
    if len(text) < _LONGEST_ARGUMENT and b"\0" not in text:
        return text.decode()
    return f"Read the whole file {prompt_file} and do exactly what it says."
