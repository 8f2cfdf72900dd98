"""`/models`: those that are known for the provider, and the one in use."""

from toryo.app.choosing import in_use
from toryo.domain.errors import Exit
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.reading import Typed
from toryo.frontends.repl.verbs.choosing import models_to_choose, opened, show_standing
from toryo.frontends.speech import room, show
from toryo.views.columns import columns


def models(dialogue: Dialogue, typed: Typed) -> int:
    project, memory = opened()
    show_standing(project, memory)
    used = in_use(project, memory.chosen)
    rows = [
        ("*" if name == used.model else " ", name, says) for name, says in models_to_choose(project, memory).items()
    ]
    for line in columns(rows, (), room()):
        show(line)
    show("/model NAME selects one for sessions that are begun from now on; any name will do")
    return Exit.COMPLETE
