"""What runs in the window of an interactive run: a script, because tmux takes neither long nor secret arguments."""

import errno
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from toryo.adapters.processes import MARKER
from toryo.ports import Launch

# The shell keeps these for itself: it may not let them be set, and says so by giving up.
_SHELLS_OWN = frozenset(
    {"UID", "EUID", "PPID", "OPTIND", "LINENO", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO", "GROUPS", "FUNCNAME"}
)
_SET_ELSEWHERE = frozenset({"TERM", "PWD", "TMUX", "TMUX_PANE", MARKER})
_ROOM = 64 * 1024
_ENTER = f'exec /usr/bin/env -i TERM="$TERM" {MARKER}="$1" /bin/sh "$0"'


def pane_argv(script: Path, record: Path) -> tuple[str, ...]:
    """What tmux starts: of all that it sets only the kind of terminal goes on to the run."""
    return ("/bin/sh", "-c", _ENTER, str(script), str(record))


def write_script(launch: Launch, record: Path, wrapper: Path) -> Path:
    """Where it is; it removes itself when it is begun. Raises OSError if the system would not start such a command."""
    argv = ("/bin/sh", str(wrapper), str(record), "-", *launch.argv)
    return _write(launch, record, argv, _wrapped(argv))


def write_own_script(launch: Launch, record: Path) -> Path:
    """For a program that a person started by hand: nobody waits for its end, and it ends with its window."""
    return _write(launch, record, launch.argv, _by_hand(launch.argv, record))


def remove_scripts(record: Path) -> None:
    """Those that were never begun."""
    for script in record.glob("start.*.sh"):
        script.unlink(missing_ok=True)


def _write(launch: Launch, record: Path, argv: tuple[str, ...], ending: Iterator[str]) -> Path:
    _check(launch, argv)
    # A name of its own: another one who starts the same run has a script too, and each removes itself.
    script = record / f"start.{os.urandom(4).hex()}.sh"
    with os.fdopen(os.open(script, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(b"".join(os.fsencode(line) + b"\n" for line in (*_lines(launch), *ending)))
    return script


def _lines(launch: Launch) -> Iterator[str]:
    yield '/bin/rm -f -- "$0"'
    yield f"cd -- {shlex.quote(str(launch.cwd.resolve()))} || exit"
    yield "unset OLDPWD"
    for name, value in launch.env.items():
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name not in _SET_ELSEWHERE:
            setting = f"export {name}={shlex.quote(value)}"
            yield f"(unset {name}; {setting}) 2>/dev/null && {setting}" if name in _SHELLS_OWN else setting


def _wrapped(argv: tuple[str, ...]) -> Iterator[str]:
    # This shell leads the terminal's session. When the terminal goes away the kernel tells only the leader; and
    # when the leader ends of it, all in the foreground. So it must end of a hangup, but of nothing else, and the
    # wrapper, which has to outlive the hangup, must not be the leader.
    yield "trap : INT QUIT PIPE ALRM TERM USR1 USR2"
    yield " ".join(shlex.quote(word) for word in argv)
    yield "exit"


def _by_hand(argv: tuple[str, ...], record: Path) -> Iterator[str]:
    # It is no part of a run, and what it starts is not to be ended as one.
    yield f"unset {MARKER}"
    yield "trap : INT QUIT"
    yield " ".join(shlex.quote(word) for word in argv)
    yield "code=$?"
    # What it said when it failed would be gone with the window.
    yield f"[ $code -eq 0 ] || {{ printf '\\n%s ended with %s; Enter closes this window. ' {shlex.quote(argv[0])} $code"
    yield "read -r _; }"
    yield f"/bin/rm -f -- {shlex.quote(str(record / 'window'))}"
    yield "exit"


def _check(launch: Launch, argv: tuple[str, ...]) -> None:
    words = [os.fsencode(word) for word in (*argv, *(f"{name}={value}" for name, value in launch.env.items()))]
    if any(b"\0" in word for word in words):
        raise OSError(errno.EINVAL, f"could not start {launch.argv[0]}: embedded null byte", str(launch.cwd))
    longest = 32 * os.sysconf("SC_PAGE_SIZE") if sys.platform == "linux" else sys.maxsize
    total = sum(len(word) + 1 + 8 for word in words) + _ROOM
    if max(map(len, words)) >= longest or total > os.sysconf("SC_ARG_MAX"):
        too_long = os.strerror(errno.E2BIG)
        raise OSError(errno.E2BIG, f"could not start {launch.argv[0]}: {too_long}", str(launch.cwd))
