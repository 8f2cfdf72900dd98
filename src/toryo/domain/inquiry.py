"""The steps by which the session's branch grew, and what was seen at some of them when its proof had failed."""

from toryo.domain.evidence import CheckResult
from toryo.domain.facts import fact


@fact
class Merge:
    """Where the session's branch stood after one step."""

    commit: str
    tree: str
    task: int | None = None
    """Whose work was merged; None: nobody's, as at the base."""


@fact
class Look:
    """Some checks, run once more on one step of the branch."""

    commit: str
    results: tuple[CheckResult, ...]
