"""Without a terminal: one line after the other, each answered before the next is read."""

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.repl.answers import Answers, JsonAnswers, PlainAnswers, spoken_into
from toryo.frontends.repl.dialogue import Dialogue, Leave
from toryo.frontends.repl.leaving import farewell
from toryo.frontends.repl.lines import Line, lines_of
from toryo.frontends.speech import say
from toryo.rules.exits import worst_exit

NOBODY_READS = 141
"""As a shell says of a program that was ended by SIGPIPE."""


def converse(dialogue: Dialogue, script: BinaryIO, *, as_json: bool = False) -> int:
    """The exit code of it all."""
    onward = sys.stdout.buffer if sys.stdout else io.BytesIO()  # it may have been closed on purpose
    talk = _Talk(dialogue, JsonAnswers(onward) if as_json else PlainAnswers(onward))
    try:
        with _terminated_like_interrupted():
            try:
                for line in lines_of(script):
                    talk.answer(line)
                if dialogue.line.has_begun:
                    for words in farewell():
                        say(words)
            except Leave:
                pass
    except KeyboardInterrupt:
        say("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return NOBODY_READS if dialogue.line.has_begun else Exit.COMPLETE
    return worst_exit([*talk.codes, dialogue.line.verdict()])


class _Talk:
    def __init__(self, dialogue: Dialogue, answers: Answers) -> None:
        self._dialogue, self._answers = dialogue, answers
        self.codes: list[int] = []
        """Of what was not carried out by the command line, which keeps its own."""

    def answer(self, line: Line) -> None:
        """One line, to the end; raises Leave and KeyboardInterrupt once they are answered too."""
        dialogue = self._dialogue
        before = dialogue.line.carried_out
        end: BaseException | None = None
        said = line.said.decode(errors="replace")
        with spoken_into(self._answers.begin()):
            try:
                code = dialogue.answer(line.text)
            except (Leave, KeyboardInterrupt) as leaving:
                code, end = _parting(leaving), leaving
            except ToryoError as error:
                code = dialogue.refuse(error)
            except click.Abort:
                hint = "say it with the command; /help COMMAND shows how"
                code = dialogue.refuse(dialogue.needs_terminal("a question that it asks", hint))
        refusal = dialogue.refused
        if refusal is not None or dialogue.line.carried_out == before:
            self.codes.append(code)
        self._answers.end(line.number, said, code, refusal)
        if end is not None:
            raise end


def _parting(leaving: BaseException) -> int:
    return Exit.INTERRUPTED if isinstance(leaving, KeyboardInterrupt) else Exit.COMPLETE


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)
