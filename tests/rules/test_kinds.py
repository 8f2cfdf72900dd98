"""Which checks hold for which work: code is tested, words are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import a_session, check, finish, planned, seen, start

from toryo.domain.plan import Check, TaskType
from toryo.domain.session import Session
from toryo.rules.judging import next_check, verdict_on
from toryo.rules.kinds import checks_for, is_documentation, is_documentation_only, is_unchecked

TESTS, LINKS = Check("tests", "make test"), Check("links", "make links")


def worked(kind: TaskType, *paths: str, own: tuple[str, ...] = ()) -> Session:
    task = planned("A", type=kind, checks=(TESTS, LINKS), own_checks=own)
    changes = {} if paths else {"changes": ()}
    return finish(start(a_session(task), "A"), "A", seen(*paths, **changes))


@pytest.mark.covers("P55")
@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "LICENSE",
        "docs/guide.rst",
        "docs/img/a.png",
        "docs/使い方.md",
        "CHANGELOG",
        "pkg/README.md",
        "a.adoc",
    ],
)
def test_what_people_read(path: str) -> None:
    assert is_documentation(path)


@pytest.mark.covers("P55")
@pytest.mark.parametrize(
    "path",
    [
        "setup.py",
        "requirements.txt",
        "CMakeLists.txt",
        "docs/conf.py",
        "src/prompts/ask.md",
        "tests/a.md",
        "a.png",
        "Makefile",
    ],
)
def test_what_programs_read(path: str) -> None:
    assert not is_documentation(path)


@pytest.mark.covers("P8", "P55")
@pytest.mark.parametrize(
    ("kind", "paths", "names"),
    [
        (TaskType.IMPLEMENTATION, ("README.md",), ["tests", "links"]),
        (TaskType.DOCUMENTATION, ("README.md", "docs/a.md"), []),
        (TaskType.DOCUMENTATION, ("README.md", "a.py"), ["tests", "links"]),
        (TaskType.DOCUMENTATION, (), ["tests", "links"]),
        (TaskType.INVESTIGATION, (), []),
        (TaskType.REVIEW, (), []),
        (TaskType.INTEGRATION, ("README.md",), ["tests", "links"]),
    ],
)
def test_the_checks_of_the_plan_by_kind_of_task(kind: TaskType, paths: tuple[str, ...], names: list[str]) -> None:
    task = worked(kind, *paths).task("A")
    assert [one.name for one in checks_for(task, task.run)] == names


@pytest.mark.parametrize("kind", [TaskType.DOCUMENTATION, TaskType.INVESTIGATION])
def test_what_the_task_itself_asks_for_always_holds(kind: TaskType) -> None:
    paths = ("README.md",) if kind is TaskType.DOCUMENTATION else ()
    session = worked(kind, *paths, own=("links",))
    following = next_check(session.task("A"), session.terms)
    assert following is not None
    assert following.name == "links"


def test_documentation_that_was_accepted_without_checks_says_so_and_does_not_count_as_unchecked() -> None:
    session = worked(TaskType.DOCUMENTATION, "README.md")
    assert next_check(session.task("A"), session.terms) is None
    assert verdict_on(session.task("A"), session.terms).reasons == ("documentation only: checks not needed",)
    for plan in (planned("A", type=TaskType.DOCUMENTATION), planned("A", type=TaskType.REVIEW)):
        task = finish(start(a_session(plan), "A"), "A", seen("README.md")).task("A")
        assert not is_unchecked(task)
    assert is_unchecked(finish(start(a_session("A"), "A"), "A", seen("README.md")).task("A"))


def test_documentation_of_an_earlier_run_is_no_evidence_of_this_one() -> None:
    task = planned("A", type=TaskType.DOCUMENTATION, checks=(TESTS,))
    session = finish(start(a_session(task), "A"), "A", seen("README.md", run_changed=False))
    assert verdict_on(session.task("A"), session.terms).outcome == "NO_EVIDENCE"


@given(st.lists(st.sampled_from(["README.md", "docs/a.png", "a.py", "src/b.md", "x.txt"]), max_size=4))
def test_one_file_that_is_something_else_brings_all_checks_back(paths: list[str]) -> None:
    session = worked(TaskType.DOCUMENTATION, *paths)
    task = session.task("A")
    only = bool(paths) and all(is_documentation(path) for path in paths)
    assert is_documentation_only(task, task.run) is only
    assert bool(checks_for(task, task.run)) is not only


def test_checks_still_decide_where_they_hold() -> None:
    session = check(worked(TaskType.DOCUMENTATION, "a.py"), "A")
    assert verdict_on(session.task("A"), session.terms).reasons == ()
