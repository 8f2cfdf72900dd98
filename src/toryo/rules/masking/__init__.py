"""Secrets in text are replaced before anybody sees or stores it."""

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
