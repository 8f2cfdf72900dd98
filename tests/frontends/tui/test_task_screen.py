"""One task looked at closely while its agent works: output, changes, checks, evidence, and what to do about it."""

import asyncio
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.support.app_pictures import Pictures, picture
from tests.support.apps import app_in, reads, seen, text_of, typed_at_once
from tests.support.queueing import detach, let, row, until_idle
from tests.support.repositories import Repo, shell
from textual.pilot import Pilot

from toryo.frontends.tui.watching.findable import FindableText
from toryo.frontends.tui.watching.longtext import LongText
from toryo.frontends.tui.watching.searching import FindInput
from toryo.frontends.tui.watching.task import TaskScreen

_FACTS = re.compile(r'<text[^>]*>[^<]*run&#160;1&#160;of[^<]*</text>|<rect[^>]* y="25.9"[^>]*/>')
"""The second line, which says how long it took."""
_SECRET = "sk-ant-api03-" + "a1B2c3D4" * 10
_HOSTILE = (
    r"printf '\033[31mred\033[0m \033]0;title\007words\n'; printf 'ten\rtwenty\n'; printf 'bell\a\n';"
    r" printf 'bad \377\376 bytes\n'; printf 'turned \342\200\256 round\n'; printf '[b]bold[/b] [/nothing]\n';"
)


def waits_for(notes: Path, name: str) -> str:
    return f"until test -e {notes}/go-{name}; do sleep 0.02; done;"


async def look(pilot: Pilot[int], repo: Repo, key: str) -> LongText:
    """The task's screen, and its output."""
    session = (await asyncio.to_thread(repo.status))["sessions"][0]["id"]
    await pilot.app.push_screen(TaskScreen(session, key))
    return pilot.app.screen.query_one("#output", LongText)


async def turn_to(pilot: Pilot[int], page: str, text: str) -> None:
    """To a page that shows the text."""
    await pilot.press(page)
    await reads(pilot, text)


async def test_what_an_agent_says_is_seen_while_it_says_it_and_cannot_do_harm(repo: Repo, tmp_path: Path) -> None:
    words = f"echo 日本語の行; {_HOSTILE} echo key {_SECRET}; echo half > half.txt; {waits_for(tmp_path, 'on')}"
    short = await asyncio.to_thread(
        detach, repo, "T1", f"{words} echo last; echo > T1", checks="echo all is well; test -e T1"
    )
    async with app_in(repo, (80, 24)) as pilot:
        await look(pilot, repo, "T1")
        await reads(pilot, "key [MASKED")
        await reads(pilot, "live")
        shown = text_of(pilot)
        assert "日本語の行" in shown
        assert "red words\n" in shown
        assert "\n twenty\n" in shown
        assert "[b]bold[/b] [/nothing]" in shown
        assert _SECRET[:20] not in shown
        assert not {"\x1b", "\a", "\u202e"} & set(shown)
        await turn_to(pilot, "2", "+half")
        await turn_to(pilot, "3", "will run once the agent is done")
        await pilot.press("1")
        let(tmp_path, "on")
        await reads(pilot, "last")
        await reads(pilot, "over")
        output = text_of(pilot)
        assert output.count("日本語の行") == 1, "the log is replaced by its masked form, and that is no other"
        await reads(pilot, "integrated")
        await turn_to(pilot, "3", "│ all is well")
        assert "passed in" in text_of(pilot)
        await turn_to(pilot, "4", "verdict")
    await asyncio.to_thread(until_idle, repo)
    assert row(repo, short)["outcome"] == "COMPLETE"


async def test_a_hundred_thousand_lines_take_no_more_room_than_those_that_are_seen(repo: Repo) -> None:
    prints = r"seq -f 'line %.0f of the log, which is a long one with many words in it' 100000; echo > T1"
    await asyncio.to_thread(repo.run, shell("T1", prints))
    async with app_in(repo, (80, 24)) as pilot:
        output = await look(pilot, repo, "T1")
        await reads(pilot, "line 100000 of")
        await seen(pilot, lambda: output.line_count == 100000)
        assert len(pilot.app.screen.query("*")) < 60
        await pilot.press("home")
        await reads(pilot, "line 1 of")
        for _ in range(60):
            await pilot.press("pagedown")
        held = [row for rows in output._rows._known.values() for row in rows]
        assert len(held) <= 32 * 64, "what was looked at is forgotten again"
        await pilot.press("end")
        await reads(pilot, "line 100000 of")


