"""What each task of a list waits for, and the plan it makes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.plan import Check, TaskType
from toryo.domain.tasklist import Entry, Phase, TaskList
from toryo.rules.graph import find_cycle
from toryo.rules.listedorder import Stated
from toryo.rules.tasklistplan import plan_from_tasklist, short
from toryo.rules.tasklists import MOST_SIDE_BY_SIDE, with_dependencies

AGENTS = {kind: "writer" if kind is TaskType.DOCUMENTATION else "coder" for kind in TaskType}


def entry(number: int, **more: object) -> Entry:
    return Entry(f"T{number:03}", number, f"Task {number}", f"Task {number}", **more)  # type: ignore[arg-type]


def ordered(entries: list[Entry], **stated: object) -> dict[str, tuple[str, ...]]:
    phases = [Phase(f"Phase {n}", n) for n in range(max((each.phase for each in entries), default=0) + 1)]
    said = Stated({each.key: {} for each in entries})
    for name, value in stated.items():
        setattr(said, name, value)
    found, remarks = with_dependencies(entries, phases, said)
    assert not [remark for remark in remarks if remark.is_error]
    return {each.key: each.depends_on for each in found if not each.is_done}


def test_without_marks_tasks_follow_each_other() -> None:
    assert ordered([entry(1), entry(2), entry(3)]) == {"T001": (), "T002": ("T001",), "T003": ("T002",)}


def test_marked_neighbours_run_beside_each_other() -> None:
    marked = {"is_parallel": True}
    assert ordered([entry(1), entry(2, **marked), entry(3, **marked), entry(4)]) == {
        "T001": (),
        "T002": ("T001",),
        "T003": ("T001",),
        "T004": ("T002", "T003"),
    }


def test_a_heading_between_marked_tasks_keeps_them_in_order() -> None:
    found = ordered([entry(1, is_parallel=True, section=1), entry(2, is_parallel=True, section=2)])
    assert found == {"T001": (), "T002": ("T001",)}


def test_doubt_takes_the_mark_away() -> None:
    marked = [entry(number, is_parallel=True) for number in (1, 2, 3)]
    assert ordered(marked, doubtful={"T002"}) == {"T001": (), "T002": ("T001",), "T003": ("T002",)}


def test_phases_follow_each_other_also_over_one_that_has_nothing_left() -> None:
    entries = [entry(1, phase=0), entry(2, phase=1, is_done=True), entry(3, phase=2)]
    assert ordered(entries)["T003"] == ("T001",)


def test_phases_that_may_run_together_wait_for_the_same() -> None:
    entries = [entry(number, phase=number - 1) for number in range(1, 5)]
    assert ordered(entries, together=[frozenset({1, 2})]) == {
        "T001": (),
        "T002": ("T001",),
        "T003": ("T001",),
        "T004": ("T002", "T003"),
    }


def test_a_phase_that_waits_for_a_later_one() -> None:
    entries = [entry(1, phase=0), entry(2, phase=1), entry(3, phase=2)]
    assert ordered(entries, phases={1: {2: 9}}, complete={1}) == {"T001": (), "T003": ("T001",), "T002": ("T003",)}


def test_tasks_with_the_same_file_never_run_beside_each_other() -> None:
    shared = {"is_parallel": True, "paths": ("src/a.py", "docs/")}
    found = ordered([entry(1, **shared), entry(2, is_parallel=True), entry(3, **shared)])
    assert found == {"T001": (), "T002": (), "T003": ("T001",)}
    folders = {"is_parallel": True, "paths": ("docs/",)}
    assert ordered([entry(1, **folders), entry(2, **folders)])["T002"] == ()


def test_large_groups_are_parted() -> None:
    found = ordered([entry(number, is_parallel=True) for number in range(1, 2 * MOST_SIDE_BY_SIDE + 1)])
    assert sum(not earlier for earlier in found.values()) == MOST_SIDE_BY_SIDE


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[Entry], dict[str, dict[str, int]]]:
    count = draw(st.integers(1, 12))
    entries = [
        entry(
            number,
            is_parallel=draw(st.booleans()),
            is_done=draw(st.integers(0, 5)) == 0,
            phase=draw(st.integers(0, 2)),
            section=draw(st.integers(0, 2)),
            paths=tuple(draw(st.lists(st.sampled_from(["a.py", "b.py"]), max_size=1))),
        )
        for number in range(1, count + 1)
    ]
    entries.sort(key=lambda each: each.phase)
    keys = [each.key for each in entries]
    tasks: dict[str, dict[str, int]] = {key: {} for key in keys}
    ranks = draw(st.permutations(range(count)))
    for later, earlier in draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=6)):
        if ranks[earlier] < ranks[later]:
            tasks[keys[later]][keys[earlier]] = 1
    return entries, tasks


def all_before(edges: dict[str, tuple[str, ...]]) -> dict[str, set[str]]:
    before: dict[str, set[str]] = {}

    def of(key: str) -> set[str]:
        if key not in before:
            before[key] = set(edges[key]).union(*(of(other) for other in edges[key]))
        return before[key]

    for key in edges:
        of(key)
    return before


@pytest.mark.covers("G8", "G36")
@given(lists())
def test_what_is_stated_holds_and_nothing_goes_round_or_is_said_twice(
    drawn: tuple[list[Entry], dict[str, dict[str, int]]],
) -> None:
    entries, tasks = drawn
    edges = ordered(entries, tasks=tasks)
    assert find_cycle(edges) is None
    before = all_before(edges)
    for key, earlier in tasks.items():
        assert key not in before or {other for other in earlier if other in edges} <= before[key]
    for key, earlier in edges.items():
        for other in earlier:
            assert not any(other in before[third] for third in edges[key])
    files: dict[str, list[str]] = {}
    for each in entries:
        for path in each.paths:
            files.setdefault(path, []).extend([] if each.is_done else [each.key])
    for keys in files.values():
        for one in keys:
            assert all(one == other or one in before[other] or other in before[one] for other in keys)


# ── plans ────────────────────────────────────────────────────────────────────


def test_a_plan_has_the_open_tasks_with_all_that_is_known_about_them() -> None:
    entries = (
        entry(1, is_done=True),
        Entry("T002", 2, "Write", "Write `src/a.py`\n\n- carefully", story="US1", paths=("src/a.py",)),
        Entry("T003", 3, "Tell", "Tell", paths=("docs/", "README.md"), depends_on=("T002",)),
    )
    phase = Phase("Phase 1: Base", 1, "**Goal**: a base")
    check = Check("test", "make test")
    plan = plan_from_tasklist(TaskList("List", (phase,), entries), agents=AGENTS, checks=(check,))
    assert [task.key for task in plan.tasks] == ["T002", "T003"]
    write, tell = plan.tasks
    for words in ("- carefully", "Files named: `src/a.py`", "User story: US1", "Phase 1: Base", "a base"):
        assert words in write.description
    assert (write.scope, write.expect, write.checks) == ((), (), (check,))
    assert (write.type, write.agent) == (TaskType.IMPLEMENTATION, "coder")
    assert (tell.type, tell.agent, tell.depends_on) == (TaskType.DOCUMENTATION, "writer", ("T002",))


@given(st.text(max_size=300))
def test_titles_are_short(title: str) -> None:
    assert len(short(title)) <= 100
    assert short(title) == title or len(title) > 100
