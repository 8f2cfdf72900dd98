"""What a run left in the lines it added that does not belong there."""

from enum import StrEnum

from toryo.domain.facts import fact


class Rule(StrEnum):
    TODO = "todo"
    OMISSION = "omission"
    CONFLICT = "conflict-marker"
    SYNTAX = "syntax"
    REMOVED_TEST = "removed-test"
    SKIPPED_TEST = "skipped-test"
    SWALLOWED = "swallowed-error"


@fact
class Blemish:
    """One place where a rule was broken."""

    rule: Rule
    path: str
    line: int
    """Of the file as the run left it; 0: not in it any more."""
    text: str
