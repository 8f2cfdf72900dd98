"""The whole of branch mode: the list, and two panels about the branch that is chosen."""

import asyncio
import time
from contextlib import aclosing
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input

from toryo.domain.branch import Branch
from toryo.domain.errors import GitFailed, ToryoError
from toryo.frontends.tui.branches.closer import Closer
from toryo.frontends.tui.branches.lines import line_of
from toryo.frontends.tui.branches.listing import BranchList
from toryo.frontends.tui.branches.panels import DetailsPanel, Panel, SummaryPanel
from toryo.frontends.tui.branches.searching import SearchLine
from toryo.frontends.tui.branches.summarising import Summaries
from toryo.frontends.tui.pane import Pane
from toryo.views.branches import LEGEND, matching, ordered

if TYPE_CHECKING:
    from toryo.frontends.tui.branches.acting import Acts

_NARROW, _SHORT = 72, 16
_LEGEND = "  ".join(f"{mark} {words.removeprefix('has a ')}" for mark, words in LEGEND)
_AGES_PASS = 30.0
"""Seconds after which the ages of commits are looked at again."""


class Sides(Horizontal):
    """Looks how much room there is: nothing is drawn of the mode itself, so nobody tells that of its size."""

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < _NARROW, "-narrow")
        self.set_class(event.size.height < _SHORT, "-short")


