"""What somebody is offered who comes in: the session at hand, those left unfinished, and those that wait."""

from toryo.app.leasing import conducted_now, conducting
from toryo.app.project import Project
from toryo.domain.facts import fact
from toryo.domain.session import SessionState, short_of
from toryo.views.queueing import at_hand, at_work, queue_of, unattended
from toryo.views.standing import standing_words


@fact
class Offer:
    """A session that was left unfinished, and that nobody works on: to be resumed or discarded."""

    id: str
    short: str
    title: str
    stands: str
    """How it stands, in a few words."""
    at: float
    """When something happened in it last."""


@fact
class Place:
    """A session in the queue; those at work have place 0."""

    id: str
    short: str
    title: str
    place: int


def what_to_open(project: Project) -> str | None:
    """The id of what is being worked on, else of the latest that is unfinished, else of the latest; None: none yet."""
    rows = project.summaries()
    return at_hand(rows, _conducted(project)) or (rows[0]["id"] if rows else None)


def offers(project: Project) -> list[Offer]:
    """The latest first. What waits for its turn or for the decision about an intent has its own place."""
    rows = [row for row in project.summaries() if row["state"] != SessionState.CLOSED and row["queued_at"] is None]
    lost = unattended(rows, conducted_now(conducting(project)))
    at_rest = [row for row in rows if row["id"] in lost or row["waits_for"] or row["state"] == SessionState.PAUSED]
    return [
        Offer(row["id"], short_of(row["id"]), row["title"], _stands(row, row["id"] in lost), row["updated_at"])
        for row in at_rest
        if row["waits_for"] != "release"
    ]


def _stands(row: dict[str, object], is_lost: bool) -> str:
    if is_lost:
        return "interrupted: nobody works on it"
    waits = row["waits_for"]
    words = standing_words(str(row["state"]), str(waits) if waits else None)
    reason = str(row["pause_reason"] or "")
    return f"{words}: {reason}" if reason and waits not in ("answers", "approval") else words


def places(project: Project) -> list[Place]:
    rows = {row["id"]: row for row in project.summaries()}
    working = at_work(list(rows.values()), _conducted(project))
    waiting = [one for one in queue_of(list(rows.values())) if one not in working]
    numbered = [*((one, 0) for one in working), *((one, number) for number, one in enumerate(waiting, 1))]
    return [Place(one, short_of(one), rows[one]["title"], number) for one, number in numbered]


def _conducted(project: Project) -> str:
    held = conducting(project)
    return held.purpose if held else ""
