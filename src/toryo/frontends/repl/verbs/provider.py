"""`/provider`: show or select who plans and judges."""

from toryo.app.choosing import selectable
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.repl import Provider
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.reading import Typed
from toryo.frontends.repl.verbs.choosing import DEFAULT, choose_one, opened, show_standing

_SAYS = {
    Provider.CLAUDE_CODE: "Claude Code, as it is installed and logged in here",
    Provider.OPENAI: "OpenAI, or any endpoint that speaks its protocol",
    Provider.ANTHROPIC: "Anthropic",
}
_FORMS = f"/provider {'|'.join(Provider)}|{DEFAULT}; /provider show says which it is"
_CONFIGURED = ("codex", "scripted")


def provider(dialogue: Dialogue, typed: Typed) -> int:
    project, memory = opened()
    wanted = " ".join(typed.words)
    if not wanted:
        if dialogue.config.non_interactive:
            raise dialogue.needs_terminal("choosing from a list", _FORMS)
        options = [(each.value, f"{each.value}: {says}") for each, says in _SAYS.items()]
        present = memory.state.selected_provider or DEFAULT
        wanted = choose_one("Who plans and judges?", [*options, (DEFAULT, "as configured")], present)
    if wanted.lower() != "show":
        memory.select(None if wanted.lower() == DEFAULT else _selected(wanted), None)
    show_standing(project, memory)
    return Exit.COMPLETE


def _selected(wanted: str) -> Provider:
    if found := selectable(wanted):
        return found
    if wanted.lower() in _CONFIGURED:
        hint = f"/config set model.provider {wanted.lower()}, then /provider {DEFAULT}"
        raise ToryoError("E161", f"{wanted.lower()} is configured, not selected", hint=hint)
    raise ToryoError("E161", f"there is no provider '{wanted}'", hint=_FORMS)
