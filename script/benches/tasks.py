"""A hundred independent shell tasks with four workers, against a shell script that does the same git work."""

import json
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, ratios
from benches.repositories import TORYO, count_merges, environment, make_repository, run

TASKS, WORKERS, LIMIT = 100, 4, 1.5

# Git cannot add two worktrees at a time, nor merge twice in one: those take turns, as anybody would write it.
_FLOOR = """\
set -e
git worktree add -q -b integration .worktrees/integration
seq 1 "$1" | xargs -P "$2" -n 1 sh "$3" "$PWD"
"""
_FLOOR_TASK = """\
set -e
cd "$1"
flock .git/worktrees.lock git worktree add -q -b "task$2" ".worktrees/task$2" main
cd ".worktrees/task$2"
sh -c "echo hello $2 > new$2.txt"
git add -A
git commit -q -m "Task $2"
flock "$1/.git/merge.lock" git -C "$1/.worktrees/integration" merge -q --no-ff -m "Merge task $2" "task$2"
"""


@dataclass(frozen=True, slots=True)
class Took:
    """What one whole run of all tasks cost; `cpu` counts every process that took part."""

    seconds: float
    cpu: float


def measure(rounds: int, folder: Path) -> Report:
    env = environment(folder)
    (folder / "floor.sh").write_text(_FLOOR)
    (folder / "task.sh").write_text(_FLOOR_TASK)
    plan = _write_plan(folder)
    floor, toryo = in_turns(
        rounds,
        (
            lambda number: _floor(folder, make_repository(folder / f"floor{number}", env), env),
            lambda number: _toryo(plan, make_repository(folder / f"toryo{number}", env), env),
        ),
    )
    times = Figure("toryo run", tuple(took.seconds for took in toryo), "s")
    floor_times = Figure("shell script", tuple(took.seconds for took in floor), "s")
    cpu = Figure("toryo run, CPU of all processes", tuple(took.cpu for took in toryo), "s")
    floor_cpu = Figure("shell script, CPU of all processes", tuple(took.cpu for took in floor), "s")
    by_round = ratios("ratio of time, round by round", times, floor_times)
    fastest = min(times.samples) / min(floor_times.samples)
    figures = (
        floor_times,
        times,
        by_round,
        Figure("ratio of time, the fastest of each", (fastest,), "×"),
        floor_cpu,
        cpu,
        ratios("ratio of CPU, round by round", cpu, floor_cpu),
    )
    # Rounds are long and few, so what else the machine does drifts between them: compare within each.
    target = Target("total time against the shell script", by_round.median, LIMIT, "×", by_round.samples)
    return Report(
        f"{TASKS} independent shell tasks, {WORKERS} workers, fresh repository of 20 files each time",
        figures,
        (target,),
        (
            f"both sides were seen to have made {TASKS} merges and {TASKS} files",
            "Toryo also records, observes, judges and removes worktree and branch; the script leaves them",
        ),
    )


def _floor(folder: Path, repository: Path, env: dict[str, str]) -> Took:
    command = ["sh", str(folder / "floor.sh"), str(TASKS), str(WORKERS), str(folder / "task.sh")]
    took = _cost_of(lambda: run(command, repository, env))
    _verify(repository, "integration", env)
    return took


def _toryo(plan: Path, repository: Path, env: dict[str, str]) -> Took:
    command = [str(TORYO), "run", "--plan", str(plan), "--parallel", str(WORKERS), "--quiet", "--yes"]
    took = _cost_of(lambda: run(command, repository, env))
    _verify(repository, "agent/bench", env)
    return took


def _cost_of(work: Callable[[], object]) -> Took:
    cpu, begun = _children_cpu(), time.perf_counter()
    work()
    return Took(time.perf_counter() - begun, _children_cpu() - cpu)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _verify(repository: Path, branch: str, env: dict[str, str]) -> None:
    """A fast failure must not pass for a fast success."""
    merges = count_merges(repository, branch, env)
    listed = run(["git", "ls-tree", "--name-only", branch], repository, env).splitlines()
    files = sum(name.startswith("new") for name in listed)
    if (merges, files) != (TASKS, TASKS):
        raise RuntimeError(f"{branch} in {repository} has {merges} merges and {files} new files, not {TASKS}")


def _write_plan(folder: Path) -> Path:
    tasks = [
        {"key": f"T{n}", "title": f"Task {n}", "agent": "shell", "command": f"echo hello {n} > new{n}.txt"}
        for n in range(1, TASKS + 1)
    ]
    path = folder / "plan.json"
    path.write_text(json.dumps({"title": "Bench", "tasks": tasks}))
    return path


BENCH = Bench(3, measure)
