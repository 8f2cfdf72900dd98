"""`/config` and `/init`: look at the configuration, and change it."""

from toryo.frontends.repl.conversation import Conversation
from toryo.frontends.repl.reading import Typed

_ASKING = ("init", "edit")


def config(conversation: Conversation, typed: Typed) -> int:
    words = typed.words or ["show"]
    if words[0] == "edit" and conversation.config.non_interactive:
        raise conversation.needs_terminal("an editor", "/config set KEY VALUE changes one value")
    return conversation.line.invoke("config", words)


def init(conversation: Conversation, typed: Typed) -> int:
    return conversation.line.invoke("config", ["init", *typed.words])


def asks_or_edits(typed: Typed) -> bool:
    return typed.rest.lower().startswith(_ASKING)
