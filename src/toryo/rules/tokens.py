"""How many tokens a text has, about; where nobody counted them."""


def estimate_tokens(text: str) -> int:
    """A token for every four characters of Latin text, and for every character of scripts like Japanese."""
    wide = sum(1 for character in text if ord(character) > 0x2E7F)
    return (len(text) - wide + 3) // 4 + wide
