"""Finds the line on which each key of a TOML text is set; the standard parser does not say."""

import re
import tomllib

Key = tuple[str, ...]

_PART = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_STATEMENT = re.compile(rf"[ \t]*(?:(\[\[?)[ \t]*({_KEY})[ \t]*\]\]?|({_KEY})[ \t]*=)")
_NEXT_PART = re.compile(_PART)
_IN_VALUE = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*|[\[\]{}]|\n''',
    re.DOTALL,
)


def key_lines(text: str) -> dict[Key, int]:
    """The line of every table header and every key outside inline tables, in a text known to be TOML."""
    lines: dict[Key, int] = {}
    table: Key = ()
    at, line = 0, 1
    while at < len(text):
        found = _STATEMENT.match(text, at)
        if found:
            key = _parts(found[2]) if found[1] else (*table, *_parts(found[3]))
            table = key if found[1] else table
            for length in range(1, len(key) + 1):
                lines.setdefault(key[:length], line)
        end = _end_of_statement(text, found.end() if found else at)
        line += text.count("\n", at, end)
        at = end
    return lines


def _end_of_statement(text: str, at: int) -> int:
    """Just behind the line break that is in no string, list or inline table."""
    depth = 0
    for found in _IN_VALUE.finditer(text, at):
        token = found.group()
        if token in ("[", "{"):
            depth += 1
        elif token in ("]", "}"):
            depth -= 1
        elif token == "\n" and depth <= 0:
            return found.end()
    return len(text)


def _parts(dotted: str) -> Key:
    return tuple(_unquoted(part) for part in _NEXT_PART.findall(dotted))


def _unquoted(part: str) -> str:
    return str(tomllib.loads(f"key = {part}")["key"]) if part[0] in "\"'" else part
