"""Tasks on the same files wait for each other: never two at once unless the plan says so, and never for ever."""

import re
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.resting import Walk
from tests.support.sessions import AT, a_session, accept, after, claim, finish, leave, planned, refuse, start, stop

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.locks import FileLock, LockType
from toryo.domain.plan import Check, Limits, PlannedTask, TaskType
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.rules.admit import admit
from toryo.rules.evolve import evolve
from toryo.rules.locking import in_the_way, locks, shared_path
from toryo.rules.pathsets import overlap
from toryo.rules.playbook import next_effects
from toryo.rules.scope import out_of_scope
from toryo.views.rows import task_row
from toryo.views.words import state_words

pytestmark = pytest.mark.covers("P6", "P12")


def starts(session: Session) -> list[str]:
    planned_runs = [effect for effect in next_effects(session) if isinstance(effect, fx.PlanRun)]
    return sorted(session.tasks[effect.task].plan.key for effect in planned_runs)


def on(key: str, *scope: str, **more: object) -> PlannedTask:
    return planned(key, scope=scope, **more)


# ── globs ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a/**", "src/**/x.py"),
        ("src/a/**", "src/a/b.py"),
        ("src/**/x.py", "src/x.py"),
        ("**", "anything/at/all"),
        ("src", "src/deep/down.py"),
        ("src/", "./src/a.py"),
        ("*.py", "setup.py"),
        ("*.py", "[a-z]*"),
        ("src/*/test_?.py", "src/unit/**"),
        ("a*c", "*b*"),
        (".", "x"),
        ("日本/**", "日本/語.md"),
    ],
)
def test_globs_that_share_a_path(one: str, other: str) -> None:
    assert overlap(one, other)
    assert overlap(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a/**", "src/b/**"),
        ("src/a/**", "src/ab/c.py"),
        ("src/**/x.py", "lib/a/y.py"),
        ("*.py", "*.md"),
        ("*.py", "src/*.py/x.md"),
        ("src/*.py", "src/a/b.py"),
        ("SRC/**", "src/**"),
        ("docs", "docs.md"),
        ("a/?.py", "a/bb.py"),
        ("[ab].py", "c.py"),
    ],
)
def test_globs_that_share_none(one: str, other: str) -> None:
    assert not overlap(one, other)
    assert not overlap(other, one)


def test_a_name_may_be_that_of_a_folder_too() -> None:
    assert overlap("src/**/x.py", "src/a/y.py"), "as in src/a/y.py/x.py"


def test_a_path_is_taken_literally() -> None:
    assert overlap("app/[id]/page.tsx", "app/i/page.tsx")
    assert not overlap("app/[id]/page.tsx", "app/i/page.tsx", is_path=(True, False))
    assert overlap("app/[id]/page.tsx", "app/**", is_path=(True, False))


NAMES = st.text("ab.[]", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(["a", "b", "/", "*", "**", "**/", "?", "[ab]", "[!a]", "[", "]", ".", "[b-a]"])
GLOBS = st.lists(PIECES, min_size=1, max_size=7).map("".join)


@settings(max_examples=300, deadline=None)
@given(GLOBS, GLOBS, PATHS)
@example("[!a]b", "a/b", "a/b")
@example("[b-a]", "[[]b-a]", "[b-a]")
def test_no_shared_path_is_missed(one: str, other: str, path: str) -> None:
    if not out_of_scope([path], (one,)) and not out_of_scope([path], (other,)):
        assert overlap(one, other)
    if not out_of_scope([path], (one,)):
        assert overlap(one, path, is_path=(False, True))
        assert overlap(one, re.sub(r"[^/]+", "*", path))


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=2, max_size=2, unique=True), GLOBS)
def test_different_folders_share_nothing(folders: list[str], inside: str) -> None:
    one, other = folders
    assert not overlap(f"{one}/**", f"{other}/{inside}")


# ── who waits ────────────────────────────────────────────────────────────────


def test_tasks_on_the_same_files_take_turns() -> None:
    session = a_session(on("A", "src/**"), on("B", "src/a.py"), on("C", "docs/**"), "D")
    assert starts(session) == ["A", "C", "D"]
    running = start(session, "A")
    assert "B" not in starts(running)
    assert not admit(running, e.RunPlanned(AT, 2, "run-2-1", "crew", "talk"))
    assert state_words(running, running.task("B")) == "waits for A (same files: src/a.py)"
    assert task_row(running, running.task("B"))["held_up_by"] == {
        "task": "task-0123abcd-1",
        "key": "A",
        "path": "src/a.py",
    }
    assert "B" not in starts(finish(running, "A")), "what is being checked may have to be done again"
    assert "B" in starts(accept(session, "A")), "what is accepted changes no more"
    assert starts(claim(stop(running, "A"), "B")) == ["C", "D"], "what is stopped holds nothing"


