"""One conversation: every line that is typed gets its answer, whoever types it."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.domain.repl import ReplConfig
from toryo.frontends.faults import as_error
from toryo.frontends.repl.commandline import CommandLine
from toryo.frontends.repl.mentions import as_typed_here
from toryo.frontends.repl.reading import Typed, read
from toryo.frontends.speech import say, show, speaking, spoken
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
_HELP = ("--help", "-h")
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
    carry_out: "Callable[[Conversation, Typed], int]"
    about: str = ""
    """The rest of what there is to know about it."""
    example: str = ""
    stands_for: str = ""
    """The command of the command line whose options it takes."""
    takes_terminal: Callable[[Typed], bool] = _never
    """Whether it asks the person at the terminal something, and so cannot be carried out while they type."""


class Conversation:
    """Knows the commands, its own before those of the command line; answers on stdout, talks on stderr."""

    def __init__(self, line: CommandLine, config: ReplConfig, own: Mapping[str, Verb]) -> None:
        self.line = line
        self.config = config
        self.own = own

    @property
    def names(self) -> list[str]:
        """Of all commands, each once."""
        return list(dict.fromkeys([*self.own, *self.line.summaries]))

    def answer(self, said: str) -> int:
        """The exit code of whatever was said; raises Leave."""
        with speaking(self.mentioning, may_ask=self.takes_terminal(said)):
            try:
                match read(said):
                    case None:
                        return Exit.COMPLETE
                    case Typed() as typed:
                        return self._carry_out(typed)
                    case instruction:
                        from toryo.frontends.repl.verbs.plain import instruct

                        return instruct(self, instruction.text)
            except (Leave, BrokenPipeError):
                raise
            except (ToryoError, click.ClickException) as error:
                return self.refuse(error)
            except click.Abort:
                say("left as it was")
                return Exit.INTERRUPTED
            except Exception as error:  # noqa: BLE001 - one bad command must not end the conversation
                return self.refuse(as_error(error))

    def takes_terminal(self, said: str | Typed) -> bool:
        """Whether it wants the keyboard or the whole screen for itself, where there is one."""
        try:
            typed = read(said) if isinstance(said, str) else said
        except ToryoError:
            return False
        if self.config.non_interactive or not isinstance(typed, Typed):
            return False
        verb = self.own.get(typed.name)
        return verb.takes_terminal(typed) if verb else typed.name in _OF_THE_TERMINAL

    def needs_terminal(self, what: str, instead: str) -> ToryoError:
        """For what is chosen with arrow keys or typed unseen, where nobody can; `instead` is what works."""
        return ToryoError("E153", f"{what} needs a terminal", hint=instead)

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
        parts = typed.rest.split()
        if parts[:1] and parts[0] in _HELP:
            return typed.name
        is_own_and_free = typed.name in self.own and not self.is_group(typed.name)
        if is_own_and_free or not any(part in _HELP for part in parts):
            return None
        return f"{typed.name} {parts[0]}" if self.is_group(typed.name) else typed.name

    def is_group(self, name: str) -> bool:
        return name in self.line.summaries and isinstance(self.line.command(name), click.Group)

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
        """Says what is wrong, as an answer: whoever asked reads it where answers are."""
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            show(spoken(error.format_message()))
            return Exit.USAGE
        if isinstance(error, ToryoError):
            for line in error.details:
                show(line)
            message, kept, hint, code = error.message, error.kept, error.hint, error.code
        else:
            where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
            message, kept, hint, code = error.format_message(), "", f"{where} --help shows how" if where else "", "E100"
        if not "E150" <= code <= "E169":  # the REPL's own say it in its own way already
            message, kept, hint = spoken(message), spoken(kept), spoken(hint)
        show(f"ERROR: {clean(message)}" + ("" if code == "E151" else f" ({code})"))
        if kept:
            show(f"KEPT: {clean(kept)}")
        if hint:
            show(f"HINT: {clean(hint)}")
        return Exit.FAULT if code == "E900" else Exit.ERROR


def no_standard_input() -> ToryoError:
    return ToryoError("E165", "standard input is where you type", hint="put it into a file, and name that")
