"""Plain text: an instruction, or a yes to the plan that waits for one."""

from toryo.domain.errors import ToryoError
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.meaning import here, the_one, waiting
from toryo.frontends.repl.reading import as_elsewhere, did_you_mean
from toryo.frontends.repl.verbs.keys import refused
from toryo.frontends.repl.verbs.run import begin
from toryo.rules.keylines import keepable
from toryo.rules.phrases import means_go
from toryo.views.decisions import plans_to_approve


def instruct(dialogue: Dialogue, text: str) -> int:
    """The exit code."""
    if keepable(text) != text:
        raise refused(has_more=True)
    if meant := as_elsewhere(text, dialogue.names, dialogue.verbs_of):
        raise did_you_mean(meant)
    name = text.lower()
    plans = waiting(here(), plans_to_approve) if means_go(text) else []
    if name in dialogue.names and not plans:
        raise did_you_mean(f"/{name}")
    if means_go(text):
        nothing = ToryoError("E162", "no plan waits for your yes", hint="say in words what you want, or look: /inbox")
        return dialogue.line.invoke("approve", ["--", the_one(plans, "/approve ID", nothing).id])
    return begin(dialogue, "run", [], text)
