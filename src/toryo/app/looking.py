"""The first look at a repository, begun before anything heavy is loaded."""

from pathlib import Path

from toryo.adapters.git.place import Look, find_place, look_for_identity


def begin_to_look(where: Path) -> Look:
    """Git is asked for all that opening a session needs; the answers are waited for where they are needed."""
    place = find_place(where)
    look = Look(place)
    look_for_identity(place)
    return look