@pytest.mark.parametrize("who", ["A", "B"])
def test_one_of_the_two_saying_so_is_enough(who: str) -> None:
    session = a_session(*(on(key, "src/**", may_overlap=key == who) for key in "AB"))
    assert starts(session) == ["A", "B"]


def test_reading_beside_reading_but_not_beside_writing() -> None:
    read = [on(key, "src/**", type=kind) for key, kind in (("A", TaskType.INVESTIGATION), ("B", TaskType.REVIEW))]
    assert starts(a_session(*read, on("C", "src/x"))) == ["A", "B"]
    assert starts(start(a_session(*read, on("C", "src/x")), "C")) == []


def test_what_says_nothing_about_files_waits_for_nobody() -> None:
    assert starts(a_session("A", on("B", "**"), "C")) == ["A", "B", "C"]


def test_expected_files_count_where_no_scope_is_given() -> None:
    session = a_session(planned("A", expect=("src/[a].py",)), planned("B", expect=("src/[a].py",)), on("C", "src/a.py"))
    assert starts(session) == ["A", "C"]


def test_nobody_is_overtaken_on_the_same_files() -> None:
    session = a_session(on("A", "src/a/**"), on("B", "src/**"), on("C", "src/c/**"), on("D", "docs"))
    assert starts(session) == ["A", "D"], "C is free, but B has waited for longer"
    assert starts(accept(session, "A")) == ["B", "D"]


def test_the_task_that_settles_a_conflict_goes_first() -> None:
    session = a_session(on("A", "src/**"), on("B", "src/**"), on("C", "src/**"), parallel=1)
    session = accept(session, "A")
    session = refuse(session, "A")
    assert starts(session) == ["A-merge"]


def test_sessions_from_before_there_were_locks_go_on() -> None:
    session = claim(a_session(on("A", "src"), on("B", "src")), "A")
    overlapping = evolve(session, e.RunPlanned(AT, 2, "run-2-1", "crew", "talk"))
    assert len(overlapping.live) == 2
    walk = Walk(overlapping, 1, 0, lambda *_: None)
    assert walk.to_rest().state is SessionState.CLOSED


def test_locks_are_what_is_live() -> None:
    session = a_session(on("A", "b", "a", limits=Limits(seconds=60)), on("B", "c", type=TaskType.INVESTIGATION), "C")
    assert locks(session) == ()
    session = start(start(start(session, "A"), "B"), "C")
    assert locks(session) == (
        FileLock("a", 1, "run-1-1", AT, LockType.WRITE, AT + 60),
        FileLock("b", 1, "run-1-1", AT, LockType.WRITE, AT + 60),
        FileLock("c", 2, "run-2-1", AT, LockType.READ, AT + 1800),
    )
    assert len(locks(leave(session, "A"))) == 3
    assert len(locks(stop(stop(session, "A"), "B"))) == 0


# ── whatever happens ─────────────────────────────────────────────────────────

SCOPES = st.lists(st.sampled_from(["src/**", "src/a/*", "src/a/b.py", "docs", "**/*.md", "*"]), max_size=2)
TASKS = st.lists(
    st.tuples(SCOPES, st.integers(0, 4), st.sampled_from(["", "", "", "may", "read"]), st.booleans()),
    min_size=1,
    max_size=9,
)


def plan_of(shape: list[tuple[list[str], int, str, bool]]) -> list[PlannedTask]:
    tasks: list[PlannedTask] = []
    for number, (scope, back, kind, is_checked) in enumerate(shape):
        needs = [tasks[-back].key] if 0 < back <= len(tasks) else []
        kinds = {"type": TaskType.INVESTIGATION} if kind == "read" else {"may_overlap": kind == "may"}
        checks = (Check("tests", "make test"),) if is_checked else ()
        tasks.append(planned(f"T{number}", *needs, scope=tuple(scope), checks=checks, **kinds))
    return tasks


