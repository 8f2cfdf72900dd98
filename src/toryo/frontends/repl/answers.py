"""What a script reads: one answer for each of its lines, as it is shown, or as one JSON object in one line."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.rules.keylines import keepable
from toryo.rules.masking import mask_all
from toryo.views.columns import clipped
from toryo.views.screen import clean

Refusal = ToryoError | click.ClickException

_MOST_OF_INPUT = 1000


class Answers(Protocol):
    def begin(self) -> BinaryIO:
        """Where the next answer is to be written."""

    def end(self, line: int, said: str, code: int, refusal: Refusal | None) -> None:
        """The answer is complete, and goes out at once."""


@contextmanager
def spoken_into(sink: BinaryIO) -> Iterator[None]:
    """Whatever is shown meanwhile goes there, as for a program that reads it: no colours, no width, UTF-8."""
    former = sys.stdout
    sys.stdout = io.TextIOWrapper(sink, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)
    try:
        yield
    finally:
        sys.stdout.detach()  # or the sink would be closed with it
        sys.stdout = former


class _Passing(io.RawIOBase):
    """Passes everything on at once, and knows whether there was anything."""

    def __init__(self, onward: BinaryIO) -> None:
        super().__init__()
        self._onward = onward
        self.is_silent = True

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.is_silent = self.is_silent and not len(data)
        self._onward.write(data)
        self._onward.flush()
        return len(data)


class PlainAnswers:
    """As it is shown at a terminal; what went well without a word is answered too."""

    def __init__(self, onward: BinaryIO) -> None:
        self._onward = onward
        self._passing = _Passing(onward)

    def begin(self) -> BinaryIO:
        self._passing = _Passing(self._onward)
        return self._passing  # type: ignore[return-value]  # raw, so that nothing is held back

    def end(self, line: int, said: str, code: int, refusal: Refusal | None) -> None:  # noqa: ARG002 - plain
        if self._passing.is_silent:
            self._onward.write(f"{_in_a_word(code)}\n".encode())
        self._onward.flush()


def _in_a_word(code: int) -> str:
    match code:
        case Exit.COMPLETE:
            return "OK"
        case Exit.NOT_COMPLETE:
            return "NOT COMPLETE (exit code 2)"
        case _:
            return f"ERROR: exit code {code}"


class JsonAnswers:
    """Each in one line: what was said, how it went, and what there is to be seen."""

    def __init__(self, onward: BinaryIO) -> None:
        self._onward = onward
        self._shown = io.BytesIO()

    def begin(self) -> BinaryIO:
        self._shown = io.BytesIO()
        return self._shown

    def end(self, line: int, said: str, code: int, refusal: Refusal | None) -> None:
        answer: dict[str, Any] = {"toryo": 1, "kind": "answer", "line": line, "input": _discreet(said)}
        answer |= {"code": int(code), "ok": code == 0, **_content(self._shown.getvalue().decode())}
        if refusal is not None:
            answer["error"] = mask_all(_reason(refusal))
        self._onward.write(json.dumps(answer, ensure_ascii=False).encode(errors="backslashreplace") + b"\n")
        self._onward.flush()


def _discreet(said: str) -> str:
    """Enough to know it again; what may be a key is never repeated."""
    return clipped(clean(keepable(said)), _MOST_OF_INPUT)


def _content(shown: str) -> dict[str, Any]:
    """Data where the command was asked for it: one JSON document and nothing else."""
    try:
        data = json.loads(shown)
    except ValueError:
        data = None
    return {"data": data} if isinstance(data, dict | list) else {"shown": shown.removesuffix("\n")}


def _reason(refusal: Refusal) -> dict[str, str]:
    if isinstance(refusal, ToryoError):
        return {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}
    return {"code": "E100", "message": refusal.format_message(), "hint": ""}
