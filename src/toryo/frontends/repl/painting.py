"""A little emphasis, where the screen has it and the person wants it."""

import os

from prompt_toolkit.utils import is_dumb_terminal


def _styled(code: str, text: str) -> str:
    return text if "NO_COLOR" in os.environ or is_dumb_terminal() or not text else f"\x1b[{code}m{text}\x1b[0m"


def dim(text: str) -> str:
    return _styled("2", text)


def strong(text: str) -> str:
    return _styled("1", text)
