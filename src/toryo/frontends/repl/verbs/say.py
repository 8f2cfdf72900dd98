"""`/say`: tell a session something while it works."""

from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.freetext import options_of
from toryo.frontends.repl.meaning import here, take_apart
from toryo.frontends.repl.reading import Typed


def say(dialogue: Dialogue, typed: Typed) -> int:
    said = take_apart(typed.rest, options_of(dialogue.line.command("say")), here(), ())
    words, which = ([part] if part else [] for part in (said.text, said.which))
    return dialogue.line.invoke("say", [*said.flags, "--", *words, *(which if words else ())])
