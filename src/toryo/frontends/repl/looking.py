"""Which commands only look: nothing is lost where they are stopped in the middle."""

from toryo.domain.errors import ToryoError
from toryo.frontends.repl.reading import Typed, read

_LOOK = frozenset(
    [
        *("help", "status", "info", "tasks", "conflicts", "diff", "logs", "trace", "report", "inbox", "agents"),
        *("verify", "doctor", "models"),
    ]
)
_LOOK_WHEN_BARE = frozenset({"config", "keys", "prompts", "budget", "provider", "model"})


def only_looks(said: str) -> bool:
    try:
        typed = read(said)
        if not isinstance(typed, Typed):
            return typed is None
        words = typed.words
    except ToryoError:
        return True  # it will be refused
    if typed.name in _LOOK_WHEN_BARE:
        return words in ([], ["show"], ["list"])
    return typed.name in _LOOK


def leaves(said: str) -> bool:
    try:
        typed = read(said)
    except ToryoError:
        return False
    return isinstance(typed, Typed) and typed.name == "exit" and not typed.asks_for_help
