"""A reply of a model as it comes, for faces that do not conduct: left in a file by whoever does."""

import asyncio
import json
import os
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any

from toryo.adapters.git.place import find_place
from toryo.adapters.processes import wait_for_exit
from toryo.adapters.replacing import put
from toryo.adapters.watching import changes
from toryo.domain.facts import fact
from toryo.journal.lease import look
from toryo.rules.masking.live import LiveMasker

FOLDER = "heard"
_AT_MOST_EVERY = 0.1
_LONGEST = 100_000
"""Characters; what is longer is read when it is complete."""
_LARGEST = 16 * _LONGEST
_BESIDE = ("review", "reconsider")
"""Questions about single tasks: several may be asked at once, and none of them is part of the conversation."""


@fact
class Overheard:
    """A reply in progress, masked, from its beginning; `rules.unfolding.unfolded(text)` makes it readable."""

    question: str
    """Which of Toryo's questions it answers: questions, specify, plan, tasks, score, saying, judge, …"""
    text: str
    is_over: bool = False
    """The reply is complete, or nobody goes on with it: what became of it is in the journal."""


# ── leaving it ───────────────────────────────────────────────────────────────


class Left:
    """What a model is saying in a session, kept in a file; a disk that is full costs the file and nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reply: _Reply | None = None
        self._guard = threading.Lock()
        self._changed, self._ended = threading.Event(), threading.Event()
        self._writing: threading.Thread | None = None

    def hear(self, question: str, piece: str) -> None:
        if question in _BESIDE:
            return
        with self._guard:
            if not piece or self._reply is None:
                self._reply = _Reply(question)
            if self._reply.question == question:
                self._reply.add(piece)
        self._change()

    def hear_out(self, question: str) -> None:
        with self._guard:
            if self._reply is None or self._reply.question != question:
                return
            self._reply.is_over = True
        self._change()

    def _change(self) -> None:
        self._changed.set()
        if self._writing is None:
            # Beside the loop that conducts: a slow disk must not hold it up.
            self._writing = threading.Thread(target=self._write_on, name="overhearing", daemon=True)
            self._writing.start()

    def _write_on(self) -> None:
        while not self._ended.is_set():
            self._changed.wait()
            self._changed.clear()
            with self._guard:
                left = self._reply and self._reply.row()
            if left and not self._ended.is_set():
                _write(self._path, left)
            self._ended.wait(_AT_MOST_EVERY)

    def end(self) -> None:
        self._ended.set()
        self._changed.set()
        if self._writing is not None:
            self._writing.join()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


class _Reply:
    def __init__(self, question: str) -> None:
        self.question = question
        self.is_over = False
        self._room = _LONGEST
        self._masker = LiveMasker()
        self._whole: str | None = None

    def add(self, piece: str) -> None:
        if self._room > 0:
            self._masker.feed(piece[: self._room])
            self._room -= len(piece)

    def row(self) -> dict[str, Any]:
        return {"pid": os.getpid(), "question": self.question, "text": self._text(), "over": self.is_over}

    def _text(self) -> str:
        if not self.is_over or self._room < 0:
            return self._masker.text
        if self._whole is None:
            self._whole = self._masker.finish()
        return self._whole


def _write(path: Path, row: dict[str, Any]) -> None:
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        put(path, json.dumps(row, ensure_ascii=False).encode("utf-8", errors="replace"))


@contextmanager
def leave_to_hear(store: Path, session_id: str) -> Iterator[Left]:
    """While a session is conducted; what somebody left who was killed is removed first, as one conducts at a time."""
    left = Left(store / FOLDER / session_id)
    with suppress(OSError):
        for old in (store / FOLDER).iterdir():
            old.unlink()
    try:
        yield left
    finally:
        left.end()


# ── overhearing it ───────────────────────────────────────────────────────────


async def overheard(root: Path, session_id: str) -> AsyncGenerator[Overheard, None]:
    """Whatever the session's planner is saying, again whenever there is more of it; ends only when it is closed."""
    store = (await asyncio.to_thread(find_place, root)).store
    path, last = store / FOLDER / session_id, Overheard("", "", is_over=True)
    async with aclosing(_looks(path, store / "conductor.lock", session_id)) as looks:
        async for found in looks:
            now = found or Overheard(last.question, last.text, is_over=True)
            if now != last:
                last = now
                yield now


async def _looks(path: Path, lock: Path, session_id: str) -> AsyncGenerator[Overheard | None, None]:
    """What is there, again whenever that may have changed; also when whoever wrote it has died, which no file tells."""
    changed = changes([path])
    coming = asyncio.ensure_future(anext(changed))
    dying: asyncio.Task[None] | None = None
    watched, dead = 0, 0
    try:
        while True:
            await asyncio.wait([coming, *([dying] if dying else [])], return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                coming.result()
                coming = asyncio.ensure_future(anext(changed))
            if dying and dying.done():
                dying, watched, dead = None, 0, watched
            row = await asyncio.to_thread(_read, path)
            if row is None:
                yield None
                continue
            pid = row["pid"]
            is_conducted = pid != dead and await asyncio.to_thread(_conducts, lock, pid, session_id)
            if is_conducted and pid != watched:
                if dying:
                    dying.cancel()
                dying, watched = asyncio.ensure_future(wait_for_exit(pid)), pid
            yield Overheard(row["question"], row["text"], bool(row["over"]) or not is_conducted)
    finally:
        under_way = [task for task in (coming, dying) if task is not None]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await changed.aclose()


def _conducts(lock: Path, pid: int, session_id: str) -> bool:
    held = look(lock)
    return held is not None and held.pid == pid and held.purpose == session_id


def _read(path: Path) -> dict[str, Any] | None:
    try:
        with path.open("rb") as file:
            row = json.loads(file.read(_LARGEST))
    except (OSError, ValueError):
        return None
    is_right = isinstance(row, dict) and isinstance(row.get("pid"), int)
    return row if is_right and all(isinstance(row.get(name), str) for name in ("question", "text")) else None
