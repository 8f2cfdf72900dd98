"""Where the REPL works: in the repository around a folder, in a fixed one, or in a temporary one of its own."""

import os
from contextlib import closing, suppress
from pathlib import Path

from toryo.adapters.git.founding import found_repository
from toryo.adapters.git.place import (
    Look,
    NotARepository,
    Place,
    find_place,
    refuse_if_empty,
    refuse_if_unwritable,
)
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.repl import ProjectMode, ReplConfig


@fact
class Workplace:
    path: Path
    """Of the project, as people know it."""
    is_temporary: bool = False

    def go_back_if_lost(self) -> bool:
        """Whether the folder we were in was gone, as after a change of branch, and we went to the project's own."""
        try:
            Path.cwd()
        except FileNotFoundError:
            with suppress(OSError):
                os.chdir(self.path)
                return True
        return False


def is_in_repository(folder: Path) -> bool:
    """Raises ToryoError where there is one that cannot be used: that is nothing to walk past."""
    try:
        find_place(folder)
    except NotARepository:
        return False
    return True


def settle(config: ReplConfig, started: Path | None) -> Workplace:
    """Goes to the project, unless we are in it already: file names mean those where a person began to talk."""
    if config.project is not None:
        return _settle_in(config.project, started)
    if config.project_mode is ProjectMode.FIXED:
        assert config.project_root is not None
        return _settle_in(config.project_root, started, is_fixed=True)
    folder = found_repository()
    os.chdir(folder)
    return Workplace(folder, is_temporary=True)


def _settle_in(named: str, started: Path | None, *, is_fixed: bool = False) -> Workplace:
    folder = _folder(named, started)
    place = find_place(folder)
    if is_fixed and not folder.samefile(place.checkout):
        raise ToryoError(
            "E159",
            f"{folder} is only a part of the repository {place.checkout}",
            hint="a fixed project is exactly the folder that is named: --project-root with the repository's own",
        )
    refuse_if_empty(place)
    if is_fixed:
        with closing(Look(place)) as look:
            look.start()
    refuse_if_unwritable(place)
    if started is None or not _is_inside(started, place):
        os.chdir(folder)
    return Workplace(folder if folder.samefile(place.checkout) else place.checkout)


def _folder(named: str, started: Path | None) -> Path:
    """Its whole path, links kept."""
    folder = Path(named)
    if not folder.is_absolute():
        if started is None:
            raise ToryoError("E159", f"{named} cannot be found: the current folder does not exist any more")
        folder = Path(os.path.normpath(started / folder))
    if not named or not folder.is_dir():
        what = "is not a folder" if named and folder.exists() else "does not exist"
        raise ToryoError(
            "E159",
            f"the project {folder if named else 'without a name'} {what}",
            hint="name a folder in a git repository; none is made for you",
        )
    return folder


def _is_inside(started: Path, place: Place) -> bool:
    try:
        return find_place(started).checkout == place.checkout
    except ToryoError:
        return False
