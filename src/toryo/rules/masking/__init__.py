"""Secrets in text are replaced before anybody sees or stores it."""

from collections.abc import Mapping

from toryo.rules.masking.lines import HIDDEN as HIDDEN
from toryo.rules.masking.lines import may_have_secret
from toryo.rules.masking.logs import Masker as Masker
from toryo.rules.masking.streaming import masked_text


def mask(text: str) -> str:
    """The text with every secret replaced by what kind it was; if that cannot be done, nothing of it."""
    return masked(text)[0]


def masked(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its secrets, and what kinds they were."""
    kinds: set[str] = set()
    try:
        if not may_have_secret(text):
            return text, ()
        return masked_text(text, kinds), tuple(sorted(kinds))
    except Exception:  # noqa: BLE001 - whatever goes wrong, the text may hold a secret
        return HIDDEN, ("HIDDEN",)


def has_secret(text: str) -> bool:
    return bool(masked(text)[1])


def mask_all(value: object) -> object:
    """The same data with every string in it masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {name: mask_all(inner) for name, inner in value.items()}
    return [mask_all(inner) for inner in value] if isinstance(value, list | tuple) else value


def mask_output(text: str) -> str:
    """Whole lines as a program prints them: those of JSON stay JSON."""
    masker = Masker()
    return masker.feed(text) + masker.finish()
