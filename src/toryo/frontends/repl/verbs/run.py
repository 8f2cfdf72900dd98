"""`/run` and `/plan`: an instruction without quotes, or whatever else the command line takes."""

from toryo.frontends.repl.dialogue import Dialogue, no_standard_input
from toryo.frontends.repl.freetext import options_of, take_flags, take_words
from toryo.frontends.repl.reading import Typed


def run(dialogue: Dialogue, typed: Typed) -> int:
    return begin(dialogue, typed.name, *instruction_in(dialogue, typed.name, typed.rest))


def instruction_in(dialogue: Dialogue, command: str, rest: str) -> tuple[list[str], str]:
    """Options and words."""
    options = options_of(dialogue.line.command(command))
    flags, text = take_flags(rest, options)
    text, more = take_words(text, options)
    return flags + more, text


def begin(dialogue: Dialogue, command: str, flags: list[str], text: str) -> int:
    if text.strip() == "-":
        raise no_standard_input()
    return dialogue.line.invoke(command, [*flags, "--", text] if text else flags)
