"""Sessions that go on in the background, with tasks that go on only when a test lets them."""

from pathlib import Path
from typing import Any

from tests.support.repositories import Done, Repo, background_conductors, shell, until

from toryo.journal.lease import holder

PATIENCE = 120.0


def gated(notes: Path, key: str) -> str:
    """A command that notes that it has begun, goes on when the test lets it, and notes its end."""
    return (
        f"mkdir {notes}/busy || echo overlap >> {notes}/log; trap 'rmdir {notes}/busy; exit 9' TERM; "
        f"echo {key} >> {notes}/log; touch {notes}/begun-{key}; "
        f"until test -e {notes}/go-{key} -o -e {notes}/go; do sleep 0.02; done; echo {key} > {key}; rmdir {notes}/busy"
    )


def detach(repo: Repo, key: str, command: str = "", *flags: str, **top: Any) -> str:
    """A session of one task in the background; its short id."""
    done = repo.toryo(*plan_args(repo, key, command, **top), "--detach", *flags)
    assert done.code == 0, done
    return short_in(done)


def plan_args(repo: Repo, key: str, command: str = "", **top: Any) -> list[str]:
    plan = repo.plan(shell(key, command or f"echo {key} > {key}"), title=f"Plan {key}", **top)
    own = plan.with_name(f"plan-{key}.json")
    plan.rename(own)
    return ["run", "--plan", str(own)]


def short_in(done: Done) -> str:
    """Of the session that a command left to the background."""
    (line,) = [line for line in done.out.splitlines() if "goes on in the background" in line]
    return line.split()[1]


def row(repo: Repo, short: str) -> dict[str, Any]:
    (found,) = [row for row in repo.status()["sessions"] if row["id"].startswith(f"session-{short}")]
    return dict(found)


def let(notes: Path, *keys: str) -> None:
    for key in keys:
        (notes / f"go-{key}").touch()


def begun(notes: Path, *keys: str) -> None:
    until(lambda: all((notes / f"begun-{key}").exists() for key in keys), PATIENCE)


def log_of(notes: Path) -> list[str]:
    return (notes / "log").read_text().splitlines()


def until_idle(repo: Repo) -> None:
    """Nobody conducts in the background any more."""
    until(lambda: not background_conductors(repo.path), PATIENCE)


def until_state(repo: Repo, short: str, state: str) -> dict[str, Any]:
    until(lambda: row(repo, short)["state"] == state, PATIENCE)
    return row(repo, short)


def conductor(repo: Repo) -> int:
    """The one that holds the turnstile, once those that found it taken are gone."""
    turnstile = repo.store / "queue.lock"
    until(lambda: background_conductors(repo.path) == [holder(turnstile)], PATIENCE)
    (pid,) = background_conductors(repo.path)
    return pid
