"""TOML and JSON that strangers wrote: what cannot be read is nothing, and nothing raises."""

import json
import re
import tomllib
from typing import Any

_MOST_DOTS = 200  # in a line; a key of ten thousand parts takes ten seconds to parse
# What is not closed ends with the text: looking for an end that is not there, again and again, would take for ever.
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")


def toml_of(text: str) -> dict[str, Any]:
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        return {}
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def json_of(text: str) -> dict[str, Any]:
    """Also with comments and trailing commas."""
    for attempt in (text, _without_comments(text)):
        try:
            data = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        return data if isinstance(data, dict) else {}
    return {}


def _without_comments(text: str) -> str:
    return _TRAILING_COMMA.sub("", _COMMENT.sub(lambda found: found[1] or "", text))


def table_at(data: Any, *keys: str) -> dict[str, Any]:
    """The table below these keys, empty if there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def word_at(data: Any, *keys: str) -> str:
    found = table_at(data, *keys[:-1]).get(keys[-1])
    return found if isinstance(found, str) else ""


def words_in(data: Any) -> tuple[str, ...]:
    """The strings of a list."""
    return tuple(item for item in data if isinstance(item, str)) if isinstance(data, list) else ()
