"""Interactive agents: how soon the end of a turn is noticed, and what fifty windows cost."""

import asyncio
import time
import uuid
from contextlib import aclosing
from pathlib import Path

from benches.crew import place, through_toryo, write_plan
from benches.measuring import Bench, Figure, Report, Target
from toryo.adapters.agents.claude import Claude
from toryo.adapters.hosts.tmux import TmuxHost
from toryo.adapters.settingagents import AgentSettings
from toryo.domain.run import Mode
from toryo.domain.signals import Finished
from toryo.ports import Errand, Launch, Screen

WINDOWS, SECONDS = 50, 5
NOTICED_LIMIT = 50.0


def measure(rounds: int, folder: Path) -> Report:
    with place(folder) as spot:
        env = dict(spot.env)
        noticed = Figure(
            "end of a turn noticed",
            tuple(asyncio.run(_turn(folder / f"turn{number}", env)) for number in range(rounds)),
        )
        scenario = folder / "scenario.yaml"
        steps = "[{say: working}, {pause: %d}, {write: {path: new%d.txt, text: hello}}]"
        scenario.write_text("".join(f"T{n}: [{steps % (SECONDS, n)}]\n" for n in range(1, WINDOWS + 1)))
        plan = write_plan(folder / "windows.json", WINDOWS, "", agent="scripted")
        spot.env["TORYO_AGENTS_SCRIPTED_SCENARIO"] = str(scenario)  # type: ignore[index]
        spot.env["TORYO_AGENTS_SCRIPTED_MODE"] = "interactive"  # type: ignore[index]
        cost = through_toryo(spot, "windows", plan, WINDOWS, "--host", "tmux", watched=True)
    figures = (
        noticed,
        Figure(f"{WINDOWS} windows, from start to merged", (cost.seconds,), "s"),
        Figure("conductor, CPU", (cost.cpu,), "s"),
        Figure("tmux, CPU", (cost.tmux_cpu,), "s"),
        Figure("Toryo's own processes, most memory at once", (cost.memory,), "MB"),
    )
    target = Target("noticing the end of a turn", max(noticed.samples), NOTICED_LIMIT, "ms")
    notes = (
        "from when Claude Code's Stop hook has written its line to when Toryo has read and understood it",
        f"each of the {WINDOWS} scripted agents works for {SECONDS} s on a terminal of its own",
    )
    return Report("Claude Code interactive in tmux; scripted agents in tmux", figures, (target,), notes)


async def _turn(folder: Path, env: dict[str, str]) -> float:
    """Milliseconds from the line that says so to knowing it."""
    folder.mkdir()
    agent = Claude(AgentSettings(mode=Mode.INTERACTIVE))
    prompt = "MODEL: say Done."
    errand = Errand("T1", 1, "", str(uuid.uuid4()), True, folder / "record", folder, folder, prompt)
    invocation = agent.invocation(errand)
    errand.directory.mkdir()
    for path, text in invocation.files.items():
        path.write_text(text)
    host = TmuxHost(env)
    screen = Screen("bench", "turn", None)
    started = {**env, "TORYO_SIGNALS": str(errand.signals), **invocation.env}
    await host.start(Launch(errand.directory, invocation.argv, folder, started, None, screen))
    try:
        async with asyncio.timeout(60), aclosing(host.follow([errand.signals])) as batches:
            async for lines in batches:
                if any(isinstance(signal, Finished) for line in lines for signal in agent.read(line, 0.0)):
                    return (time.time() - errand.signals.stat().st_mtime) * 1000
    finally:
        await host.stop(errand.directory, 5.0)
    raise RuntimeError("the turn never ended")


BENCH = Bench(rounds=5, measure=measure)
