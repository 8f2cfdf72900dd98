"""Which templates hold where: the project's, the person's, the built-in ones."""

import os
from collections.abc import Sequence
from pathlib import Path

from toryo.adapters.git.place import Place, cannot_write, find_place
from toryo.adapters.prompts import Prompts, names
from toryo.adapters.prompts import Template as Template
from toryo.adapters.settings import user_config_file
from toryo.domain.errors import ToryoError

PROJECT, USER = "project", "user"


def prompts_of(place: Place | None) -> Prompts:
    folders = {PROJECT: place.root / ".toryo" / "prompts"} if place else {}
    return Prompts({**folders, USER: user_config_file(os.environ).parent / "prompts"})


def prompts_around(where: Path) -> Prompts:
    """Those that hold in a folder, which need not be in a repository."""
    try:
        return prompts_of(find_place(where))
    except ToryoError:
        return prompts_of(None)


def eject(where: Path, wanted: Sequence[str], *, for_user: bool, force: bool) -> list[Path]:
    """Copies the built-in templates, all where none is named; raises ToryoError where that cannot be."""
    prompts = prompts_of(None) if for_user else prompts_of(find_place(where))
    origin = USER if for_user else PROJECT
    try:
        return prompts.eject(wanted or names(), origin, force=force)
    except OSError as error:
        raise cannot_write(prompts.folders[origin], error) from error
