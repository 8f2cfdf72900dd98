"""`/reject`: have a plan made anew."""

from toryo.domain.errors import ToryoError
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.freetext import options_of
from toryo.frontends.repl.meaning import here, take_apart, the_one, waiting
from toryo.frontends.repl.reading import Typed
from toryo.views.decisions import plans_to_approve


def reject(dialogue: Dialogue, typed: Typed) -> int:
    project = here()
    plans = waiting(project, plans_to_approve)
    said = take_apart(typed.rest, options_of(dialogue.line.command("reject")), project, plans)
    nothing = ToryoError("E162", "no plan waits for your approval", hint="/inbox shows what waits for you")
    which = said.which or the_one(plans, "/reject ID what should be different", nothing).id
    has_reason = any(flag.startswith("--why") for flag in said.flags)
    if not said.text and not has_reason:
        raise ToryoError("E165", "nobody knows what should be different", hint="/reject [ID] what should be different")
    reason = ["--why", said.text] if said.text else []
    return dialogue.line.invoke("reject", [*said.flags, *reason, "--", which])
