"""What verifying a session claims, finds, and concludes."""

from collections.abc import Mapping
from enum import StrEnum

from toryo.domain.event import Event
from toryo.domain.evidence import Change
from toryo.domain.facts import fact
from toryo.domain.plan import Check


class Flaw(StrEnum):
    """Why something cannot be relied on; the codes of `docs/exit-codes.md`."""

    RECORD = "E310"
    CHAIN = "E311"
    NO_RECORD = "E312"
    EVENT = "E313"
    ORDER = "E314"
    VERDICT = "E315"
    LOG = "E316"
    COMMIT = "E317"
    DIFFERENCE = "E318"
    MERGE = "E319"
    ANCHOR = "E320"
    BRANCH = "E321"
    CHECK = "E322"
    BUNDLE = "E323"
    LOG_GONE = "E330"
    COMMIT_GONE = "E331"
    BRANCH_GONE = "E332"
    EARLIER = "E333"
    OTHER_RULES = "E334"
    MASKED = "E335"
    NO_CLONE = "E336"
    NOT_RERUN = "E337"
    MOVED_ON = "E338"

    @property
    def is_mismatch(self) -> bool:
        """Something is other than it was recorded; else it is gone, or cannot be looked at."""
        return self.value < "E330"


@fact
class Discrepancy:
    """One thing that is not as it was recorded, or can no longer be shown to be."""

    flaw: Flaw
    task: str
    """Its key; empty: the session as a whole."""
    where: str
    """The record, event, log or commit it is about."""
    what: str
    expected: str = ""
    found: str = ""


@fact
class Stored:
    """An event as it was found in a journal or a bundle."""

    seq: int
    kind: str
    event: Event | None
    """None: it cannot be read."""
    trouble: str = ""
    is_masked: bool = False
    """Something in it was hidden when it was exported, so it no longer says the very same."""

    @property
    def name(self) -> str:
        return f"event {self.seq} ({self.kind})"


# ── what the events and records claim about the world ────────────────────────


@fact
class LogClaim:
    task: str
    where: str
    path: str
    sha256: str


@fact
class CommitClaim:
    task: str
    where: str
    commit: str
    tree: str
    parents: tuple[str, ...] | None = None
    """None: whatever they are."""
    anchors: tuple[str, ...] = ()
    """Heads of chains of evidence that its message has to name."""


@fact
class DifferenceClaim:
    task: str
    where: str
    base: str
    commit: str
    sha256: str
    files: tuple[tuple[str, Change], ...]


@fact
class AncestryClaim:
    """The one commit is contained in the other."""

    task: str
    where: str
    ancestor: str
    descendant: str


@fact
class CheckClaim:
    """A check ended so on these files."""

    task: str
    where: str
    check: Check
    commit: str
    tree: str
    status: str


@fact
class Claims:
    logs: tuple[LogClaim, ...] = ()
    commits: tuple[CommitClaim, ...] = ()
    differences: tuple[DifferenceClaim, ...] = ()
    ancestries: tuple[AncestryClaim, ...] = ()
    checks: tuple[CheckClaim, ...] = ()
    session: str = ""
    branch: str = ""
    base: str = ""
    tip: str = ""
    """The last commit that the session's branch is said to have; its base: nothing was merged."""
    is_under_way: bool = False
    """Somebody may have merged, and not have told yet."""

    @property
    def named_commits(self) -> frozenset[str]:
        ends = {claim.commit for claim in self.commits} | {claim.commit for claim in self.differences}
        return frozenset(ends | {claim.base for claim in self.differences})


# ── what is there ────────────────────────────────────────────────────────────


@fact
class CommitSeen:
    tree: str
    parents: tuple[str, ...]
    message: str


@fact
class DifferenceSeen:
    sha256: str
    files: tuple[tuple[str, Change], ...]


@fact
class BranchSeen:
    """The session's branch: where it stands, or, where it is gone, a ref that has its commits."""

    commit: str
    """Empty: there is no such branch."""
    home: str = ""
    has_tip: bool = False
    merges: tuple[str, ...] = ()
    """Commits on it whose message says that they are the session's."""


@fact
class Found:
    logs: Mapping[str, str]
    """SHA-256 by path; those that are not there are left out."""
    commits: Mapping[str, CommitSeen]
    differences: Mapping[tuple[str, str], DifferenceSeen]
    ancestries: Mapping[tuple[str, str], bool]
    branch: BranchSeen | None = None
    damage: str = ""
    """What git says about objects whose content is not what their name says."""
    has_repository: bool = True
    masked_logs: frozenset[str] = frozenset()
    """Logs in which something was hidden when they were exported."""


# ── the conclusion ───────────────────────────────────────────────────────────


@fact
class Verified:
    """What was looked at for one task, or for the session as a whole (without a key)."""

    task: str
    state: str
    records: int
    logs: int
    commits: int
    verdicts: int


@fact
class Proof:
    session: str
    verified: tuple[Verified, ...]
    discrepancies: tuple[Discrepancy, ...]

    @property
    def mismatches(self) -> tuple[Discrepancy, ...]:
        return tuple(each for each in self.discrepancies if each.flaw.is_mismatch)
