"""`/models`: those that are known for the provider, and the one in use."""

from toryo.app.choosing import in_use, known_models
from toryo.domain.errors import Exit
from toryo.frontends.repl.conversation import Conversation
from toryo.frontends.repl.reading import Typed
from toryo.frontends.repl.verbs.choosing import opened, show_standing
from toryo.frontends.speech import room, show
from toryo.views.columns import columns


def models(conversation: Conversation, typed: Typed) -> int:
    project, memory = opened()
    show_standing(project, memory)
    used = in_use(project, memory.chosen)
    known = known_models(project, used.provider)
    if used.model:
        known.setdefault(used.model, "selected")
    rows = [("*" if name == used.model else " ", name, says) for name, says in known.items()]
    for line in columns(rows, (), room()):
        show(line)
    show("/model NAME selects one for sessions that are begun from now on; any name will do")
    return Exit.COMPLETE
