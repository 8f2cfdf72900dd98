"""The frame of the terminal app: two modes, one key."""

import asyncio
import threading
from pathlib import Path

import pytest
from tests.support.apps import app_in, reads, seen, text_of, typed_at_once
from tests.support.repositories import Repo
from textual.widgets import Input

from toryo.app.pausing import pause
from toryo.frontends.tui.app import ToryoApp
from toryo.frontends.tui.branches.searching import SearchLine


@pytest.mark.covers("G1")
async def test_tab_changes_between_the_modes_and_back(repo: Repo) -> None:
    async with app_in(repo) as pilot:
        await reads(pilot, "[Branches]")
        await pilot.press("tab")
        assert "[Agent]" in text_of(pilot)
        await pilot.press("tab")
        assert "[Branches]" in text_of(pilot)


async def test_letters_that_come_at_once_with_the_key_before_them_are_for_what_it_opened(repo: Repo) -> None:
    repo.git("branch", "my-nod")
    async with app_in(repo) as pilot:
        await reads(pilot, "Details · main")
        typed_at_once(pilot, "/my-nodes<<")
        await reads(pilot, "Details · my-nod")
        assert pilot.app.screen.query_one(SearchLine).value == "my-nod"
        await pilot.press("escape")
        typed_at_once(pilot, "nmy-nob<d-too")
        await seen(
            pilot, lambda: [line.value for line in pilot.app.screen.query("#name").results(Input)] == ["my-nod-too"]
        )
        await pilot.press("escape")
        await reads(pilot, "Details · my-nod")
        assert len(pilot.app.screen_stack) == 2, "nothing else was opened"


async def test_a_mouse_changes_the_mode_and_opens_the_inbox(repo: Repo) -> None:
    repo.write(".toryo/intents/paint.yaml", "title: Paint it\nbody: Red.\nrisk: high\nstatus: proposed\n")
    async with app_in(repo) as pilot:
        await reads(pilot, "Inbox 1")
        await pilot.click("TitleBar", offset=(text_of(pilot).splitlines()[0].index("Agent"), 0))
        await reads(pilot, "[Agent]")
        await pilot.click("TitleBar", offset=(text_of(pilot).splitlines()[0].index("Branches"), 0))
        await reads(pilot, "[Branches]")
        await pilot.click("TitleBar", offset=(text_of(pilot).splitlines()[0].index("Inbox"), 0))
        await reads(pilot, "Inbox: 1 to decide")


async def test_light_or_dark_is_remembered_for_the_next_app_in_any_repository(repo: Repo) -> None:
    kept = Path(repo.environ["HOME"]) / ".local" / "state" / "toryo" / "theme"
    async with app_in(repo) as pilot:
        assert pilot.app.current_theme.dark
        assert not kept.exists(), "what nobody chose is not kept"
        await pilot.press("f2")
        assert not pilot.app.current_theme.dark
        await seen(pilot, kept.exists)
    async with app_in(Repo.make(repo.path.parent / "other", repo.environ)) as pilot:
        assert not pilot.app.current_theme.dark
        await pilot.press("f2")
        await seen(pilot, lambda: kept.read_text() == "textual-dark\n")
    kept.write_text("no such theme\n")
    async with app_in(repo) as pilot:
        await reads(pilot, "[Branches]")
        assert pilot.app.current_theme.dark
    kept.unlink()
    kept.parent.rmdir()
    kept.parent.write_text("in the way")
    async with app_in(repo) as pilot:
        await pilot.press("f2")
        await reads(pilot, "[Branches]")
        assert not pilot.app.current_theme.dark
        assert "(E" not in text_of(pilot)


async def test_whoever_closes_the_app_does_not_wait_for_what_only_waits(repo: Repo) -> None:
    async with app_in(repo) as pilot:
        begun = threading.Event()

        def wait() -> None:
            begun.set()
            pause(60.0)

        assert isinstance(pilot.app, ToryoApp)
        pilot.app.carry_out(wait)
        await seen(pilot, begun.is_set)
        await pilot.press("ctrl+q")
    async with asyncio.timeout(20):
        await asyncio.get_running_loop().shutdown_default_executor()
