"""What stands in the chat, in order: entries of conversations, and what the app itself has to say."""

from toryo.app.offering import Offer
from toryo.domain.facts import fact
from toryo.views.entries import Entry


@fact
class Heading:
    """Where another session begins."""

    text: str


@fact
class Remark:
    """Something the app says to whoever sits here; nobody else sees it, and it is not kept."""

    text: str
    is_trouble: bool = False


@fact
class Echo:
    """What was just typed, until it is recorded."""

    text: str


@fact
class Item:
    """One thing with a name of its own: another one of that name takes its place."""

    key: str
    what: Entry | Heading | Remark | Echo | Offer
    session: str = ""
    can: tuple[str, ...] = ()
    """What can be done about it now, where that does not follow from it alone."""
