"""A file in the person's own editor."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.talking import is_interactive

_EDITORS = ("sensible-editor", "nano", "vi")


def editor() -> list[str]:
    """As a command; raises ToryoError where there is none."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        found = shlex.split(named)
    except ValueError as error:
        raise ToryoError("E123", f"VISUAL or EDITOR cannot be understood: {error}", hint="correct it") from None
    if not found and not is_interactive():  # it would wait for keys that nobody presses
        hint = "set VISUAL or EDITOR, or change the file by hand"
        raise ToryoError("E123", "without a terminal an editor has to be named", hint=hint, exit_code=Exit.MISSING)
    found = found or [name for name in _EDITORS if shutil.which(name)][:1]
    if not found:
        raise ToryoError("E123", "no editor was found", hint="set VISUAL or EDITOR", exit_code=Exit.MISSING)
    return found


def edit(path: Path) -> None:
    """Waits until the person is done; raises ToryoError where that cannot be."""
    command = editor()
    try:
        code = subprocess.run([*command, str(path)], cwd=Path.cwd(), check=False).returncode
    except OSError as error:
        words = f"the editor {command[0]} cannot be started: {error.strerror or error}"
        raise ToryoError("E123", words, hint="set VISUAL or EDITOR", exit_code=Exit.MISSING) from None
    if code:
        raise ToryoError("E123", f"the editor {command[0]} ended with {code}", hint="set VISUAL or EDITOR")
