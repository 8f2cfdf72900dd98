"""The real Claude Code and a scripted model: by hand, and through Toryo, in the same run."""

import signal
import subprocess
import time
from pathlib import Path

import psutil

from benches.crew import Cost, Place, by_hand, place, through_toryo, write_plan
from benches.measuring import Bench, Figure, Report, Target, ratios
from benches.repositories import TORYO, make_repository

MANY = 10
SINGLES = 4
"""Pairs of single agents per round: one alone varies by a fifth from one time to the next."""
IDLE_SECONDS = 15.0
OVER_LIMIT, RATIO_LIMIT, MEMORY_LIMIT, CPU_LIMIT, IDLE_LIMIT = 0.3, 1.15, 75.0, 2.0, 0.2
_SCRIPT = "MODEL: write new{n}.txt hello\nMODEL: say Done."


def measure(rounds: int, folder: Path) -> Report:
    with place(folder) as spot:
        one = write_plan(folder / "one.json", 1, _SCRIPT, agent="claude")
        ten = write_plan(folder / "ten.json", MANY, _SCRIPT, agent="claude")
        scripts = [_SCRIPT.replace("{n}", str(number)) for number in range(MANY)]
        by_hand(spot, "warm", scripts[:1])
        through_toryo(spot, "warm-too", one, 1)
        alone, single, together, crew = [], [], [], []
        for number in range(rounds):
            for turn in range(SINGLES):
                alone.append(by_hand(spot, f"alone{number}-{turn}", scripts[:1]))
                single.append(through_toryo(spot, f"one{number}-{turn}", one, 1))
            together.append(by_hand(spot, f"together{number}", scripts))
            crew.append(through_toryo(spot, f"ten{number}", ten, MANY))
        watched = through_toryo(spot, "watched", ten, MANY, watched=True)
        idle = _idle(spot, folder)
    return _report(alone, single, together, crew, watched, idle)


def _report(
    alone: list[float],
    single: list[Cost],
    together: list[float],
    crew: list[Cost],
    watched: Cost,
    idle: list[float],
) -> Report:
    over = Figure("one task: Toryo over the agent alone", _minus(single, alone), "s")
    ten_alone = Figure(f"{MANY} agents by hand, at once", tuple(together), "s")
    ten = Figure(f"{MANY} agents through Toryo, at once", tuple(cost.seconds for cost in crew), "s")
    by_round = ratios("ratio of time, round by round", ten, ten_alone)
    memory = Figure("Toryo's own processes, most memory at once", (watched.memory,), "MB")
    cpu = Figure("Toryo's conductor, CPU", (watched.cpu,), "s")
    idling = Figure(f"conductor while {MANY} agents think", tuple(idle), "% of one core")
    figures = (
        Figure("one agent by hand", tuple(alone), "s"),
        Figure("one task through Toryo", tuple(cost.seconds for cost in single), "s"),
        over,
        ten_alone,
        ten,
        by_round,
        memory,
        cpu,
        idling,
    )
    targets = (
        Target("one task over the agent alone", over.median, OVER_LIMIT, "s", over.samples),
        Target(f"{MANY} at once against by hand", by_round.median, RATIO_LIMIT, "×", by_round.samples),
        Target("memory of Toryo's own processes", max(memory.samples), MEMORY_LIMIT, "MB"),
        Target("CPU of Toryo's own", max(cpu.samples), CPU_LIMIT, "s"),
        Target(f"CPU while {MANY} agents idle", max(idling.samples), IDLE_LIMIT, "% of one core"),
    )
    notes = (
        "by hand: the program alone, in a worktree that is there already; nothing is committed, checked or merged",
        "through Toryo: from the command line to the merged branch, with a check before and after merging",
        "own processes: conductor, wrappers, tmux and views; shared pages are counted by share (PSS)",
    )
    return Report("Claude Code against the scripted model on loopback", figures, targets, notes)


def _minus(costs: list[Cost], floor: list[float]) -> tuple[float, ...]:
    return tuple(cost.seconds - alone for cost, alone in zip(costs, floor, strict=True))


def _idle(spot: Place, folder: Path) -> list[float]:
    """The conductor's share of a core while every agent waits for its model."""
    plan = write_plan(folder / "think.json", MANY, "MODEL: think 120\nMODEL: say Done.", agent="claude")
    repository = make_repository(folder / "thinking", dict(spot.env))
    command = [str(TORYO), "run", "--plan", str(plan), "--parallel", str(MANY), "--quiet", "--yes"]
    with subprocess.Popen(
        command, cwd=repository, env=dict(spot.env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as program:
        try:
            conductor = psutil.Process(program.pid)
            runs = repository / ".git" / "toryo" / "runs"
            # Its first line comes before the model is asked; what is readable for people only after its first answer.
            while sum(log.stat().st_size > 0 for log in runs.glob("*/output.log")) < MANY and program.poll() is None:
                time.sleep(0.2)
            time.sleep(5.0)  # until the last of them is at its model
            return [_share(conductor) for _ in range(2)]
        finally:
            program.send_signal(signal.SIGINT)
            program.wait()


def _share(conductor: psutil.Process) -> float:
    before, begun = conductor.cpu_times(), time.perf_counter()
    time.sleep(IDLE_SECONDS)
    after = conductor.cpu_times()
    used = after.user + after.system - before.user - before.system
    return used / (time.perf_counter() - begun) * 100


BENCH = Bench(rounds=3, measure=measure)
