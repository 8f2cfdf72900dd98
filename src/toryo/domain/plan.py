"""The tasks of a session, as planned, and the terms under which they are carried out."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from toryo.domain.facts import fact
from toryo.domain.hygiene import Allowance, Hygiene, Protection
from toryo.domain.landing import LandingMode
from toryo.domain.limits import Budget


class TaskType(StrEnum):
    IMPLEMENTATION = "implementation"
    DOCUMENTATION = "documentation"
    INVESTIGATION = "investigation"
    REVIEW = "review"
    INTEGRATION = "integration"

    @property
    def is_read_only(self) -> bool:
        """Its result is what it says; it must not change files."""
        return self in (TaskType.INVESTIGATION, TaskType.REVIEW)


class Complexity(StrEnum):
    """How hard a task is, as the one who planned it judges; declared from least to most."""

    LOW = "low"
    MED = "med"
    HIGH = "high"


class Collisions(StrEnum):
    """What becomes of tasks whose work is seen to collide while it is being done."""

    SHOW = "show"
    SERIALISE = "serialise"
    """The later one is set aside until the other is merged, and goes on from there."""


class CheckMerges(StrEnum):
    """When the checks run on merged work."""

    EACH = "each"
    END = "end"
    """Once everything is merged; a culprit is found by bisecting."""


class OnFailure(StrEnum):
    """What a failing check does to the task."""

    RETRY = "retry"
    BLOCK = "block"
    WARN = "warn"


class WorktreeChoice(StrEnum):
    """A folder of its own, or the session's shared one (one such task at a time)."""

    NEW = "new"
    SHARED = "shared"


@fact
class Check:
    """A command Toryo runs to get evidence."""

    name: str
    command: str
    timeout: float = 600.0
    on_failure: OnFailure = OnFailure.RETRY
    parallel: int | None = None
    """How many of this check may run at once in the session; None: as many as there are tasks."""


@fact
class Limits:
    """Hard limits of one task; None: no limit of its own."""

    files: int | None = None
    tests: int | None = None
    seconds: float | None = None


@fact
class PlannedTask:
    """One piece of work, the size of one agent run, before anything happened to it."""

    key: str
    title: str
    agent: str
    branch: str = ""
    description: str = ""
    type: TaskType = TaskType.IMPLEMENTATION
    acceptance: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    command: str = ""
    checks: tuple[Check, ...] = ()
    worktree: WorktreeChoice = WorktreeChoice.NEW
    limits: Limits = Limits()
    may_overlap: bool = False
    """It may run beside tasks that work on the same files."""
    allow: tuple[Allowance, ...] = ()
    """What its lines may hold though it is against a rule, and why; only a person says so."""
    resolves: str = ""
    """The key of the task whose merge conflict this one settles."""
    own_checks: tuple[str, ...] = ()
    """Names of the checks that the task itself asks for; the others hold for the whole plan."""
    tests_first: bool = False
    """Its tests must be there, and fail, before its agent starts."""
    mends: str = ""
    """The key of the task whose own pull request came back with what this one settles."""
    merging: str = ""
    """A commit of somebody else's that it brings together with the work merged so far."""
    complexity: Complexity | None = None
    """None: nobody said."""
    model: str = ""
    """The model that its agent is to use; empty: the agent's own choice."""
    focus: str = ""
    """What an audit looks for; empty: everything."""
    keeps_tests: bool = False
    """The tests that are there have to stay as they are: they are what shows that nothing else changed."""


@fact
class Plan:
    """What is to be done: tasks and the checks that hold for all of them."""

    title: str
    tasks: tuple[PlannedTask, ...]
    checks: tuple[Check, ...] = ()
    parallel: int | None = None


@fact
class Chosen:
    """The model that a person chose for one session; empty: as configured."""

    provider: str = ""
    model: str = ""


class Assent(StrEnum):
    """What a person agreed to before it was there to be seen."""

    NONE = ""
    DEFAULTS = "defaults"
    """Every question's default."""
    PLAN = "plan"
    """Those, and a plan that is good enough."""


@fact
class Terms:
    """How a session carries its plan out; fixed when it opens, but for `parallel` and `assent`."""

    parallel: int = 4
    attempts: int = 3
    time_limit: float = 1800.0
    grace: float = 5.0
    setup: tuple[str, ...] = ()
    resolver: str = ""
    """The agent that settles merge conflicts; empty: the conflicting task's own agent."""
    keep_worktrees: bool = False
    unable_to_resolve: tuple[str, ...] = field(default=("shell",))
    """Agents that cannot be handed a conflict: their task is redone from the merged work instead."""
    credentials: tuple[tuple[str, str], ...] = ()
    """Agents whose credential is not called like themselves; agents with the same one share its usage limits."""
    quota_wait: float = 21600.0
    """The longest wait for a usage limit before the task is left to a person."""
    api_wait: float = 600.0
    """The same for a model API that does not answer."""
    answer_time: float = 600.0
    """How long an interactive agent may wait for a person."""
    host: str = "auto"
    """Where runs live: auto, tmux or headless."""
    prompt_silence: float = 15.0
    """How long a run has to be silent at what looks like a prompt to count as waiting."""
    crew: tuple[tuple[str, str], ...] = ()
    """Which agent does tasks of which kind, where a model makes the plan."""
    crew_by_complexity: tuple[tuple[str, str], ...] = ()
    """Which agent does tasks of which complexity, where that is said; with `/` and a model, as that model."""
    limits: Limits = Limits()
    """Of tasks that a model plans."""
    reviews: bool = False
    """A model reviews each run's work before it is accepted."""
    replans: int = 0
    """How often a model may say what becomes of a task that failed."""
    judges: bool = False
    """A model judges the merged work before the session closes."""
    talk_limit: int = 12_000
    """Tokens of conversation with the model after which its older part becomes a summary."""
    checks_at_once: int = 0
    """How many checks may run at once in all, whichever; 0: as many as want to."""
    budget: Budget = Budget()
    hygiene: Hygiene | None = None
    """None: nobody looks at the lines, as in sessions from before that was done."""
    protection: Protection | None = None
    """None: no change waits for a person because of where it is."""
    land: LandingMode = LandingMode.BRANCH
    land_asked: bool = False
    """Whoever began the session said how it is to be landed; else the configuration does."""
    squash: bool = False
    when_green: bool = False
    collisions: Collisions = Collisions.SHOW
    check_merges: CheckMerges = CheckMerges.EACH
    chosen: Chosen = Chosen()
    assent: Assent = Assent.NONE

    def crew_by_type(self) -> dict[TaskType, str]:
        """The agent for every type of task; a type that is newer than the session goes to the usual agent."""
        named = dict(self.crew)
        return {kind: named.get(kind) or named[TaskType.IMPLEMENTATION] for kind in TaskType}

    def agent_for(self, kind: TaskType, complexity: Complexity | None) -> tuple[str, str]:
        """Who does such a task, and as which model; of those who only read, complexity does not decide."""
        agent, model = chosen_by_complexity(kind, complexity, dict(self.crew_by_complexity))
        return (agent, model) if agent else (self.crew_by_type()[kind], "")


def chosen_by_complexity(kind: TaskType, complexity: Complexity | None, chosen: Mapping[str, str]) -> tuple[str, str]:
    """The agent and the model that are said for so hard a task; empty where nothing is."""
    said = "" if kind.is_read_only or complexity is None else chosen.get(complexity, "")
    agent, _, model = said.partition("/")
    return agent, model
