"""Facts as plain data, and data without secrets."""

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from toryo.rules.masking import mask

_SHORT = 100
_masked_once = lru_cache(4096)(mask)
"""Names and ids come again and again."""


def plain(value: Any) -> Any:
    """Every field by its name; what never ends is None, since JSON has no word for it."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def masked(value: Any) -> Any:
    """The same without secrets, however deep they are."""
    match value:
        case str():
            # Words of our own, which hold nothing, are left as they are.
            return value if type(value) is not str else mask(value) if len(value) > _SHORT else _masked_once(value)
        case dict():
            return {name: masked(inner) for name, inner in value.items()}
        case list():
            return [masked(inner) for inner in value]
        case _:
            return value
