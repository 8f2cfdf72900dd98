"""`/config` and `/init`: look at the configuration, and change it."""

from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.reading import Typed

_ASKING = ("init", "edit")


def config(dialogue: Dialogue, typed: Typed) -> int:
    words = typed.words or ["show"]
    if words[0] == "edit" and dialogue.config.non_interactive:
        raise dialogue.needs_terminal("an editor", "/config set KEY VALUE changes one value")
    return dialogue.line.invoke("config", words)


def init(dialogue: Dialogue, typed: Typed) -> int:
    return dialogue.line.invoke("config", ["init", *typed.words])


def asks_or_edits(typed: Typed) -> bool:
    return typed.rest.lower().startswith(_ASKING)
