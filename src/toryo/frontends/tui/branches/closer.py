"""A close look at one branch: loaded beside the screen, dropped where somebody has moved on meanwhile."""

from typing import TYPE_CHECKING

from textual.timer import Timer

from toryo.domain.branch import Branch, BranchSummary, Details
from toryo.domain.errors import GitFailed, ToryoError
from toryo.domain.facts import fact
from toryo.frontends.tui.branches.panels import DetailsPanel
from toryo.frontends.tui.branches.paneltext import error_lines
from toryo.frontends.tui.branches.summarising import Summaries

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp

_A_MOMENT = 0.12
"""Seconds that a branch has to be chosen before it is looked at: who scrolls by wants none of that."""


@fact
class _Found:
    details: Details
    summary: BranchSummary | None
    can_ask: bool


class Closer:
    """Fills the two panels. Only what belongs to the latest look is shown."""

    def __init__(self, face: "ToryoApp", details: DetailsPanel, summaries: Summaries) -> None:
        self._face, self._details, self._summaries = face, details, summaries
        self._looks = 0
        self._timer: Timer | None = None
        self.branch: Branch | None = None
        """As it was when it was looked at last."""

    def look_soon(self, branch: Branch | None) -> None:
        self._looks += 1  # what is being looked at now is no longer wanted
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._details.set_timer(_A_MOMENT, lambda: self.look(branch))

    def look(self, branch: Branch | None) -> None:
        self._looks += 1
        self.branch = branch
        if branch is None:
            self._details.say("")
            self._summaries.leave_empty("")
            return
        look, name, root = self._looks, branch.name, self._face.root

        def look_closely() -> _Found | ToryoError:
            from toryo.app import branches

            try:
                known = branches.cached_summary(root, name)
                return _Found(branches.details(root, name), known, known is not None or branches.can_summarise(root))
            except ToryoError as error:
                return error
            except GitFailed as error:
                return ToryoError("E102", f"git cannot look at it: {error}")

        def show(found: _Found | ToryoError) -> None:
            if look == self._looks:
                self._show(name, found)

        self._face.carry_out(look_closely, show)

    def _show(self, name: str, found: _Found | ToryoError) -> None:
        if isinstance(found, ToryoError):
            self._details.say(name, *error_lines(found))
            self._summaries.leave_empty(name)
            return
        self._details.show(found.details, self._face.root)
        self._summaries.show(name, found.summary, can_ask=found.can_ask)
