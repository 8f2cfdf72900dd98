"""One conductor per repository, and death itself sets the lease free."""

import os
import select
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from toryo.journal.lease import Busy, Held, Lease, holder, is_alive, look

HOLD = """
import subprocess, sys
from pathlib import Path
from toryo.journal.lease import Lease
lease = Lease(Path(sys.argv[1]))
lease.acquire()
child = None
if len(sys.argv) > 2:
    # Like a git command: it ends when its input does, and has the lease until then.
    child = subprocess.Popen(["cat"], stdin=0, stdout=subprocess.DEVNULL, pass_fds=[lease.fd])
print(child.pid if child else 0, flush=True)
sys.stdin.read() if not child else child.wait()
"""


def another(path: Path, *flags: str) -> tuple[subprocess.Popen[str], int]:
    """Another process that holds the lease until its input ends; and the pid of the child it gave it to."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def ended(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=30)


@pytest.mark.covers("A6", "G14")
def test_the_second_is_refused_and_told_who_is_first(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    process, _ = another(path)
    try:
        with pytest.raises(Busy) as caught:
            Lease(path).acquire()
        assert caught.value.pid == process.pid
        assert holder(path) == process.pid
    finally:
        ended(process)
    assert holder(path) is None
    lease = Lease(path)
    lease.acquire()
    lease.release()


@pytest.mark.covers("A6")
def test_a_killed_conductor_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    process, _ = another(path)
    os.kill(process.pid, signal.SIGKILL)
    ended(process)
    assert holder(path) is None
    assert not is_alive(process.pid)
    lease = Lease(path)
    lease.acquire()
    assert holder(path) == os.getpid()
    lease.release()


def test_a_child_that_inherited_the_lease_keeps_it_until_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    process, child = another(path, "with a child")
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=30)
    assert is_alive(child)
    with pytest.raises(Busy) as caught:
        Lease(path).acquire()
    assert caught.value.pid == process.pid
    # The child ends with its input, and takes the lease with it.
    gone = os.pidfd_open(child)
    ended(process)
    assert select.select([gone], [], [], 30)[0], "the child did not end"
    os.close(gone)
    lease = Lease(path)
    lease.acquire()
    lease.release()


def test_even_the_same_process_cannot_have_it_twice(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    lease = Lease(path)
    lease.acquire()
    with pytest.raises(Busy) as caught:
        Lease(path).acquire()
    assert caught.value.pid == os.getpid()
    lease.release()


def test_releasing_leaves_no_name_behind_and_twice_is_once(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    lease = Lease(path)
    lease.acquire()
    assert path.read_text() == f"{os.getpid()}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lease.release()
    lease.release()
    assert path.read_text() == ""


def test_asking_takes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    assert holder(path) is None
    assert not path.exists()
    lease = Lease(path)
    lease.acquire()
    lease.release()
    assert holder(path) is None
    lease.acquire()
    lease.release()


def test_a_longer_name_of_an_earlier_holder_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    path.write_text("99999999999999\n")
    lease = Lease(path)
    lease.acquire()
    assert holder(path) == os.getpid()
    lease.release()


def test_a_holder_that_wrote_nonsense_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    lease = Lease(path)
    lease.acquire()
    path.write_text("nobody\n")
    with pytest.raises(Busy) as caught:
        Lease(path).acquire()
    assert caught.value.pid is None
    lease.release()


def test_the_lease_must_be_held_to_be_handed_on(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="not held"):
        _ = Lease(tmp_path / "conductor.lock").fd


@pytest.mark.covers("G14")
def test_who_looks_learns_what_it_is_held_for(tmp_path: Path) -> None:
    path = tmp_path / "conductor.lock"
    lease = Lease(path)
    assert look(path) is None
    lease.acquire()
    assert look(path) == Held(os.getpid())
    for purpose in ("session-of-a-long-name", "short"):
        lease.devote(purpose)
        assert look(path) == Held(os.getpid(), purpose)
        assert holder(path) == os.getpid()
    lease.release()
    assert look(path) is None
    lease.acquire()
    assert look(path) == Held(os.getpid()), "what it was held for before is forgotten"
    lease.release()
