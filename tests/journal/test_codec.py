"""Every event survives being stored, and what cannot be understood is said to be unreadable."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from tests.support.sessions import AT, any_event, evidence, planned, seen

from toryo.domain import events as e
from toryo.domain.events import EVENTS, Event
from toryo.domain.hygiene import Allowance, Hygiene, Level, Protection, Rule
from toryo.domain.plan import Check, Limits, Terms
from toryo.domain.verdict import Disposition
from toryo.journal.codec import Unreadable, decode, encode
from toryo.journal.upcast import VERSION

KINDS = sorted(name for name in EVENTS if name != "TaskEvent")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_the_class_of_that_name(kind: str) -> None:
    assert EVENTS[kind] is getattr(e, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_comes_back_as_it_was(kind: str) -> None:
    @settings(max_examples=15, deadline=None)
    @given(any_event(EVENTS[kind]))
    def comes_back(event: Event) -> None:
        body = encode(event)
        json.loads(body)
        again = decode(kind, VERSION, body)
        assert again == event
        assert type(again) is type(event)
        assert encode(again) == body

    comes_back()


def test_an_event_with_everything_in_it() -> None:
    task = planned("A", "B", checks=(Check("t", "make", parallel=2),), limits=Limits(files=3, seconds=1.5))
    events: list[Event] = [
        e.SessionOpened(AT, "s", "題", "", "main", "c", "t", "agent/x", Terms(setup=("a", "b"), parallel=9)),
        e.SessionOpened(
            AT,
            "s",
            "t",
            "",
            "main",
            "c",
            "t",
            "agent/x",
            Terms(
                hygiene=Hygiene(((Rule.TODO, Level.WARN),), (Allowance(Rule.SYNTAX, ("a/**",), "why"),)),
                protection=Protection(("infra/**",), deletions=0),
            ),
        ),
        e.PlanProposed(AT, (task, task), task.checks),
        e.WorkObserved(AT, 1, "run", seen("a\nb", "\udc80"), (evidence(),)),
        e.MergeRefused(AT, 1, Disposition.RESOLVE, ("x",), "why", task, (evidence(),)),
        e.EffectFailed(AT, "x", "y", 1.5, None),
        e.EffectFailed(AT, "x", "y", 1.5, 0),
    ]
    for event in events:
        assert decode(type(event).__name__, VERSION, encode(event)) == event


def test_what_has_its_default_is_not_stored() -> None:
    assert json.loads(encode(e.SessionClosed(AT, seen_outcome()))) == {"at": AT, "outcome": "COMPLETE"}
    assert json.loads(encode(e.RunStopped(AT, 1, "run"))) == {"at": AT, "task": 1, "run": "run"}


def seen_outcome() -> e.Outcome:
    return e.Outcome.COMPLETE


STARTED = {"at": AT, "task": 1, "run": "run", "pid": 7}


def unreadable(kind: str, data: object, version: int = VERSION) -> str:
    with pytest.raises(Unreadable) as caught:
        decode(kind, version, json.dumps(data))
    return str(caught.value)


def test_the_one_that_is_right() -> None:
    """Else the ones below would be refused for another reason."""
    assert decode("RunStarted", VERSION, json.dumps(STARTED)) == e.RunStarted(AT, 1, "run", 7)


def test_unknown_kinds() -> None:
    assert "RunTeleported" in unreadable("RunTeleported", STARTED)
    unreadable("Event", {"at": AT})
    unreadable("", STARTED)


def test_unknown_and_missing_fields() -> None:
    assert "mood" in unreadable("RunStarted", {**STARTED, "mood": "good"})
    for name in STARTED:
        assert name in unreadable("RunStarted", {key: value for key, value in STARTED.items() if key != name})
    nested = {"at": AT, "tasks": [{"key": "A", "title": "a", "agent": "x", "mood": "good"}]}
    assert "mood" in unreadable("PlanProposed", nested)


@pytest.mark.parametrize(
    "wrong",
    [
        {"pid": "7"},
        {"pid": 7.5},
        {"pid": None},
        {"pid": [7]},
        {"run": 1},
        {"run": None},
        {"at": "now"},
        {"task": {}},
    ],
)
def test_wrong_types(wrong: dict[str, object]) -> None:
    unreadable("RunStarted", {**STARTED, **wrong})


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("SessionClosed", {"at": AT, "outcome": "SPLENDID"}),
        ("SessionClosed", {"at": AT, "outcome": None}),
        ("PlanProposed", {"at": AT, "tasks": 3}),
        ("PlanProposed", {"at": AT, "tasks": None}),
        ("BasesConflicted", {"at": AT, "task": 1, "run": "r", "files": [1]}),
        ("EffectFailed", {"at": AT, "effect": "x", "message": "y", "not_before": 1, "task": "1"}),
    ],
)
def test_wrong_types_deeper_down(kind: str, data: object) -> None:
    unreadable(kind, data)


@pytest.mark.parametrize("body", ["", "{", "\x00", '{"at":1}x', "nonsense"])
def test_what_is_not_json(body: str) -> None:
    with pytest.raises(Unreadable):
        decode("RunStarted", VERSION, body)


def test_versions_nobody_knows() -> None:
    assert "newer Toryo" in unreadable("RunStarted", STARTED, VERSION + 1)
    unreadable("RunStarted", STARTED, 0)


@pytest.mark.parametrize("data", [[], "text", 3, None])
def test_json_that_is_not_an_object(data: object) -> None:
    unreadable("RunStarted", data)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("BasesConflicted", {"at": AT, "task": 1, "run": "r", "files": "abc"}),
        ("BasesConflicted", {"at": AT, "task": 1, "run": "r", "files": {"a": 1}}),
        ("RunStarted", {**STARTED, "pid": True}),
    ],
)
def test_types_that_only_look_right(kind: str, data: object) -> None:
    unreadable(kind, data)


def test_the_table_of_kinds_does_not_depend_on_the_garbage_collector() -> None:
    program = "import gc; gc.disable(); from toryo.domain.events import EVENTS; print('TaskEvent' in EVENTS)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
