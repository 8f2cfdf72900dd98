"""Changing the configuration: everything is validated as a whole before a file is touched."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.adapters.git.place import find_place
from toryo.adapters.models.known import DEFAULT_MODELS as DEFAULT_MODELS
from toryo.adapters.models.known import KEY_VARIABLES as KEY_VARIABLES
from toryo.adapters.settingfile import Values, content_of, with_values, write_content
from toryo.adapters.settingkeys import PROVIDERS as PROVIDERS
from toryo.adapters.settings import Settings as Settings
from toryo.adapters.settings import as_text, config_files, load_settings, user_config_file, value_in
from toryo.app.models import choose, make_model
from toryo.app.persons import refuse_inside_a_run
from toryo.domain.calls import Call, CallFailed, Message, Speaker
from toryo.domain.errors import Exit, ToryoError

_TINY_CALL = Call("You answer in one word.", (Message(Speaker.USER, "Say OK."),), max_tokens=200)


@dataclass(frozen=True, slots=True)
class Draft:
    """A configuration file as it would be, and what would then hold here."""

    path: Path
    content: bytes
    settings: Settings

    def save(self) -> None:
        if self.content != content_of(self.path):
            write_content(self.path, self.content)


def file_to_change(where: Path, *, project: bool) -> Path:
    """The project's file, or the person's own, which needs no repository; what may run by itself is theirs to say."""
    root = find_place(where).root if project else None
    refuse_inside_a_run(root)
    return config_files(root, os.environ)[1] if root else user_config_file(os.environ)


def draft(where: Path, path: Path, values: Values) -> Draft:
    """Raises if the configuration would not be valid then."""
    content = with_values(path, content_of(path), values)
    return Draft(path, content, load_settings(_root(where), os.environ, {}, {path: content}))


def set_value(where: Path, key: str, text: str, *, project: bool) -> Draft:
    path = file_to_change(where, project=project)
    return draft(where, path, {tuple(key.split(".")): value_in(key, text)})


def as_written(key: str, text: str) -> str:
    """What the file holds then, as `config show` would say it; another layer may go before it."""
    return as_text(tuple(key.split(".")), value_in(key, text))


def _root(where: Path) -> Path | None:
    try:
        return find_place(where).root
    except ToryoError:
        return None


async def try_model(settings: Settings, environ: Mapping[str, str]) -> str:
    """Asks the planning model one tiny question; what it is called. Raises ToryoError if no answer comes."""
    found = choose(settings, "plan", environ)
    if found is None or found.missing:
        raise ToryoError(
            "E510",
            f"the model cannot be tried: {found.missing if found else 'none is configured'}",
            hint=found.hint if found else "toryo config init",
            exit_code=Exit.MISSING,
        )
    model = make_model(found.settings, settings, environ)
    try:
        reply = await model.reply(_TINY_CALL, lambda _: None)
    except CallFailed as failed:
        raise ToryoError(
            "E514",
            f"{model.name} did not answer: {failed.trouble}: {failed.message}",
            hint="correct the provider, the model, the URL or the key, and try again",
            exit_code=Exit.MISSING,
        ) from None
    finally:
        await model.close()
    return f"{model.name} answered ({reply.usage.tokens} tokens)"
