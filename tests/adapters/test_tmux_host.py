"""Real tmux on a socket of its own: what people see, what runs survive, and that nothing is left behind."""

import asyncio
import json
import logging
import os
import pty
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import psutil
import pytest
from tests.support.adopting import children_since

from toryo.adapters import processes
from toryo.adapters.hosts import adopted, headless, keyboard, records, terminal, tmux, tmux_command, windows
from toryo.adapters.hosts.headless import WRAPPER
from toryo.adapters.hosts.tmux import TmuxHost
from toryo.adapters.hosts.tmux_command import why_unusable
from toryo.adapters.hosts.windows import Window, attach_argv, is_attended, open_view, window_of
from toryo.ports import Launch, Screen

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

T = TypeVar("T")
HELD = "until [ -e go ]; do sleep 0.01; done; "
READY = "Ready> "
# Takes what is pasted as one piece, as the programs do that want a prompt typed in; Enter sends it.
PROMPTED = """
    import os, sys, time, tty
    tty.setcbreak(0)
    while not os.path.exists("ready"): time.sleep(0.01)
    sys.stdout.write("\\x1b[?2004hReady> ")
    sys.stdout.flush()
    taken = b""
    while True:
        taken += os.read(0, 65536)
        body, is_pasted, rest = taken.partition(b"\\x1b[201~")
        if is_pasted and rest.endswith(b"\\n"):
            with open("taken", "ab") as file: file.write(body + b"|" + rest)
            os.rename("taken", "sent")
            taken = b""
            while os.path.exists("sent") and not os.path.exists("go"): time.sleep(0.01)
            if os.path.exists("go"): break
"""


