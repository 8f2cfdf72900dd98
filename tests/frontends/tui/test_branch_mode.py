"""Branch mode on real repositories: what is seen, what is done by its keys, and what is said where it cannot be."""

import re
import time
from functools import partial

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.support.app_pictures import Pictures, picture, still
from tests.support.apps import app_in, reads, seen, text_of
from tests.support.planning_server import Answer, model_endpoint
from tests.support.repositories import Repo, shell
from textual.pilot import Pilot
from textual.widgets import Input

from toryo.frontends.tui.branches.listing import BranchList
from toryo.frontends.tui.branches.pane import BranchPane
from toryo.frontends.tui.branches.panels import DetailsPanel, SummaryPanel
from toryo.frontends.tui.branches.patchview import PatchScreen, PatchText
from toryo.frontends.tui.dialogs import Confirm, Tell

DAY = 86_400


def dated(repo: Repo, days: float) -> None:
    """What is committed from now on was committed so many days ago."""
    moment = f"{int(time.time() - days * DAY - 60)} +0000"
    repo.environ |= {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}


def a_feature(repo: Repo) -> None:
    """`feature`: two commits ahead of main and one behind, checked out beside, with something not committed."""
    dated(repo, 9)
    repo.git("commit", "-q", "--amend", "--no-edit", "--reset-author")
    dated(repo, 3)
    repo.git("worktree", "add", "-q", "-b", "feature", ".worktrees/feature")
    repo.git("config", "--local", "user.name", "Test")
    (repo.store.parent / "info" / "exclude").write_text(".worktrees/\n")
    inside = Repo(repo.path / ".worktrees" / "feature", repo.environ)
    inside.write("src/export.py", "one\ntwo\nthree\n")
    inside.commit("An encoder")
    inside.write("README.md", "hello, [bold]world[/bold]\n")
    inside.commit("Words of [bold]welcome[/bold]")
    inside.write("draft.txt", "not yet\n")
    dated(repo, 2)
    repo.write("NEWS.md", "news\n")
    repo.commit("News")


def moment_of(repo: Repo, name: str) -> str:
    at = int(repo.git("log", "-1", "--format=%ct", name))
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def row(pilot: Pilot[int], name: str) -> str:
    """The line of the list that a branch is on; empty: none."""
    shown = pilot.app.screen.query_one(BranchList).region
    lines = [line[: shown.right] for line in text_of(pilot).splitlines()]
    return next((line for line in lines if re.search(rf"[┃│].{{4}}{re.escape(name)}(\s|…)", line)), "")


async def go_to(pilot: Pilot[int], name: str) -> None:
    """Down to a branch, by keys, until its details are there."""
    branches = pilot.app.screen.query_one(BranchList)
    await seen(pilot, lambda: row(pilot, name))
    for _ in range(30):
        if branches.key == name:
            break
        await pilot.press("down")
    assert branches.key == name
    await reads(pilot, f"Details · {name}")


@pytest.mark.covers("G1", "G37")
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_branches_are_listed_and_both_panels_are_seen_at_once(repo: Repo, size: tuple[int, int]) -> None:
    a_feature(repo)
    repo.git("branch", "agent/old", "main~1")
    async with app_in(repo, size) as pilot:
        await go_to(pilot, "feature")
        await seen(pilot, lambda: "↑2 ↓1" in row(pilot, "feature") and "±1" in row(pilot, "feature"))
        assert "▌ + feature" in row(pilot, "feature"), "it is chosen, and has a worktree"
        assert "  * main" in row(pilot, "main")
        assert "↓1" in row(pilot, "agent/old")
        assert "3 d" in row(pilot, "feature")
        details = pilot.app.screen.query_one(DetailsPanel).region
        summary = pilot.app.screen.query_one(SummaryPanel).region
        assert details.x == summary.x
        assert details.bottom == summary.y, "one above the other"
        assert min(details.height, summary.height) >= 7
        assert summary.bottom <= size[1] - 2
        await reads(pilot, "No model is configured")
        await reads(pilot, "F4 opens the settings")
        assert ".worktrees/feature" in text_of(pilot)


