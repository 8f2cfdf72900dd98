"""Branches as rows and words: aligned in any script, found by whatever is known, the most wanted first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.branch import Branch, Commit, Details, FileLines, Work
from toryo.views.branches import (
    age_words,
    branch_lines,
    change_lines,
    changes_words,
    commit_lines,
    distance_words,
    facts_about,
    file_lines,
    mark_of,
    matching,
    ordered,
    row_of,
    total_words,
    work_words,
)
from toryo.views.columns import width

NOW = 2_000_000_000.0
RUNNING = Work("7682b3a8", "Login", "working", "main", "T001", "ログイン画面を作る", "claude", is_running=True)
MAIN = Branch("main", "a" * 40, "base", NOW - 90_000, "Aoi", is_current=True, worktree="/r", changes=3)
TASK = Branch(
    "agent/日本語の作業", "b" * 40, "feat: x", NOW - 7_200, "Toryo", False, "", "main", 2, 1, "/r/w", 0, "", RUNNING
)
OLD = Branch("feature/Login", "c" * 40, "fix the door", NOW - 9e6, "Bo", compared_to="main", ahead=0, behind=0)
NEW = Branch("zeta", "d" * 40, "new", NOW - 5, "Bo", worktree="/r/z", by_hand="")
EVERY = (OLD, TASK, NEW, MAIN)


def test_the_checkout_comes_first_then_running_work_then_the_latest() -> None:
    assert ordered(EVERY) == (MAIN, TASK, NEW, OLD)


@pytest.mark.covers("B11")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", EVERY),
        ("login", (OLD, TASK)),
        ("ＬＯＧＩＮ door", (OLD,)),
        ("ログイン", (TASK,)),
        ("t001", (TASK,)),
        ("7682", (TASK,)),
        ("claude working", (TASK,)),
        ("bo", (OLD, NEW)),
        (":agent", (TASK,)),
        (":running", (TASK,)),
        (":dirty", (MAIN,)),
        (":worktree -:running", (NEW, MAIN)),
        ("-login -zeta", (MAIN,)),
        (":ahead", (TASK,)),
        ("nothing", ()),
    ],
)
def test_what_is_typed_finds_branches_by_whatever_is_known(words: str, found: tuple[Branch, ...]) -> None:
    assert matching(EVERY, words) == found


def test_a_row_says_it_all_without_colours() -> None:
    assert row_of(TASK, NOW).cells == ("▶", TASK.name, "↑2 ↓1", "", "2 h", "working (claude): T001 ログイン画面を作る")
    assert [mark_of(one) for one in (MAIN, TASK, NEW, OLD)] == ["*", "▶", "+", " "]
    assert distance_words(OLD) == "="
    assert distance_words(MAIN) == ""
    assert changes_words(MAIN) == "±3"
    merging = Branch("x", "e" * 40, under_way="a merge", worktree="/x", changes=1)
    assert changes_words(merging) == "!±1"
    assert work_words(merging) == "a merge is under way"
    assert work_words(Branch("x", "e" * 40, by_hand="codex")) == "codex, started by hand"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "now"), (59, "now"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_400, "1 d"), (604_800, "1 w"),
     (40_000_000, "1 y"), (90_000_000, "2 y")],
)  # fmt: skip
def test_ages_are_short(seconds: float, words: str) -> None:
    assert age_words(seconds) == words


@pytest.mark.covers("B11")
def test_columns_line_up_whatever_the_script() -> None:
    lines = branch_lines(ordered(EVERY), 80, NOW)
    assert all(width(line) <= 80 for line in lines)
    ages = ["1 d", "2 h", "now", "14 w"]
    assert len({width(line.split(age)[0]) for line, age in zip(lines, ages, strict=True)}) == 1


@given(st.lists(st.text(alphabet="ab/試験ｱ🦊é", min_size=1, max_size=60), max_size=5), st.integers(45, 160))
def test_no_line_is_wider_than_its_room(names: list[str], room: int) -> None:
    branches = [Branch(name, "f" * 40, committed_at=NOW, work=RUNNING, ahead=99_999, behind=1) for name in names]
    assert all(width(line) <= room for line in branch_lines(branches, room, NOW))


def test_nothing_that_steers_a_terminal_or_is_secret_is_shown() -> None:
    secret = "ghp_" + "a1B2" * 9
    nasty = Branch("x", "f" * 40, f"\x1b[31mred {secret}\nline", NOW, "evil\u202e", work=Work("s", "t", "\x07state"))
    told = facts_about(Details(nasty, "main", "0" * 40), NOW)
    said = "\n".join(words for _, words in told) + row_of(nasty, NOW).work
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert secret not in said
    assert all("\n" not in words for _, words in told)


def test_the_panel_tells_what_is_known() -> None:
    told = Details(
        TASK, "main", "0" * 40,
        (Commit("abc1234", NOW - 60, "Aoi", "feat: 画面"), Commit("def5678", NOW - 7200, "葵", "begin")), 3,
        (FileLines("src/画面.py", 120, 3), FileLines("logo.png", None, None)), 1, 120, 3, (" M a", "?? b"), 2, "",
        (("attempts", "2"),),
    )  # fmt: skip
    facts = dict(facts_about(told, NOW))
    assert facts["compared to"] == "main: 2 ahead, 1 behind"
    assert facts["worktree"] == "/r/w (clean)"
    assert facts["task"] == "T001 ログイン画面を作る: working"
    assert facts["session"] == "7682b3a8 Login"
    assert facts["attempts"] == "2"
    assert "merged" not in facts
    assert commit_lines(told, 60, NOW) == [
        "abc1234  1 min  Aoi  feat: 画面",
        "def5678  2 h    葵   begin",
        "… and 3 more commits",
    ]
    assert file_lines(told, 60) == ["+120  -3   src/画面.py", "bin   bin  logo.png", "… and 1 more file"]
    assert total_words(told) == "5 commits, 3 files, +120 -3"
    assert change_lines(told, 40) == [" M a", "?? b", "… and 2 more paths"]
