"""`toryo inbox` and `toryo intent list` in a repository with a thousand intents, half of them worked off."""

import json
import time
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians
from benches.repositories import PYTHON, TORYO, environment, make_repository, run
from benches.synthetic import Ring
from toryo.journal.sqlite import SqliteJournal

INTENTS, DONE, TASKS, LIMIT = 1000, 500, 5, 300.0
SETTLED = 3.0
"""Seconds after which what was read of a file is remembered."""
_TEXT = """\
# Written by hand; comments are part of what is read.
title: "Intent {number}: the login checks no addresses"
body: |
  The form takes whatever is typed, and the mail comes back days later.

  - an address without a domain is refused
  - the message says what is wrong with it
type: fix
source: human
risk: {risk}
status: {status}
parent: null
created_at: 2026-01-{day:02}T10:00:00Z
clarifications:
  - question: "By which standard?"
    answer: "RFC 5322"
{session}"""
_RISKS = ("low", "med", "high")


def measure(rounds: int, folder: Path) -> Report:
    env = environment(folder)
    repository = make_repository(folder / "repository", env)
    events = _fill(repository)
    _verify(repository, env)
    time.sleep(SETTLED)
    _verify(repository, env)

    def time_of(*arguments: str, code: int = 0) -> float:
        return milliseconds(lambda: run([str(PYTHON), *arguments], repository, env, code))

    # One after the other: files that were saved this moment are read anew by every look, also by those that follow.
    bare, inbox, listed = in_turns(
        rounds,
        (
            lambda _: time_of("-c", "pass"),
            lambda _: time_of(str(TORYO), "inbox", code=2),
            lambda _: time_of(str(TORYO), "intent", "list"),
        ),
    )
    bare_then, anew = in_turns(
        rounds,
        (
            lambda _: time_of("-c", "pass"),
            lambda turn: _touched(repository, turn) or time_of(str(TORYO), "inbox", code=2),
        ),
    )
    floor = Figure("python -c pass", bare + bare_then)
    at_rest = Figure("toryo inbox", inbox)
    saved = Figure("toryo inbox, after every file was saved anew", anew)
    figures = (floor, at_rest, Figure("toryo intent list", listed), saved)
    ratio = Figure("ratio of medians, toryo inbox to python", (ratio_of_medians(at_rest, floor),), "×")
    targets = (
        Target("toryo inbox, median", at_rest.median, LIMIT, "ms"),
        Target("toryo inbox after every file was saved anew, median", saved.median, LIMIT, "ms"),
    )
    about = f"{INTENTS - DONE} intents that wait, {DONE} that are done, {events:,} events of theirs in the journal"
    return Report(about, (*figures, ratio), targets)


def _fill(repository: Path) -> int:
    """As after months of use; how many events there are."""
    folder, store = repository / ".toryo" / "intents", repository / ".git" / "toryo"
    folder.mkdir(parents=True)
    store.mkdir(mode=0o700)
    journal, count = SqliteJournal(store / "journal.db"), 0
    for number in range(INTENTS):
        name, kind = f"intent-{number:04}", {"status": "proposed", "session": ""}
        if number < DONE:
            ring = Ring(TASKS, f"Intent {number}", name)
            events = [*ring.opening, *(event for event, _ in ring.turns())]
            journal.append(ring.session.id, 0, events, ring.summary)
            count += len(events)
            kind = {"status": "done", "session": f"session: {ring.session.id}\n"}
        text = _TEXT.format(number=number, risk=_RISKS[number % len(_RISKS)], day=number % 28 + 1, **kind)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    journal.close()
    return count


def _touched(repository: Path, turn: int) -> None:
    """Nothing that was remembered of the files holds any more."""
    for path in (repository / ".toryo" / "intents").iterdir():
        path.write_text(f"{path.read_text(encoding='utf-8')}# {turn}\n", encoding="utf-8")


def _verify(repository: Path, env: dict[str, str]) -> None:
    """What is timed must show what was put in."""
    shown = json.loads(run([str(PYTHON), str(TORYO), "inbox", "--json"], repository, env, 2))
    if len(shown["items"]) != INTENTS - DONE:
        raise RuntimeError(f"the inbox shows {len(shown['items'])} items")


BENCH = Bench(10, measure)
