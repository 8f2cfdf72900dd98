"""The help screen: made of the keys that do something on the screen below it."""

from tests.support.apps import app_in, reads, seen, text_of
from tests.support.repositories import Repo
from textual.binding import Binding

from toryo.frontends.tui.helping import key_name


async def test_help_tells_the_keys_of_the_screen_below_and_what_the_modes_are(repo: Repo) -> None:
    async with app_in(repo, (80, 24)) as pilot:
        await pilot.press("f1")
        await reads(pilot, "On this screen")
        for _ in range(30):
            await pilot.press("pagedown")
        await reads(pilot, "after you have left")
        await pilot.press("escape")
        await reads(pilot, "[Branches]")
        await pilot.press("f3", "question_mark")
        await reads(pilot, "F1 or ?")
        shown = text_of(pilot)
        assert "Ctrl+Q" in shown
        assert "super" not in shown
        assert "Approve" not in shown, "there is nothing to approve"
        await pilot.press("question_mark")
        await seen(pilot, lambda: "F1 or ?" not in text_of(pilot))


def test_keys_are_called_as_they_stand_on_a_keyboard() -> None:
    names = {
        "question_mark": "?",
        "shift+tab": "Shift+Tab",
        "ctrl+q": "Ctrl+Q",
        "f12": "F12",
        "j": "j",
        "G": "G",
        "pagedown": "PgDn",
        "left_square_bracket": "[",
        "ctrl+pageup": "Ctrl+PgUp",
    }
    assert {key: key_name(Binding(key, "x")) for key in names} == names
