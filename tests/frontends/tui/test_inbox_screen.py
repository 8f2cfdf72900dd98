"""The inbox in the terminal app: everything that waits for a person, and one key to decide."""

import asyncio
import time

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.support.app_pictures import Pictures, picture
from tests.support.apps import app_in, reads, seen, text_of
from tests.support.intents import intent_file, read_intent
from tests.support.queueing import until_idle
from tests.support.repositories import Repo, shell
from textual.widgets import OptionList

_CI = "mkdir -p .github/workflows; echo on > .github/workflows/ci.yml; echo > done"
_ONCE = {"test": {"command": "test -e done", "on_failure": "block"}}


def something_waits(repo: Repo) -> None:
    """A task that failed, and one that changed what a person has to see."""
    failed = shell("T1", 'echo half > half.txt; test -z "$TORYO_FEEDBACK" || echo > done')
    repo.run(failed, shell("T2", _CI), checks=_ONCE)


@pytest.mark.covers("F5")
async def test_what_waits_is_listed_riskiest_first_and_decided_with_a_key(repo: Repo) -> None:
    await asyncio.to_thread(something_waits, repo)
    async with app_in(repo, (110, 24)) as pilot:
        await reads(pilot, "Inbox 2")
        await pilot.press("f3")
        await reads(pilot, "2 files changed")
        shown = text_of(pilot)
        assert shown.index("high protected  T2") < shown.index("med  blocked  T1")
        assert "waits for a person's word: .github/workflows/ci.yml" in shown
        await pilot.press("a")
        await reads(pilot, "Why is it right")
        await pilot.press(*"fine", "enter")
        await reads(pilot, "approved: T2")
        await asyncio.to_thread(until_idle, repo)  # going on, the session tries T1 once more by itself
        await reads(pilot, "1 to decide")
        await reads(pilot, "med  blocked  T1")
        await pilot.press("t")
        await reads(pilot, "What to tell its agent")
        await pilot.press(*"more", "enter")
        await reads(pilot, "once more: T1")
        await asyncio.to_thread(until_idle, repo)
        task = (await asyncio.to_thread(repo.info, "T2"))["task"]
        assert task["state"] == "integrated"
        await seen(pilot, lambda: "T1" in text_of(pilot))


async def test_who_has_decided_about_one_stays_at_its_place_in_the_list_and_is_not_led_to_the_top(repo: Repo) -> None:
    for name in ("first", "second", "third"):
        intent_file(repo, name, f"The {name}", risk="high")
    async with app_in(repo, (80, 24)) as pilot:
        await reads(pilot, "Inbox 3")
        await pilot.press("f3", "down", "a")
        await reads(pilot, "Inbox: 2 to decide")
        assert pilot.app.screen.query_one(OptionList).highlighted == 1
        await reads(pilot, "→ toryo approve third")
        assert read_intent(repo, "first")["status"] == "proposed"
        await pilot.press("a")
        await reads(pilot, "→ toryo approve first")


async def test_a_picture_of_the_inbox(repo: Repo, snapshot: SnapshotAssertion) -> None:
    at = time.time() - 9000
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    asks = ("clarifications:", "  - question: どの言語で?", "    options: [日本語, English]", "    default: English")
    intent_file(repo, "greet", "Greet people in their language", *asks, created_at=since, risk="low")
    intent_file(repo, "drop-table", "Drop the old table", created_at=since, risk="high")
    async with app_in(repo, (120, 24)) as pilot:
        await pilot.press("f3")
        await reads(pilot, "MORE ABOUT IT")
        shown = text_of(pilot)
        assert shown.index("high approval  drop-table") < shown.index("low  questions  greet")
        shown_at = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
        drawn = picture(pilot, hide={"2h 31m": "2h 30m", shown_at: "2026-01-01 00:00"})
        assert drawn == snapshot(extension_class=Pictures)


@pytest.mark.covers("F5")
async def test_an_intent_that_asks_appears_by_itself_is_answered_approved_and_gone(repo: Repo) -> None:
    async with app_in(repo, (80, 24)) as pilot:
        await pilot.press("f3")
        await reads(pilot, "nothing waits for you")
        asks = ("clarifications:", "  - question: Which colour?", "    options: [red, green]", "    default: red")
        intent_file(repo, "paint", "Paint it", *asks)
        await reads(pilot, "Which colour?")
        await reads(pilot, "w Answer")
        await pilot.press("w")
        await reads(pilot, "Enter takes the default")
        await pilot.press("b", "enter")
        await reads(pilot, "answered: paint")
        await reads(pilot, "approval  paint")
        assert read_intent(repo, "paint")["clarifications"][0]["answer"] == "green"
        await pilot.press("a")
        await reads(pilot, "approved: paint")
        await reads(pilot, "nothing waits for you")
        assert read_intent(repo, "paint")["status"] == "approved"


async def test_what_somebody_else_has_decided_meanwhile_is_said_and_not_decided_again(repo: Repo) -> None:
    intent_file(repo, "paint", "Paint it")
    async with app_in(repo, (80, 24)) as pilot:
        await pilot.press("f3")
        await reads(pilot, "approval  paint")
        await pilot.press("r")
        await reads(pilot, "Reject: paint")
        done = await asyncio.to_thread(repo.toryo, "approve", "paint")
        assert done.code == 0, done
        await pilot.press(*"no", "enter")
        await reads(pilot, "somebody else has decided meanwhile")
        assert read_intent(repo, "paint")["status"] == "approved"


async def test_what_is_asked_is_shown_as_it_is_and_steers_nothing(repo: Repo) -> None:
    intent_file(repo, "odd", '"[red]絵を\\u001b[31m描く[/red] sk-ant-api03-' + "a1B2c3D4" * 10 + '"')
    async with app_in(repo, (80, 24)) as pilot:
        await pilot.press("f3")
        await reads(pilot, "[red]絵を")
        shown = text_of(pilot)
        assert "\x1b" not in shown
        assert "a1B2c3D4" not in shown
