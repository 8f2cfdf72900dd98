"""The settings wizard in the terminal app: nothing is written before it is saved, keys go to a file of their own."""

import stat

import pytest
from tests.support.apps import app_in, reads, seen, text_of
from tests.support.planning_server import model_endpoint
from tests.support.repositories import Repo
from textual.widgets import Input, RadioSet

from toryo.frontends.tui.settings import SettingsScreen


async def _choose(pilot, provider: str) -> None:
    choices = pilot.app.screen.query_one("#provider", RadioSet)
    await seen(pilot, lambda: choices.has_focus)
    button = pilot.app.screen.query_one(f"#provider-{provider}")
    button.value = True
    await pilot.pause()


def _config(repo: Repo) -> str:
    path = repo.path.parent / "home" / ".config" / "toryo" / "config.toml"
    return path.read_text() if path.exists() else ""


@pytest.mark.covers("G2")
async def test_a_model_is_chosen_tried_and_saved(repo: Repo) -> None:
    with model_endpoint(["OK", "OK"]) as endpoint:
        async with app_in(repo, (80, 24)) as pilot:
            await pilot.press("f4")
            await _choose(pilot, "openai")
            screen = pilot.app.screen
            screen.query_one("#url", Input).value = endpoint.openai_url
            screen.query_one("#model", Input).value = "scripted-1"
            screen.query_one("#key", Input).value = "sk-test-0123456789abcdefghij"
            await pilot.press("ctrl+t")
            await reads(pilot, "openai/scripted-1 answered")
            assert not _config(repo), "trying writes nothing"
            assert "sk-test" not in text_of(pilot)
            await pilot.press("ctrl+s")
            await seen(pilot, lambda: not isinstance(pilot.app.screen, SettingsScreen))
    assert 'model = "scripted-1"' in _config(repo)
    assert "sk-test" not in _config(repo)
    keys = [path for path in (repo.path.parent / "home").rglob("*") if path.is_file() and "sk-test" in path.read_text()]
    assert [stat.S_IMODE(path.stat().st_mode) for path in keys] == [0o600]


async def test_what_cannot_be_reached_is_said_where_it_can_be_put_right(repo: Repo) -> None:
    async with app_in(repo, (80, 24)) as pilot:
        await pilot.press("f4")
        await _choose(pilot, "openai")
        pilot.app.screen.query_one("#url", Input).value = "http://127.0.0.1:9/v1"
        pilot.app.screen.query_one("#model", Input).value = "nobody"
        await pilot.press("ctrl+t")
        await reads(pilot, "did not answer")
        assert isinstance(pilot.app.screen, SettingsScreen)
        await pilot.press("escape")
        await seen(pilot, lambda: not isinstance(pilot.app.screen, SettingsScreen))
    assert not _config(repo)


async def test_which_one_is_chosen_is_seen_without_colour(repo: Repo) -> None:
    async with app_in(repo, (80, 24)) as pilot:
        await pilot.press("f4")
        await _choose(pilot, "anthropic")
        lines = [line for line in text_of(pilot).splitlines() if "▐" in line]
        assert [("●" in line) for line in lines if "X" not in line and "project" not in line].count(True) == 1
        assert any("●" in line and "anthropic" in line for line in lines)
