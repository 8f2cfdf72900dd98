"""What the events of a session claim about things outside the journal: logs, commits, differences, checks."""

from collections.abc import Sequence

from toryo.domain import events as e
from toryo.domain.evidence import CheckResult
from toryo.domain.landing import Landing, LandingMode
from toryo.domain.plan import Check
from toryo.domain.proofs import AncestryClaim, CheckClaim, Claims, CommitClaim, DifferenceClaim, LogClaim, Stored
from toryo.domain.session import Session, SessionState
from toryo.rules.briefing import anchors_of
from toryo.rules.chaining import Link
from toryo.rules.landing_texts import landing_anchors
from toryo.rules.wholeness import checks_of_the_whole


class Claiming:
    """Gathers claims in the order in which they were made."""

    def __init__(self) -> None:
        self._logs: list[LogClaim] = []
        self._commits: list[CommitClaim] = []
        self._differences: list[DifferenceClaim] = []
        self._ancestries: list[AncestryClaim] = []
        self._checks: list[CheckClaim] = []
        self._landed: list[tuple[CommitClaim, ...]] = []

    def logs(self, task: str, links: Sequence[Link]) -> None:
        for link in links:
            if link.record.log:
                self._logs.append(LogClaim(task, link.name, link.record.log, link.record.log_sha256))

    def take(self, session: Session, stored: Stored, event: e.Event) -> None:
        """The session is as it was before the event."""
        match event:
            case e.WorkObserved():
                self._observed(session, stored, event)
            case e.CheckFinished():
                task = session.tasks[event.task]
                self._checked(task.plan.key, stored, task.plan.checks, event.result, task.commit, task.tree)
            case e.TaskIntegrated():
                self._integrated(session, stored, event)
            case e.SessionProven() | e.MergeBisected():
                self._commits.append(CommitClaim("", stored.name, event.commit, event.tree))
                for result in event.results:
                    checks = checks_of_the_whole(session)
                    self._checked("", stored, checks, result, event.commit, event.tree)
            case e.CulpritParked():
                key = session.tasks[event.task].plan.key
                self._commits.append(CommitClaim(key, stored.name, event.commit, event.tree))
            case e.BroughtUpToDate():
                self._commits.append(CommitClaim("", stored.name, event.commit, event.tree))
            case e.Landed():
                last = session.landing.last if session.landing else None
                if not (self._landed and last and event.commit and last.commit == event.commit):
                    self._landed.append(self._claims_of_landing(session, stored, event))
            case e.LandingUndone() if self._landed and session.landing and _takes_back(session.landing):
                self._landed.pop()  # the commit is nobody's any more
            case _:
                pass

    def _claims_of_landing(self, session: Session, stored: Stored, event: e.Landed) -> tuple[CommitClaim, ...]:
        """Where Toryo made the commit, it has the proven files; else somebody else's has the work in its history."""
        landing = session.landing
        if not event.commit:
            return ()
        if not event.before and landing and landing.onto == event.commit and landing.updated == session.tip:
            # Somebody had brought the very same there, in a commit of their own.
            return (CommitClaim("", stored.name, event.commit, session.tip_tree),)
        if not event.before:
            self._ancestries.append(AncestryClaim("", stored.name, session.tip, event.commit))
            return ()
        is_squashed = landing is not None and landing.squash
        parents = (event.before,) if is_squashed else (event.before, session.tip)
        anchors = landing_anchors(session, is_squashed=is_squashed) if session.sealing else ()
        return (CommitClaim("", stored.name, event.commit, session.tip_tree, parents, anchors),)

    def _observed(self, session: Session, stored: Stored, event: e.WorkObserved) -> None:
        task, seen = session.tasks[event.task], event.observation
        self._commits.append(CommitClaim(task.plan.key, stored.name, seen.commit, seen.tree))
        files = tuple((change.path, change.change) for change in seen.changes)
        if task.base:
            claim = DifferenceClaim(task.plan.key, stored.name, task.base, seen.commit, seen.diff_sha256, files)
            self._differences.append(claim)

    def _integrated(self, session: Session, stored: Stored, event: e.TaskIntegrated) -> None:
        task = session.tasks[event.task]
        key = task.plan.key
        if event.commit == session.tip:
            # There was nothing to merge: the work is in the branch already.
            self._ancestries.append(AncestryClaim(key, stored.name, task.commit, event.commit))
            self._commits.append(CommitClaim(key, stored.name, event.commit, event.tree))
            return
        anchors = anchors_of(session, task) if session.sealing else ()
        parents = (session.tip, task.commit)
        self._commits.append(CommitClaim(key, stored.name, event.commit, event.tree, parents, anchors))
        if event.tree != task.tree:
            for result in event.results:
                self._checked(key, stored, task.plan.checks, result, event.commit, event.tree)

    def _checked(
        self, key: str, stored: Stored, checks: Sequence[Check], result: CheckResult, commit: str, tree: str
    ) -> None:
        check = next((known for known in checks if known.name == result.name), None)
        if check is not None:
            self._checks.append(CheckClaim(key, stored.name, check, commit, tree, result.status.value))

    def all(self, session: Session | None) -> Claims:
        if session is None:
            return Claims(tuple(self._logs))
        opened = CommitClaim("", "the session's base", session.base_commit, session.base_tree)
        return Claims(
            tuple(self._logs),
            (opened, *self._commits, *(claim for claims in self._landed for claim in claims)),
            tuple(self._differences),
            tuple(self._ancestries),
            tuple(self._checks),
            session.id,
            session.branch,
            session.base_commit,
            session.tip,
            session.state in (SessionState.EXECUTING, SessionState.CONCLUDING, SessionState.LANDING),
        )


def _takes_back(landing: Landing) -> bool:
    """Whether undoing it takes a commit back; else it only gives up what was under way."""
    return landing.is_over or landing.mode is LandingMode.BRANCH
