"""`/keys`: whether providers' keys are set, and setting them; typed unseen, never in the line."""

from toryo.app.keys import KEYED
from toryo.domain.errors import ToryoError
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.reading import Typed

_CHANGING = ("set", "remove")


def keys(dialogue: Dialogue, typed: Typed) -> int:
    words = typed.words
    if words in ([], ["--json"]):
        return dialogue.line.invoke("keys", words)
    # Whatever else was typed may be a key, and is neither repeated nor handed on.
    verb, provider = words[0].lower(), words[1].lower() if len(words) > 1 else ""
    if verb not in _CHANGING or provider not in KEYED or len(words) > 2:
        raise refused(has_more=len(words) > 2 or verb not in _CHANGING)
    if verb == "set" and dialogue.config.non_interactive:
        variable = f"{provider.upper()}_API_KEY"
        instead = f"set {variable} before, or in a shell: pass show {provider} | toryo keys set {provider}"
        raise dialogue.needs_terminal("typing a key unseen", instead)
    return dialogue.line.invoke("keys", [verb, provider])


def asks_for_key(typed: Typed) -> bool:
    return typed.rest.lower().startswith("set")


def refused(*, has_more: bool) -> ToryoError:
    """What was typed may hold a key, or says too little."""
    forms = f"/keys, /keys set {'|'.join(KEYED)}, or /keys remove {'|'.join(KEYED)}"
    if has_more:
        words = "a key is never typed in the line: what you typed was not kept"
        return ToryoError("E163", words, hint=f"{forms}; you are asked for the key, and it is not shown")
    return ToryoError("E163", "whose key is not clear", hint=forms)
