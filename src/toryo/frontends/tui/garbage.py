"""Python's looks for garbage, made so short that no key waits for one."""

import gc

_BETWEEN_LOOKS = 2_000
"""New objects between two looks: a tenth of what is right while loading. A drawing of the screen makes some ten
thousand, and a look takes as long as there are objects to look at."""


def leave_what_is_loaded() -> None:
    """Whatever is there by now stays to the end, and is not looked at again; may be said whenever more was loaded."""
    gc.freeze()
    gc.set_threshold(_BETWEEN_LOOKS)
