"""Branch names are safe, short and never taken, whatever the title; ids are found by any unique prefix."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import opening, planned

from toryo.domain.plan import PlannedTask
from toryo.rules.evolve import fold
from toryo.rules.naming import LONGEST, branch_name, folder_of, matching, name_branches, slug, window_names

SHAPE = re.compile(r"agent/[a-z0-9_-]+")
TITLES = st.one_of(
    st.text(max_size=100),
    st.text(alphabet="aA-_ /\\.2本", max_size=80),
    st.sampled_from(["", "日本語", "add login", "Add Login", "-", "a" * 100, "x" * 58 + "-2", "é", "HEAD"]),
)


@pytest.mark.covers("G15")
@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Add login", "add-login"),
        ("Add login/logout", "add-login-logout"),
        ("Fix bug #42 (urgent!)", "fix-bug-42-urgent"),
        ("snake_case stays", "snake_case-stays"),
        ("  many   blanks\tand\nlines  ", "many-blanks-and-lines"),
        ("a\\b", "a-b"),
        ("Ｆｕｌｌ　Ｗｉｄｔｈ", "full-width"),
        ("../../etc/passwd", "etc-passwd"),
        ("feature.lock", "featurelock"),
        ("--force", "force"),
        ("日本語だけ", ""),
        ("", ""),
    ],
)
def test_slug(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_a_free_name_is_taken_as_it_is() -> None:
    assert branch_name("Add login", "x", []) == "agent/add-login"


@pytest.mark.covers("G15")
def test_collisions_are_numbered_without_regard_to_case() -> None:
    assert branch_name("Add login", "x", ["agent/add-login"]) == "agent/add-login-2"
    assert branch_name("Add login", "x", ["Agent/Add-Login", "agent/add-login-2"]) == "agent/add-login-3"


@pytest.mark.covers("G15", "B11")
def test_a_title_with_nothing_left_gets_a_name_that_says_something() -> None:
    session, (first, second) = name_branches("計画", "0123abcd", [planned("T1", title="画面")] * 2, [])
    assert session == "agent/session-0123abcd"
    assert first == "agent/implementation-0123abcd-t1"
    assert second == "agent/implementation-0123abcd-t1-2"


def test_a_long_title_is_cut_also_where_a_number_follows() -> None:
    name = branch_name("a" * 200, "x", [])
    assert len(name) == LONGEST
    again = branch_name("a" * 200, "x", [name])
    assert len(again) == LONGEST
    assert again.endswith("a-2")


def test_a_title_that_looks_numbered_already() -> None:
    titles = ["a", "a-2", "a", "a"]
    _, names = name_branches("s", "0", [planned("T", title=title) for title in titles], [])
    assert names == ["agent/a", "agent/a-2", "agent/a-3", "agent/a-4"]


@pytest.mark.covers("G15")
@given(TITLES, st.lists(TITLES, max_size=12), st.lists(TITLES, max_size=6))
def test_all_names_are_safe_short_and_different(session: str, titles: list[str], others: list[str]) -> None:
    taken = [branch_name(title, "other", []) for title in others] + ["main", "Agent/A"]
    tasks = [planned(f"T{number}", title=title) for number, title in enumerate(titles)]
    own, names = name_branches(session, "0123abcd", tasks, taken)
    assert len(names) == len(tasks)
    for name in (own, *names):
        assert SHAPE.fullmatch(name)
        assert len(name) <= LONGEST
        assert name[len("agent/")] not in "-_"
        assert name[-1] not in "-_"
    everything = [own, *names, *{name.lower() for name in taken}]
    assert len(set(everything)) == len(everything)


@pytest.mark.covers("G15")
@given(TITLES, st.sets(TITLES, max_size=8))
def test_one_name_alone(title: str, others: set[str]) -> None:
    taken = {branch_name(other, "f", []) for other in others}
    name = branch_name(title, "fallback", taken)
    assert SHAPE.fullmatch(name)
    assert len(name) <= LONGEST
    assert name not in taken


@pytest.mark.parametrize("title", ["The same", "長" * 10, "y" * 100])
def test_thousands_of_equal_titles_are_named_in_no_time(title: str) -> None:
    tasks: list[PlannedTask] = [planned("T", title=title)] * 5000
    began = time.process_time()
    _, names = name_branches("s", "0", tasks, ["agent/the-same", *(f"agent/the-same-{n}" for n in range(2, 999))])
    assert time.process_time() - began < 2
    assert len(set(names)) == 5000
    assert max(map(len, names)) <= LONGEST


@pytest.mark.covers("G15")
def test_folder_is_named_like_the_branch() -> None:
    assert folder_of("agent/add-login") == "add-login"


# ── finding by a prefix ──────────────────────────────────────────────────────

IDS = ["run-0a1b2c3d", "run-0a1bffff", "run-77777777"]


@pytest.mark.covers("A1")
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("run-0a1b2c3d", IDS[:1]),
        ("0a1b2c3d", IDS[:1]),
        ("0a1b2", IDS[:1]),
        (" 0A1B2 ", IDS[:1]),
        ("run-7", IDS[2:]),
        ("0a1b", IDS[:2]),
        ("run-", IDS),
        ("1b2c", []),
        ("", []),
        (" ", []),
    ],
)
def test_matching(wanted: str, found: list[str]) -> None:
    assert matching(wanted, IDS, "run") == found


def test_an_exact_name_wins_over_those_it_begins() -> None:
    ids = ["task-0123abcd-1", "task-0123abcd-10", "task-0123abcd-11"]
    assert matching("task-0123abcd-1", ids, "task") == ids[:1]
    assert matching("0123abcd-1", ids, "task") == ids[:1]


@pytest.mark.covers("A1")
@given(st.lists(st.uuids().map(lambda uuid: f"session-{uuid}"), unique=True, min_size=1), st.integers(1, 36))
def test_every_prefix_finds_at_least_its_own(ids: list[str], length: int) -> None:
    wanted = ids[0].removeprefix("session-")[:length]
    assert ids[0] in matching(wanted, ids, "session")
    assert all(known.removeprefix("session-").startswith(wanted) for known in matching(wanted, ids, "session"))


# ── windows ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("title", "group"),
    [
        ("Add a login", "toryo-0123abcd-add-a-login"),
        ("ログインを作る", "toryo-0123abcd"),
        ("a.b:c#{d}", "toryo-0123abcd-abcd"),
        ("The twenty-four letters or so that are shown", "toryo-0123abcd-the-twenty-four-letters"),
    ],
)
def test_windows_are_named_so_that_tmux_can_find_them(title: str, group: str) -> None:
    session = fold(opening(planned("T1", title="Two\nlines  here"), title=title))
    assert session is not None
    assert window_names(session, session.task("T1")) == (group, "T1 Two lines here")


@given(TITLES)
def test_no_title_makes_a_group_that_tmux_would_take_for_something_else(title: str) -> None:
    session = fold(opening("T1", title=title))
    assert session is not None
    assert re.fullmatch(r"toryo-0123abcd(-[a-z0-9_-]*[a-z0-9_])?", window_names(session, session.task("T1"))[0])
