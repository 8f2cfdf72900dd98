"""What a run left in the lines it added that does not belong there, and who may let it through."""

from enum import StrEnum

from toryo.domain.facts import fact


class Rule(StrEnum):
    TODO = "todo"
    OMISSION = "omission"
    CONFLICT = "conflict-marker"
    SYNTAX = "syntax"
    REMOVED_TEST = "removed-test"
    SKIPPED_TEST = "skipped-test"
    CHANGED_TEST = "changed-test"
    """Only where a task has to keep the tests that are there."""
    SWALLOWED = "swallowed-error"


class Level(StrEnum):
    """What a broken rule does to the task."""

    RETRY = "retry"
    BLOCK = "block"
    WARN = "warn"
    OFF = "off"


@fact
class Blemish:
    """One place where a rule was broken."""

    rule: Rule
    path: str
    line: int
    """Of the file as the run left it; 0: not in it any more."""
    text: str
    level: Level = Level.RETRY
    """What the session's terms make of it."""

    @property
    def is_same_as(self) -> tuple[Rule, str, str]:
        """What stays the same when lines move: two blemishes that agree in it are one to a person."""
        return self.rule, self.path, self.text


@fact
class Allowance:
    """Where a rule does not hold, and why; said beforehand, in the configuration or a plan file."""

    rule: Rule
    paths: tuple[str, ...]
    """Globs as in a task's scope; none: everywhere."""
    reason: str


@fact
class Hygiene:
    """Which rules hold for the lines that runs add."""

    levels: tuple[tuple[Rule, Level], ...] = ()
    """Of the rules that do not mean another attempt."""
    allow: tuple[Allowance, ...] = ()

    def level(self, rule: Rule) -> Level:
        return dict(self.levels).get(rule, Level.RETRY)


@fact
class Protection:
    """Which changes wait for a person, besides the usual ones."""

    paths: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    deletions: int = 10
    """So many files may go without a question."""


@fact
class Permission:
    """What a person let through in one task."""

    by: str
    why: str
    blemishes: tuple[Blemish, ...] = ()
    protected: tuple[str, ...] = ()
