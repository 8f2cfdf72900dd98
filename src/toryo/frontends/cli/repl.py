"""`toryo repl`: a dialogue with Toryo, at a terminal or from a script."""

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import click

from toryo.app.persons import only_a_person
from toryo.app.places import Workplace, is_in_repository, settle
from toryo.app.project import Project, open_project
from toryo.app.replmemory import ReplMemory
from toryo.domain.errors import Exit
from toryo.domain.repl import ProjectMode, ReplConfig
from toryo.domain.session import Session
from toryo.frontends.cli.delegating import Delegate, Showing, into_background
from toryo.frontends.cli.talking import here, say
from toryo.rules.exits import worst_exit
from toryo.rules.repl_config import Options, resolve

_NOT_THERE = frozenset({"repl", "demo", "conduct"})
"""What makes no sense inside a dialogue."""
_TELLING = frozenset({"inbox", "conflicts"})
"""Their 2 says what they saw, and not that they went wrong."""


class OwnCommandLine:
    """The commands of this command line, carried out in this process."""

    def __init__(self, delegate: Delegate, place: Workplace, memory: ReplMemory) -> None:
        self._delegate = delegate
        self._place = place
        self._memory = memory
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
        if self._place.go_back_if_lost():
            say(f"note: the folder you were in is gone; now in {self._place.path}")
        self.carried_out += 1
        before = len(self._delegate.handed)
        code = self._invoke(name, args)
        self._memory.catch_up()
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

    def verdict(self) -> int:
        from toryo.frontends.cli.waiting import standing_code

        return worst_exit([*self._codes, standing_code(self._delegate.handed)] if self.has_begun else self._codes)


@click.command(epilog="Example: toryo repl, or echo /status | toryo repl")
@click.option("--project", metavar="PATH", help="Work in the repository around this folder.")
@click.option(
    "--project-mode",
    type=click.Choice([mode.value for mode in ProjectMode]),
    help="temp: in a new repository, kept afterwards; fixed: in --project-root.",
)
@click.option("--project-root", metavar="PATH", help="The whole path of a fixed project; it must exist.")
@click.option("--print-project-path", is_flag=True, help="Begin with a line PROJECT_PATH=… on stdout.")
@click.option("--non-interactive", is_flag=True, help="Read lines as a script, also at a terminal.")
@click.option("--exit-on-eof/--no-exit-on-eof", default=None, help="Leave at the end of input (as scripts do).")
@click.option("--wait/--no-wait", default=None, help="Let each line's work come to rest first (as scripts do).")
@click.option("--json", "as_json", is_flag=True, help="In a script: each answer as JSON, in one line.")
@click.option("-y", "--yes", is_flag=True, help="Take defaults and approve plans of what is begun here.")
def command(
    project: str | None,
    project_mode: str | None,
    project_root: str | None,
    print_project_path: bool,
    non_interactive: bool,
    exit_on_eof: bool | None,
    wait: bool | None,
    as_json: bool,
    yes: bool,
) -> None:
    """Talk with Toryo: plain text is an instruction, /help lists the commands.

    From a pipe or a file, each line is answered before the next is read; answers go to stdout. Outside of a
    repository a temporary one is made to work in.
    """
    mode = ProjectMode(project_mode) if project_mode else None
    asked = Options(project, mode, project_root, print_project_path, non_interactive, exit_on_eof, wait)
    config, place = _begin(asked, as_json=as_json)
    opened = open_project(here())
    only_a_person(opened)
    memory = ReplMemory.open(opened)
    if place.is_temporary:
        say(f"temporary project: {place.path}")
    if config.print_project_path:
        click.echo(b"PROJECT_PATH=" + os.fsencode(place.path))
    try:
        raise SystemExit(_converse(config, place, memory, yes=yes, as_json=as_json))
    finally:
        if place.is_temporary:
            say(f"the temporary project is kept: {place.path}")


def _begin(asked: Options, *, as_json: bool) -> tuple[ReplConfig, Workplace]:
    """Settles how to read and where to work; nothing is made where one of the two cannot be."""
    is_free = asked.project is None and asked.project_mode is None
    started = here() if is_free else _started_in()
    repository = str(started) if is_free and started and is_in_repository(started) else None
    resolved = resolve(asked, is_terminal=_is_terminal(), repository=repository)
    if as_json and not resolved.config.non_interactive:
        raise click.UsageError("--json is for scripts: use a pipe, or --non-interactive")
    for warning in resolved.warnings:
        say(f"warning: {warning}")
    return resolved.config, settle(resolved.config, started)


def _started_in() -> Path | None:
    """None: the folder is gone."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _converse(config: ReplConfig, place: Workplace, memory: ReplMemory, *, yes: bool, as_json: bool) -> int:
    from toryo.frontends.repl.dialogue import Dialogue
    from toryo.frontends.repl.verbs import OWN

    line = OwnCommandLine(
        Delegate(_carry_on(config, memory), lambda: memory.chosen, yes, unattended=config.non_interactive),
        place,
        memory,
    )
    dialogue = Dialogue(line, config, OWN)
    if config.non_interactive:
        from toryo.frontends.repl import pipe

        with _script() as script:
            return pipe.converse(dialogue, script, as_json=as_json)
    from toryo.frontends.repl import terminal

    return terminal.converse(dialogue, memory.note)


def _carry_on(config: ReplConfig, memory: ReplMemory) -> Callable[[Project, Session, Showing], int]:
    def carry_on(project: Project, session: Session, showing: Showing) -> int:
        memory.note(session)
        if not config.wait:
            return into_background(project, session, showing)
        from toryo.frontends.cli.waiting import waited_for

        return waited_for(project, session, showing, note=memory.note)

    return carry_on


def _script() -> BinaryIO:
    """Standard input for ourselves alone: a command, or a program that it starts, would take lines from it."""
    if sys.stdin is None:
        return io.BytesIO()
    script = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return os.fdopen(script, "rb")
