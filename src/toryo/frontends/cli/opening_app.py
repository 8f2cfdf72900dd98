"""`toryo` alone: the terminal app."""

import gc

from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.frontends.cli.talking import here


def open_app(mode: str = "branches") -> int:
    """The exit code; errors that keep it from opening are those of any command."""
    project = open_project(here())
    only_a_person(project)
    from toryo.frontends.tui.app import ToryoApp

    project.close()
    return ToryoApp(project, begins_with=mode, when_loaded=_leave_what_is_loaded).run() or 0


_BETWEEN_LOOKS = 2_000
"""New objects between two looks for garbage: a tenth of what is right while loading. Drawing the screen makes some ten
thousand, a look takes as long as there are objects to look at, and keys wait for it."""


def _leave_what_is_loaded() -> None:
    """Whatever is there by now stays to the end: nobody looks at it again for garbage."""
    gc.freeze()
    gc.set_threshold(_BETWEEN_LOOKS)