@settings(max_examples=80, deadline=None)
@given(TASKS, st.integers(0, 10_000), st.sampled_from([0, 15, 50]), st.integers(1, 5))
def test_never_two_on_the_same_files_and_every_walk_comes_to_its_end(
    shape: list[tuple[list[str], int, str, bool]], seed: int, trouble: int, parallel: int
) -> None:
    def look(session: Session, _: frozenset[fx.Effect]) -> None:
        live = [session.tasks[number] for number in session.live]
        for one, other in combinations(live, 2):
            assert not shared_path(one.plan, other.plan)
        for number in session.ready:
            task = session.tasks[number]
            assert task.state is TaskState.PLANNED
            assert in_the_way(session, task) is None or session.live

    walk = Walk(a_session(*plan_of(shape), parallel=parallel, attempts=2), seed, trouble, look)
    for _ in range(60):
        session = walk.to_rest()
        if session.state is SessionState.CLOSED:
            break
        blocked = [task.number for task in session.tasks.values() if task.state is TaskState.BLOCKED]
        assert blocked, "it rests only where somebody has to look"
        walk.resume()
        for number in blocked:
            walk.record(e.TaskRetried(AT, number))
    assert walk.session.state is SessionState.CLOSED


# ── checks ───────────────────────────────────────────────────────────────────

SUITE = Check("suite", "make test")


def checks_wanted(session: Session) -> list[int]:
    return sorted(effect.task for effect in next_effects(session) if isinstance(effect, fx.RunCheck))


@pytest.mark.covers("B4")
def test_finished_agents_wait_for_checks_while_others_start() -> None:
    session = a_session(*(planned(key, checks=(SUITE,)) for key in "ABCDEFGH"), parallel=2, checks_at_once=1)
    session = finish(start(finish(start(session, "A"), "A"), "B"), "B")
    assert (session.busy, checks_wanted(session), starts(session)) == (0, [1], ["C", "D"])


@pytest.mark.covers("B4")
def test_but_not_without_end() -> None:
    keys = "ABCDEFGH"
    session = a_session(*(planned(key, checks=(SUITE,)) for key in keys), parallel=1, checks_at_once=1)
    for key in keys[:4]:
        session = finish(start(session, key), key)
    assert starts(session) == []
    assert starts(after(session, e.ParallelChanged(AT, 2))) == ["E", "F"]


@pytest.mark.covers("B4")
def test_a_newcomer_does_not_cut_off_a_check_that_runs() -> None:
    session = a_session(*(planned(key, checks=(SUITE,)) for key in "ABC"), checks_at_once=1)
    session = finish(start(session, "C"), "C")
    assert checks_wanted(session) == [3]
    session = finish(start(session, "A"), "A")
    assert checks_wanted(session) == [3]


@pytest.mark.covers("B4")
def test_a_merge_that_is_checked_takes_its_place_among_the_checks() -> None:
    session = a_session(*(planned(key, checks=(SUITE,)) for key in "AB"), checks_at_once=1)
    session = finish(start(accept(session, "A"), "B"), "B")
    assert [type(effect).__name__ for effect in next_effects(session)] == ["MergeTask"]
    other = finish(
        start(finish(start(a_session(*(planned(k, checks=(SUITE,)) for k in "AB"), checks_at_once=1), "B"), "B"), "A"),
        "A",
    )
    assert checks_wanted(other) == [2]


@settings(max_examples=60, deadline=None)
@given(TASKS, st.integers(0, 10_000), st.sampled_from([0, 20]), st.integers(1, 4), st.integers(1, 3))
def test_never_more_checks_than_allowed_and_agents_within_their_slots(
    shape: list[tuple[list[str], int, str, bool]], seed: int, trouble: int, parallel: int, cap: int
) -> None:
    under_way: set[fx.Effect] = set()

    def look(session: Session, wanted: frozenset[fx.Effect]) -> None:
        nonlocal under_way
        heavy = {effect for effect in wanted if isinstance(effect, fx.RunCheck) or _is_checked_merge(session, effect)}
        assert len(heavy) <= cap
        assert session.busy <= parallel
        cut_off = {effect for effect in under_way - heavy if _still_to_do(session, effect)}
        assert not cut_off, "what has begun goes on"
        under_way = heavy

    tasks = [planned(task.key, *task.depends_on, checks=(SUITE, Check("lint", "lint"))) for task in plan_of(shape)]
    Walk(a_session(*tasks, parallel=parallel, checks_at_once=cap), seed, trouble, look).to_rest()


def _is_checked_merge(session: Session, effect: fx.Effect) -> bool:
    return isinstance(effect, fx.MergeTask) and bool(session.tasks[effect.task].plan.checks)


def _still_to_do(session: Session, effect: fx.Effect) -> bool:
    assert isinstance(effect, fx.TaskEffect)
    task = session.tasks[effect.task]
    if isinstance(effect, fx.RunCheck):
        run = task.runs[-1]
        return (
            task.state is TaskState.CHECKING
            and run.id == effect.run
            and effect.check not in {r.name for r in run.results}
        )
    is_the_same = isinstance(effect, fx.MergeTask) and effect.tip == session.tip
    return task.state is TaskState.ACCEPTED and is_the_same and session.mending is None
