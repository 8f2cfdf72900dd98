"""A repository of its own in a fresh folder, for work that begins with nothing."""

import os
import shutil
import tempfile
from pathlib import Path

from toryo.adapters.git.command import IDENTITY, Git
from toryo.domain.errors import Exit, GitFailed, ToryoError

_BRANCH = "main"
_MESSAGE = "An empty beginning"


def found_repository() -> Path:
    """The folder, which only we may enter, with a first commit; nothing is left of it where that fails."""
    if shutil.which("git") is None:
        raise ToryoError("E101", "git is not installed", hint="install git, then try again", exit_code=Exit.MISSING)
    try:
        folder = Path(tempfile.mkdtemp(prefix="toryo-")).resolve()
    except OSError as error:
        raise _not_founded(error.strerror or str(error)) from error
    try:
        _begin(folder)
    except (OSError, GitFailed) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise _not_founded(str(error)) from error
    return folder


def _begin(folder: Path) -> None:
    git = Git(os.environ)
    git.text(folder, "init", "--quiet", f"--initial-branch={_BRANCH}")
    if git.run(folder, "var", "GIT_COMMITTER_IDENT").returncode:
        git.use_identity(IDENTITY)
    git.text(folder, "commit", "--quiet", "--allow-empty", f"--message={_MESSAGE}")


def _not_founded(why: str) -> ToryoError:
    return ToryoError(
        "E157",
        f"no temporary project can be made: {why}",
        hint="TMPDIR says where; or work in a repository of yours: --project PATH",
        exit_code=Exit.MISSING,
    )
