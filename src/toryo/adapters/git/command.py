"""Running git: no hooks, no signing, no prompts, no housekeeping, and never in somebody else's index."""

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from toryo.ports import GitFailed

_SETTINGS = {
    "core.hooksPath": os.devnull,
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.quotePath": "false",
    "advice.detachedHead": "false",
    "merge.renormalize": "false",
    "submodule.recurse": "false",
}
# Set when Toryo is started from a hook or an alias; they would point our commands at the caller's index.
_LOCATION = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX",
             "GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES")  # fmt: skip
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
    """Runs git commands in worker threads; each inherits the lease, so that it ends before anybody takes over."""

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
        self._threads: ThreadPoolExecutor | None = None

    @property
    def environ(self) -> Mapping[str, str]:
        return self._environ

    def use_identity(self, identity: Mapping[str, str]) -> None:
        self._environ.update(identity)

    def run(self, where: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
        """Runs to the end, whatever the exit code."""
        fds = () if self._lease_fd is None else (self._lease_fd,)
        return subprocess.run(
            ["git", *self._settings, *args],
            cwd=where,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            pass_fds=fds,
            check=False,
        )

    def text(self, where: Path, *args: str) -> str:
        """What it printed; raises GitFailed if it failed."""
        return checked(self.run(where, *args), args)

    async def attempt(self, where: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="git")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.run, where, *args)

    async def ask(self, where: Path, *args: str) -> str:
        return checked(await self.attempt(where, *args), args)

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=True)


def checked(done: subprocess.CompletedProcess[bytes], args: Sequence[str]) -> str:
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise GitFailed(f"git {' '.join(args[:2])} failed ({done.returncode}): {said[-500:]}")
    return done.stdout.decode(errors="surrogateescape")
