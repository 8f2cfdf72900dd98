"""Pictures of the terminal app (SVG), compared with those kept beside the tests; `--snapshot-update` draws them anew.

    await still(pilot)
    assert picture(pilot, hide={commit: "0" * 7}) == snapshot(extension_class=Pictures)

What differs from run to run (ids of commits, folders) is replaced by something of the same width; dates are best made
relative to now, so that ages are always the same.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import ClassVar

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.pilot import Pilot

_DRAWING = re.compile(r"terminal-\d+")
"""Rich numbers its drawings by their content."""


class Pictures(SingleFileSnapshotExtension):
    """One file per picture, so that it can be looked at."""

    file_extension: ClassVar[str] = "svg"
    _write_mode = WriteMode.TEXT


def picture(pilot: Pilot[int], hide: Mapping[str, str] | None = None) -> str:
    """The screen as it is now."""
    drawn = pilot.app.export_screenshot()
    for text, instead in (hide or {}).items():
        drawn = drawn.replace(_in_svg(text), _in_svg(instead))
    return _DRAWING.sub("terminal", drawn)


async def still(pilot: Pilot[int]) -> None:
    """Waits until nothing moves any more: what was loaded is laid out only after it was put there."""
    before = ""
    while before != (now := pilot.app.export_screenshot()):
        before = now
        await pilot.pause(0.3)


def _in_svg(text: str) -> str:
    return escape(text).replace(" ", "&#160;")
