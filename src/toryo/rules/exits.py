"""One exit code for all that was done."""

from collections.abc import Iterable

from toryo.domain.errors import Exit

_WORST_FIRST = (Exit.INTERRUPTED, Exit.FAULT, Exit.ERROR, Exit.NOT_COMPLETE)


def worst_exit(codes: Iterable[int]) -> Exit:
    """Interrupted, a fault of our own, any error, anything not complete, in this order; else all is complete."""
    counted = {_counted(code) for code in codes}
    return next((code for code in _WORST_FIRST if code in counted), Exit.COMPLETE)


def _counted(code: int) -> int:
    """What is none of these in particular is an error."""
    return code if code in (*_WORST_FIRST, Exit.COMPLETE) else Exit.ERROR
