"""One piece of work and where it stands."""

from enum import StrEnum

from toryo.domain.collisions import SetAside
from toryo.domain.evidence import Evidence
from toryo.domain.facts import fact
from toryo.domain.hygiene import Permission
from toryo.domain.limits import LimitViolation
from toryo.domain.plan import PlannedTask
from toryo.domain.run import Run
from toryo.domain.verdict import BlockReason, Outcome


class TaskState(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    CHECKING = "checking"
    ACCEPTED = "accepted"
    INTEGRATED = "integrated"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    REPLACED = "replaced"
    CANCELLED = "cancelled"


_P, _R, _C, _A, _I, _S, _B, _X, _N = TaskState
TASK_MOVES: dict[TaskState, frozenset[TaskState]] = {
    _P: frozenset({_R, _B, _N}),  # blocked: its agent cannot work until a person acts
    _R: frozenset({_C, _P, _B, _N}),  # planned: stopped, not failed; blocked: our machinery gave up
    _C: frozenset({_P, _A, _B, _S, _N}),
    _A: frozenset({_I, _P, _B, _N}),  # planned: conflict, done again; blocked: conflict beyond that
    _I: frozenset({_A, _P, _B, _N}),  # only where the branch goes back to before a culprit; cancelled: a resolution
    _S: frozenset({_P}),  # the same: what was found done already may be gone
    _B: frozenset({_P, _X, _N, _C}),  # checking: a person stands in for the review
    _X: frozenset(),
    _N: frozenset(),
}
LIVE = frozenset({_R, _C})
"""States in which it has a run that is at work or being judged."""
SATISFIED = frozenset({_A, _I, _S})
"""States in which dependents may start."""
MERGED = frozenset({_I, _S})
"""States in which dependents may be merged."""
SETTLED = frozenset({_I, _S, _X, _N})
ENDED = frozenset(TaskState) - LIVE - {_P}
"""States in which its log has come to an end, good or bad; a person may send some of them round again."""


@fact
class Task:
    number: int
    id: str
    plan: PlannedTask
    state: TaskState = TaskState.PLANNED
    depends_on: tuple[int, ...] = ()
    unmet: int = 0
    """How many of its dependencies are not yet satisfied."""
    resolves: int | None = None
    """The task whose merge conflict this one settles."""
    resolution: int | None = None
    """The task that settles this one's merge conflict."""
    runs: tuple[Run, ...] = ()
    attempts: int = 0
    """Runs that counted: a stopped run is not a failed attempt."""
    feedback: str = ""
    base: str = ""
    base_tree: str = ""
    commit: str = ""
    tree: str = ""
    worktree: bool = False
    """Its workspace exists."""
    from_tip: bool = False
    """Starts from the work merged so far instead of its dependencies' own branches."""
    needs_merged_dependencies: bool = False
    resolutions: int = 0
    redos: int = 0
    first_try: str = ""
    """Its work as it was before it was done again, since it did not go together with what was merged."""
    turn: int = 0
    """Its place in the queue for checks, then for merging: first come, first served."""
    postponements: int = 0
    """Times in a row it was put off for something that was not its fault."""
    postponed_since: float = 0.0
    outcome: Outcome | None = None
    block_reason: BlockReason | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    violations: tuple[LimitViolation, ...] = ()
    """Limits it went beyond, in any of its runs."""
    approvals: tuple[str, ...] = ()
    """What a person let through that the rules had stopped, each with the reason given."""
    merge_commit: str = ""
    taken_back: int = 0
    """How often it was merged and the branch went back to before that."""
    replans: int = 0
    """How often a model said what to do about its failing."""
    reconsidered: str = ""
    """Why it said so, the last time."""
    question: str = ""
    """What a person has to decide about it, where a model said so."""
    replaces: int | None = None
    replaced_by: tuple[int, ...] = ()
    revision: str = ""
    """What a person changed about it while it was at work: it is done again with that in mind."""
    permissions: tuple[Permission, ...] = ()
    """What people let through though the rules found fault with it."""
    is_unwanted: bool = False
    """A person no longer wants it: its run is stopped, and then it is cancelled."""
    behind: int | None = None
    """The task whose merge it waits for, because both would collide."""
    set_aside: SetAside | None = None
    """Why its last run was stopped; told to the next one, and forgotten once that has shown its work."""
    asides: int = 0
    """How often it was set aside."""
    failures: int = 0
    """Times in a row our own machinery failed at this task's current step."""
    not_before: float = 0.0

    @property
    def run(self) -> Run | None:
        return self.runs[-1] if self.runs else None

    @property
    def chain(self) -> str:
        """The hash the next evidence builds on."""
        return self.evidence[-1].sha256 if self.evidence else ""
