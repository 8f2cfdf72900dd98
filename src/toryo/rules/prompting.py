"""Recognising a program that has stopped at a question; only ever asked about one that has been silent."""

import re

# Not compiled until a line is looked at: `re` keeps what it has compiled.
_ESCAPES = r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_=>])"
_CHOICES = r"(?i)[\[(]\s*y(?:es)?\s*/\s*n(?:o)?\b[^\])]*[\])]"
_QUESTION = r"\?|？"
_FIELD = r"\b(?:password|passphrase|user ?name|login|token|enter [\w ]+)\b[^\n]*[:：]"
_KEY = r"press [\w ]*(?:key|enter|return)[\w .]*"
_OPEN = rf"(?i)(?:{_QUESTION}|{_FIELD}|{_KEY})\s*$"
_LONGEST = 500


def prompt_in(tail: str) -> str:
    """The question at the end of what a program printed; empty: it does not look like one.

    A choice such as [y/N] may be followed by a line break; anything weaker only counts while the cursor
    still stands behind it.
    """
    text = without_escapes(tail).replace("\r\n", "\n")
    # Cut before it is searched: lines without end would take the patterns for ever.
    line = text.rstrip().rpartition("\n")[2].rpartition("\r")[2][-_LONGEST:].strip()
    is_open = not text.endswith("\n")
    return line if re.search(_CHOICES, line) or (is_open and re.search(_OPEN, line)) else ""


def without_escapes(text: str) -> str:
    """The words of a terminal's output, without what colours and moves them about."""
    return re.sub(_ESCAPES, "", text)
