"""From any error to at most three lines and an exit code."""

import sys
import termios

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.talking import clean, complain
from toryo.frontends.faults import fault
from toryo.frontends.hangup import HUNG_UP, is_hung_up


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
        case OSError() | termios.error() if is_hung_up():
            return HUNG_UP
        case _:
            return _fault(error)


def _fault(error: BaseException) -> int:
    found = fault(error)
    complain(found.message, kept=found.kept, hint=found.hint, code=found.code)
    return found.exit_code
