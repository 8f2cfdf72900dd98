"""Lines about keys: what of them may be kept or repeated."""

import re
import unicodedata

_ABOUT_KEYS = re.compile(r"/keys?\b", re.IGNORECASE)
_ONLY_NAMES = re.compile(
    r"/keys?(?:\s+(?:--json|--help|-h|(?:set|remove)(?:\s+(?:openai|anthropic))?))?", re.IGNORECASE
)


def keepable(line: str) -> str:
    """The line as it may be kept or repeated: without what may be a key in it."""
    text = unicodedata.normalize("NFKC", line).strip()
    return "/keys …" if _ABOUT_KEYS.match(text) and not _ONLY_NAMES.fullmatch(text) else line
