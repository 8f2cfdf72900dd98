"""What a rule for one kind of secret consists of."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from toryo.domain.facts import fact

AFTER_A_SIGN = r"(?<=\\[nrtbf])|(?<=[0-9;\[][mKJGH])"
"""Behind a letter that ends an escape and no word: of a line break that is written out, or of a terminal's colours."""
START = rf"(?:(?<![A-Za-z0-9])|{AFTER_A_SIGN})"
"""Where a word begins."""
COLOUR = r"\x1b\[[0-9;]{0,16}[mK]"
GAP = rf"(?:\s|{COLOUR}){{0,20}}"
"""What may stand between a name, its sign and its value: room, and colours."""

Looks = Callable[["re.Match[str]", str], bool]
"""Whether a match, with this as what is yet to be seen of its value, really is one."""


@fact
class Rule:
    """One kind of secret. A pattern must take linear time: every repetition is bounded, or is the last one.

    The group `v` is the secret itself, where the pattern has more than that.
    """

    kind: str
    anchors: tuple[str, ...]
    """Where none of them occurs, the pattern cannot match."""
    pattern: str
    looks: Looks | None = None
    folds: bool = False
    """The anchors are in lower case, and are found in any."""
    also: str = ""
    """Has to occur too."""

    @property
    def mask(self) -> str:
        return f"[MASKED:{self.kind}]"


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def anchors_of(rules: Sequence[Rule], *, folds: bool) -> tuple[str, ...]:
    """All anchors of one sort, without those that another one is part of."""
    every = {anchor for rule in rules if rule.folds is folds and not rule.also for anchor in rule.anchors}
    return tuple(sorted(a for a in every if not any(other != a and other in a for other in every)))


def families(anchors: Sequence[str]) -> tuple[str, ...]:
    """Patterns that find the anchors, one for each first letter: that is several times as fast as one for all."""
    return tuple(
        re.escape(letter) + _tree([anchor[1:] for anchor in anchors if anchor[0] == letter])
        for letter in dict.fromkeys(anchor[0] for anchor in anchors)
    )


def _tree(endings: Sequence[str]) -> str:
    if "" in endings:
        return ""
    branches = [
        re.escape(letter) + _tree([ending[1:] for ending in endings if ending[0] == letter])
        for letter in dict.fromkeys(ending[0] for ending in endings)
    ]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
