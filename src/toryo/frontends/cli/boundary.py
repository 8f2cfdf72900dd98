"""From any error to at most three lines and an exit code."""

import os
import sys
from pathlib import Path

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.talking import clean, complain


def leave(error: BaseException) -> int:
    """Says what happened; the exit code."""
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else int(bool(error.code))
        case click.exceptions.Exit():
            return error.exit_code
        case ToryoError():
            for line in error.details:
                click.echo(clean(line), err=True)
            complain(error.message, kept=error.kept, hint=error.hint, code=error.code)
            return error.exit_code
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return Exit.USAGE
        case click.UsageError():
            where = error.ctx.command_path if error.ctx else "toryo"
            complain(error.format_message(), hint=f"'{where} --help' shows how", code="E100")
            return Exit.USAGE
        case click.Abort() | KeyboardInterrupt():
            click.echo("\ninterrupted" if sys.stdin.isatty() else "interrupted", err=True)
            return Exit.INTERRUPTED
        case click.ClickException():
            complain(error.format_message(), code="E100")
            return Exit.USAGE
        case _:
            return _fault(error)


def _fault(error: BaseException) -> int:
    from toryo.journal.sqlite import JournalBroken

    if isinstance(error, JournalBroken):
        complain(
            f"the journal is damaged: {error}",
            kept="all commits and worktrees",
            hint="'toryo doctor' sets it aside and recovers what can be read",
            code="E202",
        )
        return Exit.FAULT
    import tempfile
    import traceback

    from toryo.rules.masking import mask

    text = "".join(traceback.format_exception(error))
    descriptor, name = tempfile.mkstemp(prefix="toryo-fault-", suffix=".log")
    with os.fdopen(descriptor, "w", errors="backslashreplace") as file:
        file.write(mask(text))
    complain(
        f"a fault of Toryo's own: {type(error).__name__}: {error}",
        kept="everything recorded so far; 'toryo resume' goes on from there",
        hint=f"the details are in {Path(name)}",
        code="E900",
    )
    return Exit.FAULT
