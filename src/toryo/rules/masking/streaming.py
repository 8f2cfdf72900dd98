"""Masking text as it comes, in pieces: a secret that is cut in two by them is still one."""

from toryo.rules.masking.keyblocks import KeyBlocks
from toryo.rules.masking.lines import HIDDEN, Span, mask_line, may_have_secret, replaced, spans_in, suspects
from toryo.rules.masking.rule import compiled

LONGEST_LINE = 65_536
"""Longer lines are looked at in windows of this size."""
_OVERLAP = 8_192
"""No rule has to see more than this to know that it has found something."""
_CONTEXT = 64
_PIECE = 1_048_576


class TextMasker:
    """Masks text line by line, and private keys over lines. Fed in whatever pieces, it says the same."""

    def __init__(self, kinds: set[str] | None = None) -> None:
        self._keys = KeyBlocks()
        self._held = ""
        self._long: _LongLine | None = None
        self.kinds: set[str] = set() if kinds is None else kinds

    @property
    def is_idle(self) -> bool:
        return self._keys.is_idle and not self._held and self._long is None

    def feed(self, text: str, *, is_last: bool = False) -> str:
        """What can be said by now; with the last piece, everything."""
        self._held += self._keys.feed(text, is_last=is_last)
        if self._keys.has_found:
            self.kinds.add("PRIVATE_KEY")
        out: list[str] = []
        place = 0
        while (end := self._step(place, out, is_last)) > place:
            place = end
        self._held = self._held[place:]
        if is_last:
            out.append(mask_lines(self._held, self.kinds))
            self._held = ""
        return "".join(out)

    def _step(self, place: int, out: list[str], is_last: bool) -> int:
        """Deals with whole lines or with a window of a long one; up to where."""
        if self._long:
            return self._go_along(self._long, place, out, is_last)
        end = self._held.rfind("\n", place, place + LONGEST_LINE + 1) + 1
        if end:
            out.append(mask_lines(self._held[place:end], self.kinds))
            return end
        if len(self._held) - place > LONGEST_LINE:
            self._long = _LongLine(self.kinds)
            return self._go_along(self._long, place, out, is_last)
        return place

    def _go_along(self, line: "_LongLine", place: int, out: list[str], is_last: bool) -> int:
        end = self._held.find("\n", place, place + LONGEST_LINE + 1)
        if end < 0 and len(self._held) - place > LONGEST_LINE:
            return place + line.window(self._held[place : place + LONGEST_LINE], out)
        if end < 0 and not is_last:
            return place
        end = len(self._held) if end < 0 else end
        line.rest(self._held[place:end], out)
        self._long = None
        # The line break, if there is one, is a line of its own from here on.
        return end


class _LongLine:
    """A line that is too long to be looked at as a whole. What cannot be decided in a window is hidden."""

    def __init__(self, kinds: set[str]) -> None:
        self._kinds = kinds
        self._before = ""
        """The end of what is dealt with: whether a word begins is seen by it."""
        self._is_swallowing = False
        """A secret went on to the end of the window, and still goes on."""

    def window(self, text: str, out: list[str]) -> int:
        """Deals with the first part of the text; how much that is."""
        if self._is_swallowing:
            return self._swallow(text)
        spans = self._spans(text)
        end = len(text) - _OVERLAP
        for start, stop, masked in spans:
            if start <= end < stop:
                end = start or stop
                self._is_swallowing = bool(masked) and start == 0 and stop == len(text)
                break
        out.append(replaced(text[:end], [span for span in spans if span[1] <= end], self._kinds))
        self._before = text[max(0, end - _CONTEXT) : end]
        return end

    def rest(self, text: str, out: list[str]) -> None:
        if self._is_swallowing:
            text = text[self._swallow(text) :]
        out.append(replaced(text, self._spans(text), self._kinds))

    def _swallow(self, text: str) -> int:
        found = compiled(r"[^\s\"']*").match(text)
        end = found.end() if found else 0
        self._is_swallowing = end == len(text)
        self._before = text[max(0, end - _CONTEXT) : end] or self._before
        return end

    def _spans(self, text: str) -> list[Span]:
        try:
            shift = len(self._before)
            found = spans_in(self._before + text, shift)
            return [(start - shift, stop - shift, masked) for start, stop, masked in found]
        except Exception:  # noqa: BLE001 - whatever goes wrong, the text may hold a secret
            return [(0, len(text), HIDDEN)]


def mask_lines(text: str, kinds: set[str]) -> str:
    """Whole lines, of which none is very long."""
    if not may_have_secret(text):
        return text
    pieces: list[str] = []
    end = 0
    for start, stop in suspects(text):
        pieces += (text[end:start], mask_line(text[start:stop], kinds))
        end = stop
    return "".join((*pieces, text[end:]))


def masked_text(text: str, kinds: set[str]) -> str:
    """A whole text at once."""
    masker = TextMasker(kinds)
    pieces = [masker.feed(text[place : place + _PIECE]) for place in range(0, len(text), _PIECE)]
    return "".join((*pieces, masker.feed("", is_last=True)))
