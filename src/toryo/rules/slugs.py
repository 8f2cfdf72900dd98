"""Names of intents and skills, which are names of files and folders: short, readable, and nobody else's."""

import hashlib
import re
import unicodedata
from collections.abc import Container

_LONGEST = 48
_LONGEST_OF_A_PERSON = 100
_MOST_BYTES = 200
"""Of a person's, in any script: while a file is exchanged it has a longer name, and that has to fit too."""
_FORM = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FORM_OF_A_SKILL = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_OF_A_SKILL = 64
_FORM_OF_A_PERSON = re.compile(r"\w[\w.-]*")


def slug_of(title: str, taken: Container[str] = ()) -> str:
    """From the words of a title; one without any Latin letters gets a name that follows from it all the same."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(words.replace("-", "")) < 3:
        digest = hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        words = f"{words}-{digest}" if words else f"intent-{digest}"
    stem = _shortened(words)
    return next(name for number in range(1, 1_000_000) if (name := _numbered(stem, number)) not in taken)


def _shortened(words: str) -> str:
    """At most so long, and not in the middle of a word where that leaves something to go by."""
    if len(words) <= _LONGEST:
        return words
    whole, _, _ = words[: _LONGEST + 1].rpartition("-")
    return whole if len(whole) > _LONGEST // 2 else words[:_LONGEST].strip("-")


def _numbered(stem: str, number: int) -> str:
    return stem if number == 1 else f"{stem}-{number}"


def is_slug(text: str) -> bool:
    """Whether Toryo would give a file of an intent that name."""
    return bool(_FORM.fullmatch(text)) and len(text) <= _LONGEST_OF_A_PERSON


def may_be_named(text: str) -> bool:
    """Whether a person may: in any script, but without what separates names or leads somewhere else."""
    is_short = len(text) <= _LONGEST_OF_A_PERSON
    return (
        is_short and bool(_FORM_OF_A_PERSON.fullmatch(text)) and ".." not in text and len(text.encode()) <= _MOST_BYTES
    )


def is_skill_name(text: str) -> bool:
    """Whether a folder of a skill may have that name."""
    return len(text) <= _LONGEST_OF_A_SKILL and bool(_FORM_OF_A_SKILL.fullmatch(text))
