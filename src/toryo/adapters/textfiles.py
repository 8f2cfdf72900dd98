"""Files that people name on the command line and that cannot be had, in words."""

from pathlib import Path

from toryo.domain.errors import Exit, ToryoError


def unreachable(path: Path, error: Exception, *, code: str, kind: str, example: str = "") -> ToryoError:
    """Why a file that should be a plan, a list of tasks, … cannot be read, and what to do."""
    match error:
        case FileNotFoundError():
            said, hint = f"there is no file {path}", f"check the path of the {kind}"
        case IsADirectoryError():
            said, hint = f"{path} is a directory, not a {kind}", f"name a file in it{example}"
        case _:
            said = f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
            hint = "check the file"
    return ToryoError(code, said, hint=hint, exit_code=Exit.USAGE)
