"""A fault of Toryo's own, as an error like any other: with a code, and the name of the file that has the details."""

import os
import tempfile
import traceback

from toryo.domain.errors import Exit, ToryoError


def as_error(error: BaseException) -> ToryoError:
    """Writes down what happened where only the person can read it."""
    from toryo.journal.sqlite import JournalBroken
    from toryo.rules.masking import mask

    if isinstance(error, JournalBroken):
        return ToryoError(
            "E202",
            f"the journal is damaged: {error}",
            kept="all commits and worktrees",
            hint="'toryo doctor' sets it aside and recovers what can be read",
            exit_code=Exit.FAULT,
        )
    text = "".join(traceback.format_exception(error))
    descriptor, name = tempfile.mkstemp(prefix="toryo-fault-", suffix=".log")
    with os.fdopen(descriptor, "w", errors="backslashreplace") as file:
        file.write(mask(text))
    return ToryoError(
        "E900",
        f"a fault of Toryo's own: {type(error).__name__}: {error}",
        kept="everything recorded so far; 'toryo resume' goes on from there",
        hint=f"the details are in {name}",
        exit_code=Exit.FAULT,
    )