async def test_in_a_small_window_several_branches_and_both_panels_are_seen(repo: Repo) -> None:
    a_feature(repo)
    repo.git("branch", "other", "main~1")
    async with app_in(repo, (60, 15)) as pilot:
        for name in ("main", "feature", "other"):
            await seen(pilot, partial(row, pilot, name))
        await reads(pilot, "last commit")
        await reads(pilot, "No model is configured")


async def test_where_it_is_narrow_all_three_stand_below_each_other_and_side_by_side_again_in_a_wider_window(
    repo: Repo,
) -> None:
    async with app_in(repo, (60, 30)) as pilot:
        shown = pilot.app.screen.query_one
        await seen(pilot, lambda: shown(DetailsPanel).region.y >= shown(BranchList).region.bottom)
        assert shown(DetailsPanel).region.width == shown(SummaryPanel).region.width == 60
        await pilot.resize_terminal(100, 30)
        await seen(pilot, lambda: shown(DetailsPanel).region.x >= shown(BranchList).region.right)
        await pilot.press("tab")
        await pilot.resize_terminal(60, 30)
        await pilot.press("tab")
        await seen(pilot, lambda: shown(DetailsPanel).region.y >= shown(BranchList).region.bottom)


async def test_a_subject_of_any_length_leaves_room_for_what_else_there_is(repo: Repo) -> None:
    repo.git("commit", "--allow-empty", "-qm", "word " * 200)
    async with app_in(repo, (80, 24)) as pilot:
        await reads(pilot, "worktree")
        await reads(pilot, "word word…")


async def test_the_details_tell_commits_files_and_what_is_not_committed(repo: Repo) -> None:
    a_feature(repo)
    async with app_in(repo, (120, 60)) as pilot:
        await go_to(pilot, "feature")
        for text in ("2 commits, 2 files, +4 -1", "Words of [bold]welcome[/bold]", "An encoder", "?? draft.txt"):
            await reads(pilot, text)
        assert re.search(r"\+3 +-0 +src/export.py", text_of(pilot))
        await pilot.press("enter")
        assert isinstance(pilot.app.focused, DetailsPanel), "nobody is at work on it: the details get the keys"
        await pilot.press("escape")
        assert isinstance(pilot.app.focused, BranchList)
        await pilot.press("v")
        await seen(pilot, lambda: isinstance(pilot.app.screen, PatchScreen))
        await reads(pilot, "+hello, [bold]world[/bold]")
        assert "-hello" in text_of(pilot)
        await pilot.resize_terminal(120, 10)
        patch = pilot.app.screen.query_one(PatchText)
        await seen(pilot, lambda: 0 < patch.size.height < 10 < patch.virtual_size.height)
        await pilot.press("n")
        await seen(pilot, lambda: text_of(pilot).splitlines()[1].startswith(" diff --git a/src/export.py"))
        await pilot.press("p")
        await seen(pilot, lambda: text_of(pilot).splitlines()[1].startswith(" diff --git a/README.md"))
        await pilot.press("escape")
        await reads(pilot, "[Branches]")


@pytest.mark.covers("G37")
async def test_what_others_do_is_seen_by_itself(repo: Repo) -> None:
    async with app_in(repo) as pilot:
        await seen(pilot, lambda: row(pilot, "main"))
        repo.git("branch", "someone/elses")
        await seen(pilot, lambda: row(pilot, "someone/elses"))
        repo.git("commit", "--allow-empty", "-qm", "Onwards")
        await seen(pilot, lambda: "↓1" in row(pilot, "someone/elses"))
        await reads(pilot, "Onwards")
        repo.git("branch", "-D", "someone/elses")
        await seen(pilot, lambda: not row(pilot, "someone/elses"))


@pytest.mark.covers("G37")
async def test_a_branch_is_made_with_its_name_checked_while_it_is_typed(repo: Repo) -> None:
    a_feature(repo)
    async with app_in(repo, (80, 24)) as pilot:
        await go_to(pilot, "feature")
        await pilot.press("n")
        await pilot.press(*"feature/x")
        await reads(pilot, "there cannot be both feature/x and feature")
        await pilot.press("enter")
        await pilot.press(*["backspace"] * 9, *"日本", "enter")
        await seen(pilot, lambda: row(pilot, "日本"))
        assert repo.git("rev-parse", "日本") == repo.git("rev-parse", "feature"), "it begins where the chosen one is"


