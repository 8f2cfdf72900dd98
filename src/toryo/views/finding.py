"""Searching in text that people and agents write: what counts as the same, and where in a line it is."""

import unicodedata


def alike(text: str) -> str:
    """Case does not matter, and full-width letters are found by plain ones, and the other way round."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def spans(text: str, wanted: str) -> list[tuple[int, int]]:
    """From where to where in the text it stands, each time; `wanted` as `alike` makes it."""
    if not wanted or wanted not in alike(text):
        return []
    plain, places = _letter_by_letter(text)
    found, at = [], plain.find(wanted)
    while at >= 0:
        found.append((places[at], places[at + len(wanted) - 1] + 1))
        at = plain.find(wanted, at + len(wanted))
    return found


def _letter_by_letter(text: str) -> tuple[str, list[int]]:
    """The text as `alike` makes it, and for each of its letters where that one comes from."""
    letters, places = [], []
    for place, letter in enumerate(text):
        for each in alike(letter):
            letters.append(each)
            places.append(place)
    return "".join(letters), places


def found_words(place: int, count: int, *, is_whole: bool) -> str:
    """How much was found, and which of it is looked at; counted from one."""
    if not is_whole:
        return "searching …"
    return f"{place} of {count}" if count else "not found"
