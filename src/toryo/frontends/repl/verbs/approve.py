"""`/approve`: let a plan be carried out, or a task go on."""

from toryo.domain.errors import ToryoError
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.freetext import options_of
from toryo.frontends.repl.meaning import here, more_ids, take_apart, the_one, waiting
from toryo.frontends.repl.reading import Typed
from toryo.views.decisions import intent_to_approve, to_approve


def approve(dialogue: Dialogue, typed: Typed) -> int:
    project = here()
    pending = waiting(project, to_approve, intent_to_approve)
    said = take_apart(typed.rest, options_of(dialogue.line.command("approve")), project, pending)
    which, (others, why) = said.which, more_ids(said.text, project) if said.which else ([], said.text)
    if not which and len(why.split()) == 1:
        which, why = why, ""  # one word is an id; if it is a wrong one, nothing else is approved in its place
    if not which:
        nothing = ToryoError("E162", "nothing waits for your approval", hint="/inbox shows what waits for you")
        which = the_one(pending, "/approve ID", nothing).id
    reason = ["--why", why] if why else []
    return dialogue.line.invoke("approve", [*said.flags, *reason, "--", which, *others])
