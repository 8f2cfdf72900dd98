"""Draws the main screens of the terminal app, as somebody sees them who opens a corner shop with it."""

import asyncio
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SIZE = (110, 32)
WISH = "Open a corner shop: greet customers, and write invoices with discounts and taxes."
PATIENCE = 120.0
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A picture loads nothing from elsewhere."""


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="toryo-pictures-", ignore_cleanup_errors=True) as folder:
        where = Path(folder) / "corner-shop"
        _make(where)
        os.environ |= {"HOME": folder, "XDG_CONFIG_HOME": f"{folder}/none", "TMUX_TMPDIR": folder, "TZ": "UTC"}
        os.environ.pop("NO_COLOR", None)
        os.chdir(where)
        await _draw(where)


def _make(where: Path) -> None:
    from toryo.frontends.cli.demo import _make_repository

    _make_repository(where)
    config = where / ".toryo" / "config.toml"
    config.write_text(re.sub(r'command = ".*"', 'command = "python3 -m unittest discover -q"', config.read_text()))
    _git(where, "commit", "-qam", "The usual Python")
    for branch, file in (("export-json", "export.py"), ("fix-dates", "dates.py"), ("挨拶-ja", "greetings.py")):
        _git(where, "switch", "-qc", branch, "main")
        (where / file).write_text(f'"""{branch}"""\n')
        _git(where, "add", "-A")
        _git(where, "commit", "-qm", f"Begin with {file}")
    _git(where, "switch", "-q", "main")
    (where / ".toryo" / "intents").mkdir()
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 7200))
    for slug, risk, title, body in (
        ("gift-cards", "med", "Sell gift cards", "Valid for three years; an invoice can be paid with several."),
        ("faster-invoices", "low", "Faster invoices", "One of a thousand lines takes a second, most of it for taxes."),
    ):
        written = f"title: {title}\nbody: {body}\ntype: feature\nsource: human\nrisk: {risk}\nstatus: proposed\n"
        (where / ".toryo" / "intents" / f"{slug}.yaml").write_text(f"{written}created_at: {at}\n")


def _git(where: Path, *args: str) -> None:
    identity = ("-c", "user.name=Toryo demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgSign=false")
    subprocess.run(["git", *identity, *args], cwd=where, check=True, stdin=subprocess.DEVNULL)


async def _draw(where: Path) -> None:
    from toryo.app.frontdoor import FrontDoor
    from toryo.app.project import open_project
    from toryo.frontends.tui.app import ToryoApp
    from toryo.frontends.tui.watching.task import TaskScreen

    project = open_project(where)
    project.close()
    async with ToryoApp(project, begins_with="agent").run_test(size=SIZE) as pilot:
        await _reads(pilot, "what do you want?")
        for key in WISH:
            await pilot.press("space" if key == " " else key)
        await pilot.press("enter")
        await _reads(pilot, "before planning")
        await _keep(pilot, "questions")
        await pilot.press("enter")
        await _reads(pilot, "y approve")
        await pilot.press("pageup", "pageup", "pageup", "pageup")
        await _keep(pilot, "plan")
        await pilot.press("end")
        await pilot.press("y")
        await _reads(pilot, "COMPLETE")
        await _until(pilot, lambda: _is_closed(where))
        await _keep(pilot, "work")
        session = FrontDoor(where).latest()
        assert session is not None
        pilot.app.push_screen(TaskScreen(session.id, "T004"))
        await _reads(pilot, "Discounts")
        await pilot.press("3")
        await _keep(pilot, "task")
        await pilot.press("escape", "f3")
        await _reads(pilot, "gift cards")
        await _keep(pilot, "inbox")
        await pilot.press("escape", "tab", "down")
        await _reads(pilot, "agent/")
        await pilot.press("s")
        await _reads(pilot, "whole cents")
        await _keep(pilot, "branches")


def _is_closed(where: Path) -> bool:
    from toryo.app.frontdoor import FrontDoor
    from toryo.domain.session import SessionState

    session = FrontDoor(where).latest()
    return session is not None and session.state is SessionState.CLOSED


async def _reads(pilot: Pilot[int], text: str) -> None:
    await _until(pilot, lambda: text in _text(pilot))


async def _until(pilot: Pilot[int], wanted: Callable[[], bool]) -> None:
    waited = 0.0
    while not wanted():
        if waited > PATIENCE:
            raise RuntimeError(f"never seen; on the screen:\n{_text(pilot)}")
        await pilot.pause(0.1)
        waited += 0.1


async def _keep(pilot: Pilot[int], name: str) -> None:
    """Once nothing moves any more."""
    before = ""
    while before != (now := pilot.app.export_screenshot(title="toryo")):
        before = now
        await pilot.pause(0.5)
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(_FONT.sub("", now), encoding="utf-8")


def _text(pilot: Pilot[int]) -> str:
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


if __name__ == "__main__":
    asyncio.run(main())
