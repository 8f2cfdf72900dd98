"""How soon something is seen after Enter, while the model says nothing at all."""

import subprocess
import time
from pathlib import Path

from tests.support.planning_server import Hang, model_endpoint

from benches.measuring import Bench, Figure, Report, Target
from benches.repositories import TORYO, environment, make_repository

LIMIT = 1000.0
_ASKED = "asking the model"


def measure(rounds: int, folder: Path) -> Report:
    first, asked = [], []
    with model_endpoint([Hang(120) for _ in range(rounds + 1)]) as endpoint:
        env = {**environment(folder), **endpoint.environ("openai"), "TORYO_RUN_AGENT": "scripted"}
        env["TORYO_AGENTS_SCRIPTED_SCENARIO"] = str(folder / "none.yaml")
        for number in range(rounds + 1):
            repository = make_repository(folder / f"r{number}", env)
            line, question = _seen(repository, env)
            if number:  # the first one compiles modules
                first.append(line)
                asked.append(question)
    figures = (Figure("first line", tuple(first), "ms"), Figure("the model is being asked", tuple(asked), "ms"))
    target = Target("something is seen after Enter", max(first), LIMIT, "ms", tuple(first))
    return Report("toryo run 'words' with a model that never answers", figures, (target,))


def _seen(repository: Path, env: dict[str, str]) -> tuple[float, float]:
    """Milliseconds to the first line, and to the one that says the model is asked."""
    begun = time.perf_counter()
    command = [str(TORYO), "run", "Add a greeting to the program", "--yes"]
    with subprocess.Popen(
        command, cwd=repository, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as program:
        assert program.stderr is not None
        try:
            line = program.stderr.readline()
            first = (time.perf_counter() - begun) * 1000
            while line and _ASKED not in line.decode():
                line = program.stderr.readline()
            return first, (time.perf_counter() - begun) * 1000
        finally:
            program.kill()


BENCH = Bench(rounds=5, measure=measure)