class Place:
    """A folder with a short name, for sockets have a limit, and the servers of tmux in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        (path / "home").mkdir()
        self.environ = {**kept, "HOME": str(path / "home"), "TMUX_TMPDIR": str(path), "LC_ALL": "C.UTF-8"}
        self.socket = path / f"tmux-{os.getuid()}/toryo"
        self.own = path / "own"
        """Where the server listens of a person who is inside of tmux already."""
        self.has_strangers = False
        """Something was started that no host of this process knows of, and so none collects."""

    def host(self, **environ: str) -> TmuxHost:
        return TmuxHost({**self.environ, **environ})

    def tmux(self, *args: str, socket: Path | None = None) -> str:
        argv = ["tmux", "-u", "-S", str(socket or self.socket), *args]
        done = subprocess.run(argv, env=self.environ, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.stdout

    def names(self) -> list[str]:
        return self.tmux("list-windows", "-a", "-F", "#{window_name}").splitlines()

    def server(self) -> int:
        return int(self.tmux("display-message", "-p", "#{pid}") or 0)

    def launch(self, *argv: str, screen: Screen, name: str = "run", env: dict[str, str] | None = None) -> Launch:
        return Launch(self.path / name, argv, self.path, self.environ if env is None else env, screen=screen)

    def on_terminal(self, *argv: str, name: str = "run", prompt: Path | None = None) -> Launch:
        return self.launch(*argv, name=name, screen=Screen("crew", name, None, prompt, READY if prompt else ""))

    def python(self, program: str, name: str = "run", prompt: Path | None = None) -> Launch:
        return self.on_terminal(sys.executable, "-S", "-c", textwrap.dedent(program), name=name, prompt=prompt)

    def with_view(self, script: str, name: str = "run") -> Launch:
        return self.launch("sh", "-c", script, name=name, screen=Screen("crew", name, self.path / f"{name}/output.log"))


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    path = Path(tempfile.mkdtemp(prefix="t", dir="/tmp")).resolve()
    place = Place(path)
    began = time.time()
    yield place
    # It goes away by itself with the last window: nobody has to end it.
    give_up = time.monotonic() + 10
    while (left := place.names()) and time.monotonic() < give_up:
        await asyncio.sleep(0.01)
    for socket in (place.socket, place.own):
        place.tmux("kill-server", socket=socket)
    marked = [pid for pid, record in processes.take_census().records.items() if record and f"{path}/" in record]
    for pid in marked:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(path)
    assert (left, marked) == ([], [])
    give_up = time.monotonic() + 10
    while (mine := children_since(began)) and time.monotonic() < give_up:
        adopted.collect()
        if place.has_strangers:
            reap(mine)
        await asyncio.sleep(0.01)
    for child in mine:
        child.kill()
        child.wait()
    assert mine == []


def reap(mine: list[psutil.Process]) -> None:
    for child in mine:
        with suppress(ChildProcessError):
            os.waitpid(child.pid, os.WNOHANG)


async def until(ask: Callable[[], T], within: float = 30.0) -> T:
    give_up = time.monotonic() + within
    while not (answer := ask()):
        assert time.monotonic() < give_up, "did not happen in time"
        await asyncio.sleep(0.005)
    return answer


async def until_async(ask: Callable[[], Awaitable[T]], within: float = 30.0) -> T:
    give_up = time.monotonic() + within
    while not (answer := await ask()):
        assert time.monotonic() < give_up, "did not happen in time"
        await asyncio.sleep(0.02)
    return answer


async def window(place: Place, name: str = "run") -> Window:
    return await until_async(lambda: window_of(place.path / name))


async def shown(place: Place, text: str, name: str = "run") -> str:
    where = await window(place, name)

    async def look() -> str:
        found = await keyboard.screen_text(where)
        return found if text in found else ""

    return await until_async(look)


def run(*argv: str) -> int:
    return subprocess.run(argv, capture_output=True).returncode


def begin(argv: list[str], environ: dict[str, str], terminal: int | None = None) -> "subprocess.Popen[bytes]":
    if terminal is None:
        return subprocess.Popen(argv, env=environ, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    return subprocess.Popen(argv, env=environ, stdin=terminal, stdout=terminal, stderr=terminal)


def number_in(path: Path) -> int:
    return int(path.read_text() or 0) if path.exists() else 0


def is_running(pid: int) -> bool:
    found = processes.look_at(pid)
    return found is not None and not found.is_zombie


def modes(record: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in record.iterdir()}


# ── a view of a headless run ─────────────────────────────────────────────────


async def test_a_run_that_lasts_gets_a_view_and_its_end_closes_it(place: Place) -> None:
    host = place.host()
    began = time.monotonic()
    await host.start(place.with_view("echo 進む; " + HELD + "exit 3"))
    assert time.monotonic() - began < tmux.VIEW_AFTER
    assert "進む" in await shown(place, "進む")
    assert time.monotonic() - began > tmux.VIEW_AFTER
    assert place.names() == ["run"]
    assert json.loads((place.path / "run/window").read_text())["socket"] == str(place.socket)
    (place.path / "go").touch()
    ended = await host.wait(place.path / "run")
    assert ended is not None and (ended.code, ended.reaped) == (3, 0)
    assert place.names() == []
    assert modes(place.path / "run") == dict.fromkeys(("exit", "launch.json", "output.log", "pid"), 0o600)


@pytest.mark.covers("P47")
async def test_a_view_shows_no_secret_that_a_run_prints(place: Place) -> None:
    host = place.host()
    await host.start(place.with_view(f"echo first; echo 'see gh''p_{'a1B2' * 9} there'; {HELD}"))
    assert "see [MASKED:GITHUB_TOKEN] there" in await shown(place, "there")
    (place.path / "go").touch()
    await host.wait(place.path / "run")


async def test_a_short_run_and_a_check_cost_nothing(place: Place) -> None:
    host = place.host()
    no_screen = Launch(place.path / "check", ("sh", "-c", "exit 5"), place.path, place.environ)
    for asked, code in ((place.with_view("exit 4"), 4), (no_screen, 5)):
        await host.start(asked)
        ended = await host.wait(asked.directory)
        assert ended is not None and ended.code == code
    assert not place.socket.exists()


async def test_a_view_waits_quietly_for_its_file_and_shows_what_is_added(place: Place) -> None:
    host = place.host()
    told = place.path / "told; #{pid}'"
    await host.start(place.launch("sh", "-c", HELD, screen=Screen("crew", "v", told)))
    where = await window(place)
    assert (await keyboard.screen_text(where)).strip() == ""
    told.write_text("first\n")
    await shown(place, "first")
    with told.open("a") as file:
        file.write("second\n")
    assert (await shown(place, "second")).split() == ["first", "second"]
    (place.path / "go").touch()
    await host.wait(place.path / "run")


@pytest.mark.covers("G17")
@pytest.mark.parametrize("how", ["kill-pane", "kill-server", "kill -9"])
async def test_what_happens_to_a_view_does_not_happen_to_the_run(place: Place, how: str) -> None:
    host = place.host()
    await host.start(place.with_view(HELD + "exit 6"))
    where = await window(place)
    if how == "kill -9":
        os.kill(where.server, signal.SIGKILL)
    else:
        place.tmux(*([how, "-t", where.pane] if how == "kill-pane" else [how]))
    await until_async(lambda: gone(place))
    assert not host.has_ended(place.path / "run")
    view = await open_view(place.path / "run", place.with_view("").screen or pytest.fail(), place.environ)
    assert view == await open_view(place.path / "run", place.with_view("").screen or pytest.fail(), place.environ)
    assert place.names() == ["run"]
    (place.path / "go").touch()
    ended = await host.wait(place.path / "run")
    assert ended is not None and ended.code == 6
    assert place.names() == []


async def gone(place: Place, name: str = "run") -> bool:
    return await window_of(place.path / name) is None


async def test_a_view_ends_with_its_run_though_nobody_closes_it(place: Place) -> None:
    if run("tail", "--pid=1", "-n0", os.devnull):
        pytest.skip("needs GNU tail")
    await place.host().start(place.with_view(HELD))
    await window(place)
    (place.path / "go").touch()
    await headless.HeadlessHost().wait(place.path / "run")
    await until(lambda: not place.names())


async def test_two_views_of_one_run_become_one(place: Place) -> None:
    host = place.host()
    asked = place.with_view(HELD)
    await headless.HeadlessHost().start(asked)
    assert asked.screen is not None
    views = await asyncio.gather(*(open_view(asked.directory, asked.screen, place.environ) for _ in range(5)))
    assert len(set(views)) == 1
    await until(lambda: place.names() == ["run"])
    (place.path / "go").touch()
    await host.wait(asked.directory)


async def test_without_tmux_runs_go_on_unseen_and_one_warning_says_so(
    place: Place, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tmux, "VIEW_AFTER", 0.0)
    host = place.host(PATH="/nowhere")
    with caplog.at_level(logging.WARNING):
        for name in ("one", "two"):
            await host.start(place.with_view(HELD + "exit 2", name))
        for attendance in host._attendances.values():
            assert attendance.task is not None
            await attendance.task
        (place.path / "go").touch()
        for name in ("one", "two"):
            ended = await host.wait(place.path / name)
            assert ended is not None and ended.code == 2
    assert [record.message for record in caplog.records] == ["[Errno 5] tmux: not installed"]
    with pytest.raises(OSError, match="not installed"):
        await host.start(place.on_terminal("true", name="three"))
    assert list((place.path / "three").glob("[!lo]*")) == []


# ── what an interactive run gets ─────────────────────────────────────────────

REPORT = """
    import json, os, sys
    ttys = [os.isatty(number) for number in (0, 1, 2)]
    size = list(os.get_terminal_size())
    foreground = os.tcgetpgrp(0) == os.getpgrp()
    signals = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("SigBlk", "SigIgn"))] \\
        if os.path.exists("/proc/self/status") else []
    argv = [os.fsencode(word).hex() for word in sys.argv[1:]]
    environ = {os.fsencode(name).hex(): os.fsencode(value).hex() for name, value in os.environ.items()}
    report = dict(argv=argv, environ=environ, ttys=ttys, size=size, foreground=foreground, signals=signals,
        cwd=os.getcwd(), umask=os.umask(0))
    print("reported")
    with open("report.tmp", "w") as file: json.dump(report, file)
    os.rename("report.tmp", "report")
