"""A REPL that reads from a pipe: given all its lines at once, or talked to line by line."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.repositories import TORYO, Done, Repo, until

from toryo.app.project import open_project
from toryo.domain.session import SessionState


def repl(repo: Repo, *lines: str, flags: tuple[str, ...] = (), cwd: Path | None = None, **environ: str) -> Done:
    """The lines from a pipe, to the end."""
    return answered(cwd or repo.path, {**repo.environ, **environ}, *lines, flags=flags)


def answered(cwd: Path, environ: Mapping[str, str], *lines: str, flags: tuple[str, ...] = ()) -> Done:
    done = subprocess.run(
        [*TORYO, "repl", *flags],
        cwd=cwd,
        env=environ,
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode(errors="replace"))


class Talk:
    """A REPL that is given a line when the one before was answered."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._asked = 0

    def ask(self, line: str) -> str:
        """Its answer: all that comes before the answer to a line that every REPL answers with one line."""
        assert self.process.stdin
        assert self.process.stdout
        self._asked += 1
        mark = f"no-such-command-{self._asked}"
        self.process.stdin.write(f"{line}\n/{mark}\n")
        self.process.stdin.flush()
        said: list[str] = []
        for answer in self.process.stdout:
            if answer.startswith("HINT") and said and mark in said[-1]:
                return "".join(said[:-1])
            said.append(answer)
        raise AssertionError(f"it has gone: {said}")


@contextmanager
def talking(repo: Repo, *flags: str, cwd: Path | None = None) -> Iterator[Talk]:
    """Ended with the end of its input, or killed by whoever wants that."""
    process = subprocess.Popen(
        [*TORYO, "repl", *flags],
        cwd=cwd or repo.path,
        env=repo.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Talk(process)
    finally:
        try:
            process.communicate(timeout=60)  # with the end of its input it leaves
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def until_all_is_closed(place: Path) -> None:
    """Every session in the repository there, and nobody conducts any more."""
    project = open_project(place)
    try:
        until(lambda: all(row["state"] == SessionState.CLOSED for row in project.summaries()), 90)
        until(lambda: project.conductor_pid is None)
    finally:
        project.close()
