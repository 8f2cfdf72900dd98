"""`toryo` alone: the terminal app."""

from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.frontends.cli.talking import here


def open_app(mode: str = "branches") -> int:
    """The exit code; errors that keep it from opening are those of any command."""
    project = open_project(here())
    only_a_person(project)
    from toryo.frontends.tui.app import ToryoApp

    project.close()
    return ToryoApp(project, begins_with=mode).run() or 0
