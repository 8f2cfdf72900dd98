"""Markdown that models wrote, shown as what it is: nothing in it is a tag, an entity or a link that opens."""

from markdown_it import MarkdownIt
from textual.widgets import Markdown

from toryo.views.screen import clean

_MOST = 200_000
"""Characters: what is longer than any document is cut off, and says so."""


def _parser() -> MarkdownIt:
    # An entity could bring back what `clean` has taken out.
    return MarkdownIt("gfm-like", {"html": False}).disable("entity")


def markdown(text: str = "", *, classes: str | None = None) -> Markdown:
    if len(text) > _MOST:
        text = f"{text[:_MOST]}\n\n… (cut off: it is too long to be shown here)"
    return Markdown(clean(text), parser_factory=_parser, open_links=False, classes=classes)
