"""Real repositories, real plan files, and the real command, as a person would use them."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

TORYO = (sys.executable, "-m", "toryo")
_IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@localhost")


class Repo:
    """A git repository of its own, and Toryo run in it as a real process."""

    def __init__(self, path: Path, environ: Mapping[str, str]) -> None:
        self.path = path
        self.environ = dict(environ)
        self.started: list[subprocess.Popen[str]] = []

    # ── git ──────────────────────────────────────────────────────────────────

    @classmethod
    def make(cls, path: Path, environ: Mapping[str, str]) -> "Repo":
        path.mkdir(parents=True)
        repo = cls(path, environ)
        repo.git("init", "-q", "-b", "main")
        repo.write("README.md", "hello\n")
        repo.commit("base")
        return repo

    def git(self, *args: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *_IDENTITY, *args],
            cwd=self.path,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if check and done.returncode:
            raise AssertionError(f"git {args} failed: {done.stderr}")
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", message)
        return self.git("rev-parse", "HEAD")

    def write(self, name: str, text: str) -> Path:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def show(self, branch: str, name: str) -> str:
        return self.git("show", f"{branch}:{name}")

    def files_on(self, branch: str) -> set[str]:
        listed = self.git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", branch)
        return set(listed.splitlines())

    @property
    def store(self) -> Path:
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "toryo"

    # ── toryo ────────────────────────────────────────────────────────────────

    def plan(self, *tasks: Mapping[str, Any], **top: Any) -> Path:
        """A plan file beside the repository, so that the checkout stays as it is."""
        path = self.path.parent / f"{self.path.name}-plan.json"
        path.write_text(json.dumps({"title": "The plan", "tasks": list(tasks), **top}), encoding="utf-8")
        return path

    def toryo(self, *args: str, cwd: Path | None = None, timeout: float = 120) -> "Done":
        done = subprocess.run(
            [*TORYO, *args],
            cwd=cwd or self.path,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def run(self, *tasks: Mapping[str, Any], flags: Iterable[str] = (), **top: Any) -> "Done":
        return self.toryo("run", "--plan", str(self.plan(*tasks, **top)), "--yes", *flags)

    def start(self, *args: str) -> subprocess.Popen[str]:
        """Toryo in the background; the caller ends it, or at the latest `end`."""
        process = subprocess.Popen(
            [*TORYO, *args],
            cwd=self.path,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def end(self) -> None:
        """Ends what a failing test left in the background, with its git commands."""
        for process in self.started:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        for pid in background_conductors(self.path):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def status(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.toryo("status", "--json").out)
        return data

    def tasks(self) -> dict[str, dict[str, Any]]:
        return {task["key"]: task for task in self.status()["tasks"]}

    def info(self, name: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.toryo("info", name, "--json").out)
        return data

    def events(self) -> list[dict[str, Any]]:
        lines = self.toryo("logs", "--events", "--json").out.splitlines()
        return [json.loads(line) for line in lines]


class Done:
    """A finished command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def shell(key: str, command: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "title": f"Task {key}", "command": command, **more}


def until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Waits for something to become true; fails loudly if it never does."""
    give_up = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < give_up, "it never came true"
        time.sleep(0.01)


def kill(process: subprocess.Popen[str]) -> None:
    """The conductor dies at once; nothing it started is told."""
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def marked_processes(folder: Path) -> dict[int, str]:
    """Every living process that belongs to a record below the folder: its pid and command line."""
    mark = f"TORYO_RECORD={folder}".encode()
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if any(part.startswith(mark) for part in (entry / "environ").read_bytes().split(b"\0")):
                found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def background_conductors(folder: Path) -> list[int]:
    """Every living process that takes up, or is about to take up, what is queued in the repository."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            is_there = (entry / "cwd").readlink() == folder
            if is_there and (entry / "cmdline").read_bytes().endswith(b"toryo\0conduct\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def processes_of(folder: Path) -> list[str]:
    return list(marked_processes(folder).values())


def fingerprint(folder: Path, skip: re.Pattern[str]) -> dict[str, str]:
    """Every file below a folder with the hash of its bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if skip.match(name) or path.is_dir():
            continue
        content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        found[name] = hashlib.sha256(content).hexdigest()
    return found
