"""A recorded session of every sort of task, and hands that change what was recorded."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.repositories import Repo, shell

from toryo.domain.events import Event
from toryo.domain.evidence import Evidence, sealed
from toryo.journal.codec import decode, encode
from toryo.rules.evolve import fold

_KEPT = ("PATH", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")
_SCENARIO = """
A:
  - - replace: {path: list, old: nothing, new: from A}
B:
  - - replace: {path: list, old: nothing, new: from B}
A-merge: &merge
  - - resolve: list
B-merge: *merge
"""
_CONFIG = """
[agents.scripted]
scenario = "scenario.yaml"
[worktree]
setup = ["echo ready"]
"""
CHECKS = {
    "test": 'if [ -n "$HANG" ]; then echo >> "$HANG"; sleep 1000; fi; echo looking; test -z "$BROKEN"',
    "lint": {"command": "! grep -q '<<<<' list", "on_failure": "block"},
}


def environment(folder: Path) -> dict[str, str]:
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C.UTF-8",
        "TORYO_RUN_HOST": "headless",
    }


def record(folder: Path) -> Repo:
    """A conflict that an agent settles, a retry, a blocked task, an investigation, and a proof of the whole."""
    repo = Repo.make(folder / "repo", environment(folder))
    repo.write("list", "top\nnothing\nbottom\n")
    repo.write("見本.txt", "日本語\n")
    repo.write(".toryo/scenario.yaml", _SCENARIO)
    repo.write(".toryo/config.toml", _CONFIG)
    repo.commit("a list")
    failing_first = "echo $TORYO_ATTEMPT > again; echo tried"
    tasks = [
        *({"key": key, "title": f"Task {key}", "agent": "scripted"} for key in "AB"),
        shell("C", failing_first, checks={"second": 'test "$(cat again)" = 2', **CHECKS}),
        shell("D", "exit 3"),
        shell("E", "rm 見本.txt; echo 済み > 'done file'", depends_on=["A", "B", "C"], checks=[]),
        shell("I", "echo it is so", type="investigation", checks=[]),
    ]
    done = repo.run(*tasks, checks=CHECKS, flags=["--parallel", "3"])
    states = {key: task["state"] for key, task in repo.tasks().items()}
    assert states.pop("D") == "blocked", done
    assert set(states.values()) == {"integrated"}, done
    return repo


def copied(repo: Repo, folder: Path) -> Repo:
    """The same repository elsewhere, to be changed."""
    target = folder / "repo"
    shutil.copytree(repo.path, target, symlinks=True)
    return Repo(target, {**repo.environ, "HOME": str(folder)})


# ── the journal ──────────────────────────────────────────────────────────────


@contextmanager
def journal(repo: Repo) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(repo.path / ".git/toryo/journal.db")) as db, db:
        yield db


def stored(repo: Repo) -> list[tuple[int, Event]]:
    with journal(repo) as db:
        rows = db.execute("SELECT seq, kind, version, body FROM events ORDER BY seq").fetchall()
    return [(seq, decode(kind, version, body)) for seq, kind, version, body in rows]


def number_of(repo: Repo, key: str) -> int:
    events = [event for _, event in stored(repo)]
    planned = [task.key for event in events for task in getattr(event, "tasks", ())]
    return planned.index(key) + 1


def find(repo: Repo, kind: str, key: str = "", nth: int = 0) -> tuple[int, Any]:
    """The number of an event, and the event."""
    task = number_of(repo, key) if key else None
    found = [
        (seq, event)
        for seq, event in stored(repo)
        if type(event).__name__ == kind and (task is None or getattr(event, "task", None) == task)
    ]
    return found[nth]


def put(repo: Repo, seq: int, event: Event) -> None:
    with journal(repo) as db:
        db.execute("UPDATE events SET body = ? WHERE seq = ?", (encode(event), seq))


def edit(repo: Repo, kind: str, key: str, change: Callable[[Any], Any], nth: int = 0) -> int:
    seq, event = find(repo, kind, key, nth)
    put(repo, seq, change(event))
    return seq


def with_fact(record: Evidence, name: str, value: str) -> Evidence:
    """The record with another fact under its old seal."""
    assert record.says(name) is not None, (name, record)
    facts = tuple((known, value if known == name else old) for known, old in record.facts)
    return replace(record, facts=facts)


def reseal(repo: Repo, key: str) -> None:
    """Every record of the task sealed anew, so that its chain is whole again."""
    number, previous = number_of(repo, key), ""
    for seq, event in stored(repo):
        records = getattr(event, "evidence", ())
        if getattr(event, "task", None) != number or not records:
            continue
        new = []
        for old in records:
            new.append(sealed(replace(old, previous=previous)))
            previous = new[-1].sha256
        put(repo, seq, replace(event, evidence=tuple(new)))


def heads(repo: Repo, before: int) -> dict[str, str]:
    """Where the chain of each task stood before an event."""
    session = fold(event for seq, event in stored(repo) if seq < before)
    assert session is not None
    return {task.plan.key: task.chain for task in session.tasks.values()}


def log_of(repo: Repo, kind: str, key: str) -> Path:
    _, event = find(repo, kind, key)
    return repo.path / ".git/toryo" / str(event.evidence[0].log)


def verify(repo: Repo, *args: str, **more: Any) -> tuple[int, dict[str, Any]]:
    done = repo.toryo("verify", "--json", *args, **more)
    assert done.out, done
    return done.code, json.loads(done.out)


def codes(proof: dict[str, Any]) -> set[str]:
    return {flaw["code"] for flaw in proof["discrepancies"]}
