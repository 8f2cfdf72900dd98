"""Real processes on the headless host: what is recorded, what survives, and that nothing is left behind."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import psutil
import pytest
from tests.support.adopting import children_since

from toryo.adapters import children, processes
from toryo.adapters.hosts.headless import WRAPPER, HeadlessHost
from toryo.ports import Ended, Launch

T = TypeVar("T")

HELD = "until [ -e go ]; do sleep 0.01; done; "
DETACHES = """
    import os, signal, sys, time
    {ignore}
    if os.fork() == 0:
        os.setsid()
        between = os.getpid()
        if os.fork() == 0:
            while os.getppid() == between:
                time.sleep(0.001)
            open("detached.tmp", "w").write(str(os.getpid()))
            os.rename("detached.tmp", "detached")
            time.sleep(1000)
        os._exit(0)
    {then}
"""
IGNORE = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path) -> Iterator[None]:
    """Kills whatever a test left running, and fails the test for it."""
    began = time.time()
    yield
    left = set()
    # Several looks, and whole groups: what keeps forking may be missed by one.
    while found := [process for _ in range(3) for process in marked_below(tmp_path)]:
        left.update(found)
        for process in found:
            with suppress(ProcessLookupError):
                os.killpg(process.group, signal.SIGKILL)
    children.reap_orphans(left)
    zombies = [child for child in children_since(began) if child.status() == psutil.STATUS_ZOMBIE]
    assert (left, zombies) == (set(), [])


def marked_below(folder: Path) -> list[processes.Process]:
    census = processes.take_census()
    records = {pid for pid, record in census.records.items() if record and record.startswith(f"{folder}/")}
    return [process for pid, process in census.processes.items() if pid in records]


def launch(folder: Path, *argv: str, name: str = "run", stdin: Path | None = None) -> Launch:
    return Launch(folder / name, argv, folder, os.environ, stdin)


def shell(folder: Path, script: str, name: str = "run") -> Launch:
    return launch(folder, "sh", "-c", script, name=name)


def python(folder: Path, program: str) -> Launch:
    return launch(folder, sys.executable, "-S", "-c", textwrap.dedent(program))


def begin(*argv: str) -> subprocess.Popen[str]:
    """A process that has nothing to do with any host."""
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=os.environ, start_new_session=True)


async def run(asked: Launch) -> Ended | None:
    host = HeadlessHost()
    await host.start(asked)
    return await host.wait(asked.directory)


async def until(ask: Callable[[], T], within: float = 30.0) -> T:
    give_up = time.monotonic() + within
    while not (answer := ask()):
        assert time.monotonic() < give_up, "did not happen in time"
        await asyncio.sleep(0.005)
    return answer


def is_running(pid: int) -> bool:
    found = processes.look_at(pid)
    return found is not None and not found.is_zombie


def number_in(path: Path) -> int:
    return int(path.read_text()) if path.exists() else 0


# ── what is recorded ─────────────────────────────────────────────────────────


@pytest.mark.covers("P35")
@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -KILL $$", 137), ("exec /no/such", 127)],
)
async def test_the_exit_code_is_recorded(tmp_path: Path, script: str, code: int) -> None:
    before = time.time()
    ended = await run(shell(tmp_path, script))
    assert ended is not None
    assert (ended.code, ended.reaped) == (code, 0)
    assert before - 1 <= ended.at <= time.time() + 1
    assert json.loads((tmp_path / "run/exit").read_text()) == {"code": code}


@pytest.mark.parametrize("name", ["no-such-program", "exit", "set"])
async def test_a_missing_program_is_127_and_says_so(tmp_path: Path, name: str) -> None:
    ended = await run(launch(tmp_path, name, "5"))
    assert ended is not None and ended.code == 127
    assert f"{name}: not found" in (tmp_path / "run/output.log").read_text()


async def test_arguments_and_output_pass_unchanged(tmp_path: Path) -> None:
    words = ("棟梁 は、指図する。", "a  b", "$HOME `x` \"'\\", "", "line\nbreak")
    folder = tmp_path / "space and 'quote'"
    folder.mkdir()
    ended = await run(launch(folder, "sh", "-c", 'printf "%s|" "$@"; echo 誤り >&2', "sh", *words, name="実 行"))
    assert ended is not None and ended.code == 0
    assert (folder / "実 行/output.log").read_text("utf-8") == "|".join(words) + "|誤り\n"


@pytest.mark.covers("P34")
async def test_standard_input_is_empty_or_the_file_byte_for_byte(tmp_path: Path) -> None:
    await run(launch(tmp_path, "wc", "-c", name="closed"))
    assert (tmp_path / "closed/output.log").read_text().strip() == "0"
    prompt = tmp_path / "prompt"
    prompt.write_bytes(bytes(range(256)) * 999 + "終".encode())
    await run(launch(tmp_path, "cat", name="file", stdin=prompt))
    assert (tmp_path / "file/output.log").read_bytes() == prompt.read_bytes()


async def test_the_command_gets_umask_signals_and_environment_as_if_unwrapped(tmp_path: Path) -> None:
    script = "umask; grep -E '^Sig(Blk|Ign)' /proc/self/status; env | grep -v '^TORYO_RECORD=\\|^PWD=' | sort"
    with begin("sh", "-c", script) as bare:
        assert bare.stdout is not None
        expected = bare.stdout.read()
    await run(shell(tmp_path, script))
    assert (tmp_path / "run/output.log").read_text() == expected


async def test_records_are_private_and_hold_no_secret_values(tmp_path: Path) -> None:
    asked = Launch(tmp_path / "run", ("true",), tmp_path, {**os.environ, "TOKEN": "s3cret"})
    await run(asked)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in asked.directory.iterdir()}
    assert modes == dict.fromkeys(("exit", "launch.json", "output.log", "pid"), 0o600)
    assert stat.S_IMODE(asked.directory.stat().st_mode) == 0o700
    text = (asked.directory / "launch.json").read_text()
    assert "s3cret" not in text and "TOKEN" in json.loads(text)["env"]
    assert json.loads(text)["argv"] == ["true"] and json.loads(text)["started_by"] == os.getpid()


async def test_signals_to_the_wrapper_change_nothing(tmp_path: Path) -> None:
    host = HeadlessHost()
    wrapper = await host.start(shell(tmp_path, "touch up; " + HELD + "exit 7"))
    await until((tmp_path / "up").exists)
    for signum in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1) * 5:
        os.kill(wrapper, signum)
    (tmp_path / "go").touch()
    ended = await host.wait(tmp_path / "run")
    assert ended is not None and ended.code == 7


@pytest.mark.covers("B2")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
async def test_a_full_disk_does_not_lose_the_exit_code(tmp_path: Path) -> None:
    host = HeadlessHost()
    (tmp_path / "run").mkdir()
    blocked = tmp_path / "run/exit.tmp"
    blocked.symlink_to("/dev/full")
    wrapper = await host.start(shell(tmp_path, "exit 9"))
    await until(lambda: any(child.name() == "sleep" for child in psutil.Process(wrapper).children()))
    blocked.unlink()
    ended = await host.wait(tmp_path / "run")
    assert ended is not None and ended.code == 9


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_waiting_wrapper_is_small(tmp_path: Path) -> None:
    host = HeadlessHost()
    wrapper = await host.start(shell(tmp_path, "touch up; exec sleep 1000"))
    await until((tmp_path / "up").exists)
    assert psutil.Process(wrapper).memory_info().rss < 4_000_000
    await host.stop(tmp_path / "run", 5)


# ── started at most once ─────────────────────────────────────────────────────


@pytest.mark.covers("A6")
async def test_two_hosts_start_a_run_once(tmp_path: Path) -> None:
    for attempt in range(30):
        asked = shell(tmp_path, f"echo x >> count{attempt}", name=f"run{attempt}")
        hosts = (HeadlessHost(), HeadlessHost())
        first, second = await asyncio.gather(*(host.start(asked) for host in hosts))
        assert first == second
        ends = await asyncio.gather(*(host.wait(asked.directory) for host in hosts))
        assert [ended and ended.code for ended in ends] == [0, 0]
        assert await hosts[0].start(asked) == first
        assert (tmp_path / f"count{attempt}").read_text() == "x\n"


@pytest.mark.covers("A6")
async def test_many_wrappers_claim_once(tmp_path: Path) -> None:
    for attempt in range(10):
        record = tmp_path / f"run{attempt}"
        record.mkdir()
        argv = [
            "sh",
            str(WRAPPER),
            str(record),
            os.devnull,
            "sh",
            "-c",
            f"echo x >> {tmp_path}/count{attempt}",
        ]
        racing = [begin(*argv) for _ in range(8)]
        assert [wrapper.communicate() and wrapper.returncode for wrapper in racing] == [0] * 8
        assert (tmp_path / f"count{attempt}").read_text() == "x\n"


async def test_what_cannot_start_raises_and_can_be_tried_again(tmp_path: Path) -> None:
    host = HeadlessHost()
    nowhere = Launch(tmp_path / "run", ("true",), tmp_path / "gone", os.environ)
    with pytest.raises(OSError, match="working directory does not exist"):
        await host.start(nowhere)
    with pytest.raises(OSError, match="standard input does not exist"):
        await host.start(launch(tmp_path, "cat", stdin=tmp_path / "gone"))
    with pytest.raises(OSError, match="could not start true: Argument list too long"):
        await host.start(launch(tmp_path, "true", "x" * 10_000_000))
    with pytest.raises(OSError, match="could not start true: embedded null byte"):
        await host.start(launch(tmp_path, "true", "a\0b"))
    assert (ended := await run(launch(tmp_path, "true"))) is not None and ended.code == 0


# ── a run outlives its host ──────────────────────────────────────────────────


@pytest.mark.covers("B2")
async def test_a_run_survives_its_conductor_and_is_picked_up(tmp_path: Path) -> None:
    conductor = f"""
        import asyncio, os
        from pathlib import Path
        from toryo.adapters.hosts.headless import HeadlessHost
        from toryo.ports import Launch
        async def main():
            here = Path({str(tmp_path)!r})
            script = "touch up; {HELD} echo done; exit 5"
            asked = Launch(here / "run", ("sh", "-c", script), here, os.environ)
            print(await HeadlessHost().start(asked), flush=True)
            await asyncio.Event().wait()
        asyncio.run(main())
    """
    with begin(sys.executable, "-c", textwrap.dedent(conductor)) as first:
        assert first.stdout is not None
        wrapper = int(await asyncio.to_thread(first.stdout.readline))
        first.kill()
    await until((tmp_path / "up").exists)
    host = HeadlessHost()
    assert await host.start(shell(tmp_path, "exit 6")) == wrapper
    waiting = asyncio.create_task(host.wait(tmp_path / "run"))
    (tmp_path / "go").touch()
    ended = await waiting
    assert ended is not None and (ended.code, ended.reaped) == (5, 0)
    assert (tmp_path / "run/output.log").read_text() == "done\n"


async def test_cancelling_a_wait_leaves_the_run_alone(tmp_path: Path) -> None:
    host = HeadlessHost()
    await host.start(shell(tmp_path, "touch up; " + HELD + "exit 4"))
    waiting = asyncio.create_task(host.wait(tmp_path / "run"))
    await until((tmp_path / "up").exists)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    (tmp_path / "go").touch()
    ended = await host.wait(tmp_path / "run")
    assert ended is not None and ended.code == 4


async def test_fifty_runs_at_once(tmp_path: Path) -> None:
    ends = await asyncio.gather(*(run(shell(tmp_path, f"exit {n}", name=f"run{n}")) for n in range(50)))
    assert [ended and ended.code for ended in ends] == list(range(50))


# ── stopping ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("G25")
async def test_stopping_ends_children_too_and_keeps_the_true_code(tmp_path: Path) -> None:
    host = HeadlessHost()
    script = "trap 'exit 33' TERM; sleep 1000 & echo $! > child.tmp; mv child.tmp child; while :; do wait; done"
    await host.start(shell(tmp_path, script))
    child = await until(lambda: number_in(tmp_path / "child"))
    waiting = asyncio.create_task(host.wait(tmp_path / "run"))
    ended = await host.stop(tmp_path / "run", 20)
    assert ended is not None and (ended.code, ended.reaped) == (33, 1)
    assert not is_running(child)
    again, waited = await host.stop(tmp_path / "run", 20), await waiting
    assert again is not None and waited is not None and again.code == waited.code == 33


@pytest.mark.parametrize("ignore", ["", IGNORE])
async def test_stopping_finds_what_detached_itself(tmp_path: Path, ignore: str) -> None:
    host = HeadlessHost()
    await host.start(python(tmp_path, DETACHES.format(ignore=ignore, then="time.sleep(1000)")))
    detached = await until(lambda: number_in(tmp_path / "detached"))
    started = time.monotonic()
    ended = await host.stop(tmp_path / "run", 0.3 if ignore else 20)
    assert ended is not None and (ended.code, ended.reaped) == (137 if ignore else 143, 1)
    assert not is_running(detached)
    assert time.monotonic() - started < 15


async def test_stopping_ends_one_that_keeps_forking(tmp_path: Path) -> None:
    host = HeadlessHost()
    await host.start(shell(tmp_path, "trap '' TERM; while :; do sleep 1000 & touch up; sleep 0.02; done"))
    await until((tmp_path / "up").exists)
    ended = await host.stop(tmp_path / "run", 0.3)
    assert ended is not None and ended.code == 137


@pytest.mark.parametrize("link", ["pass", "os.setsid()"])
async def test_a_chain_of_forks_is_caught_after_its_first_link_ended(tmp_path: Path, link: str) -> None:
    program = """
        import os, time
        for _ in range(3000):
            if os.fork():
                os._exit(0)
            {link}
            time.sleep(0.01)
    """
    ended = await run(python(tmp_path, program.format(link=link)))
    assert ended is not None and ended.code == 0
    assert not [seen for _ in range(20) for seen in marked_below(tmp_path)]


async def test_one_that_ended_by_itself_keeps_its_record(tmp_path: Path) -> None:
    asked = shell(tmp_path, "exit 3")
    first = await run(asked)
    assert first is not None
    assert await HeadlessHost().stop(asked.directory, 5) == first == await HeadlessHost().wait(asked.directory)


# ── leftovers and losses ─────────────────────────────────────────────────────


@pytest.mark.covers("B4")
@pytest.mark.parametrize("ignore", ["", IGNORE])
async def test_what_a_run_leaves_behind_is_ended(tmp_path: Path, ignore: str) -> None:
    then = "\n    while not os.path.exists('detached'): time.sleep(0.01)"
    ended = await run(python(tmp_path, DETACHES.format(ignore=ignore, then=then)))
    assert ended is not None and (ended.code, ended.reaped) == (0, 1)
    assert not is_running(number_in(tmp_path / "detached"))


async def test_leftovers_without_the_marker_are_known_by_their_session(tmp_path: Path) -> None:
    ended = await run(shell(tmp_path, "env -i sleep 1000 & echo $! > left"))
    assert ended is not None and (ended.code, ended.reaped) == (0, 1)
    assert not is_running(number_in(tmp_path / "left"))


@pytest.mark.covers("B2")
async def test_a_killed_wrapper_is_a_lost_run_with_nothing_left(tmp_path: Path) -> None:
    host = HeadlessHost()
    wrapper = await host.start(shell(tmp_path, "echo $$ > agent; exec sleep 1000"))
    agent = await until(lambda: number_in(tmp_path / "agent"))
    waiting = asyncio.create_task(host.wait(tmp_path / "run"))
    os.kill(wrapper, signal.SIGKILL)
    assert await waiting is None
    assert not is_running(agent)


async def test_a_record_whose_last_move_failed_still_counts(tmp_path: Path) -> None:
    asked = shell(tmp_path, "exit 8")
    await run(asked)
    (asked.directory / "exit").rename(asked.directory / "exit.tmp")
    ended = await HeadlessHost().wait(asked.directory)
    assert ended is not None and ended.code == 8


@pytest.mark.covers("B2")
async def test_after_a_power_cut_a_run_is_lost_and_not_started_again(tmp_path: Path) -> None:
    for name, text in (("pid", ""), ("exit", "")):
        (tmp_path / "run").mkdir(exist_ok=True)
        (tmp_path / "run" / name).write_text(text)
    host = HeadlessHost()
    asked = shell(tmp_path, "touch started")
    pid, ended = await asyncio.gather(host.start(asked), host.wait(asked.directory))
    assert (pid, ended) == (0, None)
    assert await host.wait(tmp_path / "never") is None
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("leader_lives", [True, False])
async def test_a_stale_pid_harms_nobody(tmp_path: Path, leader_lives: bool) -> None:
    script = "sleep 1000 & echo $!; " + ("wait" if leader_lives else "")
    with begin("sh", "-c", script) as stranger:
        assert stranger.stdout is not None
        other = psutil.Process(int(stranger.stdout.readline()))
        if not leader_lives:
            stranger.wait()
        try:
            (tmp_path / "run").mkdir()
            (tmp_path / "run/pid").write_text(f"{stranger.pid}\n")
            host = HeadlessHost()
            assert await host.start(shell(tmp_path, "touch started")) == stranger.pid
            assert await host.wait(tmp_path / "run") is None
            assert await host.stop(tmp_path / "run", 1) is None
            assert is_running(other.pid) and is_running(stranger.pid) == leader_lives
        finally:
            other.kill()
            other.wait()
    assert not (tmp_path / "started").exists()
