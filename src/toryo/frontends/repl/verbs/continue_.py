"""`/continue`: add to a session what is missing, or something more."""

from toryo.frontends.repl.dialogue import Dialogue, no_standard_input
from toryo.frontends.repl.freetext import options_of
from toryo.frontends.repl.meaning import here, take_apart
from toryo.frontends.repl.reading import Typed


def continue_(dialogue: Dialogue, typed: Typed) -> int:
    project = here()
    said = take_apart(typed.rest, options_of(dialogue.line.command("continue")), project, ())
    if said.text == "-":
        raise no_standard_input()
    which = said.which or project.session().id  # or the words' first would be taken for an id
    return dialogue.line.invoke("continue", [*said.flags, "--", which, *([said.text] if said.text else [])])
