"""Journals of sessions to which anything may have happened, and a strict look at what is read from them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from tests.rules.test_reviewing import TESTS, Walk
from tests.support.planning import CREW
from tests.support.sessions import AT, BASE, SESSION, TREE, opening, planned

from toryo.domain import events as e
from toryo.domain.plan import Terms
from toryo.rules.evolve import fold
from toryo.views.records import logshapes, shapes
from toryo.views.records.schema import schema

EXAMPLES = Path(__file__).parent.parent / "views" / "examples"
ROOT = "/home/somebody/shop"
_REVIEWED = {"reviews": True, "replans": 2, "judges": True, "parallel": 2}


def example(name: str) -> Any:
    return json.loads((EXAMPLES / f"{name}.json").read_text("utf-8"))


@cache
def _validator(kind: Any) -> jsonschema.Draft202012Validator:
    made = schema({"Answer": kind})
    return jsonschema.Draft202012Validator(made | {"$ref": "#/$defs/Answer"})


def problems(kind: Any, record: Any) -> list[str]:
    """What keeps a record from being exactly of that shape."""
    data = json.loads(json.dumps(record, allow_nan=False))
    return [f"{error.json_path}: {error.message}" for error in _validator(kind).iter_errors(data)]


def wandered(seed: int, trouble: int, *, has_plan: bool, most: int = 100) -> list[e.Event]:
    """The journal of a session that lived through all sorts of things."""
    if has_plan:
        tasks = [
            planned("A", checks=(TESTS,), expect=("made.txt", "other.txt")),
            planned("B", "A", description="with a key: sk-ant-" + "x1" * 20),
            planned("C", "A"),
            planned("D", "B", "C"),
        ]
        begun = opening(*tasks, checks=(TESTS,), **_REVIEWED)
    else:
        terms = Terms(crew=CREW, **_REVIEWED)
        names = ("A greeting", "", "main", BASE, TREE, "agent/greeting")
        begun = [e.SessionOpened(AT, SESSION, *names, terms, "Add a greeting", "SPEC-0123abcd")]
    session = fold(begun)
    assert session is not None
    walk = Walk(session, seed, trouble)
    walk.go(most)
    return [*begun, *walk.events]


SHAPES: dict[str, Any] = {
    kind.__name__: kind
    for module in (shapes, logshapes)
    for kind in vars(module).values()
    if getattr(kind, "__module__", "") == module.__name__ and hasattr(kind, "__required_keys__")
}