@pytest.mark.covers("G37")
async def test_a_branch_stays_where_its_work_is_nowhere_else_and_goes_where_it_is(repo: Repo) -> None:
    a_feature(repo)
    (repo.path / ".worktrees" / "feature" / "draft.txt").unlink()
    async with app_in(repo) as pilot:
        await go_to(pilot, "feature")
        await pilot.press("d")
        await reads(pilot, "feature has work that is nowhere else: 2 commits")
        await reads(pilot, "hint: merge it into main")
        assert isinstance(pilot.app.screen, Tell)
        await pilot.press("enter")
        await pilot.press("m")
        await reads(pilot, "Merge feature into main?")
        await pilot.press("enter")
        await reads(pilot, "takes it back")
        assert "src/export.py" in repo.files_on("main")
        await seen(pilot, lambda: "↑" not in row(pilot, "feature"))
        await pilot.press("d")
        await reads(pilot, "its worktree .worktrees/feature")
        await pilot.press("enter")
        assert not isinstance(pilot.app.screen, Confirm), "Enter alone deletes nothing"
        await pilot.press("d")
        await reads(pilot, "Delete feature?")
        assert repo.git("branch", "--list", "feature")
        await pilot.press("y")
        await seen(pilot, lambda: not row(pilot, "feature"))
        assert not repo.git("branch", "--list", "feature")
        assert not (repo.path / ".worktrees" / "feature").exists()


@pytest.mark.covers("G37")
async def test_a_task_at_work_is_told_in_the_list_and_is_an_enter_away(repo: Repo) -> None:
    repo.git("branch", "other")
    go = repo.path.parent / "go"
    plan = repo.plan(shell("A", f"until [ -e {go} ]; do sleep 0.05; done"))
    process = repo.start("run", "--yes", "--plan", str(plan))
    try:
        async with app_in(repo, (140, 30)) as pilot:
            await go_to(pilot, "agent/task-a")
            await seen(pilot, lambda: re.search("working.*Task A", row(pilot, "agent/task-a")))
            assert "▌▶  agent/task-a" in row(pilot, "agent/task-a")
            await pilot.press("d")
            await reads(pilot, "is at work on agent/task-a")
            await pilot.press("escape", "enter")
            await seen(pilot, lambda: type(pilot.app.screen).__name__ == "TaskScreen")
            await reads(pilot, "Task A")
            await pilot.press("escape")
            await reads(pilot, "[Branches]")
    finally:
        go.touch()
        process.communicate()


@pytest.mark.covers("G37")
async def test_searching_finds_names_subjects_and_japanese_and_escape_shows_all(repo: Repo) -> None:
    a_feature(repo)
    repo.git("branch", "修正/ログイン画面", "main~1")
    async with app_in(repo, (80, 24)) as pilot:
        await seen(pilot, lambda: row(pilot, "feature"))
        await pilot.press("slash", *"ログ")
        await seen(pilot, lambda: not row(pilot, "feature"))
        assert row(pilot, "修正/ログイン画面")
        assert "1 of 3" in text_of(pilot)
        await reads(pilot, "Details · 修正/ログイン画面")
        await pilot.press("escape")
        await seen(pilot, lambda: row(pilot, "feature"))
        assert isinstance(pilot.app.focused, BranchList)
        assert pilot.app.screen.query_one(BranchList).key == "修正/ログイン画面", "what was found stays chosen"
        await pilot.press("slash", *"welcome", "enter")
        assert row(pilot, "feature")
        assert not row(pilot, "main")
        await pilot.press("slash", "x")
        await reads(pilot, "Nothing is found")
        await pilot.press("escape")
        assert row(pilot, "main")
        assert not pilot.app.screen.query_one("SearchLine", Input).has_class("-open")


