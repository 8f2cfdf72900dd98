"""`/respond`: answer what a session or a task asks."""

from toryo.domain.errors import ToryoError
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.freetext import options_of
from toryo.frontends.repl.meaning import here, take_apart, the_one, waiting
from toryo.frontends.repl.reading import Typed
from toryo.views.decisions import intent_to_answer, to_answer


def respond(dialogue: Dialogue, typed: Typed) -> int:
    project = here()
    pending = waiting(project, to_answer, intent_to_answer)
    said = take_apart(typed.rest, options_of(dialogue.line.command("answer")), project, pending)
    which = said.which
    if not which:
        asking = [one for one in pending if one.is_question and not (one.task and "--defaults" in said.flags)]
        nothing = ToryoError("E162", "nothing asks you anything", hint="/inbox shows what waits for you")
        which = the_one(asking or pending, "/respond ID", nothing).id
    words = [said.text] if said.text else []
    return dialogue.line.invoke("answer", [*said.flags, "--", which, *words])
