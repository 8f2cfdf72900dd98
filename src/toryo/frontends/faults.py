"""What nobody foresaw, as an error that a person can do something with."""

import os

from toryo.domain.errors import Exit, GitFailed, ToryoError


def fault(error: BaseException) -> ToryoError:
    """What git says it says itself; of anything else the details go into a file of their own, which is named."""
    from toryo.journal.sqlite import JournalBroken

    if isinstance(error, JournalBroken):
        return ToryoError(
            "E202",
            f"the journal is damaged: {error}",
            kept="all commits and worktrees",
            hint="'toryo doctor' sets it aside and recovers what can be read",
            exit_code=Exit.FAULT,
        )
    if isinstance(error, GitFailed):
        return ToryoError(
            "E109",
            str(error),
            kept="everything recorded so far, all commits and worktrees",
            hint="put right what git says, then do it once more; 'toryo doctor' and 'git fsck' may say more",
            exit_code=Exit.MISSING,
        )
    import tempfile
    import traceback

    from toryo.rules.masking import mask

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