@pytest.mark.covers("G1")
async def test_among_five_hundred_the_chosen_one_stays_where_it_is(repo: Repo) -> None:
    tip = repo.git("rev-parse", "HEAD")
    for number in range(500):
        (repo.store.parent / "refs" / "heads" / f"topic-{number:03}").write_text(f"{tip}\n")
    async with app_in(repo) as pilot:
        branches = pilot.app.screen.query_one(BranchList)
        await reads(pilot, "Branches  501")
        await pilot.press("end", *["pageup"] * 5, "up")
        name = branches.key
        lines = text_of(pilot).splitlines()
        at = next(place for place, line in enumerate(lines) if f"▌   {name}" in line)
        repo.git("branch", "aaa")
        repo.git("branch", "-D", "topic-499")
        await seen(pilot, lambda: "aaa" in {branch.name for branch in pane(pilot)._branches})
        await reads(pilot, "Branches  501")
        assert branches.key == name
        assert f"▌   {name}" in text_of(pilot).splitlines()[at], "on the same line of the screen"
        repo.git("branch", "-D", name)
        await seen(pilot, lambda: branches.key not in ("", name))
        assert "▌" in text_of(pilot).splitlines()[at], "the next one takes its place"


def pane(pilot: Pilot[int]) -> BranchPane:
    return pilot.app.screen.query_one(BranchPane)


async def test_a_mouse_chooses_and_presses_keys_on_their_line(repo: Repo) -> None:
    a_feature(repo)
    async with app_in(repo) as pilot:
        await seen(pilot, lambda: row(pilot, "feature"))
        at = next(place for place, line in enumerate(text_of(pilot).splitlines()) if "+ feature" in line)
        await pilot.click(BranchList, offset=(8, at - pilot.app.screen.query_one(BranchList).region.y))
        await reads(pilot, "Details · feature")
        await pilot.click("KeyLine", offset=(12, 0))
        await reads(pilot, "New branch")


async def test_the_frame_of_the_list_is_heavy_while_the_keys_go_there_and_from_the_other_mode_they_come_back(
    repo: Repo,
) -> None:
    """Also without colours one sees where the keys go."""

    def frames() -> tuple[str, str]:
        top = text_of(pilot).splitlines()[1]
        return top[0], top[pilot.app.screen.query_one(DetailsPanel).region.x]

    async with app_in(repo) as pilot:
        await seen(pilot, lambda: frames() == ("┏", "╭"))
        await pilot.press("slash")
        assert frames() == ("┏", "╭"), "what is searched for is typed in the same frame"
        await pilot.press("escape", "right")
        assert frames() == ("╭", "┏")
        await pilot.press("tab", "tab")
        assert isinstance(pilot.app.focused, BranchList)
        assert frames() == ("┏", "╭")


async def test_without_a_commit_or_a_branch_words_say_so(repo: Repo) -> None:
    a_feature(repo)
    repo.git("checkout", "-q", "--detach")
    async with app_in(repo, (80, 24)) as pilot:
        await reads(pilot, "no branch checked out (detached HEAD)")
        await go_to(pilot, "feature")
        await pilot.press("m")
        await reads(pilot, "Merge feature into what is checked out?")
        await pilot.press("enter")
        await reads(pilot, "(E107)")


async def test_an_empty_repository_says_that_there_is_no_commit(repo: Repo) -> None:
    repo.git("update-ref", "-d", "HEAD")
    async with app_in(repo) as pilot:
        await reads(pilot, "No commit yet")
        await pilot.press("d", "m", "v", "enter", "s", "n")
        await reads(pilot, "New branch")
        await pilot.press("a", "enter")
        await reads(pilot, "no commit yet")


