"""`toryo repl`: a conversation with Toryo, at a terminal or from a script."""

import sys
from collections.abc import Mapping, Sequence

import click

from toryo.app.project import Project
from toryo.domain.errors import Exit
from toryo.domain.repl import ReplConfig
from toryo.domain.session import Session
from toryo.frontends.cli.delegating import Delegate
from toryo.frontends.cli.delegating import into_background as into_background

_NOT_THERE = frozenset({"repl", "demo", "conduct"})
"""What makes no sense inside a conversation."""


class OwnCommandLine:
    """The commands of this command line, carried out in this process."""

    def __init__(self, delegate: Delegate) -> None:
        self._delegate = delegate

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
        command = self.command(name)
        try:
            with command.make_context(f"/{name}", list(args), obj=self._delegate) as context:
                command.invoke(context)
        except SystemExit as left:
            return left.code if isinstance(left.code, int) else int(bool(left.code))
        except click.exceptions.Exit as left:
            return left.exit_code
        return Exit.COMPLETE


@click.command(epilog="Example: toryo repl, or echo /status | toryo repl")
@click.option("-y", "--yes", is_flag=True, help="Take defaults and approve plans of what is begun here.")
@click.option("--non-interactive", is_flag=True, help="Read lines as a script, also at a terminal.")
def command(yes: bool, non_interactive: bool) -> None:
    """Talk with Toryo: plain text is an instruction, /help lists the commands.

    From a pipe or a file, each line is answered before the next is read; answers go to stdout.
    """
    from toryo.frontends.repl.conversation import Conversation
    from toryo.frontends.repl.verbs import OWN

    is_script = non_interactive or not sys.stdin.isatty()
    config = ReplConfig(non_interactive=is_script, exit_on_eof=is_script, wait=is_script)

    def carry_on(project: Project, session: Session, as_json: bool) -> int:
        return into_background(project, session, as_json)

    conversation = Conversation(OwnCommandLine(Delegate(carry_on, yes=yes)), config, OWN)
    if is_script:
        from toryo.frontends.repl import pipe

        raise SystemExit(pipe.converse(conversation, sys.stdin))
    from toryo.frontends.repl import terminal

    raise SystemExit(terminal.converse(conversation))