"""
HOSTILE = ("--", "-n", "$HOME `id` $(id)", "\"'\\", "a\nb\n", "", ";", "a;", "棟梁 は", "🏗️", "#{pid} #(id)", "%H",
           os.fsdecode(bytes(range(1, 256))), "x" * 131_000, "漢'" * 30_000)  # fmt: skip


async def test_arguments_and_environment_arrive_byte_for_byte_and_nothing_else(place: Place) -> None:
    env = {"PATH": place.environ["PATH"], "TOKEN": "s3cret '\"\\\n$x", "LONG": "y" * 100_000, "BYTES": HOSTILE[12],
           "EMPTY": "", "UID": "77", "OPTIND": "x", "TERM": "dumb", "TMUX": "outer", "LC_ALL": "C.UTF-8"}  # fmt: skip
    folder = place.path / "it's; a #{pid} %H #[x]"
    folder.mkdir()
    argv = (sys.executable, "-S", "-c", textwrap.dedent(REPORT), *HOSTILE)
    record = folder / "実 行#(id)%Y;"
    asked = Launch(record, argv, folder, env, screen=Screen("crew", "run", None))
    host = place.host()
    os.umask(umask := os.umask(0))
    await host.start(asked)
    ended = await host.wait(record)
    assert ended is not None and (ended.code, ended.reaped) == (0, 0), (record / "output.log").read_text()
    report = json.loads((folder / "report").read_text())
    assert [bytes.fromhex(word) for word in report["argv"]] == [os.fsencode(word) for word in HOSTILE]
    got = {bytes.fromhex(name).decode(): os.fsdecode(bytes.fromhex(text)) for name, text in report["environ"].items()}
    assert got.pop("TERM").startswith(("tmux", "screen"))
    del env["TERM"], env["TMUX"], env["OPTIND"]  # the last is the shell's own, here as in the headless host
    assert got == {**env, processes.MARKER: str(record), "PWD": str(folder)}
    assert report["ttys"] == [True] * 3 and report["size"] == [200, 50] and report["foreground"]
    # What tmux 3.3a itself ignores stays so, here as in every window of it: TTIN and TTOU. Python: PIPE and XFSZ.
    assert all(int(mask, 16) & ~0x130_1000 == 0 for mask in report["signals"])
    assert (report["cwd"], report["umask"]) == (str(folder), umask)
    assert (record / "output.log").read_bytes() == b"reported\r\n"
    assert modes(record) == dict.fromkeys(("exit", "launch.json", "output.log", "pid"), 0o600)
    assert "s3cret" not in (record / "launch.json").read_text()


async def test_the_script_is_private_and_gone_before_the_run_begins(place: Place) -> None:
    asked = place.on_terminal("sh", "-c", f"ls -a {place.path}/run > files; " + HELD)
    records.prepare(asked, asked.directory)
    script = terminal.write_script(asked, asked.directory, WRAPPER)
    assert stat.S_IMODE(script.stat().st_mode) == 0o600
    host = place.host()
    # Without a host that would remove it too.
    assert asked.screen is not None
    await windows.open_window(host._tmux, asked.screen, terminal.pane_argv(script, asked.directory), place.path)
    files = await until(lambda: (place.path / "files").exists() and (place.path / "files").read_text())
    assert "start" not in files and "pid" in files
    (place.path / "go").touch()
    await host.wait(asked.directory)


async def test_what_cannot_start_raises_and_can_be_tried_again(place: Place) -> None:
    host = place.host()
    with pytest.raises(OSError, match="could not start true: Argument list too long"):
        await host.start(place.on_terminal("true", "x" * 140_000))
    with pytest.raises(OSError, match="could not start true: Argument list too long"):
        await host.start(place.on_terminal("true", *["x" * 100_000] * 40))
    with pytest.raises(OSError, match="could not start true: embedded null byte"):
        await host.start(place.on_terminal("true", "a\0b"))
    nowhere = Launch(place.path / "run", ("true",), place.path / "gone", {}, screen=Screen("crew", "x", None))
    with pytest.raises(OSError, match="working directory does not exist"):
        await host.start(nowhere)
    await host.start(place.on_terminal("no-such-program"))
    ended = await host.wait(place.path / "run")
    assert ended is not None and ended.code == 127
    assert "no-such-program: not found" in (place.path / "run/output.log").read_text()


async def test_all_that_the_terminal_showed_is_kept(place: Place) -> None:
    slow = place.path / "bin/cat"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 0.3; exec /bin/cat\n")
    slow.chmod(0o755)
    host = place.host(PATH=f"{slow.parent}:{place.environ['PATH']}")
    await host.start(place.on_terminal("sh", "-c", "i=0; while [ $((i+=1)) -le 3000 ]; do echo $i; done"))
    await host.wait(place.path / "run")
    assert (place.path / "run/output.log").read_text().split() == [str(number) for number in range(1, 3001)]


# ── keys and hangups ─────────────────────────────────────────────────────────

INTERRUPTED = """
    import os, signal, sys, time
    def on_interrupt(*_):
        signal.signal(signal.SIGINT, lambda *_: sys.exit(42))
        os.write(1, b"again?")
    signal.signal(signal.SIGINT, on_interrupt)
    signal.signal(signal.SIGQUIT, lambda *_: os.write(1, b"not yet"))
    os.write(1, b"up")
    while True: time.sleep(1000)