@pytest.mark.covers("G37")
async def test_broken_branches_are_named_among_the_others_with_what_to_do(repo: Repo) -> None:
    a_feature(repo)
    heads = repo.store.parent / "refs" / "heads"
    repo.git("branch", "cut")
    (heads / "lost").write_text("1" * 40 + "\n")
    (heads / "cut").write_text("")
    async with app_in(repo, (120, 40)) as pilot:
        await go_to(pilot, "feature")
        await seen(pilot, lambda: "↑2 ↓1" in row(pilot, "feature"))
        assert "broken" in row(pilot, "lost")
        (repo.path / ".worktrees" / "feature" / "draft.txt").unlink()
        await pilot.press("d")
        await reads(pilot, "feature has work that is nowhere else: 2 commits")
        await pilot.press("escape")
        await go_to(pilot, "lost")
        await reads(pilot, "the branch lost is broken: missing object")
        await reads(pilot, "update-ref -d refs/heads/lost")
        await pilot.press("d")
        await seen(pilot, lambda: text_of(pilot).count("(E189)") == 2)
        await pilot.press("m")
        await seen(pilot, lambda: text_of(pilot).count("(E189)") == 3)
        await pilot.press("home")
        await go_to(pilot, "cut")
        await reads(pilot, "the branch cut is broken: no commit can be")
        await reads(pilot, "git branch cut")
        (heads / "cut").unlink()
        repo.git("update-ref", "-d", "refs/heads/lost")
        await seen(pilot, lambda: not row(pilot, "lost") and not row(pilot, "cut"))
        await reads(pilot, "Branches  2")


async def test_where_git_can_list_nothing_that_is_said_and_looked_at_again_by_a_key(repo: Repo) -> None:
    head = repo.store.parent / "HEAD"
    whole = head.read_text()
    async with app_in(repo, (80, 24)) as pilot:
        await seen(pilot, lambda: row(pilot, "main"))
    head.write_text("")
    async with app_in(repo, (80, 24)) as pilot:
        await reads(pilot, "Git cannot list the branches")
        head.write_text(whole)
        await pilot.press("r")
        await seen(pilot, lambda: row(pilot, "main"))


@pytest.mark.covers("G35")
async def test_a_summary_is_asked_for_by_a_key_once_for_each_commit(repo: Repo) -> None:
    a_feature(repo)
    with model_endpoint([Answer("It brings an **encoder**.", delay=0.3), "It is news."]) as endpoint:
        repo.environ |= endpoint.environ("openai")
        async with app_in(repo) as pilot:
            await go_to(pilot, "feature")
            await reads(pilot, "s asks the model")
            await pilot.press("s", "s")
            await reads(pilot, "asking the model …")
            await pilot.press("home")
            await reads(pilot, "AI summary · main")
            await go_to(pilot, "feature")
            await reads(pilot, "It brings an encoder.")
        assert len(endpoint.bodies) == 1
        async with app_in(repo) as pilot:
            await go_to(pilot, "feature")
            await reads(pilot, "It brings an encoder.")
            assert len(endpoint.bodies) == 1, "what was said is kept"
            inside = Repo(repo.path / ".worktrees" / "feature", repo.environ)
            inside.commit("The draft, too")
            await reads(pilot, "s asks the model")
            await pilot.press("s")
            await reads(pilot, "It is news.")
        assert len(endpoint.bodies) == 2


async def test_what_a_model_fails_at_is_said_where_the_summary_would_be(repo: Repo) -> None:
    with model_endpoint([]) as endpoint:
        repo.environ |= endpoint.environ("openai")
        async with app_in(repo) as pilot:
            await reads(pilot, "s asks the model")
            await pilot.press("s")
            await reads(pilot, "s asks again.")


@pytest.mark.covers("G1", "G37")
async def test_how_branch_mode_looks(repo: Repo, snapshot: SnapshotAssertion) -> None:
    a_feature(repo)
    repo.git("branch", "修正/ログイン画面", "main~1")
    repo.git("branch", "agent/an-old-one-with-a-name-that-is-much-too-long-for-it", "main~1")
    async with app_in(repo, (100, 30)) as pilot:
        await go_to(pilot, "feature")
        await seen(pilot, lambda: "±1" in row(pilot, "feature"))
        await reads(pilot, "No model is configured")
        hidden = {"Test, " + moment_of(repo, "feature"): "Test, 2026-01-01 12:00"}
        for commit in (repo.git("rev-parse", name) for name in ("feature", "feature~1")):
            hidden |= {commit[:8]: "0" * 8, commit[:7]: "0" * 7}
        await still(pilot)
        assert picture(pilot, hidden) == snapshot(extension_class=Pictures)
