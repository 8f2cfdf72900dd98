"""What a person who watches is told: everything once, and again only where it has become something else."""

from toryo.app.cases import Seen
from toryo.domain.facts import fact
from toryo.rules.reconciling import plain
from toryo.rules.tending import Step, why_it_waits

_MOST_TOLD_AT_FIRST = 10


@fact
class Tiding:
    """Something that a person who watches wants to know."""

    what: str
    says: str
    intent: str = ""
    session: str = ""


class Tidings:
    """Of one pass, and what was said in those before."""

    def __init__(self) -> None:
        self._told: list[Tiding] = []
        self._said: dict[str, str] = {}
        self._known: set[str] | None = None

    def taken(self) -> tuple[Tiding, ...]:
        """All since they were taken last."""
        told, self._told = tuple(self._told), []
        return told

    def tell(self, tiding: Tiding) -> None:
        self._said.pop(tiding.intent, None)
        self._told.append(tiding)

    def say_once(self, key: str, what: str, words: str) -> None:
        if self._said.get(f"! {key}") != words:
            self._said[f"! {key}"] = words
            self._told.append(Tiding(what, words))

    def tell_what_waits(self, seen: Seen) -> None:
        told: list[Tiding] = []
        for case in seen.cases:
            intent = case.intent
            if self._known is not None and intent.slug not in self._known:
                told.append(Tiding("new", f"{intent.slug}: {plain(intent.title, 80)}", intent.slug))
            words = why_it_waits(intent, case.row, seen.policy)
            if words != self._said.get(intent.slug) and not case.is_at_work and case.step is Step.NOTHING:
                self._said[intent.slug] = words
                if words:
                    told.append(Tiding("waits", f"{intent.slug}: {words}", intent.slug))
        if self._known is None and len(told) > _MOST_TOLD_AT_FIRST:
            told = [Tiding("waits", f"{len(told)} intents wait: 'toryo inbox' shows them")]
        self._known = {case.intent.slug for case in seen.cases}
        self._told += told
