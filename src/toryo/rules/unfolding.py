"""A model's reply, as far as it has come, as Markdown that a person can read."""

import re

from toryo.rules.unfolding_json import told_of

_FENCE = re.compile(r"```(\w*)[ \t\r]*\n")
_MAY_BE_FENCE = re.compile(r"`{1,2}|```\w*[ \t\r]*")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_JSON = re.compile(r"\{|\[\s*[\[{\"]")
_MAY_BE_JSON = re.compile(r"\[\s*")
_LINE_OF_JSON = re.compile(r"^(?:```(?:json)?[ \t\r]*\n\s*)?(?=[{])", re.MULTILINE)
_MAY_BECOME_ONE = re.compile(r"(?:^|\n)[ \t]*(?:`{0,3}|```j?s?o?n?[ \t\r]*(?:\n\s*)?)\Z")
_CLOSING = re.compile(r"(?:^|\n)`{1,3}\s*\Z")


def unfolded(text: str) -> str:
    """Documents as they are, without a fence around them; of JSON its human texts so far.

    What was said of a shorter reply is how that of a longer one begins, so it can be shown piece by piece.
    """
    return _unfolded(text.lstrip()).rstrip()


def _unfolded(text: str) -> str:
    if _MAY_BE_FENCE.fullmatch(text) or _MAY_BE_JSON.fullmatch(text):
        return ""
    if fence := _FENCE.match(text):
        return _inside(fence[1], text[fence.end() :])
    if _JSON.match(text):
        return told_of(text)
    return _prose(text)


def _inside(kind: str, text: str) -> str:
    """What a fence around the whole reply holds."""
    inner = text.lstrip()
    if kind in ("", "json"):
        if not inner or _MAY_BE_JSON.fullmatch(inner):
            return ""
        if _JSON.match(inner):
            return told_of(inner)
    return _CLOSING.sub("", text)


def _prose(text: str) -> str:
    """Words, perhaps with JSON after them; what has headings is a document, and its examples stay as they are."""
    found = _LINE_OF_JSON.search(text)
    if found and not _HEADING.search(text, 0, found.start()):
        words = text[: found.start()].rstrip()
        told = told_of(text[found.end() :])
        return f"{words}\n\n{told}" if told else words
    if _HEADING.search(text):
        return text
    return _MAY_BECOME_ONE.sub("", text)
