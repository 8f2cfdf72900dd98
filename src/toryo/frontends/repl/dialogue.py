"""One dialogue: every line that is typed gets its answer, whoever types it."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.domain.repl import ReplConfig
from toryo.frontends.faults import fault
from toryo.frontends.hangup import is_hung_up
from toryo.frontends.repl.commandline import CommandLine
from toryo.frontends.repl.mentions import as_typed_here
from toryo.frontends.repl.reading import HELP, SLIP, Instruction, Typed, read
from toryo.frontends.speech import say, show, speaking
from toryo.views.columns import clipped
from toryo.views.screen import clean

_ELSEWHERE_CALLED = {
    "quit": "exit",
    "q": "exit",
    "bye": "exit",
    "h": "help",
    "?": "help",
    "key": "keys",
    "task": "tasks",
}
_FOR_THE_SHELL = frozenset({"E153", "E163"})
"""Errors that name a command of the shell on purpose: it can do what is not possible here."""
_OF_THE_TERMINAL = frozenset({"attach", "diff"})
"""Commands of the command line that show something on the whole screen."""


class Leave(Exception):
    """The person wants to go."""


def _never(_: Typed) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Verb:
    """A command of the REPL's own."""

    says: str
    """What it does, in one line."""
    usage: str
    carry_out: "Callable[[Dialogue, Typed], int]"
    about: str = ""
    """The rest of what there is to know about it."""
    example: str = ""
    stands_for: str = ""
    """The command of the command line whose options it takes."""
    takes_terminal: Callable[[Typed], bool] = _never
    """Whether it asks the person at the terminal something, and so cannot be carried out while they type."""


class Dialogue:
    """Knows the commands, its own before those of the command line; answers on stdout, talks on stderr."""

    def __init__(self, line: CommandLine, config: ReplConfig, own: Mapping[str, Verb]) -> None:
        self.line = line
        self.config = config
        self.own = own
        self.refused: ToryoError | click.ClickException | None = None
        """Why what was said last was not done; None: it was."""

    @property
    def names(self) -> list[str]:
        """Of all commands, each once."""
        return list(dict.fromkeys([*self.own, *self.line.summaries]))

    def answer(self, said: str) -> int:
        """The exit code of whatever was said; raises Leave."""
        self.refused = None
        try:
            meant = read(said)
            may_ask = isinstance(meant, Typed) and self.takes_terminal(meant)
            with speaking(self.mentioning, may_ask=may_ask):
                return self._answer(meant)
        except (ToryoError, click.ClickException) as error:
            return self.refuse(error)
        except (Leave, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if isinstance(error, OSError) and is_hung_up():
                raise
            # One bad command must not end the dialogue.
            return self.refuse(fault(error))

    def _answer(self, meant: Typed | Instruction | None) -> int:
        match meant:
            case None:
                return Exit.COMPLETE
            case Typed():
                return self._carry_out(meant)
            case Instruction():
                from toryo.frontends.repl.verbs.plain import instruct

                return instruct(self, meant.text)

    def takes_terminal(self, typed: Typed) -> bool:
        """Whether it asks or shows something that needs the whole terminal, and so is carried out between prompts."""
        if self.config.non_interactive:
            return False
        if verb := self.own.get(typed.name):
            return verb.takes_terminal(typed)
        return typed.name in _OF_THE_TERMINAL and "--print" not in typed.rest.split()

    def needs_terminal(self, what: str, instead: str) -> ToryoError:
        """For what is chosen with arrow keys or typed unseen, in a script; with how else it can be said."""
        return ToryoError("E153", f"{what} needs a terminal, and this is a script", hint=instead)

    # ── commands ─────────────────────────────────────────────────────────────

    def _carry_out(self, typed: Typed) -> int:
        verb = self.own.get(typed.name)
        if verb is None and typed.name not in self.line.summaries:
            raise self.unknown(typed.name)
        if (wanted := self._help_wanted(typed)) is not None:
            return self.own["help"].carry_out(self, Typed("help", wanted))
        if verb:
            return verb.carry_out(self, typed)
        words = typed.words
        if "-" in words:
            raise no_standard_input()
        return self.line.invoke(typed.name, words)

    def _help_wanted(self, typed: Typed) -> str | None:
        """Of what; None: nothing. Behind words of a person's own, it is one of them."""
        if typed.asks_for_help:
            return typed.name
        parts = typed.rest.split()
        is_own_and_free = typed.name in self.own and not self.is_group(typed.name)
        if is_own_and_free or not any(part in HELP for part in parts):
            return None
        return f"{typed.name} {parts[0]}" if self.is_group(typed.name) else typed.name

    def is_group(self, name: str) -> bool:
        return name in self.line.summaries and isinstance(self.line.command(name), click.Group)

    def verbs_of(self, name: str) -> list[str]:
        """What may stand behind a command that has commands of its own: `set` behind `/config`."""
        command = self.line.command(name) if name in self.line.summaries else None
        return command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []

    def unknown(self, name: str) -> ToryoError:
        near = [_ELSEWHERE_CALLED[name]] if name in _ELSEWHERE_CALLED else self._near(name)
        asks = f"; did you mean {' or '.join(f'/{each}' for each in near)}?" if near else ""
        hint = "/help lists them; an instruction that begins with a slash goes behind /start"
        return ToryoError("E152", f"there is no command /{clipped(name, 60)}{asks}", hint=hint)

    def _near(self, name: str) -> list[str]:
        begun = [each for each in self.names if len(name) > 1 and each.startswith(name)]
        return begun[:3] or difflib.get_close_matches(name, self.names, n=1)

    # ── errors ───────────────────────────────────────────────────────────────

    def mentioning(self, text: str) -> str:
        return as_typed_here(text, self.names)

    def refuse(self, error: ToryoError | click.ClickException) -> int:
        """Says what is wrong, as an answer: whoever asked reads it where answers are; the exit code."""
        self.refused = error
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            show(self.mentioning(error.format_message()))
            return Exit.ERROR
        found = error if isinstance(error, ToryoError) else _as_toryo_error(error)
        for line in found.details:
            show(line)
        said = found.message, found.kept, found.hint
        message, kept, hint = said if found.code in _FOR_THE_SHELL else map(self.mentioning, said)
        show(f"ERROR: {clean(message)}" + ("" if found.code == SLIP else f" ({found.code})"))
        if hint:
            show(f"HINT: {clean(hint)}")
        if kept:
            say(f"kept: {kept}")
        return Exit.FAULT if found.exit_code is Exit.FAULT else Exit.ERROR


def _as_toryo_error(error: click.ClickException) -> ToryoError:
    where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
    return ToryoError("E100", error.format_message(), hint=f"{where} --help shows how" if where else "")


def no_standard_input() -> ToryoError:
    return ToryoError("E130", "standard input is where you type", hint="put it into a file, and name that")
