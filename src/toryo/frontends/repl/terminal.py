"""At a terminal: a line that can be edited while work goes on and answers come in above it."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from prompt_toolkit.application.current import get_app_or_none, get_app_session

from toryo.app.following import Follower
from toryo.app.known import Known
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.app.remembering import typed_before
from toryo.app.stopping import going_on_first, stop
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.frontends.faults import fault
from toryo.frontends.hangup import HUNG_UP, is_hung_up
from toryo.frontends.repl.above import Above, Stream, text_stream
from toryo.frontends.repl.answering import Action, Answering
from toryo.frontends.repl.completing import Completing
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.greeting import greeting
from toryo.frontends.repl.history import KeptHistory
from toryo.frontends.repl.inperson import GONE, in_person
from toryo.frontends.repl.looking import leaves, only_looks
from toryo.frontends.repl.painting import dim
from toryo.frontends.repl.prompting import clear_or, prompt_session
from toryo.frontends.repl.reading import Typed, read
from toryo.frontends.repl.tidings import Note, Tidings
from toryo.frontends.speech import say, show
from toryo.rules.keylines import keepable
from toryo.views.columns import clipped
from toryo.views.screen import clean

_PATIENCE = 5.0
"""Seconds for what is being changed to be done, where we are told to end."""


def converse(dialogue: Dialogue, note: Note = lambda _: None) -> int:
    """The exit code. `note` gets each new state of a session that goes on meanwhile."""
    with closing(open_project(Path.cwd())) as project, asyncio.Runner() as runner:
        for line in greeting(project):
            show(line)
        loop = runner.get_loop()
        terminal = loop.run_until_complete(_terminal(dialogue, project, note))
        try:
            while isinstance(wanted := loop.run_until_complete(terminal.attend()), str):
                # Outside of the loop: whatever it is has the terminal, the signals and this thread for itself.
                if (code := terminal.aside(wanted)) is not None:
                    return code
            return wanted
        finally:
            loop.run_until_complete(terminal.close())


async def _terminal(dialogue: Dialogue, project: Project, note: Note) -> "Terminal":
    return Terminal(dialogue, project, note)


class Terminal:
    """What the keys lead to: the commands, in their thread; the news, as they come; the prompt, always."""

    def __init__(self, dialogue: Dialogue, project: Project, note: Note) -> None:
        self._dialogue, self._root = dialogue, project.place.root
        self._above = Above(get_app_session().output, lambda: self._leave(HUNG_UP))
        self._tidings = Tidings(Follower(project.place), self._above, note, dialogue.mentioning, str(self._root))
        self._session = prompt_session(
            KeptHistory(typed_before(project)),
            Completing(dialogue, Known(project.place)),
            self._tidings.bar,
            self._interrupted,
            self._ended,
        )
        self._out, self._err = Stream(self._above, is_screen=True), Stream(self._above, is_screen=False)
        self._streams = text_stream(self._out), text_stream(self._err)
        self._answering = Answering(self._begin, self._finish)
        self._loop = asyncio.get_running_loop()
        self._hear_signals()
        self._leaving = asyncio.Event()
        self._code: int = Exit.COMPLETE
        self._tasks = [
            asyncio.create_task(self._above.print()),
            asyncio.create_task(self._tidings.tell(self._session.app.invalidate)),
            asyncio.create_task(self._await_leave()),
        ]
        for task in self._tasks:
            task.add_done_callback(self._told_of_fault)

    async def attend(self) -> str | int:
        """Until a line wants the terminal for itself, or the person leaves: that line, or the exit code."""
        with self._speaking():
            while (line := await self._line()) is not None:
                wants_terminal = _takes_terminal(self._dialogue, line)
                if wants_terminal:
                    await self._unless_leaving(self._answering.idle())
                    if not self._leaving.is_set():
                        return line
                    break
                self._answering.put(line, lambda said=line: self._dialogue.answer(said))  # type: ignore[misc]
                if leaves(line):
                    self._answering.skip(only_looks)
                    await self._unless_leaving(self._answering.idle())
            self._answering.skip(only_looks)
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await self._answering.idle()
            return self._code

    def aside(self, line: str) -> int | None:
        """Has the line carried out by one who has the terminal; the exit code where the person leaves, else None."""
        try:
            for number in self._on_signals():
                self._loop.remove_signal_handler(number)
            return in_person(self._dialogue, line)
        except KeyboardInterrupt:  # a moment too early, or too late
            return None
        finally:
            self._hear_signals()

    def _told_of_fault(self, task: "asyncio.Task[None]") -> None:
        """What dies unseen would leave a screen that is no longer true."""
        if not task.cancelled() and (error := task.exception()) and not is_hung_up():
            found = fault(error)
            self._above.put(clean(f"ERROR: {found.message} ({found.code})"), clean(f"HINT: {found.hint}"))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._above.finish()

    # ── typing ───────────────────────────────────────────────────────────────

    async def _line(self) -> str | None:
        """What is typed next; None: the person leaves."""
        while not self._leaving.is_set():
            try:
                return await self._session.prompt_async(handle_sigint=False)
            except KeyboardInterrupt:  # from a terminal that is too simple for our keys
                clear_or(self._interrupted, self._session.default_buffer)
            except OSError:
                if not is_hung_up():
                    raise
                self._leave(HUNG_UP)
            except EOFError:
                if self._session.input.closed:  # the terminal is gone
                    self._leave(HUNG_UP)
                elif not self._leaving.is_set():
                    self._ended()
        return None

    def _interrupted(self) -> None:
        """Ctrl-C on an empty line: stops the one thing that is most likely meant, and never the dialogue."""
        current = self._answering.current
        if self._answering.stop() and current is not None:
            self._above.put(dim(clean(f"stopping {clipped(current.name, 60)}")))
        else:
            self._answering.put("Ctrl-C", self._stop_session)

    def _ended(self) -> None:
        """Ctrl-D on an empty line."""
        if self._dialogue.config.exit_on_eof:
            self._answering.put("/exit", lambda: self._dialogue.answer("/exit"))
        else:
            self._above.put("/exit leaves; what goes on in the background goes on")

    # ── leaving ──────────────────────────────────────────────────────────────

    def _leave(self, code: int) -> None:
        if self._leaving.is_set():
            return
        self._code = code
        self._leaving.set()
        app = get_app_or_none()
        if app is not None and app.is_running and not app.is_done:
            app.exit(exception=EOFError())

    async def _await_leave(self) -> None:
        await self._answering.left()
        self._leave(Exit.COMPLETE)

    async def _unless_leaving(self, wait: Coroutine[Any, Any, None]) -> None:
        waits = [asyncio.ensure_future(wait), asyncio.ensure_future(self._leaving.wait())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()

    def _hear_signals(self) -> None:
        for number, handler in self._on_signals().items():
            self._loop.add_signal_handler(number, handler)

    def _on_signals(self) -> dict[signal.Signals, Callable[[], None]]:
        def interrupt() -> None:
            if get_app_or_none() is not None:
                clear_or(self._interrupted, self._session.default_buffer)
            else:
                self._interrupted()

        gone = {number: (lambda code=code: self._leave(code)) for number, code in GONE.items()}
        return {signal.SIGINT: interrupt, **gone}

    # ── in the thread that answers ───────────────────────────────────────────

    def _begin(self, action: Action) -> None:
        if action.has_waited:
            self._above.put(dim(clean(f"» {clipped(keepable(action.name), 60)}")))

    def _finish(self, action: Action, ended: BaseException | None) -> None:
        self._out.end_line()
        self._err.end_line()
        match ended:
            case None:
                return
            case KeyboardInterrupt() | click.Abort():
                self._above.put(clean(f"stopped: {clipped(action.name, 60)}"))
            case _:
                self._above.put(clean(f"ERROR: a fault of Toryo's own: {type(ended).__name__}: {ended} (E900)"))

    def _stop_session(self) -> None:
        try:
            with closing(open_project(self._root, writing=True)) as project:
                only_a_person(project)
                session = going_on_first(project)
                if session is None:
                    show("nothing is being carried out or worked on; /exit leaves")
                    return
                say(f"stopping session {session.short}: {session.title}")
                _stop(project, session)
        except ToryoError as error:
            self._dialogue.refuse(error)

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Whatever is printed goes above the prompt; nothing but the prompt reads what is typed."""
        before = sys.stdin, sys.stdout, sys.stderr
        with Path("/dev/null").open() as nothing:
            sys.stdin, (sys.stdout, sys.stderr) = nothing, self._streams
            try:
                yield
            finally:
                sys.stdin, sys.stdout, sys.stderr = before


def _stop(project: Project, session: Session) -> None:
    try:
        session = stop(project, session)
    except KeyboardInterrupt:
        show(f"session {session.short} is being stopped, which takes a while; /status shows it")
        return
    show(f"session {session.short} is stopped; /start goes on with it")


def _takes_terminal(dialogue: Dialogue, line: str) -> bool:
    try:
        typed = read(line)
    except ToryoError:
        return False
    return isinstance(typed, Typed) and dialogue.takes_terminal(typed)
