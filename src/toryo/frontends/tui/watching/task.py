"""A task looked at closely: what its agent says while it works, what it changed, its checks, what is proven."""

import time
from contextlib import aclosing
from functools import partial

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding

from toryo.app.checklogs import check_tails
from toryo.app.differing import changes_so_far
from toryo.app.following import Heard
from toryo.app.frontdoor import FrontDoor
from toryo.app.watchingruns import Lines, follow_output
from toryo.domain.errors import ToryoError
from toryo.domain.run import Run
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.frontends.faults import fault
from toryo.frontends.tui.keyline import KeyLine
from toryo.frontends.tui.watching.findable import FindableText
from toryo.frontends.tui.watching.hearing import HearingScreen
from toryo.frontends.tui.watching.linestyles import of_difference, of_page, of_words
from toryo.frontends.tui.watching.longtext import LongText
from toryo.frontends.tui.watching.searching import SearchedTexts
from toryo.frontends.tui.watching.taskdeeds import decide, go_to_window, is_possible, stop_session
from toryo.frontends.tui.watching.taskhead import PAGES, PageBar, TaskHead
from toryo.views.inboxitems import Choice
from toryo.views.screen import clean
from toryo.views.taskpages import check_lines, evidence_lines, task_facts, waits_words

_OUTPUT, _DIFF, _CHECKS, _EVIDENCE = range(4)
_LOOK_AGAIN = 1.0
_SILENT = "nothing was said yet"
_COMPARE_EVERY = 3.0
"""Seconds: git is asked for what is not committed yet, and an agent may be busy writing it."""
_DEEDS = ("approve", "answer", "retry", "window", "stop", "run")


