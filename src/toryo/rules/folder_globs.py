"""Globs out of a manifest, matched against folders part by part: no glob, however made, takes long."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import islice

_MOST_GLOBS = 200


def is_named_by(folder: str, globs: Iterable[str]) -> bool:
    """Whether one of the globs means the folder or one above it."""
    parts = folder.split("/")
    return any(_matches(parts, glob) for glob in islice(globs, _MOST_GLOBS))


def _matches(parts: list[str], glob: str) -> bool:
    reached = {0}  # how many parts of the folder the glob has used up so far
    for piece in glob.removeprefix("./").rstrip("/").split("/"):
        if not reached:
            return False
        if piece == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], piece)}
    return bool(reached)
