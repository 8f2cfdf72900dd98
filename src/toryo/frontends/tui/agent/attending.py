"""What is listened to only while somebody looks: the planner's reply as it comes, and whether anything is missing."""

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from toryo.app.overhearing import overheard
from toryo.app.readiness import AI, Lack, follow_readiness
from toryo.domain.changing import changed
from toryo.domain.session import SessionState
from toryo.frontends.tui.agent.saying import Reply
from toryo.rules.unfolding import unfolded

if TYPE_CHECKING:
    from toryo.frontends.tui.agent.view import ChatView

_AT_WORK = (SessionState.PLANNING, SessionState.EXECUTING, SessionState.CONCLUDING)
_TO_THE_SETTINGS = "F4 opens the settings"


class Attending:
    """Two tasks of the event loop; both begin anew where they find themselves."""

    def __init__(self, view: "ChatView") -> None:
        self._view = view
        self._overheard = ""

    def begin(self) -> None:
        self._view.run_worker(self._follow_readiness(), group="readiness", exclusive=True, exit_on_error=False)

    def end(self) -> None:
        self._overheard = ""
        for group in ("readiness", "overhearing"):
            self._view.workers.cancel_group(self._view, group)

    def overhear(self) -> None:
        """The session in front, whichever that is by now."""
        session = self._view.chat.session
        wanted = session.id if session and session.state in _AT_WORK and self._view.is_looked_at else ""
        if wanted == self._overheard:
            return
        self._overheard = wanted
        self._view.workers.cancel_group(self._view, "overhearing")
        if wanted:
            self._view.run_worker(self._overhear(wanted), group="overhearing", exit_on_error=False)

    async def _overhear(self, session_id: str) -> None:
        """Whenever it is cancelled, widgets must not be: Textual waits for their tasks in a way that would take them
        along, so nobody here waits for one that goes, and what grows is shielded.
        """
        reply: Reply | None = None
        try:
            async with aclosing(overheard(self._view.face.root, session_id)) as heard:
                async for each in heard:
                    if reply is not None and (each.is_over or reply.question != each.question):
                        reply.remove()
                        reply = None
                    if each.is_over:
                        continue
                    if reply is None:
                        reply = Reply(each.question)
                        await self._view.talk.mount(reply)
                    await asyncio.shield(reply.grow(unfolded(each.text)))
        finally:
            if reply is not None:
                reply.remove()

    async def _follow_readiness(self) -> None:
        async with aclosing(follow_readiness(self._view.face.root)) as looks:
            async for found in looks:
                lacks = [lack for lack in (found.tmux, found.model) if lack] or found.lacks
                self._view.found(tuple(_with_way(lack) for lack in lacks))


def _with_way(lack: Lack) -> Lack:
    return changed(lack, do=f"{_TO_THE_SETTINGS}, or: {lack.do}") if lack.says == AI else lack
