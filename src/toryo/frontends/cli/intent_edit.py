"""`toryo intent edit`: the file in the person's own editor, looked at afterwards."""

import click

from toryo.app.intents import intent_files, the_slug
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent
from toryo.frontends.cli.editing import edit
from toryo.frontends.cli.talking import here, is_interactive, say


@click.command(name="edit", epilog="Example: EDITOR=nano toryo intent edit fix-login-validation")
@click.argument("wanted", metavar="INTENT")
def command(wanted: str) -> None:
    """Open an intent's file in $VISUAL or $EDITOR; what you saved is looked at, and never thrown away."""
    project = open_project(here(), writing=True)
    only_a_person(project)
    intent = edit_until_valid(project, the_slug(intent_files(project), wanted))
    say(f"{intent.slug} is valid: {intent.status}")


def edit_until_valid(project: Project, slug: str) -> Intent:
    """The intent as the person left it; raises ToryoError where it cannot be read and nobody puts it right."""
    files = intent_files(project)
    while True:
        edit(files.path(slug))
        try:
            return files.read(slug)
        except ToryoError as error:
            error.kept = f"{files.path(slug).relative_to(project.place.root)} as you saved it"
            error.hint = f"correct it: toryo intent edit {slug}"
            if not is_interactive():
                raise
            for line in (error.message, *error.details):
                say(line)
            if not click.confirm("Correct it now?", default=True, err=True):
                raise
