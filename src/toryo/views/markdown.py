"""Text that others wrote, as part of a Markdown file: it stays in its line, its cell or its block."""

import re

from toryo.rules.masking import mask

_SPAN = re.compile(r"(?<!`)(`[^`]+`)(?!`)")
_SPECIAL = re.compile(r"[\\`*<]|(?<!\w)_|_(?!\w)|\](?=[(\[:])")
_OPENING = re.compile(r"[#>+=~\[-]|\d+(?=[.)])")
"""What begins a heading, a list, a quotation or a box to tick."""


def line(text: str, most: int = 400) -> str:
    """On one line, masked, and unable to become anything but text; code between backticks stays code."""
    return _guarded(_escaped(text, most))


def _escaped(text: str, most: int) -> str:
    words = " ".join("".join(c if c.isprintable() else " " for c in mask(text)).split())
    words = words if len(words) <= most else words[: most - 1].rstrip() + "…"
    parts = _SPAN.split(words)
    escaped = [part if place % 2 else _SPECIAL.sub(r"\\\g<0>", part) for place, part in enumerate(parts)]
    return "".join(escaped)


def _guarded(words: str) -> str:
    opening = _OPENING.match(words)
    if opening is None:
        return words
    place = opening.end() if opening[0][0].isdigit() else 0
    return f"{words[:place]}\\{words[place:]}"


def cell(text: str, most: int = 400) -> str:
    return _escaped(text, most).replace("|", "\\|")


def row(*cells: str) -> str:
    """One row of a table, of cells that are Markdown already."""
    return "| " + " | ".join(cells) + " |"


def code(text: str) -> str:
    """As code, whatever is in it."""
    words = " ".join(mask(text).split())
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{words}{pad}{fence}" if words else "-"


def fenced(text: str, most: int) -> str:
    """A block of text as it is, cut at its end where it is long."""
    shown = mask(text).strip()
    shown = shown if len(shown) <= most else shown[:most].rstrip() + "\n…"
    return "```text\n" + shown.replace("```", "'''") + "\n```"


def listed(heading: str, lines: list[str]) -> str:
    """A section with these lines, which are Markdown already; nothing where there are none."""
    return f"## {heading}\n\n" + "\n".join(f"- {one}" for one in lines) if lines else ""
