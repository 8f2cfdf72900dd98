"""Typing a prompt into a terminal, as if a person had pasted it."""

import asyncio
import os
import re

from toryo.adapters.hosts.windows import Window

# Programs that see the Enter too soon take it for a part of what was pasted.
_BEFORE_ENTER = 0.3
# Would end the paste, or do whatever else a key does.
_KEYS = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"


async def screen_text(window: Window) -> str:
    """What the terminal shows; lines that were too long for it are whole again."""
    return await window.tmux.ask(["capture-pane", "-p", "-J", "-t", window.pane])


async def type_in(window: Window, text: str) -> None:
    buffer = f"toryo-{os.urandom(4).hex()}"
    # A person may be scrolling, or looking at another mode on top of that: keys would go there.
    leave = ["if-shell", "-F", "-t", window.pane, "#{pane_in_mode}", f"send-keys -t {window.pane} -X cancel"]
    load = ["load-buffer", "-b", buffer, "-"]
    paste = ["paste-buffer", "-p", "-d", "-b", buffer, "-t", window.pane]
    await window.tmux.ask(leave, leave, load, paste, stdin=_harmless(text).encode("utf-8", "surrogateescape"))
    await asyncio.sleep(_BEFORE_ENTER)
    await window.tmux.ask(leave, leave, ["send-keys", "-t", window.pane, "Enter"])


def _harmless(text: str) -> str:
    return re.sub(_KEYS, "", text.replace("\r\n", "\n"))
