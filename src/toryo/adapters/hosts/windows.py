"""Windows of tmux: opening one, finding it again from a run's record, getting a person in front of it."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from toryo.adapters.hosts import adopted, records
from toryo.adapters.hosts.tmux_command import Tmux, TmuxFailed, session_name, socket_of, window_name
from toryo.domain.facts import fact
from toryo.ports import Screen

_SIZE = "200x50"
_HISTORY = "10000"
_TRIES = 5
# Colons, because they cannot be in the name of a session.
_FORMAT = "#{pane_pid}:#{pane_id}:#{window_id}:#{pid}:#{session_name}:#{socket_path}"
# Ends with the run where tail can do that, so that a view does not outlive it even if nobody closes it.
_VIEW = """
if tail --pid=1 -n 0 /dev/null 2>/dev/null; then exec tail --pid="$1" -n +1 -F "$0" 2>/dev/null; fi
exec tail -n +1 -F "$0" 2>/dev/null
"""
# What an agent prints is masked only once it has ended; a copy in words is masked already.
_RAW_VIEW = """
ends=--pid="$1"
tail --pid=1 -n 0 /dev/null 2>/dev/null || ends=
tail $ends -n +1 -F "$0" 2>/dev/null | "$2" -I -m toryo.adapters.hosts.maskedview
"""


@fact
class Window:
    """Where a run can be seen. Ids begin anew with each server, so the pane's process is part of its identity."""

    socket: str
    session: str
    window: str
    pane: str
    process: int
    server: int
    """The pid of the server."""

    @property
    def tmux(self) -> Tmux:
        return Tmux.at(self.socket)


# ── opening ──────────────────────────────────────────────────────────────────


async def open_window(
    tmux: Tmux, screen: Screen, argv: Sequence[str], cwd: Path, *, log_to: str | None = None
) -> Window:
    """A window that runs the program; `log_to` is a shell command which is fed all that the terminal shows."""
    session = session_name(screen.session)
    mark = f"toryo-{os.urandom(8).hex()}"
    target, group = f"={session}:={mark}", f"={session}:"
    # All at once: nobody sees it half made, and not a byte is shown before somebody logs it.
    opening = [
        ["new-window", "-d", "-P", "-F", _FORMAT, "-t", group, "-n", mark, "--", *argv],
        ["set-option", "-w", "-t", target, "remain-on-exit", "off"],
        ["set-option", "-w", "-t", target, "allow-rename", "off"],
        ["set-option", "-w", "-t", target, "automatic-rename", "off"],
        *([["pipe-pane", "-t", target, log_to]] if log_to else []),
        ["rename-window", "-t", target, "--", window_name(screen.title)],
    ]
    first = f"{mark}-first"
    founding = [
        ["new-session", "-d", "-s", session, "-n", first, "-x", "200", "-y", "50", "--", "/bin/cat", "-"],
        *_session_options(tmux, group),
        *opening,
        # Was needed because a window's history is as long as its session says when the window is made.
        ["kill-window", "-t", f"={session}:={first}"],
    ]
    for attempt in range(_TRIES):
        # Others open and close windows too, and with them the session and the server.
        for commands in (opening, founding):
            answer = await tmux.attempt(*commands, cwd=cwd)
            if window := next(iter(_windows(answer.out)), None):
                adopted.expect(window.server, window.socket, window.process)
                return window
        await asyncio.sleep(0.02 * 2**attempt)
    raise TmuxFailed(answer.err or "opened no window")


def _session_options(tmux: Tmux, group: str) -> list[list[str]]:
    """Against what people configure for their own sessions."""
    of_session = {"destroy-unattached": "off", "default-size": _SIZE, "history-limit": _HISTORY}
    of_server = {"exit-empty": "on", "exit-unattached": "off"} if tmux.is_private else {}
    if not tmux.is_private:
        # The end of our session shall not throw a person out of their tmux.
        of_session["detach-on-destroy"] = "off"
    return [
        *(["set-option", "-s", name, value] for name, value in of_server.items()),
        *(["set-option", "-t", group, name, value] for name, value in of_session.items()),
    ]


