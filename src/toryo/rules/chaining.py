"""Whether the records of one chain are those that were made, all of them, in their order."""

from collections.abc import Sequence

from toryo.domain.evidence import Evidence, seal
from toryo.domain.facts import fact
from toryo.domain.proofs import Discrepancy, Flaw


@fact
class Link:
    """A record in its chain, and the event that carries it."""

    number: int
    record: Evidence
    event: str
    is_masked: bool = False

    @property
    def name(self) -> str:
        return f"record {self.number} ({self.record.operation}, {self.record.id}, {self.event})"


def flaws_in_chain(task: str, links: Sequence[Link]) -> list[Discrepancy]:
    return [*_broken_seals(task, links), *_broken_links(task, links)]


def _broken_seals(task: str, links: Sequence[Link]) -> list[Discrepancy]:
    found = []
    for link in links:
        sealed = seal(link.record)
        if sealed == link.record.sha256:
            continue
        if link.is_masked:
            found.append(Discrepancy(Flaw.MASKED, task, link.name, "something in it was hidden when it was exported"))
            continue
        what = "its content does not have the hash it carries"
        found.append(Discrepancy(Flaw.RECORD, task, link.name, what, link.record.sha256, sealed))
    return found


def _broken_links(task: str, links: Sequence[Link]) -> list[Discrepancy]:
    found = []
    places = {link.record.sha256: link.number for link in links}
    last = ""
    for place, link in enumerate(links):
        if link.record.previous != last:
            before = links[place - 1] if place else None
            what = _why_broken(link, before, places)
            found.append(
                Discrepancy(Flaw.CHAIN, task, link.name, what, link.record.previous or "nothing", last or "nothing")
            )
        last = link.record.sha256
    return found


def _why_broken(link: Link, before: Link | None, places: dict[str, int]) -> str:
    """It names the hash of the record it was made after; what stands before it has another."""
    named = link.record.previous
    if not named:
        return "it was the first of its chain, and is not any more: what stands before it was put in or moved"
    if named in places and places[named] < link.number:
        return f"it was made right after record {places[named]}: what stands between them was put in or moved"
    if named in places:
        return f"it was made after record {places[named]}, which stands behind it: records were swapped"
    if before is None:
        return "it was not the first of its chain: records before it are missing"
    return f"it was made after a record that is not here: record {before.number} was sealed anew, or one is missing"
