"""The small dialogs: what is typed, confirmed or chosen is handed back; Esc hands back nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.apps import text_of
from textual.app import App
from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from toryo.frontends.tui.dialogs import AskLine, Choose, Confirm


@asynccontextmanager
async def asked(dialog: ModalScreen[Any]) -> AsyncIterator[tuple[Pilot[int], list[Any]]]:
    """A dialog on an empty app, and the list its answer goes to."""
    app: App[int] = App()
    answers: list[Any] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(dialog, answers.append)
        await pilot.pause()
        yield pilot, answers


async def test_what_is_wrong_with_a_line_is_said_while_it_is_typed() -> None:
    def check(text: str) -> str:
        return "no [b]spaces[/b], please" if " " in text else "" if text else "a name is needed"

    async with asked(AskLine("New [branch]", "Name", check=check)) as (pilot, answers):
        assert "New [branch]" in text_of(pilot)
        assert "a name is needed" not in text_of(pilot)
        await pilot.press("enter")
        assert "a name is needed" in text_of(pilot)
        await pilot.press("a", "space")
        assert "no [b]spaces[/b], please" in text_of(pilot)
        await pilot.press("enter")
        assert answers == []
        await pilot.press("backspace", "名", "enter")
        assert answers == ["a名"]


async def test_a_pasted_text_of_several_lines_becomes_one_and_nothing_of_it_is_lost() -> None:
    async with asked(AskLine("Reject", "Why?")) as (pilot, answers):
        await pilot.press("a", "z", "left")
        pilot.app.post_message(Paste("\n  first\r\nsecond 二行目\n\n\tthird\n"))
        await pilot.pause()
        assert pilot.app.screen.query_one(Input).value == "afirst second 二行目 thirdz"
        await pilot.press("end", "!", "enter")
        assert answers == ["afirst second 二行目 thirdz!"]


async def test_tab_moves_inside_and_escape_leaves() -> None:
    async with asked(AskLine("Title", "Label", "as it was")) as (pilot, answers):
        await pilot.press("tab")
        assert not isinstance(pilot.app.focused, Input)
        await pilot.press("escape")
        assert answers == [None]


async def test_enter_agrees_only_where_nothing_can_be_lost() -> None:
    async with asked(Confirm("Merge?", ["two commits"], "Merge")) as (pilot, answers):
        await pilot.press("enter")
        assert answers == [True]
    async with asked(Confirm("Delete?", ["one commit is lost"], "Delete", is_risky=True)) as (pilot, answers):
        await pilot.press("enter")
        assert answers == [None]
    async with asked(Confirm("Delete?", ["one commit is lost"], "Delete", is_risky=True)) as (pilot, answers):
        await pilot.press("y")
        assert answers == [True]


async def test_one_is_chosen_by_arrows_by_number_or_by_mouse() -> None:
    agents = [("claude", "Claude Code"), ("codex", "Codex"), ("aider", "an [odd] one")]
    async with asked(Choose("Which agent?", agents)) as (pilot, answers):
        assert "an [odd] one" in text_of(pilot)
        await pilot.press("down", "enter")
        assert answers == ["codex"]
    async with asked(Choose("Which agent?", agents)) as (pilot, answers):
        await pilot.press("9", "3")
        assert answers == ["aider"]
    async with asked(Choose("Which agent?", agents)) as (pilot, answers):
        await pilot.click("OptionList", offset=(3, 0))
        assert answers == ["claude"]
