"""A long text in which one can search: what is found is marked, and gone to from one to the next."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.binding import Binding
from textual.message import Message

from toryo.frontends.tui.watching.longtext import NO_SIGN, LongText
from toryo.frontends.tui.watching.matches import Matches, Place
from toryo.views.finding import alike, found_words, spans

_FOUND, _LOOKED_AT = "›", "▶"
"""Before a row on which it is, and before the one that is looked at: no colour is needed to see that."""
_MARKED = Style(bold=True, reverse=True)


class FindableText(LongText):
    """Says how much was found; whoever has it below shows that, and has a line to type in."""

    BINDINGS = [
        Binding("n", "match(1)", "Next", tooltip="The next that was found"),
        Binding("N", "match(-1)", "Before", key_display="N", tooltip="The one that was found before"),
        Binding("escape", "leave_search", "No search"),
    ]

    class SearchLeft(Message):
        """Somebody has searched enough."""

    class Searched(Message):
        """What is found is different, or another of it is looked at."""

        def __init__(self, text: "FindableText", words: str) -> None:
            super().__init__()
            self.text, self.words = text, words

        @property
        def control(self) -> "FindableText":
            return self.text

    def __init__(
        self, name: str, style_of: Callable[[str], str] = lambda _: "", *, follows: bool = False, empty: str = ""
    ) -> None:
        super().__init__(name, style_of, follows=follows, empty=empty)
        self._sought = ""
        """What is searched for, as `alike` makes it; empty: nothing."""
        self._matches: Matches | None = None
        """None: nothing is searched for, or it is not known yet."""
        self._at: Place = (0, 0)
        self._at_row = -1
        """The match that is looked at, and its row."""
        self._goes_there = False
        """Nobody has been brought to a match yet since something else is searched for."""

    @property
    def is_searched(self) -> bool:
        return bool(self._sought)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("match", "leave_search"):
            return bool(self._sought)
        return super().check_action(action, parameters)

    def action_leave_search(self) -> None:
        self.post_message(self.SearchLeft())

    def find(self, words: str) -> None:
        """From where somebody looks; empty: nothing any more."""
        if (sought := alike(words)) == self._sought:
            return
        self._sought, self._matches, self._at_row = sought, None, -1
        self._at = (self._rows.line_at(round(self.scroll_y)), 0)
        self._goes_there = True
        self._search_anew()
        self.refresh()

    def _search_anew(self) -> None:
        if self._sought:
            self._search(self._sought)
        self._tell_found()

    @work(exclusive=True, group="searching")
    async def _search(self, sought: str) -> None:
        async with self._turn:
            is_wanted = partial(self._is_sought, sought)
            found = await asyncio.to_thread(Matches.of, self._spool, sought, self._rows.width, is_wanted)
            if not is_wanted():
                return
            self._matches = found
        if self._goes_there:
            self._goes_there = not found.places  # the text may only come
            self._go_to(found.next_after(self._at))
        else:
            self._show_at()
        self.refresh()

    def _is_sought(self, sought: str) -> bool:
        return self._sought == sought

    def action_match(self, by: int) -> None:
        if self._matches and self._matches.places:
            self._go_to((self._matches.next_after(self._at) + by) % len(self._matches.places))

    def _go_to(self, number: int) -> None:
        matches = self._matches
        if matches and matches.places:
            self._at = matches.places[number]
            self._show_at()
            self.follows = False
            if not 0 <= self._at_row - round(self.scroll_y) < self.size.height:
                self.scroll_to(y=max(0, self._at_row - self.size.height // 2), animate=False, immediate=True)
            self.post_message(self.Moved())
            self.refresh()
        self._tell_found()

    def _show_at(self) -> None:
        """The row that is looked at, wherever it is by now; none where it is not there any more."""
        if self._matches and (same := self._matches.same_line(self._at)):
            self._at = same
            self._at_row = self._rows.row_of(same[0]) + same[1]
        else:
            self._at_row = -1
        self._tell_found()

    def _tell_found(self) -> None:
        matches = self._matches
        count = len(matches.places) if matches else 0
        place = matches.next_after(self._at) + 1 if matches and count else 0
        words = found_words(place, count, is_whole=matches is not None) if self._sought else ""
        self.post_message(self.Searched(self, words))

    # ── while it changes ─────────────────────────────────────────────────────

    def _grown(self) -> None:
        if self._matches:
            self._tell_found()

    def _made_anew(self) -> None:
        self._search_anew()

    def _add(self, lines: tuple[str, ...]) -> None:
        super()._add(lines)
        if self._matches:
            self._matches.add(lines)

    def _forget(self) -> None:
        super()._forget()
        self._matches = Matches(self._sought, self._rows.width) if self._sought else None
        self._at_row = -1

    def _segments(self, number: int, text: str, style: Style, base: Style) -> list[Segment]:
        found = spans(text, self._sought) if self._sought else []
        sign = _LOOKED_AT if number == self._at_row else _FOUND if found else NO_SIGN
        return [Segment(sign, base), *_marked(text, found, style)]


def _marked(text: str, found: Sequence[tuple[int, int]], style: Style) -> list[Segment]:
    """The row in pieces: what is searched for is turned round, which shows also without colours."""
    segments, at = [], 0
    for begin, end in found:
        segments += [Segment(text[at:begin], style), Segment(text[begin:end], style + _MARKED)]
        at = end
    return [*segments, Segment(text[at:], style)]