async def find(pilot: Pilot[int], words: str, told: str) -> None:
    """Types it below the text, and goes to the text once so much was found."""
    await pilot.press("slash")
    await seen(pilot, lambda: isinstance(pilot.app.focused, FindInput))
    pilot.app.screen.query_one(FindInput).value = words
    await reads(pilot, told)
    await pilot.press("enter")
    assert isinstance(pilot.app.focused, FindableText)


def looked_at(pilot: Pilot[int]) -> str:
    """The row with the sign of what is looked at."""
    return next((line for line in text_of(pilot).splitlines() if line.startswith("▶")), "")


async def test_something_is_searched_for_in_a_hundred_thousand_lines(repo: Repo) -> None:
    prints = r"seq -f 'line %.0f of the log' 100000; echo 'エラー: Ｅｒｒｏｒ 日本語'; seq 30; echo error at last"
    await asyncio.to_thread(repo.run, shell("T1", f"{prints}; echo > T1"))
    async with app_in(repo, (80, 24)) as pilot:
        output = await look(pilot, repo, "T1")
        await seen(pilot, lambda: output.line_count == 100032)
        steps: list[float] = []
        pilot.app.watch(output, "scroll_y", lambda now: steps.append(now), init=False)
        await pilot.press("home")
        await seen(pilot, lambda: output.scroll_y == 0)
        assert len(steps) == 1, "at once: over a slow line one would wait for every step on the way"
        await find(pilot, "77777 OF", "1 of 1")
        assert looked_at(pilot) == "▶line 77777 of the log"
        assert not output.follows
        await find(pilot, "error", "1 of 2")
        assert looked_at(pilot) == "▶エラー: Ｅｒｒｏｒ 日本語", "full-width letters are found by plain ones"
        await pilot.press("n")
        await seen(pilot, lambda: looked_at(pilot) == "▶error at last")
        await reads(pilot, "2 of 2")
        await pilot.press("n")
        await reads(pilot, "1 of 2")
        await pilot.press("N")
        await seen(pilot, lambda: looked_at(pilot) == "▶error at last")
        await find(pilot, "日本", "1 of 1")
        assert looked_at(pilot).startswith("▶エラー")
        await pilot.press("escape")
        typed_at_once(pilot, "/stow-a")
        await reads(pilot, "not found")
        assert pilot.app.screen.query_one(FindInput).value == "stow-a", "what comes at once with / is searched for"
        await pilot.press("escape")
        await find(pilot, "nowhere", "not found")
        await pilot.press("escape")
        await seen(pilot, lambda: not pilot.app.screen.query_one("#find").display)
        assert isinstance(pilot.app.screen, TaskScreen), "the first Esc leaves the search only"
        assert not looked_at(pilot)
        await pilot.press("escape")
        await reads(pilot, "[Branches]")


async def test_what_is_searched_for_is_found_in_what_comes_on_other_pages_and_at_other_widths(
    repo: Repo, tmp_path: Path
) -> None:
    long = "x" * 100 + " needle " + "y" * 100
    words = f"echo needle one; echo {long}; echo needle > n.txt; {waits_for(tmp_path, 'on')} echo needle two"
    await asyncio.to_thread(detach, repo, "T1", f"{words}; {waits_for(tmp_path, 'T1')}")
    async with app_in(repo, (80, 24)) as pilot:
        output = await look(pilot, repo, "T1")
        await seen(pilot, lambda: output.line_count == 2)
        await find(pilot, "needle", "1 of 2")
        await pilot.press("n")
        await seen(pilot, lambda: looked_at(pilot).startswith("▶  xxxx") and "needle" in looked_at(pilot))
        let(tmp_path, "on")
        await reads(pilot, "2 of 3")
        await pilot.resize_terminal(50, 24)
        await seen(pilot, lambda: "needle" in looked_at(pilot) and len(looked_at(pilot)) <= 50)
        await pilot.press("2")
        await reads(pilot, "1 of 1")
        assert looked_at(pilot) == "▶+needle"
        await pilot.press("1")
        await reads(pilot, "of 3")
        let(tmp_path, "T1")
        await reads(pilot, "integrated")
    await asyncio.to_thread(until_idle, repo)


