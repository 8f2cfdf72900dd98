"""Plain data as YAML that people like to read, and that the quick reader can read again."""

import json
import re
from collections.abc import Mapping
from typing import Any

_WORD = re.compile(r"[A-Za-z_./][\w./-]*|\d{4}-\d\d-\d\dT[\d:]+Z", re.ASCII)
_SPECIAL = ("true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan")


def block(fields: Mapping[str, Any]) -> list[str]:
    """The lines of a mapping; fields without a value are left out."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, Mapping):
            lines += [f"{name}:", *(f"  {line}" for line in block(value))]
        elif isinstance(value, list):
            lines += [f"{name}:", *(f"  {line}" for line in items(value))] if value else [f"{name}: []"]
        elif value is not None:
            lines.append(f"{name}: {scalar(value)}")
    return lines


def items(values: list[Any]) -> list[str]:
    """The lines of a list of mappings or of single values."""
    lines = []
    for value in values:
        inner = block(value) if isinstance(value, Mapping) else [scalar(value)]
        lines += [f"- {inner[0]}", *(f"  {line}" for line in inner[1:])]
    return lines


def scalar(value: object) -> str:
    """A word as it is, anything else in quotes; in such, where possible, that need no escapes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if _WORD.fullmatch(text) and text.lower() not in _SPECIAL:
        return text
    if not text.isprintable():
        return json.dumps(text)
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else json.dumps(text, ensure_ascii=False)
