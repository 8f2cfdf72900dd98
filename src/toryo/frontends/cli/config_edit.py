"""`toryo config edit`: the file in the person's own editor, looked at afterwards."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import click

from toryo.app.configuring import draft, file_to_change
from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.config_set import project_option
from toryo.frontends.cli.talking import here, say

_EDITORS = ("sensible-editor", "nano", "vi")


@click.command(name="edit", epilog="Example: EDITOR=nano toryo config edit --project")
@project_option
def command(project: bool) -> None:
    """Open your own configuration file, or the project's, in $VISUAL or $EDITOR; it is validated afterwards."""
    path = file_to_change(here(), project=project)
    editor = _editor()
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    code = _run([*editor, str(path)])
    if is_new and path.stat().st_size == 0:
        path.unlink()
    if code:
        raise ToryoError("E123", f"the editor {editor[0]} ended with {code}", hint="set VISUAL or EDITOR")
    try:
        draft(here(), path, {})
    except ToryoError as error:
        error.kept = f"{path} as you saved it"
        error.hint = "correct it: toryo config edit" + (" --project" if project else "")
        raise
    say(f"{path} is valid" if path.exists() else "nothing was written")


def _editor() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    found = shlex.split(named) or [name for name in _EDITORS if shutil.which(name)][:1]
    if not found:
        raise ToryoError("E123", "no editor was found", hint="set VISUAL or EDITOR", exit_code=Exit.MISSING)
    return found


def _run(argv: list[str]) -> int:
    try:
        return subprocess.run(argv, cwd=Path.cwd(), check=False).returncode
    except OSError as error:
        words = f"the editor {argv[0]} cannot be started: {error.strerror or error}"
        raise ToryoError("E123", words, hint="set VISUAL or EDITOR", exit_code=Exit.MISSING) from None
