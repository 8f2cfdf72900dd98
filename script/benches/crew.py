"""A place where the real agent programs work against the scripted model, by hand or through Toryo."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from tests.support.agent_programs import headless_command, installed_programs, make_agent_home

from benches.repositories import TORYO, environment, make_repository, run

NOT_INSTALLED = "the agent programs are not installed: script/agents installs them"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with an agent's home and a model server that all of them talk to."""

    folder: Path
    env: Mapping[str, str]


@contextmanager
def place(folder: Path) -> Iterator[Place]:
    programs = installed_programs()
    if programs is None:
        raise RuntimeError(NOT_INSTALLED)
    command = [sys.executable, "-m", "tests.support.model_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            home = make_agent_home(folder / "agents-home", url, programs, environment(folder))
            sockets = folder / "s"
            sockets.mkdir()
            yield Place(folder, {**environment(folder), **home.environ, "TMUX_TMPDIR": str(sockets)})
        finally:
            server.terminate()


def write_plan(path: Path, count: int, script: str, **more: object) -> Path:
    """So many tasks, each with a script for the model; `{n}` in it is the task's number."""
    tasks = [
        {"key": f"T{n}", "title": f"Task {n}", "description": script.replace("{n}", str(n)), **more}
        for n in range(1, count + 1)
    ]
    path.write_text(json.dumps({"title": "Bench", "tasks": tasks, "checks": {"here": "git diff --check"}}))
    return path


def by_hand(spot: Place, name: str, scripts: list[str]) -> float:
    """Seconds that claude needs for these prompts, all at once, each in a worktree that is there already."""
    repository = make_repository(spot.folder / name, dict(spot.env))
    trees = []
    for number in range(len(scripts)):
        trees.append(repository / ".worktrees" / f"t{number}")
        run(["git", "worktree", "add", "-q", "-b", f"t{number}", str(trees[-1])], repository, dict(spot.env))
    begun = time.perf_counter()
    started = [
        subprocess.Popen(
            headless_command("claude"),
            cwd=tree,
            env=dict(spot.env),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for tree in trees
    ]
    for program, script in zip(started, scripts, strict=True):
        assert program.stdin is not None
        program.stdin.write(script.encode())
        program.stdin.close()
    codes = [program.wait() for program in started]
    took = time.perf_counter() - begun
    if any(codes) or not all(list(tree.glob("new*.txt")) for tree in trees):
        raise RuntimeError(f"claude by hand failed: exit codes {codes}")
    return took


@dataclass(slots=True)
class Cost:
    """What Toryo itself took while it ran: the conductor, and whatever it started besides agents and git."""

    seconds: float = 0.0
    cpu: float = 0.0
    memory: float = 0.0
    """The most that was in use at once, shared pages counted by share, in MB."""
    tmux_cpu: float = 0.0
    samples: list[float] = field(default_factory=list)


def through_toryo(spot: Place, name: str, plan: Path, parallel: int, *flags: str, watched: bool = False) -> Cost:
    """Watching costs time itself, so what is timed is not watched, and the other way round."""
    repository = make_repository(spot.folder / name, dict(spot.env))
    command = [str(TORYO), "run", "--plan", str(plan), "--parallel", str(parallel), "--quiet", "--yes", *flags]
    cost = Cost()
    begun = time.perf_counter()
    program = subprocess.Popen(
        command, cwd=repository, env=dict(spot.env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    ended = threading.Event()
    watch = threading.Thread(target=_sample, args=(program.pid, cost, ended))
    if watched:
        watch.start()
    said, _ = program.communicate()
    cost.seconds = time.perf_counter() - begun
    ended.set()
    if watched:
        watch.join()
    if program.returncode != 0:
        raise RuntimeError(f"toryo run failed with code {program.returncode}:\n{said.decode()[-2000:]}")
    return cost


def _sample(pid: int, cost: Cost, ended: threading.Event) -> None:
    while not ended.wait(0.1):
        with suppress(psutil.Error):
            conductor = psutil.Process(pid)
            used = conductor.cpu_times()
            cost.cpu = max(cost.cpu, used.user + used.system)
            own = own_processes(conductor)
            cost.memory = max(cost.memory, sum(map(_megabytes, own)))
            for process in own:
                if process.name().startswith("tmux"):
                    spent = process.cpu_times()
                    cost.tmux_cpu = max(cost.tmux_cpu, spent.user + spent.system)


def own_processes(conductor: psutil.Process) -> list[psutil.Process]:
    """The conductor, wrappers, tmux and views; not the agents, nor what they start, nor git."""
    found = [conductor]
    for process in conductor.children(recursive=True):
        with suppress(psutil.Error):
            line = process.cmdline()
            if process.name().startswith("tmux") or line[:1] == ["tail"] or any("wrap.sh" in part for part in line[:3]):
                found.append(process)
    return found


def _megabytes(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        return float(process.memory_full_info().pss) / 1e6
    return 0.0
