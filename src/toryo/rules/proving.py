"""From the events of a session to what is wrong with them, and what they claim about logs, commits and checks."""

import json
from collections.abc import Iterable, Sequence

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.evidence import Operation
from toryo.domain.moves import IllegalMove
from toryo.domain.proofs import Claims, Discrepancy, Flaw, Stored, Verified
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import Disposition, Verdict
from toryo.rules.chaining import Link, flaws_in_chain
from toryo.rules.claiming import Claiming
from toryo.rules.evolve import UnknownEvent, evolve
from toryo.rules.expecting import Expected, differing, expected_records, records_of
from toryo.rules.judging import RULES_VERSION, is_proven, session_outcome, verdict_on
from toryo.rules.kinds import checks_for
from toryo.rules.masking import mask
from toryo.rules.testimony import worded

_UNFOLDABLE = (
    *(IllegalMove, UnknownEvent, AssertionError),
    *(LookupError, AttributeError, TypeError, ValueError, ArithmeticError, OSError, RuntimeError),
)
"""A journal that somebody changed can hold anything."""


class Proving:
    """Walks through a session's events once, from the first to the last."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.discrepancies: list[Discrepancy] = []
        self._chains: dict[int, list[Link]] = {}
        self._claiming = Claiming()
        self._verdicts: dict[int, int] = {}
        self._doubtful: set[int] = set()
        """Tasks with an event that cannot follow: what comes after it cannot be judged."""
        self._other_rules: set[str] = set()

    def walk(self, stored: Iterable[Stored]) -> "Proving":
        last = 0
        for each in stored:
            for missing in range(last + 1, min(each.seq, last + 20)):
                self._flaw(Flaw.ORDER, "", f"event {missing}", "it is missing: the numbers have a gap here")
            last = each.seq
            self._take(each)
        for number, links in self._chains.items():
            self.discrepancies += flaws_in_chain(self._key(number), links)
            self._claiming.logs(self._key(number), links)
        if self.session is not None and self.session.sealing == 0:
            what = "its verdicts cannot be verified: recorded by an earlier version, which sealed less"
            self._flaw(Flaw.EARLIER, "", "the session", what)
        return self

    @property
    def claims(self) -> Claims:
        return self._claiming.all(self.session)

    def verified(self) -> tuple[Verified, ...]:
        if self.session is None:
            return ()
        claims = self.claims
        tasks = [
            self._verified(task.number, task.plan.key, str(task.state), claims) for task in self.session.tasks.values()
        ]
        return (*tasks, self._verified(0, "", str(self.session.state), claims))

    def _verified(self, number: int, key: str, state: str, claims: Claims) -> Verified:
        logs = len({claim.path for claim in claims.logs if claim.task == key})
        commits = len({claim.commit for claim in claims.commits if claim.task == key})
        return Verified(key, state, len(self._chains.get(number, ())), logs, commits, self._verdicts.get(number, 0))

    # ── one event ────────────────────────────────────────────────────────────

    def _take(self, stored: Stored) -> None:
        event = stored.event
        if event is None:
            self._flaw(Flaw.ORDER, "", stored.name, f"it cannot be read: {stored.trouble}")
            return
        number = event.task if isinstance(event, e.TaskEvent) else 0
        links = self._links(number, stored)
        if number in self._doubtful:
            return
        try:
            if self.session is not None:
                if self.session.sealing:
                    self._compare(self.session, stored, event, links)
                    self._conclude(self.session, stored, event, links)
                self._claiming.take(self.session, stored, event)
            self.session = evolve(self.session, event)
        except _UNFOLDABLE as error:
            if number:
                self._doubtful.add(number)
            self._flaw(Flaw.ORDER, self._key(number), stored.name, f"it cannot follow what is told before it: {error}")

    def _links(self, number: int, stored: Stored) -> list[Link]:
        chain = self._chains.setdefault(number, [])
        for record in records_of(stored.event):
            chain.append(Link(len(chain) + 1, record, stored.name, stored.is_masked))
        count = len(records_of(stored.event))
        return chain[-count:] if count else []

    def _compare(self, session: Session, stored: Stored, event: e.Event, links: Sequence[Link]) -> None:
        """Event and records have to tell the same."""
        expected = expected_records(session, event)
        key = self._key(event.task) if isinstance(event, e.TaskEvent) else ""
        if len(expected) != len(links):
            what = f"it carries {len(links)} of the {len(expected)} records that belong to it"
            self._flaw(Flaw.NO_RECORD, key, stored.name, what)
        for link, wanted in zip(links, expected, strict=False):
            self._compare_record(key, link, wanted)

    def _compare_record(self, key: str, link: Link, wanted: Expected) -> None:
        operation, facts = wanted
        if link.record.operation is not operation:
            self._flaw(
                Flaw.EVENT, key, link.name, "it is of another kind than its event", operation, link.record.operation
            )
            return
        if operation is Operation.VERDICT:
            facts = {name: value for name, value in facts.items() if name != "rules"}
        if chains := facts.pop("chains", None):
            self._compare_heads(link, chains)
        for name, told, sealed in differing(link.record, facts):
            if link.is_masked:
                self._flaw(Flaw.MASKED, key, link.name, f"'{name}' cannot be compared: its event was masked")
                continue
            what = f"{link.event} tells something else about '{name}' than was sealed"
            self._flaw(Flaw.EVENT, key, link.name, what, _short(sealed), _short(told))

    def _compare_heads(self, link: Link, chains: object) -> None:
        """The proof of the session names where each chain stood; every such record has to be in its chain."""
        known = {link.record.sha256 for links in self._chains.values() for link in links}
        sealed = link.record.says("chains")
        if sealed == dict(worded({"chains": chains}))["chains"]:
            return
        try:
            heads = dict(json.loads(sealed or ""))
        except (ValueError, TypeError):
            heads = {"?": sealed}
        for key, head in heads.items():
            if head not in known:
                self._flaw(
                    Flaw.CHAIN,
                    str(key),
                    link.name,
                    "the chain ended with another record then",
                    str(head),
                    "it is not in the chain",
                )

    # ── what follows from what ───────────────────────────────────────────────

    def _conclude(self, session: Session, stored: Stored, event: e.Event, links: Sequence[Link]) -> None:
        match event:
            case e.VerdictReached():
                self._judge(session, session.tasks[event.task], stored, event, links)
            case e.TaskIntegrated():
                self._admit_merge(session.tasks[event.task], stored, event)
            case e.Landed(commit=commit) if commit and not is_proven(session):
                what = "it was landed though its checks had not passed on these files"
                self._flaw(Flaw.MERGE, "", stored.name, what, "proven", "not proven")
            case e.SessionClosed(discarded=False) if not self._other_rules:
                outcome = session_outcome(session)
                if outcome is not event.outcome:
                    what = "the session's outcome does not follow from its tasks and its proof"
                    self._flaw(Flaw.VERDICT, "", stored.name, what, outcome, event.outcome)
            case _:
                pass

    def _judge(
        self, session: Session, task: Task, stored: Stored, event: e.VerdictReached, links: Sequence[Link]
    ) -> None:
        self._verdicts[task.number] = self._verdicts.get(task.number, 0) + 1
        rules = links[0].record.says("rules") if links else None
        if rules is not None and rules != str(RULES_VERSION):
            self._other_rules.add(rules)
            what = f"judged by other rules ({rules}), not recomputed by these ({RULES_VERSION})"
            self._flaw(Flaw.OTHER_RULES, task.plan.key, stored.name, what)
            return
        verdict = verdict_on(task, session.terms)
        if task.revision and not _is_same(verdict, event.verdict):
            # It was reached before the person's words were heard, and recorded after.
            verdict = verdict_on(changed(task, revision=""), session.terms)
        if not _is_same(verdict, event.verdict):
            what = "the verdict does not follow from what was observed"
            self._flaw(Flaw.VERDICT, task.plan.key, stored.name, what, _say(verdict), _say(event.verdict))

    def _admit_merge(self, task: Task, stored: Stored, event: e.TaskIntegrated) -> None:
        verdict = task.runs[-1].verdict if task.runs else None
        if verdict is None or verdict.disposition is not Disposition.ACCEPT:
            found = _say(verdict) if verdict else "none"
            self._flaw(
                Flaw.MERGE,
                task.plan.key,
                stored.name,
                "it was merged without a verdict that accepts it",
                "accept",
                found,
            )
        passed = {result.name for result in event.results if result.status == "passed"}
        for check in checks_for(task, task.run):
            if check.on_failure != "warn" and check.name not in passed:
                what = f"it was merged though check '{check.name}' did not pass"
                self._flaw(Flaw.MERGE, task.plan.key, stored.name, what, "passed", "not passed")

    def _flaw(self, flaw: Flaw, task: str, where: str, what: str, expected: str = "", found: str = "") -> None:
        self.discrepancies.append(Discrepancy(flaw, task, where, what, str(expected), str(found)))

    def _key(self, number: int) -> str:
        task = self.session.tasks.get(number) if self.session else None
        return task.plan.key if task else f"task {number}" if number else ""


def _is_same(one: Verdict, other: Verdict) -> bool:
    return one == other or mask(repr(one)) == mask(repr(other))


def _say(verdict: Verdict) -> str:
    why = f": {'; '.join(verdict.reasons)}" if verdict.reasons else ""
    return _short(f"{verdict.outcome}, {verdict.disposition}{why}")


def _short(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]} …"
