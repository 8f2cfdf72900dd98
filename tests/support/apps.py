"""The terminal app without a terminal: keys are pressed, widgets are looked at, the screen is drawn as text or SVG."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from unittest.mock import patch

from tests.support.repositories import Repo
from textual import events
from textual.pilot import Pilot

from toryo.app.project import open_project
from toryo.frontends.tui.app import ToryoApp

_PATIENCE = 20.0


@asynccontextmanager
async def app_in(
    repo: Repo, size: tuple[int, int] = (100, 30), *, begins_with: str = "branches"
) -> AsyncIterator[Pilot[int]]:
    """The app as it is opened in a repository, in this process, with the repository's environment."""
    with surroundings(repo):
        project = open_project(repo.path)
        project.close()
        app = ToryoApp(project, begins_with=begins_with)
        async with app.run_test(size=size, notifications=True) as pilot:
            yield pilot


@contextmanager
def surroundings(repo: Repo) -> Iterator[None]:
    with patch.dict(os.environ, repo.environ, clear=True):
        yield


async def seen(pilot: Pilot[int], wanted: Callable[[], object], seconds: float = _PATIENCE) -> None:
    """Waits until something is so; says what was on the screen where it never is."""
    waited = 0.0
    while not wanted():
        assert waited < seconds, f"never seen; on the screen:\n{text_of(pilot)}"
        await pilot.pause(0.02)
        waited += 0.02


async def reads(pilot: Pilot[int], text: str, seconds: float = _PATIENCE) -> None:
    """Waits until the screen shows a text."""
    await seen(pilot, lambda: text in text_of(pilot), seconds)


def text_of(pilot: Pilot[int]) -> str:
    """What is on the screen, line by line."""
    screen = pilot.app.screen
    lines = screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in lines)


_NAMES = {"/": "slash", "-": "minus", " ": "space", "<": "backspace", "\n": "enter"}


def typed_at_once(pilot: Pilot[int], keys: str) -> None:
    """As over a slow line: all of them are there before anything became of the first; `<` is Backspace."""
    for key in keys:
        event = events.Key(_NAMES.get(key, key), key if key not in "<\n" else None)
        event.set_sender(pilot.app)
        pilot.app.post_message(event)
