"""What the panels beside the list say, laid out for the room they have."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from textual.content import Content

from toryo.domain.branch import BranchSummary, Details
from toryo.domain.errors import ToryoError
from toryo.views.branches import change_lines, commit_lines, facts_about, file_lines, summary_note, total_words
from toryo.views.columns import width
from toryo.views.folding import folded
from toryo.views.screen import clean

_DIM, _HEADING = "dim", "bold"
_NUMBERS = re.compile(r"(\+\d+)(\s+)(-\d+)(.*)", re.DOTALL)


def details_content(details: Details, room: int, now: float, root: Path) -> Content:
    """What it is, its commits, what is not committed, and the files it changes."""
    facts = [(word, says.removeprefix(f"{root}/")) for word, says in facts_about(details, now)]
    parts: list[Content | str] = [*_facts(facts, room)]
    if details.commits:
        parts += ["", _heading(total_words(details), f"since {details.base}" if details.base else "")]
        parts += map(_plain, commit_lines(details, room, now))
    elif details.base:
        parts += ["", _dim(f"nothing that is not on {clean(details.base)} as well")]
    if details.changes:
        parts += ["", _heading("Not committed"), *map(_plain, change_lines(details, room))]
    if details.files:
        parts += ["", _heading("Files"), *map(_counted, file_lines(details, room))]
    return Content("\n").join(parts)


def summary_content(summary: BranchSummary, room: int, now: float) -> Content:
    """The model's words, and whose they are."""
    return Content("\n").join([*_folded_markdown(summary.text, room), "", _dim(summary_note(summary, now))])


def coming_content(text: str, room: int) -> Content:
    """What has been said so far."""
    return Content("\n").join([*_folded_markdown(f"{text} …", room), "", _dim("asking the model …")])


def _folded_markdown(text: str, room: int) -> list[str]:
    """A few sentences and a list: as text they read as well, without what makes letters bold."""
    return folded(clean(text).strip().replace("**", ""), room)


def note(*lines: str) -> Content:
    """Words instead of what is not there."""
    return Content("\n").join(_dim(clean(line)) for line in lines)


def error_lines(error: ToryoError) -> list[str]:
    """What went wrong, in a panel instead of what was wanted there."""
    hint = [f"hint: {error.hint}"] if error.hint else []
    return [f"{error.message} ({error.code})", *error.details[:3], *hint]


def _facts(facts: Sequence[tuple[str, str]], room: int) -> Iterable[Content]:
    """Words in a column of their own; what they say is folded beside them."""
    words = max((width(word) for word, _ in facts), default=0) + 1
    for word, says in facts:
        for place, line in enumerate(folded(says, max(room - words, 8))):
            begins = clean(word) if place == 0 else ""
            yield _dim(begins + " " * (words - width(begins))) + line


def _heading(text: str, beside: str = "") -> Content:
    parts = [(clean(text), _HEADING), *([(f" {clean(beside)}", _DIM)] if beside else [])]
    return Content.assemble(*parts)


def _counted(line: str) -> Content:
    """Numbers of lines in their colours; the signs say it as well."""
    if not (found := _NUMBERS.match(line)):
        return Content(line)
    added, gap, removed, path = found.groups()
    return Content.assemble((added, "$text-success"), gap, (removed, "$text-error"), path)


def _plain(text: str) -> Content:
    return Content(text)


def _dim(text: str) -> Content:
    return Content.styled(text, _DIM)
