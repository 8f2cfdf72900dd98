"""The configuration as it holds in a repository, or around a folder."""

import os
from collections.abc import Mapping
from pathlib import Path

from toryo.adapters.git.place import find_place
from toryo.adapters.settings import Settings, load_settings
from toryo.adapters.settings import rows as rows
from toryo.app.project import Project
from toryo.domain.errors import ToryoError


def settings_of(project: Project, flags: Mapping[str, object] | None = None) -> Settings:
    return load_settings(project.place.root, os.environ, flags or {})


def settings_around(where: Path) -> Settings:
    """The configuration that holds in a folder, which need not be in a repository."""
    try:
        root: Path | None = find_place(where).root
    except ToryoError:
        root = None
    return load_settings(root, os.environ, {})
