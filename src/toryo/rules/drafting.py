"""What a person wrote down in a few words, as a title and the rest."""

import re

_LONGEST_TITLE = 100
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s|(?<=[。！？])")


def title_and_body(text: str, title: str = "") -> tuple[str, str]:
    """The first line that says something is the title, and the rest the body; of a long one, its first sentence.

    With a title of its own, all of the text is the body.
    """
    if title:
        return title, _whole(text)
    lines = text.strip("\n").split("\n")
    at = next((number for number, line in enumerate(lines) if line.strip()), None)
    if at is None:
        return "", ""
    first = re.sub(r"^#{1,6}\s+|\s+#+$", "", lines[at].strip())
    first = " ".join(first.split())
    if not first.strip("#"):
        return title_and_body("\n".join(lines[at + 1 :]))
    if len(first) <= _LONGEST_TITLE:
        return first, _whole("\n".join(lines[at + 1 :]))
    return _shortened(first), _whole(text)


def _shortened(line: str) -> str:
    sentence = _SENTENCE_END.split(line, maxsplit=1)[0].strip()
    if len(sentence) <= _LONGEST_TITLE:
        return sentence
    cut = sentence[:_LONGEST_TITLE]
    return (cut.rpartition(" ")[0] or cut).rstrip() + "…"


def _whole(text: str) -> str:
    """Without empty lines around it, and with one line break at the end."""
    text = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    return f"{text}\n" if text.strip() else ""
