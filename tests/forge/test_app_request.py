"""A pull request opened by a key of the terminal app, with the real gh."""

import asyncio
import re

import pytest
from tests.support.apps import app_in, reads, seen, text_of
from tests.support.forge.server import Forge
from tests.support.repositories import Repo, background_conductors, shell, until

_CONFIG = '[land]\nevery = "1s"\nwatch = false\n'


@pytest.mark.covers("G29")
async def test_a_finished_session_becomes_a_pull_request_by_a_key(cloned: Repo, forge: Forge) -> None:
    cloned.write(".toryo/config.toml", _CONFIG)
    await asyncio.to_thread(cloned.run, shell("A", "echo a > a.txt"))
    async with app_in(cloned, begins_with="agent") as pilot:
        await reads(pilot, "p pull request")
        await pilot.press("ctrl+up", "p")
        await reads(pilot, "Open a pull request?")
        await pilot.press("escape")
        assert not forge.hub.pulls
        await pilot.press("p")
        await reads(pilot, "Open a pull request?")
        await pilot.press("y")
        await seen(pilot, lambda: forge.hub.pulls)
        await seen(pilot, lambda: re.search(r"pull request.*#?1", text_of(pilot)))
    await asyncio.to_thread(until, lambda: not background_conductors(cloned.path))
