"""Hooks by which interactive programs tell Toryo what they do: whatever they say becomes a line of the signals."""

COMMAND = """printf '%s\\n' "$(cat)" >> "$TORYO_SIGNALS" """.strip()
"""Takes what the program says on standard input; one line, one write, and nothing on standard output."""


def argument_prompt(prompt: str, prompt_file: str) -> str:
    """The prompt as an argument; the kernel takes no longer one, so then the program is told where to read it."""
    if len(prompt.encode(errors="backslashreplace")) < _LONGEST_ARGUMENT:
        return prompt
    return f"Read the whole file {prompt_file} and do exactly what it says."


_LONGEST_ARGUMENT = 120_000
