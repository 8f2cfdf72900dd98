"""Masking what programs print: text, and lines of JSON among it, in whatever pieces it comes."""

import codecs

from toryo.rules.masking.jsonlines import masked_json, needs_look
from toryo.rules.masking.lines import HIDDEN
from toryo.rules.masking.rule import compiled
from toryo.rules.masking.streaming import TextMasker

LONGEST_JSON = 8 * 1024 * 1024
"""A longer line is text, whatever it begins with."""
_MAY_BE_JSON = r"[ \t]{0,64}(?:[{\[]|\Z)"
_MAY_BE_JSON_NEXT = r"\n[ \t]{0,64}(?:[{\[]|\Z)"


class Masker:
    """Takes what a program prints and gives it out masked; lines of JSON stay JSON.

    For any text, the pieces it comes in make no difference. It keeps no more than a line, a key or a window of them.
    If anything goes wrong, the rest is hidden.
    """

    def __init__(self, errors: str = "replace") -> None:
        self.kinds: set[str] = set()
        """What was found so far."""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._text = TextMasker(self.kinds)
        self._held = ""
        """A line that may become one of JSON, as far as it has come."""
        self._in_text = False
        """In the middle of a line that is none."""
        self._has_failed = False

    def feed(self, piece: str | bytes) -> str:
        return self._guarded(piece, is_last=False)

    def finish(self) -> str:
        """What was still undecided."""
        return self._guarded(b"", is_last=True)

    def _guarded(self, piece: str | bytes, *, is_last: bool) -> str:
        if self._has_failed:
            return ""
        try:
            text = piece if isinstance(piece, str) else self._decoder.decode(piece, is_last)
            return self._fed(text, is_last)
        except Exception:  # noqa: BLE001 - whatever goes wrong, the rest may hold a secret
            self._has_failed = True
            self.kinds.add("HIDDEN")
            return HIDDEN + "\n"

    def _fed(self, text: str, is_last: bool) -> str:
        out: list[str] = []
        text, place = self._held + text, 0
        self._held = ""
        while place < len(text):
            start = place if self._in_text else self._json_from(text, place)
            if self._in_text or start > place:
                place = self._go_on_in_text(text, place, start, out)
                continue
            end = text.find("\n", start, start + LONGEST_JSON + 1) + 1
            if not end and len(text) - start > LONGEST_JSON:
                self._in_text = True
            elif not end and not is_last:
                self._held = text[start:]
                break
            else:
                place = end or len(text)
                self._line(text[start:place], out)
        if is_last:
            out.append(self._text.feed("", is_last=True))
        return "".join(out)

    def _json_from(self, text: str, place: int) -> int:
        """Where the next line begins that may be JSON; at the end of the text, that is not known yet."""
        if compiled(_MAY_BE_JSON).match(text, place):
            return place
        found = compiled(_MAY_BE_JSON_NEXT).search(text, place)
        return found.start() + 1 if found else len(text)

    def _go_on_in_text(self, text: str, place: int, start: int, out: list[str]) -> int:
        if self._in_text:
            start = text.find("\n", place) + 1 or len(text)
        out.append(self._text.feed(text[place:start]))
        self._in_text = text[start - 1] != "\n"
        return start

    def _line(self, line: str, out: list[str]) -> None:
        if self._text.is_idle and not needs_look(line):
            out.append(line)
            return
        masked = masked_json(line, self.kinds)
        if masked is None:
            out.append(self._text.feed(line))
            return
        out += (self._text.feed("", is_last=True), masked)
        self._text = TextMasker(self.kinds)