class BranchPane(Pane):
    """The list on the left, details above the summary on the right; all three below each other where it is narrow."""

    BINDINGS = [
        Binding("n", "create", "New", tooltip="Make a new branch"),
        Binding("w", "worktree", "Worktree", tooltip="A shell in its worktree (made where there is none)"),
        Binding("d", "delete", "Delete", tooltip="Delete it, where its work is kept elsewhere"),
        Binding("m", "merge", "Merge", tooltip="Merge it into what is checked out, or land a result"),
        Binding("a", "agent", "Agent", tooltip="Start an agent on it by hand"),
        Binding("slash", "search", "Search", key_display="/", tooltip="Search names, subjects and tasks"),
        Binding("v", "patch", "Patch", tooltip="What it changes, line by line"),
        Binding("o", "window", "Window", tooltip="Open the window of who is at work on it"),
        Binding("s", "summary", "Summary", tooltip="Ask the model what it changes, and why"),
        Binding("r", "look_again", "Refresh", tooltip="Look at everything again"),
        Binding("S", "app.spec_kit", "Spec Kit", key_display="S", tooltip="Write a specification, a plan and tasks"),
        Binding("right,l", "screen.focus('DetailsPanel')", "To the details", show=False),
        Binding("escape", "leave_search", "The whole list", show=False),
    ]
    DEFAULT_CSS = """
    BranchPane {
        & #sides { height: 1fr; }
        & #list-side { width: 11fr; border: heavy $primary; border-title-color: $foreground; }
        & #list-side.-left { border: round $foreground 30%; border-title-color: $text-muted; }
        & #list-side { border-title-style: bold; border-subtitle-color: $text-muted; }
        & #panel-side { width: 9fr; }
        & Panel { height: 1fr; }
        & #sides.-narrow { layout: vertical; }
        & .-narrow #list-side { width: 1fr; height: 2fr; }
        & .-narrow #panel-side { width: 1fr; height: 3fr; }
        & .-narrow.-short #list-side, & .-narrow.-short #panel-side { height: 1fr; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._branches: tuple[Branch, ...] = ()
        self._is_known = False
        self._by_name: dict[str, Branch] = {}
        self._trouble = ""
        self._wanted = ""
        """A branch that is to be chosen as soon as it is seen."""

    def compose(self) -> ComposeResult:
        with Sides(id="sides"):
            with Vertical(id="list-side"):
                yield SearchLine()
                yield BranchList()
            with Vertical(id="panel-side"):
                yield DetailsPanel()
                yield SummaryPanel()

    def on_mount(self) -> None:
        self._summaries = Summaries(self.face, self.query_one(SummaryPanel))
        self._closer = Closer(self.face, self.query_one(DetailsPanel), self._summaries)
        self._list = self.query_one(BranchList)
        self._show()
        self.set_interval(_AGES_PASS, self._show)
        self.call_after_refresh(self._follow)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """By hand and not by :focus-within, so that the other mode does not take the frame: it is drawn as it was."""
        self.query_one("#list-side").set_class(isinstance(event.widget, Panel), "-left")

    def come_forward(self) -> None:
        self.screen.set_focus(self.query_one(BranchList))
        if self._is_known and self.chosen != self._closer.branch:
            self._look_soon()

    @property
    def chosen(self) -> Branch | None:
        return self._by_name.get(self._list.key)

    @property
    def current(self) -> Branch | None:
        return next((branch for branch in self._branches if branch.is_current), None)

    # ── what there is ────────────────────────────────────────────────────────

    @work(exclusive=True, group="branches")
    async def _follow(self) -> None:
        # Loaded once something is on the screen: nobody waits for it.
        await asyncio.to_thread(import_module, "toryo.app.branches")
        from toryo.app import branches

        try:
            async with aclosing(branches.follow(self.face.root)) as looks:
                async for seen in looks:
                    self._take(seen)
        except ToryoError as error:
            self._fail(error.message)
        except (GitFailed, OSError) as error:
            self._fail(str(error).rpartition("failed (128): ")[2])

    def _take(self, seen: tuple[Branch, ...]) -> None:
        self._branches = ordered(seen)
        self._by_name = {branch.name: branch for branch in seen}
        self._is_known, self._trouble = True, ""
        self._show()
        if self._wanted in self._by_name:
            self._go_to(self._wanted)
        if self.chosen != self._closer.branch and self.is_looked_at:
            self._look_soon()

    def _fail(self, why: str) -> None:
        self._trouble = f"Git cannot list the branches:\n{why}\n\nr looks again."
        self._show()

    def _show(self) -> None:
        """The list as it is now, as far as it is searched for."""
        if not self.query(SearchLine):
            return  # what would show it is going
        words = self.query_one(SearchLine).words
        found = matching(self._branches, words) if words else self._branches
        now = time.time()
        self._list.show([line_of(branch, now) for branch in found], self._why_nothing(words))
        side = self.query_one("#list-side")
        count = f"{len(found)} of {len(self._branches)}" if words else str(len(self._branches) or "")
        side.border_title = Content(f"Branches  {count}".rstrip())
        is_lost = bool(self._branches) and self.current is None
        side.border_subtitle = Content("no branch checked out (detached HEAD)" if is_lost else _LEGEND)

    def _why_nothing(self, words: str) -> str:
        if not self._is_known or self._trouble:
            return self._trouble or "looking …"
        return "Nothing is found; Esc shows all." if words else "No commit yet: branches begin with the first."

    @on(BranchList.Highlighted)
    def _look_soon(self) -> None:
        self._closer.look_soon(self.chosen)

    @on(BranchList.Chosen)
    def _open(self) -> None:
        work = self.chosen.work if self.chosen else None
        if work and work.task:
            self._acts.watch(work)
        else:
            self.query_one(DetailsPanel).focus()

    def action_look_again(self) -> None:
        self._follow()
        self._closer.look(self.chosen)

    # ── searching ────────────────────────────────────────────────────────────

    def action_search(self) -> None:
        self.query_one(SearchLine).open()

    def action_leave_search(self) -> None:
        self.query_one(SearchLine).action_clear_search()

    @on(Input.Changed, "SearchLine")
    def _searched(self) -> None:
        self._show()

    @on(Input.Submitted, "SearchLine")
    @on(SearchLine.Cleared)
    def _searched_enough(self) -> None:
        if not self.query_one(SearchLine).words:
            self.query_one(SearchLine).close()
        self._list.focus()

    # ── doing ────────────────────────────────────────────────────────────────

    @cached_property
    def _acts(self) -> "Acts":
        from toryo.frontends.tui.branches.acting import Acts

        return Acts(self.face)

    def action_create(self) -> None:
        start = self.chosen or self.current
        self._acts.create([branch.name for branch in self._branches], start.name if start else "", self._go_to)

    def _go_to(self, name: str) -> None:
        """Now, or as soon as it is in the list."""
        self._wanted = "" if name in self._by_name else name
        self._list.put_on(name)

    def action_worktree(self) -> None:
        if self.chosen:
            self._acts.open_worktree(self.chosen)

    def action_delete(self) -> None:
        if self.chosen:
            self._acts.delete(self.chosen)

    def action_merge(self) -> None:
        if self.chosen:
            self._acts.merge(self.chosen, self.current)

    def action_agent(self) -> None:
        if self.chosen:
            self._acts.start_agent(self.chosen)

    def action_window(self) -> None:
        if self.chosen:
            self._acts.open_window(self.chosen)

    def action_patch(self) -> None:
        if self.chosen:
            self._acts.show_patch(self.chosen)

    def action_summary(self) -> None:
        if self.chosen:
            self._summaries.ask(self.chosen)
