"""The summary of the chosen branch: what is known of it, and what a model says about it as it says it."""

import threading
from typing import TYPE_CHECKING

from textual.timer import Timer

from toryo.domain.branch import Branch, BranchSummary
from toryo.domain.errors import ToryoError
from toryo.frontends.faults import fault
from toryo.frontends.tui.branches.panels import SummaryPanel
from toryo.frontends.tui.branches.paneltext import error_lines

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp

_AT_MOST_EVERY = 0.15
_NO_MODEL = ("No model is configured, so there is no summary.", "F4 opens the settings.")
_MAY_ASK = ("s asks the model what this branch changes, and why.",)


class Summaries:
    """Nobody has to wait: who goes on to another branch finds what was said when they come back."""

    def __init__(self, face: "ToryoApp", panel: SummaryPanel) -> None:
        self._face, self._panel = face, panel
        self._name = ""
        self._is_said = False
        """There is a whole summary of this branch on the screen."""
        self._coming: dict[str, str] = {}
        """By branch, what the model has said so far; written by the threads that ask."""
        self._drawn = ""
        self._timer: Timer | None = None

    def show(self, name: str, known: BranchSummary | None, *, can_ask: bool) -> None:
        """Of another branch, or of the same one as it stands now."""
        self._name, self._is_said = name, False
        if name in self._coming:
            self._draw()
        elif known:
            self._tell(known)
        else:
            self._panel.say(name, *(_MAY_ASK if can_ask else _NO_MODEL))

    def leave_empty(self, name: str) -> None:
        self._name, self._is_said = name, False
        self._panel.say(name)

    # ── asking ───────────────────────────────────────────────────────────────

    def ask(self, branch: Branch) -> None:
        """Where there is an answer already it is asked again."""
        name, root = branch.name, self._face.root
        if name in self._coming:
            return
        is_fresh = self._is_said and name == self._name
        self._name, self._coming[name] = name, ""
        self._draw()
        if self._timer is None:
            self._timer = self._panel.set_interval(_AT_MOST_EVERY, self._go_on)

        def hear(piece: str) -> None:
            self._coming[name] = self._coming.get(name, "") + piece if piece else ""

        def asking() -> None:
            from toryo.app import branches

            came: BranchSummary | ToryoError | None
            try:
                came = branches.summary(root, name, fresh=is_fresh, hear=hear)
            except ToryoError as error:
                came = error
            except Exception as error:  # noqa: BLE001 - the thread's end must be heard of, whatever it was
                came = fault(error)
            if self._face.is_running:
                self._face.call_from_thread(self._came, name, came)

        # Not by `carry_out`: whoever closes the app does not wait for what the model would have said.
        threading.Thread(target=asking, name=f"summary of {name}", daemon=True).start()

    def _go_on(self) -> None:
        if self._coming.get(self._name, self._drawn) != self._drawn:
            self._draw()

    def _draw(self) -> None:
        self._drawn = self._coming[self._name]
        if self._drawn.strip():
            self._panel.show_coming(self._name, self._drawn)
        else:
            self._panel.say(self._name, "asking the model …", "Go on meanwhile: what it says is kept.")

    def _came(self, name: str, came: BranchSummary | ToryoError | None) -> None:
        self._coming.pop(name, None)
        if not self._coming and self._timer is not None:
            self._timer.stop()
            self._timer = None
        if name != self._name:
            return
        if isinstance(came, BranchSummary):
            self._tell(came)
        elif came is None:
            self._panel.say(name, *_NO_MODEL)
        else:
            self._panel.say(name, *error_lines(came), "s asks again.")

    def _tell(self, summary: BranchSummary) -> None:
        self._is_said = True
        self._panel.show(self._name, summary)
