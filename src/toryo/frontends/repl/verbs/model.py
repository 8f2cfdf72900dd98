"""`/model`: select a model by its name."""

from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.freetext import take_words
from toryo.frontends.repl.reading import Typed
from toryo.frontends.repl.verbs.choosing import DEFAULT, choose_one, models_to_choose, opened, show_standing

_FORMS = f"/model NAME, or /model {DEFAULT}; /models lists those that are known"


def model(dialogue: Dialogue, typed: Typed) -> int:
    project, memory = opened()
    wanted = typed.rest.strip()
    if not wanted:
        if dialogue.config.non_interactive:
            raise dialogue.needs_terminal("choosing from a list", _FORMS)
        options = [(name, f"{name} ({says})") for name, says in models_to_choose(project, memory).items()]
        wanted = choose_one(
            "Which model?", [*options, (DEFAULT, "as configured")], memory.state.selected_model or DEFAULT
        )
    wanted = take_words(wanted, {})[0].strip()
    if not wanted:
        raise ToryoError("E161", "a model's name is not empty", hint=_FORMS)
    memory.select(memory.state.selected_provider, None if wanted.lower() == DEFAULT else wanted)
    show_standing(project, memory)
    return Exit.COMPLETE
