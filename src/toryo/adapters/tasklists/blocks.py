"""Markdown as a flat row of blocks that know their lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token

DEEPEST = 60
_LINE_END = re.compile(r"\r\n|\r|\n")
_UNDERLINE = re.compile(r"\S[^\n]{0,400}\n {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\|?[ \t:]{0,8}-+[ \t:]{0,8}\|", re.MULTILINE)


class Kind(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    PROSE = "prose"
    CODE = "code block"
    TABLE = "table"
    COMMENT = "comment or HTML block"


@dataclass(frozen=True, slots=True)
class Block:
    kind: Kind
    line: int
    last_line: int
    text: str
    depth: int = 0
    """Of a heading its level, of everything else how many lists it is in."""
    is_quoted: bool = False


def lines_of(text: str) -> list[str]:
    """As they are counted: by any of the usual line ends, without them."""
    return _LINE_END.split(text.removeprefix("\ufeff"))


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """Everything in the text but blank lines, rules and front matter."""
    text = _without_front_matter(lines)
    reader = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).disable(["reference", "lheading"])
    reader.core.ruler.enableOnly(["normalize", "block"])
    # Rules that are asked for every line are costly, so these two only where they have something to say.
    if _UNDERLINE.search(text):
        reader.enable("lheading")
    if _TABLE.search(text):
        reader.enable("table")
    return list(_walk(reader.parse(text), lines))


def _without_front_matter(lines: Sequence[str]) -> str:
    """The text with blank lines in its place, so that the others keep their numbers."""
    if lines[0].rstrip() == "---":
        for place, line in enumerate(lines[1:], 1):
            if line.rstrip() in ("---", "..."):
                return "\n".join((*[""] * (place + 1), *lines[place + 1 :]))
    return "\n".join(lines)


def _walk(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Block]:
    depth = quotes = 0
    place = 0
    while place < len(tokens):
        token = tokens[place]
        first, last = token.map or (0, 0)
        span = first + 1, max(last, first + 1)
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                depth += 1
            case "bullet_list_close" | "ordered_list_close":
                depth -= 1
            case "blockquote_open":
                quotes += 1
            case "blockquote_close":
                quotes -= 1
            case "heading_open":
                text = tokens[place + 1].content
                is_of_the_page = not depth and not quotes
                kind = Kind.HEADING if is_of_the_page else Kind.PROSE
                yield Block(kind, *span, text, int(token.tag[1]) if is_of_the_page else depth, quotes > 0)
                place += 2
            case "list_item_open":
                has_text = tokens[place + 1].type == "paragraph_open"
                yield Block(Kind.ITEM, *span, tokens[place + 2].content if has_text else "", depth, quotes > 0)
                place += 3 if has_text else 0
            case "inline":
                yield Block(Kind.PROSE, *span, token.content, depth, quotes > 0)
            case "fence" | "code_block":
                yield Block(Kind.CODE, *span, token.content, depth, quotes > 0)
            case "html_block":
                yield Block(Kind.COMMENT, *span, token.content, depth, quotes > 0)
            case "table_open":
                yield Block(Kind.TABLE, *span, "\n".join(lines[first:last]), depth, quotes > 0)
                while tokens[place].type != "table_close":
                    place += 1
        place += 1