"""


async def test_ctrl_c_reaches_the_program_and_not_the_wrapper(place: Place) -> None:
    host = place.host()
    await host.start(place.python(INTERRUPTED))
    await host.start(place.on_terminal("sh", "-c", "echo up; exec sleep 1000", name="plain"))
    for name, code in (("run", 42), ("plain", 130)):
        await shown(place, "up", name)
        pane = (await window(place, name)).pane
        if name == "run":
            place.tmux("send-keys", "-t", pane, "C-\\")
            await shown(place, "not yet")
        place.tmux("send-keys", "-t", pane, "C-c")
        if name == "run":
            await shown(place, "again?")
            place.tmux("send-keys", "-t", pane, "C-c")
        ended = await host.wait(place.path / name)
        assert ended is not None and (ended.code, ended.reaped) == (code, 0)


@pytest.mark.parametrize("how", ["kill-pane", "kill-server", "kill -9"])
async def test_a_lost_terminal_hangs_up_and_is_recorded(place: Place, how: str) -> None:
    host = place.host()
    await host.start(place.on_terminal("sh", "-c", "sleep 1000 & echo $$ $! > pids; echo up; exec sleep 1000"))
    where = await window(place)
    await shown(place, "up")
    waiting = asyncio.create_task(host.wait(place.path / "run"))
    if how == "kill -9":
        os.kill(where.server, signal.SIGKILL)
    else:
        place.tmux(*([how, "-t", where.pane] if how == "kill-pane" else [how]))
    began = time.monotonic()
    ended = await waiting
    assert ended is not None and ended.code == 129
    assert time.monotonic() - began < 10
    assert not any(is_running(int(pid)) for pid in (place.path / "pids").read_text().split())


async def test_a_program_may_take_its_time_after_a_hangup(place: Place) -> None:
    host = place.host()
    program = """
        import signal, sys, time
        def on_hangup(*_):
            time.sleep(1.5)
            open("saved", "w").close()
            sys.exit(9)
        signal.signal(signal.SIGHUP, on_hangup)
        print("up", flush=True)
        while True: time.sleep(1000)
    """
    await host.start(place.python(program))
    await shown(place, "up")
    place.tmux("kill-server")
    ended = await host.wait(place.path / "run")
    assert ended is not None and ended.code == 9 and (place.path / "saved").exists()


async def test_leftovers_without_the_marker_are_known_by_their_session(place: Place) -> None:
    host = place.host()
    await host.start(
        place.on_terminal("sh", "-c", "env -i sh -c 'trap \"\" HUP; sleep 1000' & echo $! > left; " + HELD)
    )
    left = await until(lambda: number_in(place.path / "left"))
    waiting = asyncio.create_task(host.wait(place.path / "run"))
    await asyncio.sleep(0)
    (place.path / "go").touch()
    ended = await waiting
    assert ended is not None and ended.code == 0 and ended.reaped >= 1
    assert not is_running(left)


# ── stopping ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("on_term", "grace", "code"), [("exit 33", 20, 33), ("", 0.3, 137)])
async def test_stopping_asks_waits_and_kills(place: Place, on_term: str, grace: float, code: int) -> None:
    host = place.host()
    script = f"trap '{on_term}' TERM; echo up; while :; do sleep 0.01; done"
    await host.start(place.on_terminal("sh", "-c", script))
    await shown(place, "up")
    waiting = asyncio.create_task(host.wait(place.path / "run"))
    ended = await host.stop(place.path / "run", grace)
    waited = await waiting
    assert ended is not None and waited is not None and ended.code == waited.code == code
    assert await gone(place)


async def test_stopping_what_was_cleared_up_slowly_keeps_the_terminal_until_then(place: Place) -> None:
    host = place.host()
    program = """
        import signal, sys, time
        def on_term(*_):
            time.sleep(0.5)
            print("saved", flush=True)
            sys.exit(7)
        signal.signal(signal.SIGTERM, on_term)
        print("up", flush=True)
        while True: time.sleep(1000)
    """
    await host.start(place.python(program))
    await shown(place, "up")
    ended = await host.stop(place.path / "run", 20)
    assert ended is not None and (ended.code, ended.reaped) == (7, 0)
    assert "saved" in (place.path / "run/output.log").read_text()


async def test_what_a_person_put_beside_a_run_stays(place: Place) -> None:
    place.has_strangers = True
    host = place.host()
    await host.start(place.on_terminal("sh", "-c", HELD))
    where = await window(place)
    place.tmux("split-window", "-d", "-t", where.pane, "exec sleep 1000")
    (place.path / "go").touch()
    await host.wait(place.path / "run")
    assert await gone(place) and len(place.names()) == 1
    place.tmux("kill-server")


async def test_a_window_that_does_not_close_is_closed(place: Place) -> None:
    host = place.host()
    await host.start(place.on_terminal("sh", "-c", HELD))
    where = await window(place)
    place.tmux("set-option", "-w", "-t", where.window, "remain-on-exit", "on")
    (place.path / "go").touch()
    await host.wait(place.path / "run")
    assert await gone(place)


async def test_ids_of_a_server_that_is_gone_harm_nobody(place: Place) -> None:
    host = place.host()
    await host.start(place.on_terminal("sh", "-c", HELD))
    old = await window(place)
    os.kill(old.server, signal.SIGKILL)
    await host.wait(place.path / "run")
    windows.note(place.path / "run", old)
    await host.start(place.on_terminal("sh", "-c", "exec sleep 1000", name="other"))
    new = await window(place, "other")
    assert (new.pane, new.window) == (old.pane, old.window)
    assert await gone(place)
    await place.host().wait(place.path / "run")
    assert await window_of(place.path / "other") == new
    await host.stop(place.path / "other", 5)


# ── started at most once, and picked up by others ────────────────────────────


async def test_another_host_picks_up_a_run(place: Place) -> None:
    asked = place.on_terminal("sh", "-c", "echo x >> count; " + HELD + "exit 5")
    wrapper = await place.host().start(asked)
    where = await window(place)
    second = place.host()
    assert await second.start(asked) == wrapper
    # Killed before it could note the window.
    (place.path / "run/window").unlink()
    assert await second.start(asked) == wrapper
    assert await window(place) == where
    waiting = asyncio.create_task(second.wait(asked.directory))
    (place.path / "go").touch()
    ended = await waiting
    assert ended is not None and (ended.code, ended.reaped) == (5, 0)
    assert await second.start(asked) == wrapper
    assert (place.path / "count").read_text() == "x\n"


async def test_two_hosts_start_a_run_once(place: Place) -> None:
    for attempt in range(5):
        asked = place.on_terminal("sh", "-c", f"echo x >> count{attempt}; " + HELD, name=f"run{attempt}")
        first, second = await asyncio.gather(*(place.host().start(asked) for _ in range(2)))
        assert first == second
        await window(place, f"run{attempt}")
        assert (place.path / f"count{attempt}").read_text() == "x\n"
    await until(lambda: len(place.names()) == 5)
    (place.path / "go").touch()
    await asyncio.gather(*(place.host().wait(place.path / f"run{attempt}") for attempt in range(5)))


STARTER = """
    import asyncio, sys
    from pathlib import Path
    from toryo.adapters.hosts.tmux import TmuxHost
    from toryo.ports import Launch, Screen
    environ = {environ!r}
    prompt = {prompt!r} and Path({prompt!r})
    screen = Screen("crew", "run", None, prompt or None, {ready!r})
    asked = Launch(Path({record!r}), {argv!r}, Path({cwd!r}), environ, screen=screen)
    async def main():
        print(await TmuxHost(environ).start(asked), flush=True)
        if {stays}: await asyncio.Event().wait()
    asyncio.run(main())
