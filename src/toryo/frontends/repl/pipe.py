"""Without a terminal: one line after the other, each answered before the next is read."""

import sys
from typing import TextIO

from toryo.domain.errors import Exit
from toryo.frontends.repl.conversation import Conversation, Leave


def converse(conversation: Conversation, said: TextIO) -> int:
    """The exit code of it all."""
    codes: list[int] = []
    try:
        for line in said:
            codes.append(conversation.answer(line))
            sys.stdout.flush()
    except Leave:
        pass
    return max(codes, default=int(Exit.COMPLETE))