class TaskScreen(HearingScreen):
    """Four pages of one task, each a key away."""

    BINDINGS = [
        *(Binding(str(place + 1), f"page({place})", name, show=False) for place, name in enumerate(PAGES)),
        Binding("tab", "turn(1)", "Next page", priority=True),
        Binding("shift+tab", "turn(-1)", "Page before", show=False, priority=True),
        Binding("a", "approve", "Approve", tooltip="Let its work through, with your reason"),
        Binding("w", "answer", "Answer", tooltip="Answer what it asks"),
        Binding("t", "retry", "Try again", tooltip="Send it round once more, with words for its agent"),
        Binding("o", "window", "Its window", tooltip="Go to the tmux window of its agent (Ctrl+B D comes back)"),
        Binding("s", "stop", "Stop", tooltip="Stop the session; everything is kept"),
        Binding("r", "raw", "Raw/words", tooltip="What was printed word for word, or in words"),
        Binding("left_square_bracket", "run(-1)", "Run before", key_display="["),
        Binding("right_square_bracket", "run(1)", "Run after", key_display="]"),
    ]

    def __init__(self, session_id: str, task_key: str) -> None:
        super().__init__()
        self._session_id, self._key = session_id, task_key
        self._session: Session | None = None
        self._page = _OUTPUT
        self._chosen: int | None = None
        """The number of an earlier run; None: always the latest."""
        self._followed: tuple[str, bool] | None = None
        self._raw = self._is_over = self._is_cut = False
        self._compared = 0.0
        self._is_comparing = self._is_changed_since = False

    def compose(self) -> ComposeResult:
        yield TaskHead()
        yield PageBar()
        with SearchedTexts():
            yield FindableText("output", of_words, follows=True, empty=_SILENT)
            yield FindableText("diff", of_difference, empty="nothing is changed yet")
            yield FindableText("checks", of_page)
            yield FindableText("evidence", of_page)
        yield KeyLine()

    def on_mount(self) -> None:
        self._show_page()
        self.set_interval(_LOOK_AGAIN, self._show_head)
        self.face.carry_out(partial(FrontDoor(self.face.root).session, self._session_id), self._know)

    def hear(self, heard: Heard) -> None:
        for news in heard.news:
            if news.session.id == self._session_id:
                self._know(news.session)

    def _know(self, session: Session) -> None:
        if not self.is_attached or (self._session and self._session.seq >= session.seq):
            return
        self._session = session
        if self._looked_at is None:
            self.face.tell(f"there is no task {self._key} in session {session.short}")
            return
        self._show_head()
        self._follow_run()
        self._fill_page()
        self.refresh_bindings()

    # ── what is shown ────────────────────────────────────────────────────────

    @property
    def _looked_at(self) -> Task | None:
        known = self._session is not None and self._key in self._session.keys
        return self._session.task(self._key) if self._session and known else None

    @property
    def _shown_run(self) -> Run | None:
        task = self._looked_at
        if task is None or not task.runs:
            return None
        return next((run for run in task.runs if run.number == self._chosen), task.runs[-1])

    def _text(self, page: int) -> LongText:
        return self.query_one(f"#{PAGES[page].lower()}", LongText)

    def _show_head(self) -> None:
        session, task = self._session, self._looked_at
        if session is None or task is None:
            return
        facts = task_facts(session, task, self._shown_run, time.time())
        title = f"{task.plan.key}  {task.plan.title}  (session {session.short})"
        self.query_one(TaskHead).show(title, facts, waits_words(session, task))
        self.query_one(PageBar).show(self._page, self._note())

    def _note(self) -> str:
        if self._page != _OUTPUT:
            return ""
        parts = ["raw"] if self._raw else []
        parts += ["the beginning is left out"] if self._is_cut else []
        if not self._text(_OUTPUT).follows:
            parts.append("End goes on following")
        elif self._is_over:
            parts.append("over")
        elif self._followed:
            parts.append("live")
        return ", ".join(parts)

    def _show_page(self) -> None:
        for place in range(len(PAGES)):
            self._text(place).display = place == self._page
        self._text(self._page).focus()
        self.query_one(SearchedTexts).turned()
        self.query_one(PageBar).show(self._page, self._note())
        self._fill_page()

    @on(LongText.Moved)
    def _moved(self) -> None:
        self.query_one(PageBar).show(self._page, self._note())

    @on(PageBar.Chosen)
    def _chosen_page(self, event: PageBar.Chosen) -> None:
        self.action_page(event.page)

    def action_page(self, page: int) -> None:
        self._page = page
        self._show_page()

    def action_turn(self, by: int) -> None:
        self.action_page((self._page + by) % len(PAGES))

    def _fill_page(self) -> None:
        session, task = self._session, self._looked_at
        if session is None or task is None:
            return
        if self._page == _DIFF:
            self._compare()
        elif self._page == _CHECKS:
            self._show_checks(session, task, self._shown_run)
        elif self._page == _EVIDENCE:
            self._put(_EVIDENCE, evidence_lines(session, task))

    def _put(self, page: int, lines: list[str]) -> None:
        if self.is_attached:
            self._text(page).put(clean("\n".join(lines)).split("\n"))

    def _show_checks(self, session: Session, task: Task, run: Run | None) -> None:
        if run is None:
            self._put(_CHECKS, check_lines(session, task, None))
            return
        tails = partial(check_tails, self.face.root, session.id, task.plan.key, run.id)
        self.face.carry_out(tails, lambda found: self._put(_CHECKS, check_lines(session, task, run, found)))

    def _compare(self) -> None:
        """One at a time: where git takes long, more may happen meanwhile than it can be asked about."""
        if self._is_comparing:
            self._is_changed_since = True
            return
        self._compared = time.monotonic()
        self._is_comparing, self._is_changed_since = True, False
        text = self._text(_DIFF)

        def look() -> list[str]:
            try:
                return changes_so_far(self.face.root, self._session_id, self._key)
            finally:
                self._is_comparing = False

        def put(lines: list[str]) -> None:
            if text.is_attached:
                text.put(lines)
                if self._is_changed_since and self._page == _DIFF:
                    self._compare()

        self.face.carry_out(look, put)

    # ── following ────────────────────────────────────────────────────────────

    def action_run(self, by: int) -> None:
        task, run = self._looked_at, self._shown_run
        if task is None or run is None:
            return
        place = task.runs.index(run) + by
        if 0 <= place < len(task.runs):
            self._chosen = task.runs[place].number if place < len(task.runs) - 1 else None
            self._show_head()
            self._follow_run()
            self._fill_page()
            self.refresh_bindings()

    def action_raw(self) -> None:
        self._raw = not self._raw
        self._follow_run()
        self.action_page(_OUTPUT)

    def _follow_run(self) -> None:
        run = self._shown_run
        wanted = (run.id, self._raw) if run else None
        if wanted is not None and wanted != self._followed:
            self._followed, self._is_over, self._is_cut = wanted, False, False
            self._follow(*wanted)

    @work(exclusive=True, group="following", exit_on_error=False)
    async def _follow(self, run: str, raw: bool) -> None:
        text = self._text(_OUTPUT)
        await text.clear()
        text.follows = True
        told = follow_output(self.face.root, self._session_id, self._key, run, raw=raw)
        try:
            async with aclosing(told) as batches:
                async for lines in batches:
                    await self._tell(text, lines)
        except ToryoError as error:
            self.face.tell_error(error)
        except Exception as error:  # noqa: BLE001 - what cannot be shown must not close the app
            self.face.tell_error(fault(error))

    async def _tell(self, text: LongText, lines: Lines) -> None:
        await text.add(lines.lines, lines.unfinished, is_new=lines.is_new)
        if (lines.is_over, lines.is_cut) != (self._is_over, self._is_cut):
            self._is_over, self._is_cut = lines.is_over, lines.is_cut
            text.empty = "nothing was said" if lines.is_over else _SILENT
            self._moved()
        if self._page == _DIFF and time.monotonic() - self._compared > _COMPARE_EVERY:
            self._compare()  # who says something has usually done something

    # ── doing something about it ─────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _DEEDS:
            return is_possible(action, self._session, self._looked_at)
        return super().check_action(action, parameters)

    def action_approve(self) -> None:
        self._decide(Choice.APPROVE)

    def action_answer(self) -> None:
        self._decide(Choice.ANSWER)

    def action_retry(self) -> None:
        self._decide(Choice.RETRY)

    def _decide(self, choice: Choice) -> None:
        if self._session and self._looked_at:
            decide(self.face, self._session, self._looked_at, choice)

    def action_stop(self) -> None:
        stop_session(self.face, self._session_id)

    def action_window(self) -> None:
        go_to_window(self.face, self._session_id, self._key)
