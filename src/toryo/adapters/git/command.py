"""Running git: no hooks, no signing, no prompts, no housekeeping, and never in somebody else's index."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from toryo.adapters.git.debris import clear, lock_in_the_way
from toryo.domain.errors import GitFailed

_HOOKS = "core.hooksPath"
_SETTINGS = {
    _HOOKS: os.devnull,
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.quotePath": "false",
    "advice.detachedHead": "false",
    "core.fsmonitor": "false",
    "merge.renormalize": "false",
    "merge.conflictStyle": "zdiff3",
    "merge.renames": "true",
    "merge.renameLimit": "20000",
    "merge.ff": "true",
    "merge.autoStash": "false",
    "merge.verifySignatures": "false",
    "rerere.enabled": "false",
    "submodule.recurse": "false",
}
# Set when Toryo is started from a hook or an alias; they would point our commands at the caller's index.
_LOCATION = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX",
             "GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES")  # fmt: skip
_MOST_LOCKS = 5
"""More of them than one git could have left are somebody else's doing."""
IDENTITY = {
    "GIT_AUTHOR_NAME": "Toryo",
    "GIT_AUTHOR_EMAIL": "toryo@localhost",
    "GIT_COMMITTER_NAME": "Toryo",
    "GIT_COMMITTER_EMAIL": "toryo@localhost",
}


def without_location(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without the variables that tie git to one particular checkout."""
    return {name: value for name, value in environ.items() if name not in _LOCATION}


class Git:
    """Runs git commands; each inherits the lease, so that it ends before anybody takes over."""

    def __init__(self, environ: Mapping[str, str], *, lease_fd: int | None = None) -> None:
        self._environ = {
            **without_location(environ),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_EDITOR": ":",
            "GIT_MERGE_AUTOEDIT": "no",
            "LC_ALL": "C",
        }
        self._settings = [part for pair in _SETTINGS.items() for part in ("-c", "=".join(pair))]
        self._lease_fd = lease_fd

    @property
    def environ(self) -> Mapping[str, str]:
        return self._environ

    def with_hooks(self) -> "Git":
        """For what is done in a person's own checkout, as they would do it: their hooks run.

        Without the lease: what a hook leaves running must not hold it.
        """
        own = Git(self._environ)
        own._settings = [part for pair in _SETTINGS.items() if pair[0] != _HOOKS for part in ("-c", "=".join(pair))]
        return own

    def command(self, *args: str) -> list[str]:
        """The whole of it, for who runs it otherwise."""
        return ["git", *self._settings, *args]

    def use_identity(self, identity: Mapping[str, str]) -> None:
        self._environ.update(identity)

    def run(self, where: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
        """Runs to the end, whatever the exit code."""
        return self.begin(where, *args).done()

    def elsewhere(self, variables: Mapping[str, str], settings: Mapping[str, str] | None = None) -> "Git":
        """The same in a repository, index or store of objects that these variables name."""
        other = Git(self._environ, lease_fd=self._lease_fd)
        other._environ.update(variables)
        other._settings += [part for pair in (settings or {}).items() for part in ("-c", "=".join(pair))]
        return other

    def shown(self, where: Path, *args: str) -> int:
        """What it prints goes where our own output goes, byte by byte; the exit code."""
        return self._start(where, args, None, None).wait()

    def fed(self, where: Path, given: bytes, *args: str) -> subprocess.CompletedProcess[bytes]:
        """Like `run`, with something to read."""
        with scratch() as questions:
            questions.write(given)
            questions.seek(0)
            process = self._start(where, args, subprocess.PIPE, subprocess.PIPE, questions)
            out, err = process.communicate()
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def begin(self, where: Path, *args: str) -> "UnderWay":
        """Lets git work while something else is done; somebody has to ask for the end."""
        return UnderWay(self._start(where, args, subprocess.PIPE, subprocess.PIPE), args)

    @contextmanager
    def reading(self, where: Path, *args: str) -> Iterator[subprocess.Popen[bytes]]:
        """A git command whose output is read along while it writes, so that there may be a limit to it."""
        with self._start(where, args, subprocess.PIPE, subprocess.PIPE) as process:
            yield process

    def text(self, where: Path, *args: str) -> str:
        """What it printed; raises GitFailed if it failed."""
        return checked(self.run(where, *args), args)

    async def attempt(self, where: Path, *args: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Like `run`, without holding up the loop; a lock that a killed git left in our way is cleared.

        `given` is what it reads from its standard input.
        """
        for _ in range(_MOST_LOCKS):
            done = await self._attempt(where, args, given)
            lock = lock_in_the_way(done.stderr) if done.returncode else None
            if lock is None:
                return done
            await clear(lock)
        return done

    async def _attempt(self, where: Path, args: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
        """What it prints goes to memory: nobody has to read along."""
        from toryo.adapters.processes import wait_for_exit  # asyncio is slow to import, and most verbs need none

        with scratch() as out, scratch() as err, _holding(given) as given_file:
            process = self._start(where, args, out, err, given_file)
            try:
                await wait_for_exit(process.pid)
            finally:
                # Also when nobody waits any more: half a git command would be worse than a moment's delay.
                code = process.wait()
            return subprocess.CompletedProcess(args, code, _content(out), _content(err))

    def _start(
        self,
        where: Path,
        args: Sequence[str],
        out: IO[bytes] | int | None,
        err: IO[bytes] | int | None,
        given: IO[bytes] | int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(*args),
            cwd=where,
            env=self._environ,
            stdin=given,
            stdout=out,
            stderr=err,
            pass_fds=() if self._lease_fd is None else (self._lease_fd,),
        )

    async def ask(self, where: Path, *args: str, given: bytes = b"") -> str:
        return checked(await self.attempt(where, *args, given=given), args)


class UnderWay:
    """A git command that was begun."""

    def __init__(self, process: subprocess.Popen[bytes], args: Sequence[str]) -> None:
        self._process, self._args = process, args
        self._done: subprocess.CompletedProcess[bytes] | None = None

    def done(self) -> subprocess.CompletedProcess[bytes]:
        """Waits for its end, whatever the exit code; asked again it says the same."""
        if self._done is None:
            out, err = self._process.communicate()
            self._done = subprocess.CompletedProcess(self._args, self._process.returncode, out, err)
        return self._done


def scratch() -> IO[bytes]:
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("git"), "w+b", buffering=0)
    import tempfile  # slow to import, and seldom needed

    return tempfile.TemporaryFile(buffering=0)


@contextmanager
def _holding(given: bytes) -> Iterator[IO[bytes] | int]:
    """A file to read this from; none where it is nothing."""
    if not given:
        yield subprocess.DEVNULL
        return
    with scratch() as file:
        file.write(given)
        file.seek(0)
        yield file


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def checked(done: subprocess.CompletedProcess[bytes], args: Sequence[str]) -> str:
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise GitFailed(f"git {' '.join(args[:2])} failed ({done.returncode}): {said[-500:]}")
    return done.stdout.decode(errors="surrogateescape")
