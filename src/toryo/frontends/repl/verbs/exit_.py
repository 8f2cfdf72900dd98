"""`/exit`."""

from toryo.frontends.repl.conversation import Conversation, Leave
from toryo.frontends.repl.reading import Typed


def exit_(conversation: Conversation, typed: Typed) -> int:
    raise Leave
