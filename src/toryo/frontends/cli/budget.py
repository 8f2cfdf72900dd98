"""`toryo budget`: what a session has used up, and how much more it may."""

import time

import click

from toryo.app.budgeting import change_budget
from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.domain.limits import Limit
from toryo.domain.session import Session
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json
from toryo.views.budget import amount_words, amounts, budget_row, used_up_words
from toryo.views.columns import columns
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo budget, or toryo budget 7682b3a8 --tokens +500k")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--tokens", metavar="N", help="Tokens in all, as 3M; +500k: so many more; 0: no limit.")
@click.option("--usd", metavar="N", help="US dollars, as 5 or +2.50.")
@click.option("--wall", metavar="TIME", help="Time, as 8h or +30m; waiting for you does not count.")
@click.option("--runs", metavar="N", help="Runs of agents, as 20 or +5.")
@json_option
def command(
    session_id: str | None,
    tokens: str | None,
    usd: str | None,
    wall: str | None,
    runs: str | None,
    as_json: bool,
) -> None:
    """Show what a session has used up of its budget, or raise or lower it, also while it works.

    At the limit nothing new starts; agents at work may finish, and the session then pauses. When its time is over,
    they are stopped. 'toryo resume' goes on once there is more.
    """
    given = {Limit.TOKENS: tokens, Limit.USD: usd, Limit.WALL: wall, Limit.RUNS: runs}
    said = {limit: text for limit, text in given.items() if text is not None}
    project = open_project(here(), writing=bool(said))
    session = project.session(session_id)
    if said:
        only_a_person(project)
        session = change_budget(project, session, said)
    now = time.time()
    if as_json:
        show_json(envelope("budget", {"session": session.id, "budget": budget_row(session, now)}))
        return
    for line in _lines(session, now):
        show(line)
    if said and session.waits_for_person and not used_up_words(session, now):
        say(f"next: toryo resume {session.short}")


def _lines(session: Session, now: float) -> list[str]:
    rows = [
        (
            str(limit),
            amount_words(limit, used),
            amount_words(limit, aside) if aside else "-",
            "-" if most is None else amount_words(limit, max(0, most - used - aside)),
            "no limit" if most is None else amount_words(limit, most),
        )
        for limit, most, used, aside in amounts(session, now)
    ]
    lines = columns(rows, ("", "USED", "RESERVED", "LEFT", "BUDGET"), room())
    says = used_up_words(session, now)
    return [*lines, says] if says else lines
