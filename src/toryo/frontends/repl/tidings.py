"""News of what goes on in the background: lines above the prompt, and the bar below it."""

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing

from toryo.app.following import Desk, Follower
from toryo.domain.session import Session
from toryo.frontends.repl.above import Above
from toryo.frontends.repl.painting import dim, strong
from toryo.views.screen import clean
from toryo.views.tidings import Mention, bar_words, rest_lines, tiding_lines

Note = Callable[[Session], None]
"""Gets what has become of a session, to remember what it wants to; called in any thread."""


class Tidings:
    """Follows the journal for as long as the dialogue goes on."""

    def __init__(self, follower: Follower, above: Above, note: Note, mention: Mention, root: str) -> None:
        self._follower, self._above, self._note = follower, above, note
        self._mention, self._root = mention, root
        self._desk = Desk()

    async def tell(self, redraw: Callable[[], None]) -> None:
        async with aclosing(self._follower.follow()) as heard:
            async for each in heard:
                self._desk = each.desk
                for news in each.news:
                    self._above.put(*(dim(clean(line)) for line in tiding_lines(news.events)))
                    self._above.put(*_emphasised(rest_lines(news.before, news.session, self._mention, self._root)))
                    # Elsewhere: it reads and writes files, and may have to wait for another who does.
                    await asyncio.to_thread(self._note, news.session)
                if each.trouble:
                    self._above.put(clean(f"note: {each.trouble}; nothing that is being done is lost by that"))
                redraw()

    def bar(self) -> list[str]:
        """What is being worked on, most important first."""
        desk = self._desk
        words = bar_words(desk.session, desk.queued, is_conducted=desk.is_conducted, now=time.time())
        return [clean(word) for word in words]


def _emphasised(lines: list[str]) -> list[str]:
    return [strong(clean(line)) if place == 0 else clean(line) for place, line in enumerate(lines)]
