"""What agents tell, as lines for people."""

import time
from collections.abc import Sequence

from toryo.domain import signals as s

_RESULT_LINES = 5
_LONGEST = 400


class Teller:
    """Tells signals one after the other; what comes in pieces is put together again."""

    def __init__(self) -> None:
        self._is_open = False

    def tell(self, signal: s.Signal) -> str:
        if isinstance(signal, s.Said) and signal.is_piece:
            self._is_open = not signal.text.endswith("\n") if signal.text else self._is_open
            return signal.text
        text = "".join(f"{line}\n" for line in signal_lines(signal))
        if not text or not self._is_open:
            return text
        self._is_open = False
        return "\n" + text


def signal_lines(signal: s.Signal) -> Sequence[str]:
    """The lines a person sees of it; none where it says nothing to a person."""
    match signal:
        case s.Said(text=text) if text.strip():
            return text.strip().splitlines()
        case s.Used(tool=tool, detail=detail):
            return [clip(f"▸ {tool}: {detail.strip()}" if detail.strip() else f"▸ {tool}")]
        case s.Got(text=text, failed=failed):
            return _result(text, failed)
        case s.Asked(question=question):
            return [clip(f"? {question.strip()}")]
        case s.Stalled(trouble=trouble, message=message, until=until):
            return [clip(f"! {trouble}{_until(until)}, it tries again: {message.strip()}")]
        case s.Failed(trouble=trouble, message=message, until=until):
            return [clip(f"✗ {trouble}{_until(until)}: {message.strip()}")]
        case s.Finished():
            return ["■ end of turn"]
        case s.Noted(text=text) if text.strip():
            return text.rstrip().splitlines()
        case _:
            return []


def _result(text: str, failed: bool) -> list[str]:
    lines = text.strip().splitlines()
    mark = "✗" if failed else "│"
    shown = [clip(f"  {mark} {line}") for line in lines[:_RESULT_LINES]]
    if len(lines) > _RESULT_LINES:
        shown.append(f"  {mark} … {len(lines) - _RESULT_LINES} more lines")
    return shown


def _until(until: float) -> str:
    return f" (until {time.strftime('%H:%M', time.localtime(until))})" if until else ""


def clip(line: str) -> str:
    """The first line, cut where nobody would read on."""
    first, _, rest = line.partition("\n")
    return f"{first[:_LONGEST]} …" if rest or len(first) > _LONGEST else first