async def test_who_scrolls_up_stays_there_and_end_follows_again(repo: Repo, tmp_path: Path) -> None:
    words = f"seq -f 'early %.0f' 200; {waits_for(tmp_path, 'on')} seq -f 'late %.0f' 200; {waits_for(tmp_path, 'T1')}"
    await asyncio.to_thread(detach, repo, "T1", f"{words} echo > T1")
    async with app_in(repo, (80, 24)) as pilot:
        output = await look(pilot, repo, "T1")
        await reads(pilot, "early 200")
        await pilot.press("pageup")
        before = text_of(pilot)
        assert "early 200" not in before
        let(tmp_path, "on")
        await seen(pilot, lambda: output.line_count == 400)
        await reads(pilot, "End goes on following")
        assert "early 170" in text_of(pilot), "still there"
        await pilot.press("end")
        await reads(pilot, "late 200")
        await pilot.resize_terminal(40, 20)
        await reads(pilot, "late 200")
        let(tmp_path, "T1")
        await reads(pilot, "integrated")
    await asyncio.to_thread(until_idle, repo)


async def test_earlier_runs_and_what_was_printed_word_for_word_are_a_key_away(repo: Repo) -> None:
    count = shell("T1", "echo this is attempt $TORYO_ATTEMPT; echo $TORYO_ATTEMPT > n.txt", agent="shell")
    await asyncio.to_thread(repo.run, count, checks="echo attempt $(cat n.txt) fails >&2; test $(cat n.txt) = 2")
    async with app_in(repo, (80, 24)) as pilot:
        await look(pilot, repo, "T1")
        await reads(pilot, "this is attempt 2")
        await reads(pilot, "run 2 of 2")
        await pilot.press("left_square_bracket")
        await reads(pilot, "this is attempt 1")
        assert "run 1 of 2" in text_of(pilot)
        await turn_to(pilot, "3", "attempt 1 fails")
        await pilot.press("r", "right_square_bracket")
        await reads(pilot, "this is attempt 2")
        assert "raw" in text_of(pilot)


@pytest.mark.covers("P16")
async def test_what_is_blocked_is_let_through_with_a_reason_and_goes_on(
    repo: Repo, snapshot: SnapshotAssertion
) -> None:
    await asyncio.to_thread(repo.run, shell("T1", "mkdir -p .github/workflows; echo on > .github/workflows/ci.yml"))
    session = repo.status()["sessions"][0]["id"]
    async with app_in(repo, (80, 24)) as pilot:
        await look(pilot, repo, "T1")
        await reads(pilot, "waits for you (protected)")
        await pilot.press("2")
        await reads(pilot, "+on")
        drawn = picture(pilot, hide={session.removeprefix("session-")[:8]: "0" * 8})
        assert _FACTS.sub("", drawn) == snapshot(extension_class=Pictures)
        await pilot.press("a")
        await reads(pilot, "Why is it right")
        await pilot.press("enter")
        await reads(pilot, "Say it in a few words")
        await pilot.press(*"ok", "enter")
        await reads(pilot, "approved: T1")
        await reads(pilot, "integrated")
    await asyncio.to_thread(until_idle, repo)
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"


async def test_a_session_is_stopped_from_a_task_once_that_is_confirmed(repo: Repo, tmp_path: Path) -> None:
    short = await asyncio.to_thread(detach, repo, "T1", f"echo begun; {waits_for(tmp_path, 'never')}")
    async with app_in(repo, (80, 24)) as pilot:
        await pilot.press("f5")
        await reads(pilot, "▶ T1")
        await pilot.press("enter")
        await reads(pilot, "begun")
        await pilot.press("s")
        await reads(pilot, "stopping 1 agent")
        await pilot.press("y")
        await reads(pilot, "stopped; everything is kept")
        await pilot.press("escape")
        await reads(pilot, "paused")
    await asyncio.to_thread(until_idle, repo)
    assert row(repo, short)["state"] == "paused"
