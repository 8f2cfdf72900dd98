"""`/help`."""

from toryo.domain.errors import Exit
from toryo.frontends.repl.conversation import Conversation
from toryo.frontends.repl.reading import Typed
from toryo.frontends.speech import room, show
from toryo.views.columns import columns


def help_(conversation: Conversation, typed: Typed) -> int:
    own = {name: verb.says for name, verb in conversation.own.items()}
    for line in columns(
        [(f"/{name}", says) for name, says in {**own, **conversation.line.summaries}.items()], (), room()
    ):
        show(line)
    return Exit.COMPLETE
