"""Reading agents' JSON without trusting it: whatever has another shape than expected says nothing."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toryo.domain.report import Trouble
from toryo.domain.signals import Noted, Signal
from toryo.rules.prompting import without_escapes

NOTHING: Mapping[str, Any] = {}


def parsed(line: str) -> Mapping[str, Any] | None:
    """The JSON object of a line; None: it is something else."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def table(value: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """The object at the end of the path, empty where there is none."""
    for name in path:
        inner = value.get(name)
        value = inner if isinstance(inner, dict) else NOTHING
    return value


def text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def number(value: Mapping[str, Any], name: str) -> float:
    found = value.get(name)
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if is_number and found == found and abs(found) < 1e15 else 0.0  # type: ignore[arg-type]


def count(value: Mapping[str, Any], name: str) -> int:
    return max(0, int(number(value, name)))


def tables(value: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The objects in a list."""
    found = value.get(name)
    for item in found if isinstance(found, list) else ():
        if isinstance(item, dict):
            yield item


def plain(line: str) -> list[Signal]:
    """A line that is not of the protocol: an error message of the program, most likely."""
    words = without_escapes(line)
    return [Noted(words)] if words.strip() else []


def worded(message: str) -> str:
    """What a server said, without the JSON in which some programs pass its answer on."""
    before, brace, after = message.partition("{")
    try:
        answer, length = json.JSONDecoder().raw_decode(brace + after)
    except (ValueError, RecursionError):
        return message
    said = text(table(answer, "error"), "message") or text(answer, "message")
    return f"{before}{said}{(brace + after)[length:]}" if said else message


def trouble_of(status: float) -> Trouble:
    """What an HTTP status of the model's API means for the run."""
    match int(status):
        case 429 | 402:
            return Trouble.QUOTA
        case 401 | 403:
            return Trouble.LOGIN
        case 408 | 409 | 425:
            return Trouble.API
        case code if code >= 500:
            return Trouble.API
        case _:
            return Trouble.OTHER
