"""Lines about keys: what of them may be kept or repeated."""

import re
import unicodedata

_ABOUT_KEYS = re.compile(
    r"/keys?\b|(?:[$>]\s*)?toryo\s+keys?\s+set\b|keys?\s+set\s+(?:openai|anthropic)[\s:=]+\S+\s*$", re.IGNORECASE
)
"""Also without the slash, or as at the shell: the same slip, and the same key in it."""
_ONLY_NAMES = re.compile(
    r"(?:/|(?:[$>]\s*)?toryo\s+)keys?(?:\s+(?:--json|--help|-h|(?:set|remove)(?:\s+(?:openai|anthropic))?))?",
    re.IGNORECASE,
)


def keepable(line: str) -> str:
    """The line as it may be kept or repeated: without what may be a key in it."""
    text = unicodedata.normalize("NFKC", line).strip()
    return "/keys …" if _ABOUT_KEYS.match(text) and not _ONLY_NAMES.fullmatch(text) else line
