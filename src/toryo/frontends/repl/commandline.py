"""What the REPL wants of the command line, whose commands it offers as its own."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import click


class CommandLine(Protocol):
    """Handed over by whoever starts the REPL: faces do not know each other."""

    @property
    def summaries(self) -> Mapping[str, str]:
        """What each command does, in one line, by its name."""

    def command(self, name: str) -> click.Command:
        """The command itself, for its options and its help."""

    def invoke(self, name: str, args: Sequence[str]) -> int:
        """Carries it out, as it would be at a prompt of the shell; the exit code. Raises what it raises."""

    @property
    def carried_out(self) -> int:
        """How many commands so far."""

    @property
    def has_begun(self) -> bool:
        """Whether any of them had work done."""

    def verdict(self) -> int:
        """The exit code of all that was carried out, with the work as it stands now."""
