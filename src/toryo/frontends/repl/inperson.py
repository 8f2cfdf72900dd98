"""Commands that need the terminal itself: carried out between prompts, where nothing else draws or reads keys."""

import signal
import termios
from contextlib import ExitStack, suppress

import click

from toryo.domain.errors import Exit
from toryo.frontends.hangup import HUNG_UP
from toryo.frontends.repl.dialogue import Dialogue, Leave
from toryo.frontends.speech import show
from toryo.views.columns import clipped

GONE = {signal.SIGTERM: 128 + signal.SIGTERM, signal.SIGHUP: HUNG_UP}
"""How we are told to end, and the exit code that says so."""


class _Gone(BaseException):
    def __init__(self, code: int) -> None:
        self.code = code


def in_person(dialogue: Dialogue, line: str) -> int | None:
    """Carries out what needs the terminal itself; the exit code where the person leaves, else None."""
    with ExitStack() as after:
        with suppress(termios.error):
            looks = termios.tcgetattr(0)
            after.callback(termios.tcsetattr, 0, termios.TCSADRAIN, looks)
        for number in GONE:
            after.callback(signal.signal, number, signal.signal(number, _go))
        try:
            dialogue.answer(line)
        except Leave:
            return Exit.COMPLETE
        except (KeyboardInterrupt, click.Abort):
            show(f"\nstopped: {clipped(line, 60)}")
        except _Gone as gone:
            return gone.code
    return None


def _go(number: int, _: object) -> None:
    raise _Gone(128 + number)
