"""`toryo repl`: a conversation with Toryo, at a terminal or from a script."""

import asyncio
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

import click

from toryo.app.project import Project
from toryo.domain.errors import Exit
from toryo.domain.repl import ReplConfig
from toryo.domain.session import Session
from toryo.frontends.cli.delegating import Asked, Delegate, into_background
from toryo.rules.exits import worst_exit

_NOT_THERE = frozenset({"repl", "demo", "conduct"})
"""What makes no sense inside a conversation."""
_TELLING = frozenset({"inbox", "conflicts"})
"""Their 2 says what they saw, and not that they went wrong."""


class OwnCommandLine:
    """The commands of this command line, carried out in this process."""

    def __init__(self, delegate: Delegate) -> None:
        self._delegate = delegate
        self._codes: list[int] = []
        """Of commands that left nothing to the delegate."""
        self.carried_out = 0

    @property
    def summaries(self) -> Mapping[str, str]:
        from toryo.frontends.cli import COMMANDS

        return {name: says for name, says in COMMANDS.items() if name not in _NOT_THERE}

    def command(self, name: str) -> click.Command:
        from toryo.frontends.cli import cli

        found = cli.get_command(click.Context(cli), name)
        assert found is not None
        return found

    def invoke(self, name: str, args: Sequence[str]) -> int:
        self.carried_out += 1
        before = len(self._delegate.handed)
        code = self._invoke(name, args)
        if len(self._delegate.handed) == before and not (name in _TELLING and code == Exit.NOT_COMPLETE):
            self._codes.append(code)
        return code

    def _invoke(self, name: str, args: Sequence[str]) -> int:
        command = self.command(name)
        try:
            with command.make_context(f"/{name}", list(args), obj=self._delegate) as context:
                command.invoke(context)
        except SystemExit as left:
            return left.code if isinstance(left.code, int) else int(bool(left.code))
        except click.exceptions.Exit as left:
            return left.exit_code
        return Exit.COMPLETE

    @property
    def has_begun(self) -> bool:
        return bool(self._delegate.handed)

    def going_on(self) -> list[str]:
        from toryo.frontends.cli.waiting import going_on

        return going_on(self._delegate.handed) if self.has_begun else []

    def verdict(self) -> int:
        from toryo.frontends.cli.waiting import standing_code

        return worst_exit([*self._codes, standing_code(self._delegate.handed)] if self.has_begun else self._codes)


@click.command(epilog="Example: toryo repl, or echo /status | toryo repl")
@click.option("-y", "--yes", is_flag=True, help="Take defaults and approve plans of what is begun here.")
@click.option("--non-interactive", is_flag=True, help="Read lines as a script, also at a terminal.")
@click.option("--wait/--no-wait", default=None, help="Answer once the work is done; a script does by default.")
@click.option("--json", "as_json", is_flag=True, help="In a script: each answer as JSON, in one line.")
def command(yes: bool, non_interactive: bool, wait: bool | None, as_json: bool) -> None:
    """Talk with Toryo: plain text is an instruction, /help lists the commands.

    From a pipe or a file, each line is answered before the next is read; answers go to stdout.
    """
    from toryo.frontends.repl.conversation import Conversation
    from toryo.frontends.repl.verbs import OWN

    is_script = non_interactive or sys.stdin is None or not sys.stdin.isatty()
    if as_json and not is_script:
        raise click.UsageError("--json is for scripts: use a pipe, or --non-interactive")
    config = ReplConfig(non_interactive=is_script, exit_on_eof=is_script, wait=is_script if wait is None else wait)
    line = OwnCommandLine(Delegate(_carry_on(config), yes=yes, unattended=is_script))
    conversation = Conversation(line, config, OWN)
    if is_script:
        from toryo.frontends.repl import pipe

        with _script() as script:
            raise SystemExit(pipe.converse(conversation, script, as_json=as_json))
    from toryo.frontends.repl import terminal

    raise SystemExit(asyncio.run(terminal.converse(conversation)))


def _carry_on(config: ReplConfig) -> Callable[[Project, Session, Asked], int]:
    if not config.wait:
        return into_background

    def wait(project: Project, session: Session, asked: Asked) -> int:
        from toryo.frontends.cli.waiting import waited_for

        return waited_for(project, session, asked)

    return wait


def _script() -> BinaryIO:
    """Standard input for ourselves alone: a command, or a program that it starts, would take lines from it."""
    if sys.stdin is None:
        return io.BytesIO()
    script = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return os.fdopen(script, "rb")
