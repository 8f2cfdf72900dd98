"""The inbox at a terminal: one key chooses, one key decides, and every decision is recorded at once."""

import shutil
from collections.abc import Sequence

import click

from toryo.app.closer import details_of
from toryo.app.deciding import decide, meant_by, still_waits, what_to_ask
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.app.waiting import Waiting, what_waits
from toryo.domain.errors import ToryoError
from toryo.frontends.cli.decisions import settle
from toryo.frontends.cli.delegating import Showing
from toryo.frontends.cli.inboxdecisions import words_for
from toryo.frontends.cli.talking import complain, here, room, say, show
from toryo.frontends.cli.terminalkeys import DOWN, ENTER, LEAVE, UP, Keys
from toryo.views.inboxitems import Choice, Item, item_lines
from toryo.views.inboxlist import key_line, list_lines

_KEYS = {"a": Choice.APPROVE, "w": Choice.ANSWER, "r": Choice.REJECT, "t": Choice.RETRY}
_ROOM_FOR_ONE = 18
"""Lines that are left to the item that is chosen."""


def decide_by_keys(session_id: str | None) -> Waiting:
    """Until the person leaves, or nothing waits any more; what is left then."""
    project = open_project(here(), writing=True)
    only_a_person(project)
    keys, chosen, is_listed = Keys(), 0, False
    while True:
        waiting = what_waits(project, project.summaries(), session_id)
        items = waiting.items
        if not items:
            show("nothing waits for you")
            return waiting
        chosen = min(chosen, len(items) - 1)
        _show(items, chosen, with_list=not is_listed)
        key, is_listed = keys.next(), True
        click.echo(err=True)  # what comes next is not on the line of the keys
        item = items[chosen]
        if key in ("q", LEAVE):
            return waiting
        if key in ("s", "n", "j", DOWN, ENTER):
            chosen = (chosen + 1) % len(items)
        elif key in ("p", "k", UP):
            chosen = (chosen - 1) % len(items)
        elif key == "l":
            is_listed = False
        elif key == "d":
            _show_details(project, item)
        elif key.isascii() and key.isdecimal():
            wanted = keys.number(key, len(items))
            chosen = wanted - 1 if 1 <= wanted <= len(items) else chosen
        elif (choice := _KEYS.get(key)) and choice in item.can:
            is_listed = not _decided(project, item, choice)
        else:
            say(f"'{key}' does nothing here: {key_line(item, len(items))}")


def _show(items: Sequence[Item], chosen: int, *, with_list: bool) -> None:
    if with_list:
        lines = shutil.get_terminal_size().lines - _ROOM_FOR_ONE
        for line in list_lines(items, chosen, room(), lines):
            show(line)
    show("")
    show(f"{chosen + 1} of {len(items)}: {item_lines(items[chosen])[0]}")
    for line in item_lines(items[chosen])[1:]:
        show(line)
    click.echo(f"{key_line(items[chosen], len(items))} ", nl=False, err=True)


def _show_details(project: Project, item: Item) -> None:
    try:
        lines = [] if not (item.session or item.can) else list(details_of(project, meant_by(project, item)))
    except ToryoError as error:
        lines = [error.message]
    for line in lines or ["there is no more to it"]:
        show(f"  {line}")


def _decided(project: Project, item: Item, choice: Choice) -> bool:
    """Whether something was; Ctrl-C takes back what was about to be, and nothing else."""
    try:
        only_a_person(project)
        meant = meant_by(project, item)
        words = words_for(what_to_ask(project, meant, choice))
        if not still_waits(project, item):
            say("somebody else has decided meanwhile")
            return True
        settle(project, [decide(project, meant, choice, words)], [], Showing())
    except click.Abort:
        say("\nnothing was decided")
        return False
    except ToryoError as error:
        complain(error.message, kept=error.kept, hint=error.hint, code=error.code)
    return True
