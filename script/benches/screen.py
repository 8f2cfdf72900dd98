"""The terminal app: its first paint, Tab, keys while fifty agents write, and memory over many lines."""

import json
import subprocess
import time
from pathlib import Path

import psutil

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians
from benches.repositories import PYTHON, TORYO, environment, make_repository, run
from benches.terminals import Terminal, terminal

BRANCHES, AGENTS, LINES_A_SECOND, KEYS = 500, 50, 1_000, 40
LONG_LOG = 100_000
LIMIT_TAB, LIMIT_KEY, LIMIT_PAINT, LIMIT_GROWTH, LIMIT_IDLE = 50.0, 50.0, 2.5, 8.0, 1.0
IDLE = 10.0
"""Seconds in which nobody does anything."""

# The least that an app with the same library can do.
_EMPTY = """\
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("this is all")

Empty().run()
"""


def measure(rounds: int, folder: Path) -> Report:
    env = {**environment(folder), "TERM": "xterm-256color", **_crew(folder)}
    repository = make_repository(folder / "repository", env)
    _branch_out(repository, env)
    empty = folder / "empty.py"
    empty.write_text(_EMPTY)
    app, least = [str(PYTHON), str(TORYO)], [str(PYTHON), str(empty)]
    _first_paint(app, b"[Branches]", repository, env)  # once, so that every module is compiled
    floor, first = in_turns(
        rounds,
        (
            lambda _: _first_paint(least, b"this is all", repository, env),
            lambda _: _first_paint(app, b"[Branches]", repository, env),
        ),
    )
    with terminal(app, repository, env) as shown:
        shown.until(b"[Branches]")
        calm_tabs, calm_keys = _tabs(shown), _keys(shown)
    _set_to_work(repository, folder, env)
    try:
        with terminal(app, repository, env) as shown:
            shown.until(b"[Branches]")
            shown.until(f"{AGENTS} agents at work".encode())
            tabs, keys = _tabs(shown), _keys(shown)
    finally:
        run([*app, "stop", "--all"], repository, env)
    idle = _idle(app, repository, env)
    grown = _growth(app, folder, env)
    paint, empties = Figure("first paint of toryo", first), Figure("first paint of an empty Textual app", floor)
    busy = f"with {AGENTS} agents at work"
    switching, typing = Figure(f"Tab until the other mode is shown, {busy}", tabs), Figure(f"a key, {busy}", keys)
    return Report(
        f"{BRANCHES} branches; {AGENTS} agents that write {LINES_A_SECOND:,} lines a second in all; a pseudo-terminal",
        (
            empties,
            paint,
            Figure("Tab until the other mode is shown, at rest", calm_tabs),
            switching,
            Figure("a key until it is seen, at rest", calm_keys),
            typing,
            Figure("processor while nothing happens, of a core", (idle,), "%"),
            Figure(f"memory after {LONG_LOG:,} lines of output, over that after the first tenth", (grown,), "MB"),
        ),
        (
            Target("first paint to that of an empty app", ratio_of_medians(paint, empties), LIMIT_PAINT, "×"),
            Target("Tab with agents at work, p95", _p95(tabs), LIMIT_TAB, "ms", tabs),
            Target("a key with agents at work, p95", _p95(keys), LIMIT_KEY, "ms", keys),
            Target("processor while nothing happens", idle, LIMIT_IDLE, "%"),
            Target("memory over a long log", grown, LIMIT_GROWTH, "MB"),
        ),
        ("first paint: from starting the process to the first screen on the terminal",),
    )


