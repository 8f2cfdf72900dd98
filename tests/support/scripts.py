"""Toryo's dialogue as a script has it: lines go in by a pipe, answers come out by another."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.support.repositories import TORYO, Done, Repo, until

from toryo.journal.lease import holder


def piped(repo: Repo, said: str | bytes, *flags: str, timeout: float = 120) -> Done:
    """The whole script at once."""
    done = subprocess.run(
        [*TORYO, "repl", *flags],
        cwd=repo.path,
        env=repo.environ,
        input=said.encode() if isinstance(said, str) else said,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def answers(repo: Repo, said: str | bytes, *flags: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in piped(repo, said, "--json", *flags).out.splitlines()]


@contextmanager
def talking(repo: Repo, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """One line at a time: whoever talks writes to its stdin and reads from its stdout."""
    process = subprocess.Popen(
        [*TORYO, "repl", *flags],
        cwd=repo.path,
        env=repo.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(BrokenPipeError):
                stream.close()  # type: ignore[union-attr]


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().removesuffix("\n")


def conductor_of(repo: Repo) -> int | None:
    return holder(repo.store / "conductor.lock")


def end_conductor(repo: Repo) -> None:
    """Waits for whoever conducts in the background to be done; a failing test's is killed."""
    try:
        until(lambda: conductor_of(repo) is None, 20)
    except AssertionError:
        with suppress(ProcessLookupError, TypeError):
            os.kill(conductor_of(repo), signal.SIGKILL)  # type: ignore[arg-type]
        raise