"""


def elsewhere(place: Place, asked: Launch, *, stays: bool = False) -> "subprocess.Popen[str]":
    assert asked.screen is not None
    program = STARTER.format(environ=dict(asked.env), record=str(asked.directory), argv=asked.argv, cwd=str(asked.cwd),
                             stays=stays, prompt=str(asked.screen.types or ""), ready=asked.screen.ready)  # fmt: skip
    argv = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.Popen(argv, env=os.environ, stdout=subprocess.PIPE, text=True)


@pytest.mark.covers("A6")
async def test_two_processes_start_a_run_once(place: Place) -> None:
    place.has_strangers = True
    for attempt in range(3):
        asked = place.on_terminal("sh", "-c", f"echo x >> count{attempt}; " + HELD, name=f"run{attempt}")
        both = [elsewhere(place, asked) for _ in range(2)]
        said = {(await asyncio.to_thread(starter.communicate))[0] for starter in both}
        assert said == {f"{number_in(asked.directory / 'pid')}\n"}
        await until(lambda count=place.path / f"count{attempt}": count.exists() and count.read_text() == "x\n")
        await window(place, f"run{attempt}")
    await until(lambda: len(place.names()) == 3)
    (place.path / "go").touch()
    await asyncio.gather(*(place.host().wait(place.path / f"run{attempt}") for attempt in range(3)))


async def test_killed_between_window_and_claim_there_is_one_run_and_one_window(place: Place) -> None:
    host = place.host()
    for attempt in range(5):
        asked = place.on_terminal("sh", "-c", f"echo x >> count{attempt}; " + HELD, name=f"run{attempt}")
        assert asked.screen is not None
        records.prepare(asked, asked.directory)
        script = terminal.write_script(asked, asked.directory, WRAPPER)
        # What a host does that is killed right after it asked for the window.
        await windows.open_window(host._tmux, asked.screen, terminal.pane_argv(script, asked.directory), place.path)
        await host.start(asked)
        await window(place, f"run{attempt}")
        await until(lambda count=place.path / f"count{attempt}": count.exists() and count.read_text() == "x\n")
        await until(lambda names=attempt + 1: len(place.names()) == names)
    (place.path / "go").touch()
    await asyncio.gather(*(host.wait(place.path / f"run{attempt}") for attempt in range(5)))
    assert all((place.path / f"count{attempt}").read_text() == "x\n" for attempt in range(5))


@pytest.mark.covers("G17")
async def test_twenty_at_once(place: Place) -> None:
    host = place.host()
    asked = [place.on_terminal("sh", "-c", HELD + f"exit {n}", name=f"run{n}") for n in range(20)]
    await asyncio.gather(*(host.start(each) for each in asked))
    assert sorted(place.names()) == sorted(f"run{n}" for n in range(20))
    waiting = asyncio.gather(*(host.wait(each.directory) for each in asked))
    (place.path / "go").touch()
    assert [ended and (ended.code, ended.reaped) for ended in await waiting] == [(n, 0) for n in range(20)]


# ── typed prompts ────────────────────────────────────────────────────────────

PROMPT = "一行目: \"quotes\" 'single' $HOME `id` \\n #{pid} %H;\n\n\ttab  é 漢字 🏗️\n-- last" + "\nlong line " * 500


def prompted(place: Place) -> Launch:
    prompt = place.path / "prompt.md"
    prompt.write_text(PROMPT, "utf-8")
    return place.python(PROMPTED, prompt=prompt)


def taken(place: Place) -> bytes:
    path = place.path / "sent"
    return path.read_bytes() if path.exists() else b""


TYPED = b"\x1b[200~" + PROMPT.encode() + b"|\n"


@pytest.mark.covers("G17")
async def test_a_prompt_is_typed_byte_for_byte_once(place: Place) -> None:
    host = place.host()
    asked = prompted(place)
    await host.start(asked)
    assert await until_async(lambda: nothing_typed(place))
    (place.path / "ready").touch()
    assert await until(lambda: taken(place)) == TYPED
    for again in (host, place.host()):
        await again.start(asked)
        task = again._attendances[asked.directory].task
        assert task is not None
        await task
    (place.path / "go").touch()
    ended = await host.wait(asked.directory)
    assert ended is not None and ended.code == 0
    assert taken(place) == TYPED and not place.tmux("list-buffers")


async def nothing_typed(place: Place) -> bool:
    """Nothing came, though there was time for several looks."""
    await asyncio.sleep(0.5)
    return not (place.path / "run/typed").exists() and not taken(place)


async def test_a_prompt_is_typed_by_whoever_comes_after_a_killed_host(place: Place) -> None:
    place.has_strangers = True
    asked = prompted(place)
    with elsewhere(place, asked, stays=True) as first:
        assert first.stdout is not None
        await asyncio.to_thread(first.stdout.readline)
        first.kill()
    (place.path / "ready").touch()
    await shown(place, READY.strip())
    assert not taken(place)
    hosts = [place.host(), place.host()]
    for host in hosts:
        await host.start(asked)
    assert await until(lambda: taken(place)) == TYPED
    for host in hosts:
        task = host._attendances[asked.directory].task
        assert task is not None
        await task
    (place.path / "go").touch()
    await asyncio.gather(*(host.wait(asked.directory) for host in hosts))
    assert taken(place) == TYPED


async def test_a_person_who_is_scrolling_does_not_get_the_prompt(place: Place) -> None:
    host = place.host()
    asked = prompted(place)
    await host.start(asked)
    place.tmux("copy-mode", "-t", (await window(place)).pane)
    (place.path / "ready").touch()
    assert await until(lambda: taken(place)) == TYPED
    (place.path / "go").touch()
    await host.wait(asked.directory)


async def test_keys_in_a_prompt_are_left_out(place: Place) -> None:
    host = place.host()
    asked = prompted(place)
    (place.path / "prompt.md").write_bytes(b"a\x1b[201~\x03b\x7f\r\nc\x00")
    (place.path / "ready").touch()
    await host.start(asked)
    assert await until(lambda: taken(place)) == b"\x1b[200~a[201~b\nc|\n"
    (place.path / "go").touch()
    await host.wait(asked.directory)


async def test_a_program_that_is_never_ready_is_left_waiting(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tmux, "_READY_WITHIN", 0.4)
    host = place.host()
    asked = prompted(place)
    await host.start(asked)
    await until(lambda: "did not show 'Ready> '" in caplog.text)
    assert not (asked.directory / "typed").exists() and not host.has_ended(asked.directory)
    ended = await host.stop(asked.directory, 5)
    assert ended is not None and ended.code == 143


# ── people, their servers and their settings ─────────────────────────────────


async def test_inside_of_tmux_the_server_of_the_person_is_used(place: Place) -> None:
    place.has_strangers = True
    own = place.own
    place.tmux("-f", os.devnull, "new-session", "-d", "-s", "mine", "sleep 1000", socket=own)
    host = place.host(TMUX=f"{own},123,0")
    await host.start(place.on_terminal("sh", "-c", HELD))
    await host.start(place.with_view(HELD, "view"))
    where, view = await window(place), await window(place, "view")
    assert where.socket == view.socket == str(own) and where.session == "crew"
    assert not place.socket.exists()
    inside, outside = {"TMUX": f"{own},1,2"}, {"TMUX": "/other,1,2"}
    switch = ["switch-client", "-t", "=crew:" + where.window, ";", "select-window", "-t", "=crew:" + where.window]
    attach = ["tmux", "-S", str(own), "attach-session", "-t", "=crew:" + where.window]
    assert attach_argv(where, inside) == ["tmux", "-S", str(own), *switch]
    assert attach_argv(where, outside) == ["env", "-u", "TMUX", *attach]
    assert attach_argv(where, {}) == attach
    (place.path / "go").touch()
    await asyncio.gather(host.wait(place.path / "run"), host.wait(place.path / "view"))
    assert place.tmux("list-sessions", "-F", "#{session_name}", socket=own) == "mine\n"
    place.tmux("kill-server", socket=own)


async def test_a_person_in_front_of_a_window_is_noticed_and_a_program_is_not(place: Place) -> None:
    host = place.host()
    await host.start(place.on_terminal("sh", "-c", "echo 此処; " + HELD))
    await host.start(place.on_terminal("sh", "-c", HELD, name="other"))
    where = await window(place)
    assert not await is_attended(where)
    control = ["tmux", "-S", where.socket, "-C", "attach-session", "-t", "crew"]
    with begin(control, place.environ) as program:
        await until(lambda: place.tmux("list-clients"))
        assert not await is_attended(where)
        program.kill()
    await until(lambda: not place.tmux("list-clients"))
    master, slave = pty.openpty()
    with begin(attach_argv(where, {}), {**place.environ, "TERM": "xterm"}, slave) as person:
        os.close(slave)
        await until_async(lambda: is_attended(where))
        assert place.tmux("display-message", "-p", "-t", "crew", "#{window_id}").strip() == where.window
        (place.path / "go").touch()
        ends = await asyncio.gather(host.wait(place.path / "run"), host.wait(place.path / "other"))
        assert [ended and ended.code for ended in ends] == [0, 0]
        assert await until(lambda: person.poll() is not None)
    os.close(master)
    assert not await is_attended(where)


async def test_settings_of_a_person_do_no_harm(place: Place) -> None:
    settings = """
        set -g destroy-unattached on
        set -g remain-on-exit on
        set -g allow-rename on
        set -g automatic-rename on
        set -g default-size 80x24
        set -g history-limit 5
        set -g base-index 7
        set -s exit-empty off
        set -s exit-unattached on
        set -g no-such-option on
    """
    (place.path / "home/.tmux.conf").write_text(textwrap.dedent(settings))
    host = place.host()
    script = "stty size > size; printf '\\033kstolen\\033\\\\'; seq 1000; echo up; " + HELD
    await host.start(place.on_terminal("sh", "-c", script))
    await shown(place, "up")
    assert place.names() == ["run"]
    assert (place.path / "size").read_text() == "50 200\n"
    where = await window(place)
    history = place.tmux("display-message", "-p", "-t", where.pane, "#{history_limit} #{history_size}")
    assert history == "10000 952\n"
    await host.start(place.on_terminal("sh", "-c", HELD, name="second"))
    (place.path / "go").touch()
    # By themselves: nobody has waited for the runs yet.
    await until(lambda: not is_running(where.server))
    await asyncio.gather(host.wait(place.path / "run"), host.wait(place.path / "second"))


@pytest.mark.parametrize(
    "title",
    [
        "#(touch bad) #{E:#(touch bad)} #[fg=red]",
        "one\ntwo\x1b]0;x\x07\x00\t",
        "棟梁" * 250,
        "-t;",
        ";",
        "",
        "\u202e",
        "e\u0301" * 500,
        "'\"$(touch bad)`touch bad`",
    ],
)
async def test_titles_and_names_are_harmless(place: Place, title: str) -> None:
    host = place.host()
    await host.start(place.launch("sh", "-c", HELD, screen=Screen(f"s.1:{title}", title.replace("\0", ""), None)))
    where = await window(place)
    [name] = place.names()
    columns = int(place.tmux("display-message", "-p", "-t", where.pane, "#{w:window_name}"))
    assert 0 < columns <= 40 and name == tmux_command.window_name(title) and name.isprintable()
    assert not set(where.session) & set(".:#")
    place.tmux("refresh-client")
    place.tmux("display-message", "-p", "-t", where.pane, "#{T:status-format[0]} #W")
    (place.path / "go").touch()
    await host.wait(place.path / "run")
    assert not list(place.path.glob("**/bad"))


def test_whether_tmux_can_be_used_is_known_without_starting_it(place: Place) -> None:
    assert why_unusable(place.environ) == "" and tmux_command.tmux_version(place.environ)[0].isdigit()
    assert why_unusable({**place.environ, "PATH": "/nowhere"}) == "not installed"
    assert tmux_command.tmux_version({"PATH": "/nowhere"}) == ""
    (place.path / ("x" * 120)).mkdir()
    assert "too long" in why_unusable({**place.environ, "TMUX_TMPDIR": str(place.path / ("x" * 120))})
    broken = place.path / "bin/tmux"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho cannot load library >&2; exit 127\n")
    broken.chmod(0o755)
    assert why_unusable({"PATH": f"{broken.parent}:/usr/bin:/bin"}) == "cannot load library"
    assert not place.socket.exists()


async def test_a_server_that_does_not_answer_harms_no_run(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tmux_command, "_PATIENCE", 0.3)
    host = place.host()
    await host.start(place.on_terminal("sh", "-c", HELD))
    server = (await window(place)).server
    os.kill(server, signal.SIGSTOP)
    try:
        await host.start(place.with_view(HELD + "exit 8", "view"))
        with pytest.raises(OSError, match="no answer"):
            await host.start(place.on_terminal("true", name="other"))
        (place.path / "go").touch()
        ends = await asyncio.gather(host.wait(place.path / "view"), host.wait(place.path / "run"))
        assert [ended and ended.code for ended in ends] == [8, 0]
    finally:
        os.kill(server, signal.SIGCONT)


@pytest.mark.parametrize("name", ["a#(touch ran)b", "a b;"])
async def test_a_window_begins_in_its_folder_whatever_that_is_called(place: Place, name: str) -> None:
    folder = place.path / name
    folder.mkdir()
    place.tmux(
        "-f", os.devnull, "new-session", "-d", "-s", "mine", "-c", str(place.path), "sleep 1000", socket=place.own
    )
    place.tmux("new-window", "-c", tmux_command.folder_word(folder), "-n", "there", "touch where", socket=place.own)
    await until(lambda: list(place.path.rglob("where")))
    assert [path.parent for path in place.path.rglob("where")] == [folder]
    assert not list(place.path.rglob("ran"))
    place.tmux("kill-server", socket=place.own)
