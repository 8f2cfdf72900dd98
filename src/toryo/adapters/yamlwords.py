"""Values as people would write them in YAML."""

import json
import re
from collections.abc import Mapping, Sequence

_PLAIN = re.compile(r"[^\W\d_][^\n\t:#,\[\]{}&*!|>'\"%@`\\?=<]*|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")
"""Words that mean themselves, here and inside brackets."""
_SPECIAL = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_NEEDS_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ORDINARY_LINE = re.compile("[ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_UNSOUND = re.compile("[\0\ud800-\udfff]")


def sound(text: str) -> str:
    """Without what no file can hold."""
    return _UNSOUND.sub("\ufffd", text)


def in_line(value: object, quote: str = "") -> str:
    """On one line, wherever that is; `quote` is how it was quoted before."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return str(int(value)) if value == int(value) else repr(value)
        case str():
            return _word(value, quote)
        case Mapping():
            return "{" + ", ".join(f"{name}: {in_line(one, _quote_for(name))}" for name, one in value.items()) + "}"
        case Sequence():
            return "[" + ", ".join(in_line(one) for one in value) + "]"
    raise TypeError(f"no YAML for {type(value)}")


def _word(text: str, quote: str) -> str:
    is_one_line = bool(_ORDINARY_LINE.fullmatch(text))
    if not quote and _PLAIN.fullmatch(text) and text == text.strip() and text.lower() not in _SPECIAL and is_one_line:
        return text
    is_easier_single = "'" not in text and ('"' in text or "\\" in text)
    if is_one_line and (quote == "'" or is_easier_single):
        return "'" + text.replace("'", "''") + "'"
    quoted = json.dumps(text, ensure_ascii=False)
    return _NEEDS_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def entry(name: str, value: object, indent: int) -> list[str]:
    """A field with its value, as lines."""
    pad = " " * indent
    if isinstance(value, str) and (block := block_of(value, indent + 2)):
        return [f"{pad}{name}: {block[0]}", *block[1:]]
    if isinstance(value, list) and value:
        return [f"{pad}{name}:", *(line for one in value for line in item(one, indent + 2))]
    return [f"{pad}{name}: {in_line(value, _quote_for(name))}"]


def _quote_for(name: str) -> str:
    """What people say in their own words is in quotes, so that they can go on writing there without a thought."""
    return '"' if name in ("title", "question", "answer", "reason", "says", "task", "why", "default", "body") else ""


def item(value: object, indent: int) -> list[str]:
    """One of a list, as lines."""
    pad = " " * indent
    if not isinstance(value, Mapping):
        return [f"{pad}- {in_line(value)}"]
    lines = [line for name, one in value.items() for line in _inner(name, one, indent + 2)]
    return [f"{pad}- {lines[0].lstrip()}", *lines[1:]]


def _inner(name: str, value: object, indent: int) -> list[str]:
    return [f"{' ' * indent}{name}: {in_line(value)}"] if isinstance(value, list) else entry(name, value, indent)


def block_of(text: str, indent: int) -> list[str] | None:
    """A text of several lines as a literal block, the `|` first; None where it would not come back as it was."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    is_whole = (
        body and not body.endswith("\n") and not body.startswith((" ", "\n")) and len(lines) + text.endswith("\n") > 1
    )
    if not is_whole or not all(_ORDINARY_LINE.fullmatch(line) and (line == "" or line.strip()) for line in lines):
        return None
    return ["|" if text.endswith("\n") else "|-", *(f"{' ' * indent}{line}" if line else "" for line in lines)]
