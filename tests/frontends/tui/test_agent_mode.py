"""Agent mode: one chat, from an instruction to what was merged; the work is done by a real conductor elsewhere."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.support.app_pictures import Pictures, picture, still
from tests.support.apps import app_in, reads, seen, surroundings, text_of, typed_at_once
from tests.support.instructions import (
    SAYING,
    SPEC,
    judged,
    planner,
    question,
    questions,
    review,
    score,
    spec,
    tasks,
    usual,
    work,
    writes,
)
from tests.support.instructions import plan as plan_reply
from tests.support.instructions import task as planned_task
from tests.support.planning_server import Hang, Prepared, json_text
from tests.support.repositories import Repo, background_conductors, until
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.screen import ModalScreen

from toryo.app.frontdoor import FrontDoor
from toryo.frontends.tui.agent import view as view_module
from toryo.frontends.tui.agent.asking import QuestionsCard
from toryo.frontends.tui.agent.composer import Composer
from toryo.frontends.tui.agent.shown import Shown
from toryo.frontends.tui.agent.view import ChatView
from toryo.frontends.tui.watching.task import TaskScreen

WISH = "Add an export"
BRANCH = "agent/add-an-export"
_VARIES = re.compile(r"\d\d:\d\d:\d\d|\d+(?=&#160;tokens)")


@pytest.fixture
async def repo(repo: Repo) -> AsyncIterator[Repo]:
    """No conductor in the background outlives its test."""
    yield repo
    (repo.path.parent / "go").touch()
    await asyncio.to_thread(until, lambda: not background_conductors(repo.path))


def held(repo: Repo, *keys: str) -> Path:
    """Tasks that wait until the test lets them go on; the file that says so."""
    place = repo.path.parent
    waits = {"run": f"touch {place}/begun-$TORYO_TASK; until test -e {place}/go; do sleep 0.05; done"}
    work(repo, {key: [[waits, writes(f"{key}.txt")]] * 2 for key in keys})
    return place / "go"


def going(*asked: dict[str, object], keys: Sequence[str] = ("A",), then: Sequence[Prepared] = ()) -> list[Prepared]:
    """Replies of a planner with these questions; `then` before the reviews."""
    before = [questions(*asked, title="The export"), *usual(*keys)[1:5]]
    return [*before, *then, *(review() for _ in keys), judged()]


def composer(pilot: Pilot[int]) -> Composer:
    return pilot.app.screen.query_one(Composer)


async def say(pilot: Pilot[int], text: str) -> None:
    await seen(pilot, lambda: isinstance(pilot.app.focused, Composer))
    composer(pilot).insert(text)
    await pilot.press("enter")


async def begin(pilot: Pilot[int], text: str = WISH) -> None:
    await reads(pilot, "what do you want?")
    await say(pilot, text)


async def approve(pilot: Pilot[int]) -> None:
    await reads(pilot, "Enter or y approves")
    await pilot.press("enter")


@pytest.mark.covers("G5", "G11", "G13")
async def test_from_an_instruction_to_merged_work_with_single_keys(repo: Repo) -> None:
    asked = (question("Which format?", "JSON", "YAML"), question("どこへ?", "標準出力", "ファイル"))
    with planner(repo, going(*asked)) as endpoint:
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "● a) 標準出力")
            assert "● a) JSON  (default)" in text_of(pilot)
            await pilot.press("enter")
            await reads(pilot, "Enter or y approves")
            await pilot.press("y")
            await reads(pilot, "plan approved by a person")
            await reads(pilot, "COMPLETE")
            await reads(pilot, "m merge")
            await pilot.press("ctrl+up", "m")
            await reads(pilot, "Merge it into your branch?")
            await pilot.press("enter")
            await seen(pilot, lambda: "A.txt" in repo.files_on("main"))
        assert "YAML" not in endpoint.conversations()[1][-1].partition("JSON")[2]


@pytest.mark.covers("G5", "G6")
async def test_options_are_chosen_with_keys_and_own_words_in_japanese(repo: Repo) -> None:
    asked = (question("Which format?", "JSON", "YAML"), question("どこへ?", "標準出力", "ファイル"))
    with planner(repo, going(*asked)) as endpoint:
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "● a) 標準出力")
            await pilot.press("up")
            await pilot.press("down", "space")
            await reads(pilot, "● b) YAML")
            await pilot.press("down", "down", "down")  # past own words, to the next question
            await say_after_letters(pilot, "データベースへ")
            await reads(pilot, "● your words: データベースへ")
            await pilot.press("enter")
            await reads(pilot, "データベースへ (a person)")
            await reads(pilot, "Enter or y approves")
            told = endpoint.conversations()[1][-1]
            assert "YAML" in told
            assert "データベースへ" in told


async def say_after_letters(pilot: Pilot[int], text: str) -> None:
    """Letters typed while a card has the keys go to where one types."""
    await pilot.press(text[0])
    await seen(pilot, lambda: isinstance(pilot.app.focused, Composer))
    await say(pilot, text[1:])


@pytest.mark.covers("G11")
async def test_documents_are_read_in_full_and_a_rejection_with_its_reason_plans_anew(repo: Repo) -> None:
    long = "# The spec\n\n" + "\n".join(f"- line {number} of the spec" for number in range(60))
    replies = [questions(title="The export"), spec(long), plan_reply(), tasks(planned_task("A")), score(90)]
    replies += [spec(), plan_reply(), tasks(planned_task("B")), score(95), review(), judged()]
    with planner(repo, replies) as endpoint:
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "Enter or y approves")
            await pilot.press("up", "up", "up", "enter")
            await reads(pilot, "line 3 of the spec")
            await pilot.press("pagedown", "pagedown", "pagedown")
            await reads(pilot, "line 59 of the spec")
            await pilot.press("n")
            await reads(pilot, "What should be different?")
            await pilot.press(*"Use B", "enter")
            await seen(pilot, lambda: "Work B" in text_of(pilot))
            assert any("Use B" in said[-1] for said in endpoint.conversations())
            await approve(pilot)
            await reads(pilot, "COMPLETE")
    assert "B.txt" in repo.files_on(BRANCH)


@pytest.mark.covers("G23")
async def test_what_is_typed_while_agents_work_reaches_only_the_task_it_concerns(repo: Repo) -> None:
    go = held(repo, "A", "B")
    said = {"answer": "A is done **differently**.", "changes": [{"key": "A", "says": "Say it in French."}]}
    with planner(repo, going(keys=("A", "B"), then=[json_text(said, when=SAYING)])):
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await approve(pilot)
            await seen(pilot, lambda: len(list(go.parent.glob("begun-*"))) == 2)
            await reads(pilot, "is at work · say something")
            await say(pilot, "フランス語で")
            await reads(pilot, "A is done differently.")
            await seen(pilot, lambda: text_of(pilot).count("A: scripted takes it") == 2)
            assert text_of(pilot).count("B: scripted takes it") == 1
            await pilot.press("ctrl+up", "enter")  # the last line is about the task that began again
            await seen(pilot, lambda: isinstance(pilot.app.screen, TaskScreen))
            await pilot.press("escape")
            await reads(pilot, "is at work")
            go.touch()
            await reads(pilot, "COMPLETE")


@pytest.mark.covers("G23")
async def test_what_is_typed_while_the_plan_is_made_is_planned_with_and_that_is_said_at_once(repo: Repo) -> None:
    first, *_ = going()
    hanging = [Hang(60, f"# The spec\n\n{what} that so far", when=SPEC) for what in ("Without", "With")]
    with planner(repo, [first, *hanging]) as endpoint:
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "planner writes the specification …")
            await say(pilot, "フランス語で")
            await reads(pilot, "→ told; it is planned with what you said, before you are shown the plan")
            await reads(pilot, "planned with what was said meanwhile")
            await reads(pilot, "With that")
            assert any("フランス語で" in text[-1] for text in endpoint.conversations() if SPEC in text[-1])
            await pilot.press("escape")
            await reads(pilot, "is paused")


@pytest.mark.covers("G25", "G32")
async def test_escape_stops_once_and_what_was_stopped_is_offered_to_the_next_app(repo: Repo) -> None:
    go = held(repo, "A")
    with planner(repo, going()):
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await approve(pilot)
            await seen(pilot, lambda: list(go.parent.glob("begun-*")))
            await reads(pilot, "is at work")
            composer(pilot).insert("half a sentence")
            await pilot.press("escape", "escape")
            assert composer(pilot).text == ""
            assert not kinds(repo, "SessionPaused"), "what was typed is left first, and a second press is an oversight"
            await pilot.press("up")
            assert composer(pilot).text == "half a sentence"
            composer(pilot).clear()
            await pilot.pause(0.8)
            await pilot.press("escape", "escape")
            await reads(pilot, "stopping 1 agent")
            await reads(pilot, "is paused · Enter goes on")
            await reads(pilot, "r resume  x discard")
            assert len(kinds(repo, "SessionPaused")) == 1
        async with app_in(repo, (80, 24), begins_with="agent") as pilot:
            await reads(pilot, "unfinished: The export")
            await reads(pilot, "what do you want?")
            await pilot.press("up", "x")
            await reads(pilot, "Discard this session?")
            await pilot.press("enter")
            assert not kinds(repo, "SessionClosed"), "Enter alone throws nothing away"
            await reads(pilot, "unfinished: The export")
            await pilot.press("r")
            await reads(pilot, "is at work")
            go.touch()
            await reads(pilot, "COMPLETE")


async def test_where_a_card_goes_that_had_the_keys_they_go_to_where_one_types_and_the_end_is_seen(repo: Repo) -> None:
    with planner(repo, going()):
        async with app_in(repo, (80, 24), begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "Enter or y approves")
            await pilot.press("up", "y")
            await reads(pilot, "COMPLETE")
            assert isinstance(pilot.app.focused, Composer)
            await pilot.press("up", "m")
            await reads(pilot, "Merge it into your branch?")
            await pilot.press("enter")
            await reads(pilot, "landed")
            await seen(pilot, lambda: isinstance(pilot.app.focused, Composer))
            assert pilot.app.screen.query_one(ChatView).talk.is_at_end


async def test_what_asks_is_a_key_away_though_something_unfinished_is_offered_below_it(repo: Repo) -> None:
    go = held(repo, "A")
    asked = questions(question("Which format?", "JSON", "YAML"), title="Another wish")
    with planner(repo, [*going()[:5], asked]):
        async with app_in(repo, (100, 50), begins_with="agent") as pilot:
            await begin(pilot)
            await approve(pilot)
            await seen(pilot, lambda: list(go.parent.glob("begun-*")))
            await pilot.press("escape")
            await reads(pilot, "r resume  x discard")
            await pilot.press("ctrl+n")
            await say(pilot, "Something else")
            await reads(pilot, "● a) JSON  (default)")
            await reads(pilot, "unfinished: The export")
            places = [text_of(pilot).index(words) for words in ("stopping 1 agent", "● a) JSON", "unfinished:")]
            assert places == sorted(places), "what was said before stays above it"
            await pilot.press("up")
            await seen(pilot, lambda: isinstance(pilot.app.focused, QuestionsCard))
            await pilot.press("escape", "ctrl+o")
            await reads(pilot, "Which session?")
            await pilot.press("1")
            await seen(pilot, lambda: "stopping 1 agent" not in text_of(pilot))


def kinds(repo: Repo, kind: str) -> list[str]:
    return [event["kind"] for event in repo.events() if event["kind"] == kind]


async def test_a_session_is_discarded_or_left(repo: Repo) -> None:
    with planner(repo, going()):
        with surroundings(repo):
            door = FrontDoor(repo.path)
            session = await asyncio.to_thread(door.begin, WISH)
            await asyncio.to_thread(until, lambda: door.session(session.id).tasks)
            await asyncio.to_thread(until, lambda: not background_conductors(repo.path))
            await asyncio.to_thread(door.stop, session.id)
        async with app_in(repo, begins_with="agent") as pilot:
            await reads(pilot, "unfinished: The export")
            await pilot.press("up", "l")
            await seen(pilot, lambda: "unfinished:" not in text_of(pilot))
        assert not kinds(repo, "SessionClosed")
        async with app_in(repo, begins_with="agent") as pilot:
            await reads(pilot, "unfinished: The export")
            await pilot.press("up", "x")
            await reads(pilot, "Discard this session?")
            await pilot.press("y")
            await reads(pilot, "discarded; its branches and commits are kept")
            await seen(pilot, lambda: "unfinished:" not in text_of(pilot))


@pytest.mark.covers("G24")
async def test_every_other_minute_it_is_told_how_things_stand_without_asking_a_model(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert view_module._REPORT_EVERY == 120.0
    monkeypatch.setattr(view_module, "_REPORT_EVERY", 0.2)
    go = held(repo, "A", "B")
    with planner(repo, going(keys=("A", "B"))) as endpoint:
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "Enter or y approves")
            assert not chat_lines(pilot, "0 of 2 done"), "while it is planned there is nothing to tell"
            calls = len(endpoint.bodies)
            await pilot.press("enter")
            await seen(pilot, lambda: told_at(pilot, "0 of 2 done, 2 running"))
            first = told_at(pilot, "0 of 2 done, 2 running")
            await seen(pilot, lambda: told_at(pilot, "0 of 2 done, 2 running") != first)
            assert chat_lines(pilot, "0 of 2 done") == 1, "each takes the place of the one before"
            assert len(endpoint.bodies) == calls
            go.touch()
            await reads(pilot, "COMPLETE")


async def test_what_happens_stays_in_its_order_while_it_is_told_how_things_stand(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_module, "_REPORT_EVERY", 0.2)
    go = held(repo, "A", "B")
    heard = json_text({"answer": "Nothing else has to be done.", "changes": [], "cancel": [], "tasks": []}, when=SAYING)
    with planner(repo, going(keys=("A", "B"), then=[heard])):
        async with app_in(repo, (100, 60), begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "Enter or y approves")
            await pilot.press("enter")
            await seen(pilot, lambda: told_at(pilot, "0 of 2 done, 2 running"))
            await say(pilot, "Is it going well?")
            await reads(pilot, "Nothing else has to be done.")
            first = told_at(pilot, "0 of 2 done, 2 running")
            await seen(pilot, lambda: told_at(pilot, "0 of 2 done, 2 running") != first)
            go.touch()
            await reads(pilot, "COMPLETE")
            view = pilot.app.screen.query_one(ChatView)
            await seen(pilot, lambda: _shown(view) == [item.key for item in view.chat.items()][-len(_shown(view)) :])
            for answer in ("→ told", "Nothing else has to be done."):
                places = [text_of(pilot).index(words) for words in ("Is it going well?", answer, "A: merged")]
                assert places == sorted(places)


def _shown(view: ChatView) -> list[str]:
    return [shown.item.key for shown in view.talk.query_children(Shown)]


def told_at(pilot: Pilot[int], words: str) -> str:
    """The time before the words in the chat; empty: they are not there."""
    found = re.search(rf"(\d\d:\d\d:\d\d) {re.escape(words)}", text_of(pilot))
    return found[1] if found else ""


def chat_lines(pilot: Pilot[int], words: str) -> int:
    return len(re.findall(rf"\d\d:\d\d:\d\d {re.escape(words)}", text_of(pilot)))


@pytest.mark.covers("G14")
async def test_something_new_while_another_is_at_work_waits_for_its_turn(repo: Repo) -> None:
    go = held(repo, "A", "B")
    with planner(repo, [*going(), *going(keys=("B",))]):
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await approve(pilot)
            await reads(pilot, "is at work")
            await pilot.press("ctrl+n")
            await reads(pilot, "a new instruction")
            await say(pilot, "Something else")
            await reads(pilot, "after 1 other")
            await reads(pilot, "1 queued")
            go.touch()
            await reads(pilot, "Something else")
            await reads(pilot, "Enter or y approves")
            await seen(pilot, lambda: "Work B" in text_of(pilot))
            await pilot.press("enter")
            await seen(pilot, lambda: "B: merged as" in text_of(pilot))


async def test_a_reply_is_read_while_it_comes_and_work_stops_in_mid_reply(repo: Repo) -> None:
    begun = "# The spec\n\nIt is **half** written, [b]so[/b] far"
    with planner(repo, [questions(title="The export"), Hang(60, begun, when=SPEC)]):
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "planner writes the specification …")
            await reads(pilot, "It is half written, [b]so[/b]")
            await pilot.press("tab", "tab")
            await reads(pilot, "It is half written, [b]so[/b]")
            await pilot.press("escape")
            await reads(pilot, "is paused")
            await seen(pilot, lambda: "half written" not in text_of(pilot))


@pytest.mark.covers("G1")
async def test_what_is_typed_right_after_tab_goes_to_the_chat_and_is_no_key_of_branch_mode(repo: Repo) -> None:
    with planner(repo, going()):
        async with app_in(repo, begins_with="agent") as pilot:
            await reads(pilot, "what do you want?")
            await pilot.press("tab")
            await reads(pilot, "Details · main")
            for key in ("tab", *"dmn"):  # faster than anything is drawn
                pilot.app.post_message(Key(key, key if len(key) == 1 else "\t"))
            await seen(pilot, lambda: composer(pilot).text == "dmn")
            assert pilot.app.screen.is_current
            assert not isinstance(pilot.app.screen, ModalScreen)


@pytest.mark.covers("G2")
async def test_without_a_model_nothing_can_be_typed_until_there_is_one(repo: Repo) -> None:
    async with app_in(repo, (80, 24), begins_with="agent") as pilot:
        await reads(pilot, "AI settings are required")
        await reads(pilot, "F4 opens the settings")
        assert composer(pilot).disabled
        with planner(repo, going()) as endpoint:
            repo.write(
                ".toryo/config.toml",
                f'[model]\nprovider = "openai"\nmodel = "m"\nbase_url = "{endpoint.openai_url}"\n'
                '[run]\nagent = "scripted"\nhost = "headless"\n'
                f'[agents.scripted]\nscenario = "{repo.environ["TORYO_AGENTS_SCRIPTED_SCENARIO"]}"\n',
            )
            await reads(pilot, "what do you want?")
            assert "AI settings are required" not in text_of(pilot)
            await begin(pilot)
            await approve(pilot)
            await reads(pilot, "COMPLETE")


@pytest.mark.covers("G3")
async def test_without_tmux_agent_mode_says_so_and_branch_mode_goes_on(repo: Repo, tmp_path: Path) -> None:
    del repo.environ["TORYO_RUN_HOST"]
    only = tmp_path / "bin"
    only.mkdir()
    (only / "git").symlink_to(Path("/usr/bin/git"))
    repo.environ["PATH"] = str(only)
    async with app_in(repo, begins_with="agent") as pilot:
        await reads(pilot, "tmux is required")
        assert composer(pilot).disabled
        await pilot.press("tab")
        await reads(pilot, "[Branches]")


async def test_of_two_apps_the_first_decides_and_the_other_is_told(repo: Repo) -> None:
    with planner(repo, going()):
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "Enter or y approves")
            view = pilot.app.screen.query_one(ChatView)
            session = view.chat.session
            FrontDoor(repo.path).approve(session.id)  # here, so that the app cannot have heard of it yet
            composer(pilot).action_send()
            await reads(pilot, "somebody else has decided meanwhile")
            await reads(pilot, "COMPLETE")


async def test_nothing_that_a_model_says_is_markup_or_steers_the_terminal(repo: Repo) -> None:
    hostile = "[b]Which[/b] \x1b[31mred\x1b[0m <script>x</script>?"
    with planner(repo, going(question(hostile, "[@click=app.quit]a[/]", "b"))):
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "● a) [@click=app.quit]a[/]")
            assert "<script>x</script>?" in text_of(pilot)
            assert "[b]Which[/b]" in text_of(pilot)
            assert "\x1b" not in text_of(pilot)
            await pilot.press("enter")
            await reads(pilot, "Enter or y approves")


async def test_pictures_of_what_is_asked_and_of_what_is_missing(repo: Repo, snapshot: SnapshotAssertion) -> None:
    async with app_in(repo, (80, 24), begins_with="agent") as pilot:
        await reads(pilot, "AI settings are required")
        await still(pilot)
        assert picture(pilot) == snapshot(extension_class=Pictures, name="missing")
    asked = (question("Which format?", "JSON", "YAML"), question("どこへ出力しますか?", "標準出力", "ファイル"))
    with planner(repo, going(*asked)):
        async with app_in(repo, (80, 24), begins_with="agent") as pilot:
            await begin(pilot)
            await reads(pilot, "● a) 標準出力")
            await reads(pilot, "waits for answers")
            await reads(pilot, "Inbox 1")
            await seen(pilot, lambda: pilot.app.focused is composer(pilot))
            await still(pilot)
            short = pilot.app.screen.query_one(ChatView).chat.session.short
            drawn = picture(pilot, hide={short: "0" * 8})
            assert _VARIES.sub("0", drawn) == snapshot(extension_class=Pictures, name="asked")
            await pilot.press("enter")
            await reads(pilot, "Enter or y approves")


async def test_what_is_typed_or_pasted_while_a_card_has_the_keys_goes_to_where_one_types(repo: Repo) -> None:
    with planner(repo, going(question("Which format?", "JSON", "YAML"), question("Strict?", "yes", "no"))):
        async with app_in(repo, begins_with="agent") as pilot:
            await say(pilot, WISH)
            await reads(pilot, "● a) JSON  (default)")
            await pilot.press("up")
            await seen(pilot, lambda: isinstance(pilot.app.focused, QuestionsCard))
            typed_at_once(pilot, "x y z")
            await seen(pilot, lambda: composer(pilot).text == "x y z")
            await pilot.press("escape")
            await reads(pilot, "put aside: ↑ brings it back")
            await pilot.press("up")
            assert composer(pilot).text == "x y z", "and not to the card"
            typed_at_once(pilot, "<<y<<<word<\nnext<")
            await reads(pilot, "● your words: xwor")
            await seen(pilot, lambda: composer(pilot).text == "nex")
            await pilot.press(*["backspace"] * 3, "up")
            await seen(pilot, lambda: isinstance(pilot.app.focused, QuestionsCard))
            pilot.app.post_message(Paste("two\nlines"))
            await seen(pilot, lambda: composer(pilot).text == "two\nlines")
            pilot.app.post_message(Paste(", and more"))
            await seen(pilot, lambda: composer(pilot).text == "two\nlines, and more")


async def test_a_session_that_could_not_be_read_comes_forward_as_soon_as_it_can_be(repo: Repo) -> None:
    with planner(repo, going()):
        with surroundings(repo):
            door = FrontDoor(repo.path)
            first = await asyncio.to_thread(door.begin, WISH)
            await asyncio.to_thread(until, lambda: door.session(first.id).tasks)
            await asyncio.to_thread(until, lambda: not background_conductors(repo.path))
        async with app_in(repo, begins_with="agent") as pilot:
            await reads(pilot, "Enter or y approves")
            view = pilot.app.screen.query_one(ChatView)
            aside = repo.store.rename(repo.store.with_name("aside"))
            view.following.bring_forward(first.id, alone=True)
            await reads(pilot, "(E")
            view.chat.front = None
            await asyncio.to_thread(shutil.rmtree, repo.store, ignore_errors=True)
            aside.rename(repo.store)
            view.following.bring_forward(first.id, alone=True)
            await seen(pilot, lambda: view.chat.front == first.id)


async def test_a_pasted_text_stays_whole_and_keys_are_not_remembered(repo: Repo) -> None:
    with planner(repo, going()):
        async with app_in(repo, begins_with="agent") as pilot:
            await reads(pilot, "what do you want?")
            typed = composer(pilot)
            await seen(pilot, lambda: typed.has_focus)
            await pilot.press("a", "ctrl+j", "b")
            assert typed.text == "a\nb"
            typed.clear()
            typed.insert("first")
            typed.action_send()
            typed.insert("next")
            await reads(pilot, "first")
            assert typed.text == "next", "what is typed after Enter is not lost"
            typed.clear()
            await say(pilot, "/keys set openai sk-0123456789abcdefghijklmnop")
            await reads(pilot, "a key is never typed where everybody can read it")
            assert "sk-0123" not in text_of(pilot)
            await reads(pilot, "Enter or y approves")
            assert (typed.recall.back(""), typed.recall.back("")) == ("first", None)


@pytest.mark.covers("G12")
async def test_a_dry_run_stops_after_the_plan_and_saying_so_goes_on(repo: Repo) -> None:
    with planner(repo, usual("A")):
        async with app_in(repo, begins_with="agent") as pilot:
            await begin(pilot, f"計画だけ: {WISH}")
            await reads(pilot, "Enter or y approves")
            assert not repo.git("branch", "--list", "agent/*")
            await say(pilot, "実行して")
            await reads(pilot, "COMPLETE")
    assert repo.tasks()["A"]["state"] == "integrated"
