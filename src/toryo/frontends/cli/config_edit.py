"""`toryo config edit`: the file in the person's own editor, looked at afterwards."""

import click

from toryo.app.configuring import draft, file_to_change
from toryo.domain.errors import ToryoError
from toryo.frontends.cli.config_set import project_option
from toryo.frontends.cli.editing import edit, editor
from toryo.frontends.cli.talking import here, say


@click.command(name="edit", epilog="Example: EDITOR=nano toryo config edit --project")
@project_option
def command(project: bool) -> None:
    """Open your own configuration file, or the project's, in $VISUAL or $EDITOR; it is validated afterwards."""
    path = file_to_change(here(), project=project)
    editor()
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    try:
        edit(path)
    finally:
        if is_new and path.stat().st_size == 0:
            path.unlink()
    try:
        draft(here(), path, {})
    except ToryoError as error:
        error.kept = f"{path} as you saved it"
        error.hint = "correct it: toryo config edit" + (" --project" if project else "")
        raise
    say(f"{path} is valid" if path.exists() else "nothing was written")
