"""`toryo intent`: what somebody wants, as files that people edit."""

import click

from toryo.frontends.cli.verbs import VerbGroup

_VERBS = {
    "new": "Write down something that you want.",
    "list": "Show the intents, in the order in which their turn comes.",
    "show": "Show one in full.",
    "edit": "Open one in your editor.",
}


_PUT_AWAY = "'toryo reject' puts one away, and its file is yours to delete"


@click.group(
    "intent",
    cls=VerbGroup,
    verbs=_VERBS,
    instead=dict.fromkeys(("delete", "rm", "remove"), _PUT_AWAY),
    epilog="Example: toryo intent new 'Add a --json flag to export' --type feature",
)
def command() -> None:
    """Intents are files in .toryo/intents: what somebody wants, how risky it is, and how far it has come.

    'toryo watch' works off those that may run; 'toryo inbox' shows what waits for you; 'toryo approve' and
    'toryo reject' decide. To be rid of one, reject it, or delete its file.
    """
