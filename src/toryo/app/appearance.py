"""How a person wants the terminal app to look, from one time to the next and in every repository."""

import os

from toryo.adapters.themefile import ThemeFile


def theme_before() -> str:
    """The theme that was chosen last; empty: none."""
    return ThemeFile(os.environ).read()


def keep_theme(name: str) -> None:
    ThemeFile(os.environ).keep(name)
