"""Old events read as if they had been written today."""

from collections.abc import Callable
from typing import Any

VERSION = 1
"""The version new events are written with; raise it when a stored shape changes, and add a step below."""

Step = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]
STEPS: dict[int, Step] = {}
"""From a version to the next: `STEPS[1]` turns (kind, fields) of version 1 into version 2."""


def upcast(kind: str, version: int, data: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Kind and fields as of the current version."""
    if version > VERSION:
        raise ValueError(f"written by a newer Toryo (event version {version}, this one knows {VERSION})")
    for step in range(version, VERSION):
        kind, data = STEPS[step](kind, data)
    return kind, data