def _windows(listing: str) -> list[Window]:
    found = []
    for line in listing.splitlines():
        with suppress(ValueError):
            process, pane, window, server, session, socket = line.split(":", 5)
            found.append(Window(socket, session, window, pane, int(process), int(server)))
    return found


async def open_view(record: Path, screen: Screen, environ: Mapping[str, str] = os.environ) -> Window:
    """Ensures a window that shows what a run does; raises TmuxFailed."""
    record = record.resolve()
    if window := await window_of(record):
        return window
    wrapper = await records.wrapper(record) or 0
    shows = os.path.abspath(screen.shows or record / "output.log")  # noqa: PTH100
    view = _VIEW if shows.endswith("readable.log") else _RAW_VIEW
    argv = ("/bin/sh", "-c", view, shows, str(wrapper), sys.executable)
    window = await open_window(Tmux.of(environ), screen, argv, record)
    if note(record, window, only_first=True):
        return window
    if other := await window_of(record):
        await close(window)
        return other
    note(record, window)
    return window


# ── finding again ────────────────────────────────────────────────────────────


def note(record: Path, window: Window, *, only_first: bool = False) -> bool:
    """Writes down where a run can be seen; whether that was so, as with `only_first` another may stand there."""
    draft = record / f"window.{os.urandom(4).hex()}"
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(asdict(window)), "utf-8")
    try:
        if only_first:
            (record / "window").hardlink_to(draft)
        else:
            draft.replace(record / "window")
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    return True


def noted(record: Path) -> Window | None:
    try:
        return Window(**json.loads((record / "window").read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


async def window_of(record: Path) -> Window | None:
    """The window a run can be seen in, wherever it has been moved; None if there is none any more."""
    window = noted(record)
    return await find(window.tmux, window.process) if window else None


async def find(tmux: Tmux, process: int) -> Window | None:
    """The window with the pane of this process; None also if the server is gone."""
    with suppress(TmuxFailed):
        listing = await tmux.ask(["list-panes", "-a", "-F", _FORMAT])
        return next((window for window in _windows(listing) if window.process == process), None)
    return None


async def close(window: Window) -> None:
    """Closes the pane, and with it the window unless a person put something beside it."""
    is_same = f"#{{==:#{{pane_pid}},{window.process}}}"
    with suppress(TmuxFailed):
        await window.tmux.ask(["if-shell", "-F", "-t", window.pane, is_same, f"kill-pane -t {window.pane}"])


# ── people ───────────────────────────────────────────────────────────────────


def attach_argv(window: Window, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command that puts whoever runs it on a terminal in front of the window."""
    target = f"={window.session}:{window.window}"
    own = socket_of(environ)
    if own and os.path.realpath(own) == os.path.realpath(window.socket):
        switch = ["switch-client", "-t", target, ";", "select-window", "-t", target]
        return ["tmux", "-S", window.socket, *switch]
    # Inside of another server tmux would refuse, with good reason, to nest; whoever asks for it wants it.
    outside = ["env", "-u", "TMUX"] if own else []
    return [*outside, "tmux", "-S", window.socket, "attach-session", "-t", target]


async def is_attended(window: Window) -> bool:
    """Whether a person is looking at the window's session: not a program that only controls it."""
    with suppress(TmuxFailed):
        clients = ["list-clients", "-t", f"={window.session}:", "-F", "#{client_control_mode}"]
        return "0" in (await window.tmux.ask(clients)).split()
    return False


def feeding(log: Path, until: Path) -> str:
    """The shell command that appends to a log, and removes a file once all is in it."""
    return f"cat >>{_unformatted(log)}; rm -f {_unformatted(until)}"


def _unformatted(path: Path) -> str:
    """Quoted for the shell, with nothing in it that tmux, which reads it first, takes for a format or a date."""
    quoted = "'" + str(path).replace("'", "'\"'\"'") + "'"
    return quoted.replace("#", "'\"$(printf '\\043')\"'").replace("%", "'\"$(printf '\\045')\"'")
