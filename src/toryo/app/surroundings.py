"""What around an intent decides whether work on it can begin: the configuration, and where the checkout stands."""

import os
from pathlib import Path

from toryo.adapters.settings import config_files
from toryo.app.project import Project


def surrounding_files(project: Project) -> tuple[Path, ...]:
    """Files whose change may make possible what was not."""
    git_dir = project.place.git_dir
    return (*config_files(project.place.root, os.environ), git_dir / "HEAD", git_dir / "logs" / "HEAD")


def surroundings_of(project: Project) -> object:
    """Equal as long as nothing of that has changed."""
    git_dir = project.place.git_dir
    under_way = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
    return (
        tuple(sight_of(path) for path in surrounding_files(project)),
        tuple((git_dir / name).exists() for name in under_way),
    )


def sight_of(path: Path) -> tuple[int, int, int] | None:
    """Another one once the file was changed; None: there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
