"""The Spec Kit wizard in the terminal app: from words to tasks that agents carry out."""

import asyncio
from pathlib import Path

import pytest
from tests.support.apps import app_in, reads, seen, text_of
from tests.support.instructions import planner, review
from tests.support.planning_server import Answer, Hang, json_text
from tests.support.repositories import Repo, until
from textual.widgets import Input, Markdown

from toryo.frontends.tui.main import MainScreen

SPEC = "# 挨拶 Greeting\n\n## Summary\n\nA greeting in a file, for everybody.\n"
PLAN = "# The way\n\n## Approach\n\nWrite the file, then look at it.\n"
QUESTIONS = {
    "title": "Greeting",
    "questions": [{"question": "Which file?", "why": "it decides", "options": ["A.txt", "B.txt"], "default": "A.txt"}],
}
TASKS = {"tasks": [{"key": "A", "title": "Write it", "description": "Write A.txt", "acceptance": ["it is there"]}]}


def _document(repo: Repo, name: str) -> str:
    found: list[Path] = sorted((repo.path / "specs").glob(f"*/{name}.md"))
    return found[0].read_text() if found else ""


@pytest.mark.covers("G7")
async def test_from_words_to_merged_tasks_by_keys(repo: Repo) -> None:
    replies = [SPEC, json_text(QUESTIONS), PLAN, json_text(TASKS), "All three agree.", review()]
    with planner(repo, replies):
        async with app_in(repo, (100, 30)) as pilot:
            await pilot.press("f6")
            await reads(pilot, "There is no specification here yet")
            assert not pilot.app.screen.query_one(Markdown)._open_links, "what a model wrote opens nothing"
            await pilot.press("n")
            await seen(pilot, lambda: pilot.app.screen.query(Input))
            pilot.app.screen.query_one(Input).value = "Add a greeting"
            await pilot.press("enter")
            await reads(pilot, "S·· 挨拶 Greeting")
            await reads(pilot, "A greeting in a file")
            await pilot.press("c")
            await reads(pilot, "Enter takes all defaults")
            await pilot.press("enter")
            await seen(pilot, lambda: "Q: Which file? → A: A.txt" in _document(repo, "spec"))
            await pilot.press("p")
            await reads(pilot, "SP· 挨拶")
            await reads(pilot, "Write the file, then look at it")
            await pilot.press("t")
            await reads(pilot, "SPT 挨拶")
            await pilot.press("a")
            await reads(pilot, "All three agree.")
            await pilot.press("x")
            await reads(pilot, "Carry it out?")
            await pilot.press("enter")
            await reads(pilot, "carries it out")
        until(lambda: [row["state"] for row in repo.status()["sessions"]] == ["closed"], 60)
    assert repo.tasks()["A"]["state"] == "integrated"


async def test_esc_stops_waiting_and_then_goes_back(repo: Repo) -> None:
    with planner(repo, [Hang(60.0, after="# Half a greet")]):
        async with app_in(repo, (80, 24)) as pilot:
            await pilot.press("f6")
            await pilot.press("n")
            await seen(pilot, lambda: pilot.app.screen.query(Input))
            pilot.app.screen.query_one(Input).value = "Add a greeting"
            await pilot.press("enter")
            await reads(pilot, "Half a")
            await pilot.press("escape")
            await seen(pilot, lambda: "Esc stops waiting" not in text_of(pilot))
            await pilot.press("escape")
            await seen(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
    assert not _document(repo, "spec")


async def test_whoever_closes_the_app_waits_for_no_model(repo: Repo) -> None:
    with planner(repo, [Hang(60.0, after="# Half a greet")]):
        async with app_in(repo, (80, 24)) as pilot:
            await pilot.press("f6")
            await pilot.press("n")
            await seen(pilot, lambda: pilot.app.screen.query(Input))
            pilot.app.screen.query_one(Input).value = "Add a greeting"
            await pilot.press("enter")
            await reads(pilot, "Half a")
            await pilot.press("ctrl+q")
        async with asyncio.timeout(20):
            await asyncio.get_running_loop().shutdown_default_executor()


async def test_what_is_there_is_written_anew_only_if_wanted(repo: Repo) -> None:
    repo.write("specs/SPEC-0123abcd/spec.md", SPEC)
    repo.write("specs/SPEC-0123abcd/plan.md", "by hand\n")
    with planner(repo, [Answer(PLAN)]):
        async with app_in(repo, (80, 24)) as pilot:
            await pilot.press("f6")
            await reads(pilot, "SP· 挨拶")
            await pilot.press("p")
            await reads(pilot, "Write it anew?")
            await pilot.press("escape")
            assert _document(repo, "plan") == "by hand\n"
            await pilot.press("p")
            await reads(pilot, "Write it anew?")
            await pilot.press("y")
            await seen(pilot, lambda: _document(repo, "plan") == PLAN)
    kept = list((repo.store / "kept").rglob("plan-*.md"))
    assert [path.read_text() for path in kept] == ["by hand\n"]
