"""Runs that people can watch and speak to: headless ones with a view, interactive ones on a terminal."""

import asyncio
import errno
import logging
import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import aclosing, suppress
from pathlib import Path

from toryo.adapters import children, processes, watching
from toryo.adapters.hosts import adopted, keyboard, records, terminal, windows
from toryo.adapters.hosts.headless import WRAPPER, HeadlessHost
from toryo.adapters.hosts.tmux_command import Tmux
from toryo.ports import Ended, Launch, Screen

VIEW_AFTER = 2.0
"""Runs shorter than this get no view: it would be gone before anybody has seen it."""

_LOOK_EVERY = 0.2
_READY_WITHIN = 60.0
_CLOSING_TIME = 1.0

log = logging.getLogger(__name__)


class _Attendance:
    """What this host does for a run besides."""

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.task: asyncio.Task[None] | None = None


_Errand = Callable[[asyncio.Event], Coroutine[None, None, None]]
"""Told by the event that the run has ended."""


class TmuxHost(HeadlessHost):
    """Records are the headless host's, so that tmux can come and go: it shows runs, it does not keep them."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        super().__init__()
        self._environ = environ
        self._tmux = Tmux.of(environ)
        self._attendances: dict[Path, _Attendance] = {}
        self._has_warned = False

    async def start(self, launch: Launch) -> int:
        record, screen = launch.directory.resolve(), launch.screen
        if screen is None:
            return await super().start(launch)
        if screen.shows is not None:
            wrapper = await super().start(launch)
            self._attend(record, lambda end: self._show(record, screen, end))
            return wrapper
        wrapper = await self._start_on_terminal(launch, screen, record)
        if prompt := screen.types:
            self._attend(record, lambda end: self._type(record, screen, prompt, end))
        return wrapper

    async def wait(self, directory: Path) -> Ended | None:
        ended = await super().wait(directory)
        await self._clear_away(directory.resolve())
        return ended

    async def stop(self, directory: Path, grace: float) -> Ended | None:
        ended = await super().stop(directory, grace)
        await self._clear_away(directory.resolve())
        return ended

    # ── on a terminal ────────────────────────────────────────────────────────

    async def _start_on_terminal(self, launch: Launch, screen: Screen, record: Path) -> int:
        if not records.is_claimed(record):
            await self._open_terminal(launch, screen, record)
        if not records.is_claimed(record):
            raise OSError(errno.EIO, "the wrapper ended before it could note its pid", str(record))
        wrapper = await records.wrapper(record) or 0
        if not (record / "window").exists():
            await self._note_window(record, wrapper)
        return wrapper

    async def _note_window(self, record: Path, wrapper: int) -> None:
        """For somebody who opened it and did not get round to noting where."""
        seen = records.look_at_wrapper(wrapper, record)
        if seen and (window := await windows.find(self._tmux, seen.session)):
            windows.note(record, window)

    async def _open_terminal(self, launch: Launch, screen: Screen, record: Path) -> None:
        children.adopt_orphans()
        records.prepare(launch, record)
        script = terminal.write_script(launch, record, WRAPPER)
        output, logging_on = record / "output.log", record / "logging"
        for path in (output, logging_on):
            path.touch(mode=0o600)
        try:
            feed = windows.feeding(output, logging_on)
            argv = terminal.pane_argv(script, record)
            window = await windows.open_window(self._tmux, screen, argv, launch.cwd, log_to=feed)
            await records.claimed(record, window.process)
        finally:
            script.unlink(missing_ok=True)
            if not records.is_claimed(record):
                logging_on.unlink(missing_ok=True)
        wrapper = await records.wrapper(record)
        seen = records.look_at_wrapper(wrapper, record) if wrapper else None
        if seen is None or seen.session == window.process:
            windows.note(record, window)
        else:
            # The same run was started elsewhere too, and was first; ours closes by itself.
            await processes.wait_for_exit(window.process)

    def _leader(self, record: Path) -> int | None:
        """The window's process, unless the window is only a view: that is not marked as the run's."""
        window = windows.noted(record)
        return window.process if window and processes.record_of(window.process) == str(record) else None

    # ── besides ──────────────────────────────────────────────────────────────

    def _attendance(self, record: Path) -> _Attendance:
        return self._attendances.setdefault(record, _Attendance())

    def _attend(self, record: Path, errand: _Errand) -> None:
        if not self.has_ended(record) and not (attendance := self._attendance(record)).task:
            attendance.task = asyncio.create_task(self._run(errand(attendance.end)))

    async def _run(self, errand: Coroutine[None, None, None]) -> None:
        try:
            await errand
        except OSError as error:
            # The run itself needs none of this.
            log.log(logging.DEBUG if self._has_warned else logging.WARNING, "%s", error)
            self._has_warned = True

    async def _show(self, record: Path, screen: Screen, end: asyncio.Event) -> None:
        if not await _comes_within(VIEW_AFTER, end) and not self.has_ended(record):
            await windows.open_view(record, screen, self._environ)

    async def _type(self, record: Path, screen: Screen, prompt: Path, end: asyncio.Event) -> None:
        """Types the prompt when the program is ready for it; never twice, whoever starts this run again."""
        typed = record / "typed"
        window = None if typed.exists() else await windows.window_of(record)
        if window is None:
            return
        for _ in range(int(_READY_WITHIN / _LOOK_EVERY)):
            shown = await keyboard.screen_text(window)
            if shown.strip() and screen.ready in shown:
                break
            if await _comes_within(_LOOK_EVERY, end) or self.has_ended(record):
                return
        else:
            log.warning("%s: the program did not show %r, its prompt has to be typed in", record.name, screen.ready)
            return
        text = prompt.read_text("utf-8", "surrogateescape")
        with suppress(FileExistsError):
            typed.touch(mode=0o600, exist_ok=False)
            await keyboard.type_in(window, text)

    async def _clear_away(self, record: Path) -> None:
        """After the end: nothing is shown or typed any more."""
        attendance = self._attendances.pop(record, None) or _Attendance()
        attendance.end.set()
        if attendance.task:
            # A view that is being opened just now had better be finished and closed than forgotten.
            await asyncio.wait({attendance.task}, timeout=_CLOSING_TIME)
            attendance.task.cancel()
        await _until_logged(record)
        terminal.remove_scripts(record)
        if window := windows.noted(record):
            await windows.close(window)
            (record / "window").unlink(missing_ok=True)
        adopted.collect()


async def _comes_within(seconds: float, end: asyncio.Event) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await end.wait()
    return end.is_set()


async def _until_logged(record: Path) -> None:
    """Until the last of what the terminal showed is in the log; a terminal that stays open ends that too."""
    logging_on = record / "logging"
    if not logging_on.exists():
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSING_TIME), aclosing(watching.changes([logging_on])) as changes:
            async for _ in changes:
                if not logging_on.exists():
                    break
    logging_on.unlink(missing_ok=True)
