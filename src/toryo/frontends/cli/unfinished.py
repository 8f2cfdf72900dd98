"""Unfinished sessions are offered before a new one starts."""

import click

from toryo.app.project import Project
from toryo.domain.session import Session, short_of
from toryo.frontends.cli.talking import is_interactive, say
from toryo.journal.lease import Lease
from toryo.views.standing import standing_words


def go_on_with_unfinished(project: Project, lease: Lease | None, *, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Where a person would rather go on with an unfinished session, that is what happens; the program ends then."""
    if lease is None:
        return  # it gets its turn beside them
    if unfinished := _ask_about_unfinished(project, lease):
        from toryo.frontends.cli.deciding import Manner
        from toryo.frontends.cli.resume import go_on

        raise SystemExit(go_on(project, unfinished, lease, Manner(quiet, verbose), as_json=as_json))


def _ask_about_unfinished(project: Project, lease: Lease) -> Session | None:
    """Unfinished sessions are offered before a new one starts; where nobody can answer, they stay as they are."""
    unfinished = [row for row in project.summaries() if row["state"] != "closed" and row["queued_at"] is None]
    if not unfinished:
        return None
    latest = unfinished[0]
    short = short_of(latest["id"])
    if not is_interactive():
        say(f"note: session {short} ({latest['title']}) is unfinished; 'toryo resume {short}' goes on with it")
        return None
    words = standing_words(latest["state"], latest["waits_for"], latest["queued_at"])
    say(f"session {short} ({latest['title']}) is unfinished: {words}")
    choice = click.prompt(
        "[n]ew session beside it, [r]esume it, or [d]iscard it and begin anew",
        type=click.Choice(["n", "r", "d"]),
        default="n",
        show_choices=False,
        err=True,
    )
    if choice == "r":
        return project.load(latest["id"])
    if choice == "d":
        from toryo.app.stopping import discard

        gone = discard(project, project.load(latest["id"]), lease)
        say(f"discarded session {gone.short}: {gone.title}")
    return None
