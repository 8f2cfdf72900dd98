"""One conversation: every line that is typed gets its answer, whoever types it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.domain.repl import ReplConfig
from toryo.frontends.repl.commandline import CommandLine
from toryo.frontends.repl.reading import Typed, read
from toryo.frontends.speech import show
from toryo.views.screen import clean


class Leave(Exception):
    """The person wants to go."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A command of the REPL's own."""

    says: str
    """What it does, in one line."""
    usage: str
    carry_out: "Callable[[Conversation, Typed], int]"


class Conversation:
    """Knows the commands, its own before those of the command line; answers on stdout, talks on stderr."""

    def __init__(self, line: CommandLine, config: ReplConfig, own: Mapping[str, Verb]) -> None:
        self.line = line
        self.config = config
        self.own = own

    def answer(self, said: str) -> int:
        """The exit code of whatever was said; raises Leave."""
        try:
            match read(said):
                case None:
                    return Exit.COMPLETE
                case Typed() as typed:
                    return self._carry_out(typed)
                case instruction:
                    return self.line.invoke("run", ["--", instruction.text])
        except (ToryoError, click.ClickException) as error:
            return self.refuse(error)

    def _carry_out(self, typed: Typed) -> int:
        if verb := self.own.get(typed.name):
            return verb.carry_out(self, typed)
        if typed.name in self.line.summaries:
            return self.line.invoke(typed.name, typed.words)
        raise ToryoError("E152", f"there is no command /{typed.name}", hint="/help lists them")

    def takes_terminal(self, typed: Typed) -> bool:
        """Whether it asks or shows something that needs the whole terminal, and so is carried out between prompts."""
        first = typed.rest.split()[:1]
        if typed.name in ("init", "attach"):
            return "--print" not in typed.rest
        return (typed.name, *first) in (("config", "init"), ("config", "edit"), ("keys", "set"))

    def refuse(self, error: ToryoError | click.ClickException) -> int:
        """Says what is wrong, as an answer: whoever asked reads it where answers are."""
        if isinstance(error, ToryoError):
            for line in error.details:
                show(line)
            message, hint, code = error.message, error.hint, error.code
        else:
            message, hint, code = error.format_message(), "", "E100"
        show(f"ERROR: {clean(message)} ({code})")
        if hint:
            show(f"HINT: {clean(hint)}")
        return Exit.ERROR
