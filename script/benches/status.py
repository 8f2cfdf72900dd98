"""`toryo status` in a repository with a hundred sessions of a hundred tasks each."""

import json
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians
from benches.repositories import PYTHON, TORYO, environment, make_repository, run
from benches.synthetic import Ring
from toryo.journal.sqlite import SqliteJournal

SESSIONS, TASKS, LIMIT = 100, 100, 300.0


def measure(rounds: int, folder: Path) -> Report:
    env = environment(folder)
    repository = make_repository(folder / "repository", env)
    events = _fill(repository / ".git" / "toryo")
    _verify(repository, env)

    def time_of(*arguments: str) -> float:
        return milliseconds(lambda: run([str(PYTHON), *arguments], repository, env))

    bare, plain, as_json = in_turns(
        rounds,
        (
            lambda _: time_of("-c", "pass"),
            lambda _: time_of(str(TORYO), "status"),
            lambda _: time_of(str(TORYO), "status", "--json"),
        ),
    )
    floor = Figure("python -c pass", bare)
    figures = (floor, Figure("toryo status", plain), Figure("toryo status --json", as_json))
    ratio = Figure("ratio of medians, toryo status to python", (ratio_of_medians(figures[1], floor),), "×")
    targets = tuple(Target(f"{figure.name}, median", figure.median, LIMIT, "ms") for figure in figures[1:])
    about = f"{SESSIONS} sessions of {TASKS} tasks, {events:,} events in the journal"
    return Report(about, (*figures, ratio), targets)


def _fill(store: Path) -> int:
    """Folds whole sessions and appends them as Toryo does, but many events at once; how many there are."""
    store.mkdir(mode=0o700)
    journal = SqliteJournal(store / "journal.db")
    count = 0
    for number in range(SESSIONS):
        ring = Ring(TASKS, f"Session {number} of many")
        events = [*ring.opening, *(event for event, _ in ring.turns())]
        journal.append(ring.session.id, 0, events, ring.summary)
        count += len(events)
    journal.close()
    return count


def _verify(repository: Path, env: dict[str, str]) -> None:
    """What is timed must show what was put in."""
    shown = json.loads(run([str(PYTHON), str(TORYO), "status", "--json"], repository, env))
    if (len(shown["sessions"]), len(shown["tasks"])) != (SESSIONS, TASKS):
        raise RuntimeError(f"status shows {len(shown['sessions'])} sessions and {len(shown['tasks'])} tasks")


BENCH = Bench(10, measure)
