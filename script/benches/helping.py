"""`toryo --help` against the `--help` of an empty click program."""

from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians, ratios
from benches.repositories import PYTHON, TORYO, environment, run

LIMIT = 1.3

# Begins like the start script that pip writes for toryo.
_EMPTY = """\
import re
import sys
import click

@click.command()
def main() -> None:
    "Does nothing."

if __name__ == "__main__":
    sys.argv[0] = re.sub(r"(-script\\.pyw|\\.exe)?$", "", sys.argv[0])
    sys.exit(main())
"""


def measure(rounds: int, folder: Path) -> Report:
    env = environment(folder)
    empty = folder / "empty"
    empty.write_text(_EMPTY)

    def time_of(*arguments: str) -> float:
        return milliseconds(lambda: run([str(PYTHON), *arguments], folder, env))

    for program in (empty, TORYO):
        time_of(str(program), "--help")  # once, so that every module is compiled
    bare, floor, toryo = in_turns(
        rounds,
        (
            lambda _: time_of("-c", "pass"),
            lambda _: time_of(str(empty), "--help"),
            lambda _: time_of(str(TORYO), "--help"),
        ),
    )
    floor_figure = Figure("an empty click program --help", floor)
    toryo_figure = Figure("toryo --help", toryo)
    figures = (
        Figure("python -c pass", bare),
        floor_figure,
        toryo_figure,
        ratios("ratio, round by round", toryo_figure, floor_figure),
    )
    ratio = ratio_of_medians(toryo_figure, floor_figure)
    target = Target("toryo --help against an empty click program", ratio, LIMIT, "×")
    return Report(f"{rounds} rounds in turns, both files run by the same python", figures, (target,))


BENCH = Bench(30, measure)
