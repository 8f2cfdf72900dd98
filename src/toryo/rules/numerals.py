"""One thing, or several of them, in words."""


def several(number: int, noun: str) -> str:
    """With the noun in the form that goes with the number."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
