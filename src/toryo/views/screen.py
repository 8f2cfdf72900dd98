"""What may be shown on a person's screen."""


def clean(text: str) -> str:
    """Fit for a person's screen: nothing that is secret, nothing that steers the terminal."""
    from toryo.rules.masking import mask  # takes a moment to load, and most commands say nothing

    return printable(mask(text))


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They show text in another order than it is in."""


def printable(text: str) -> str:
    """Agents and models write what they like; control characters must not steer the terminal, nor mislead the eye."""
    # Line by line: hardly one has anything in it that has to be looked at character by character.
    return "\n".join(line if line.isprintable() else _harmless(line) for line in text.split("\n"))


def _harmless(line: str) -> str:
    return "".join(char if _is_harmless(char) else "�" for char in line)


def _is_harmless(char: str) -> bool:
    if char.isprintable() or char == "\t":
        return True
    return ord(char) > 0x9F and char not in _TURNING and not "\ud800" <= char <= "\udfff"
