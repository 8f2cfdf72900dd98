"""`/exit`: leave, and say what goes on without us."""

from toryo.frontends.repl.dialogue import Dialogue, Leave
from toryo.frontends.repl.leaving import farewell
from toryo.frontends.repl.reading import Typed
from toryo.frontends.speech import show


def exit_(dialogue: Dialogue, typed: Typed) -> int:
    for line in farewell():
        show(line)
    raise Leave