def _p95(samples: tuple[float, ...]) -> float:
    return sorted(samples)[max(0, -(-len(samples) * 95 // 100) - 1)]


# ── the place ────────────────────────────────────────────────────────────────


def _crew(folder: Path) -> dict[str, str]:
    """A model that is there and is never asked, and an agent that is never sent: without them, nobody can type."""
    model, agent = folder / "model.yaml", folder / "agent.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    model.write_text("replies: []\n")
    agent.write_text("{}\n")
    return {
        "TORYO_MODEL_PROVIDER": "scripted",
        "TORYO_MODEL_SCENARIO": str(model),
        "TORYO_RUN_AGENT": "scripted",
        "TORYO_AGENTS_SCRIPTED_SCENARIO": str(agent),
    }


def _branch_out(repository: Path, env: dict[str, str]) -> None:
    tip = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, env=env, capture_output=True, text=True)
    wanted = "".join(f"create refs/heads/topic/branch-{n:03} {tip.stdout.strip()}\n" for n in range(BRANCHES))
    subprocess.run(["git", "update-ref", "--stdin"], cwd=repository, env=env, input=wanted, text=True, check=True)


def _set_to_work(repository: Path, folder: Path, env: dict[str, str]) -> None:
    each = LINES_A_SECOND // AGENTS
    loop = f"while :; do i=0; while [ $i -lt {each} ]; do echo line $i of many; i=$((i+1)); done; sleep 1; done"
    tasks = [{"key": f"T{n:03}", "title": f"Write lines {n}", "command": loop} for n in range(AGENTS)]
    plan = folder / "crew.json"
    plan.write_text(json.dumps({"title": "A crew that writes", "parallel": AGENTS, "tasks": tasks}))
    flags = ["--parallel", str(AGENTS), "--host", "headless", "--detach", "--yes", "--quiet"]
    run([str(PYTHON), str(TORYO), "run", "--plan", str(plan), *flags], repository, env)
    runs = repository / ".git" / "toryo" / "runs"
    give_up = time.monotonic() + 120
    while sum(log.stat().st_size > 0 for log in runs.glob("*/output.log")) < AGENTS:
        if time.monotonic() > give_up:
            raise RuntimeError("the agents never got to work")
        time.sleep(0.1)


# ── what is measured ─────────────────────────────────────────────────────────


def _first_paint(argv: list[str], shows: bytes, where: Path, env: dict[str, str]) -> float:
    with terminal(argv, where, env) as shown:
        return milliseconds(lambda: shown.until(shows))


def _tabs(shown: Terminal) -> tuple[float, ...]:
    shown.rest(1.5)
    took = []
    for _ in range(KEYS // 2):
        took.append(shown.press("\t", b"[Agent]"))
        shown.rest(0.1)
        took.append(shown.press("\t", b"[Branches]"))
        shown.rest(0.1)
    return tuple(took)


def _keys(shown: Terminal) -> tuple[float, ...]:
    shown.press("\t", b"[Agent]")
    shown.rest(1.5)
    took = []
    for place in range(KEYS):
        took.append(shown.press("WXYZ"[place % 4], b"WXYZ"[place % 4 : place % 4 + 1]))
        shown.rest(0.05)
    return tuple(took)


def _idle(app: list[str], repository: Path, env: dict[str, str]) -> float:
    """Percent of a core that the app and its children use in a repository in which somebody worked."""
    with terminal(app, repository, env) as shown:
        shown.until(b"[Branches]")
        shown.rest(5.0)
        before = _used(shown.pid)
        shown.rest(IDLE)
        return (_used(shown.pid) - before) / IDLE * 100


def _used(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system + times.children_user + times.children_system


def _growth(app: list[str], folder: Path, env: dict[str, str]) -> float:
    """MB that the app has more after all lines of a task's output than after a tenth of them."""
    repository = make_repository(folder / "long", env)
    go = folder / "go"
    loop = "i=$1; while [ $i -lt $2 ]; do echo line-$i of a long log; i=$((i+1)); done"
    script = folder / "lines.sh"
    script.write_text(loop + "\n")
    tenth = LONG_LOG // 10
    waits = f"sh {script} 0 {tenth}; until [ -e {go} ]; do sleep 0.1; done; sh {script} {tenth} {LONG_LOG}; sleep 600"
    plan = folder / "long.json"
    plan.write_text(json.dumps({"title": "Long", "tasks": [{"key": "A", "title": "Print", "command": waits}]}))
    run([*app, "run", "--plan", str(plan), "--host", "headless", "--detach", "--yes", "--quiet"], repository, env)
    try:
        with terminal(app, repository, env) as shown:
            shown.until(b"1 agent at work")
            shown.type("\x1b[15~")  # F5: the session's tasks
            shown.until(b"Print")
            shown.type("\r")
            shown.until(f"line-{tenth - 1}".encode())
            shown.rest(2.0)
            before = _memory(shown.pid)
            go.touch()
            shown.until(f"line-{LONG_LOG - 1}".encode())
            shown.rest(2.0)
            return _memory(shown.pid) - before
    finally:
        run([*app, "stop", "--all"], repository, env)


def _memory(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / (1 << 20)


BENCH = Bench(5, measure)
