"""The schema that ships for editors, and the checker: they know the same fields and agree on what these may hold."""

import copy
import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from toryo.adapters.planfile import load_plan
from toryo.adapters.planforms import Fields, Found
from toryo.adapters.planshape import ALLOWANCE, CHECK, LIMITS, MOST_CHARACTERS, PLAN, TASK, TaskShape, plan_shape
from toryo.domain.errors import ToryoError
from toryo.domain.hygiene import Rule
from toryo.domain.plan import Check, OnFailure, TaskType, WorktreeChoice
from toryo.rules.durations import DURATION_PATTERN

SCHEMA = json.loads(resources.files("toryo.adapters").joinpath("plan.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SHAPES: dict[str, Fields] = {
    "AllowanceShape": ALLOWANCE,
    "CheckShape": CHECK,
    "LimitsShape": LIMITS,
    "TaskShape": TASK,
    "": PLAN,
}
ENUMS = {"OnFailure": OnFailure, "Rule": Rule, "TaskType": TaskType, "WorktreeChoice": WorktreeChoice}
FIELDS = [(shape, name) for shape, fields in SHAPES.items() for name in fields.known]
CONFIGURED = (Check("x", "y"),)


def described(shape: str) -> dict[str, Any]:
    found: dict[str, Any] = SCHEMA["$defs"][shape] if shape else SCHEMA
    return found


def schema_problems(plan: object) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(plan)]


def checker_problems(plan: object) -> Found:
    found: Found = []
    shape = plan_shape(plan, found)
    assert (shape is None) == bool(found)
    return found


def assert_agreement(plan: object) -> None:
    """On whether the plan has its shape at all, not on the words."""
    by_schema, by_checker = schema_problems(plan), checker_problems(plan)
    assert bool(by_schema) == bool(by_checker), (plan, by_schema, by_checker)


def loaded(path: Path, text: str) -> bool:
    """Whether the reader takes the file."""
    path.write_text(text, "utf-8")
    agents = dict.fromkeys(TaskType, "claude")
    try:
        load_plan(path, default_agents=agents, config_checks=CONFIGURED, known_agents=("claude", "shell", "scripted"))
    except ToryoError as error:
        assert error.code == "E110"
        return False
    return True


def in_yaml(text: str) -> object:
    return YAML(typ="safe", pure=True).load(text)


# ── the same fields ──────────────────────────────────────────────────────────


def test_the_schema_is_one_and_describes_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for shape in SHAPES:
        for name, field in described(shape)["properties"].items():
            assert field["description"], name
    assert '"null"' not in json.dumps(SCHEMA)


@pytest.mark.parametrize("shape", SHAPES)
def test_both_know_the_same_fields(shape: str) -> None:
    schema, fields = described(shape), SHAPES[shape]
    assert list(schema["properties"]) == list(fields.known)
    assert schema.get("required", []) == list(fields.required)
    assert schema["additionalProperties"] is False


def test_both_know_the_same_words() -> None:
    assert set(SCHEMA["$defs"]) == {*SHAPES, *ENUMS} - {""}
    for name, members in ENUMS.items():
        assert SCHEMA["$defs"][name]["enum"] == [member.value for member in members]
    fields = {"rule": ALLOWANCE, "on_failure": CHECK, "type": TASK, "worktree": TASK}
    enums = {"rule": Rule, "on_failure": OnFailure, "type": TaskType, "worktree": WorktreeChoice}
    for name, shape in fields.items():
        for member in enums[name]:
            found: Found = []
            assert shape.known[name](member.value, (), found) is member
            assert not found


def test_defaults_are_what_the_schema_says() -> None:
    task, check = TaskShape("k", "t"), Check("n", "c")
    for shape, value in (("TaskShape", task), ("CheckShape", check)):
        for name, field in described(shape)["properties"].items():
            if "default" in field:
                default = getattr(value, name)
                assert field["default"] == (list(default) if isinstance(default, tuple) else default), name


def test_patterns_and_lengths_are_those_of_the_checker() -> None:
    timeout = described("CheckShape")["properties"]["timeout"]
    assert timeout["oneOf"][0]["pattern"] == DURATION_PATTERN
    assert set(re.findall(r'"maxLength": (\d+)', json.dumps(SCHEMA))) == {str(MOST_CHARACTERS)}


# ── the same files ───────────────────────────────────────────────────────────


def documented() -> Iterator[str]:
    """The examples people are shown."""
    root = Path(__file__).parents[2]
    for page in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        for block in re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            if re.search("^tasks:", block, re.MULTILINE):
                yield block


FULL = """\
$schema: ./plan.schema.json
title: JSON export
agent: shell
parallel: 3
may_overlap: false
checks:
  test: {command: pytest -q, timeout: 1h 30m, on_failure: block, parallel: 1}
  lint: ruff check .
  slow: {command: make, timeout: 1.5, on_failure: warn}
tasks:
  - key: T001
    title: Write the encoder
    type: investigation
    description: ''
    acceptance: [it works, 速い]
    depends_on: []
    scope: [src/export/**, '*.md']
    expect: [src/export/json.py, ..x/...]
    agent: scripted
    worktree: shared
    limits: {files: 5, tests: 10, seconds: 900}
    may_overlap: true
    checks: {more: {command: x}, test: nox}
    tests_first: false
    complexity: high
    allow: [{rule: todo, paths: [src/**], reason: the word is the feature}]
  - {key: T.2_b-, title: Two, command: make, acceptance: works, depends_on: [T001], checks: [lint], limits: {}}
  - {key: c, title: Three, command: make, checks: make check}
"""
VALID = [
    FULL,
    *documented(),
    "tasks: [{key: a, title: b}]",
    "checks: pytest\ntasks: [{key: a, title: b, checks: [check], acceptance: works}]",
    "checks: {a: x, b: {command: y, timeout: 90, parallel: 1}}\ntasks: [{key: a, title: b, checks: {c: z}}]",
    "tasks: [{key: a, title: b, command: make, checks: []}]",
    "checks: {}\ntasks: [{key: a, title: b}]",
]


@pytest.mark.parametrize("text", VALID)
def test_both_accept(tmp_path: Path, text: str) -> None:
    plan = in_yaml(text)
    assert schema_problems(plan) == []
    assert checker_problems(plan) == []
    assert loaded(tmp_path / "plan.yaml", text)


def test_one_valid_example_uses_every_field() -> None:
    plan: Any = in_yaml(FULL)
    used = {("", name) for name in plan}
    used |= {("TaskShape", name) for task in plan["tasks"] for name in task}
    used |= {("LimitsShape", name) for task in plan["tasks"] for name in task.get("limits", {})}
    used |= {("AllowanceShape", name) for task in plan["tasks"] for each in task.get("allow", []) for name in each}
    used |= {("CheckShape", name) for check in plan["checks"].values() if isinstance(check, dict) for name in check}
    assert used == set(FIELDS)


@pytest.mark.parametrize(
    "text",
    [
        "title: x",
        "[]",
        "tasks: []",
        "tasks: {a: b}",
        "tasks: [x]",
        "tasks: [{key: a}]",
        "tasks: [{title: a}]",
        "tasks: [{key: a b, title: x}]",
        "tasks: [{key: '', title: x}]",
        f"tasks: [{{key: {'k' * 65}, title: x}}]",
        "tasks: [{key: a, title: ' '}]",
        "tasks: [{key: a, title: 3}]",
        "tasks: [{key: a, title: x, depend_on: []}]",
        "tasks: [{key: a, title: x, depends_on: a}]",
        "tasks: [{key: a, title: x, depends_on: [a b]}]",
        "tasks: [{key: a, title: x, description: null}]",
        "tasks: [{key: a, title: x, type: impl}]",
        "tasks: [{key: a, title: x, worktree: [new]}]",
        "tasks: [{key: a, title: x, limits: {files: 0}}]",
        "tasks: [{key: a, title: x, limits: {seconds: 1.5}}]",
        "tasks: [{key: a, title: x, limits: {tests: true}}]",
        "tasks: [{key: a, title: x, limits: {second: 1}}]",
        "tasks: [{key: a, title: x, limits: 3}]",
        "tasks: [{key: a, title: x, expect: [/abs]}]",
        "tasks: [{key: a, title: x, expect: [a/../b]}]",
        "tasks: [{key: a, title: x, expect: ['']}]",
        "tasks: [{key: a, title: x, acceptance: {a: b}}]",
        "tasks: [{key: a, title: x, scope: [1]}]",
        "tasks: [{key: a, title: x, checks: 3}]",
        "tasks: [{key: a, title: x, tests_first: maybe}]",
        "tasks: [{key: a, title: x, checks: {a: [b]}}]",
        "checks: [a]\ntasks: [{key: a, title: x}]",
        "tasks: [{key: a, title: x, allow: [{rule: todo}]}]",
        "tasks: [{key: a, title: x, allow: [{rule: todos, reason: y}]}]",
        "tasks: [{key: a, title: x, allow: {rule: todo, reason: y}}]",
        "tasks: [{key: a, title: x, allow: [{rule: todo, reason: ' '}]}]",
        "checks: {a b: x}\ntasks: [{key: a, title: x}]",
        f"checks: {{{'k' * 65}: x}}\ntasks: [{{key: a, title: x}}]",
        "checks: {a: {timeout: 1m}}\ntasks: [{key: a, title: x}]",
        "checks: {a: {command: x, timeout: soon}}\ntasks: [{key: a, title: x}]",
        "checks: {a: {command: x, timeout: 0}}\ntasks: [{key: a, title: x}]",
        "checks: {a: {command: x, timeout: true}}\ntasks: [{key: a, title: x}]",
        "checks: {a: {command: x, on_failure: stop}}\ntasks: [{key: a, title: x}]",
        "checks: {a: {command: x, timout: 3}}\ntasks: [{key: a, title: x}]",
        "parallel: 0\ntasks: [{key: a, title: x}]",
        "schema_address: x\ntasks: [{key: a, title: x}]",
    ],
)
def test_both_refuse(tmp_path: Path, text: str) -> None:
    plan = in_yaml(text)
    assert schema_problems(plan)
    assert checker_problems(plan)
    assert not loaded(tmp_path / "plan.yaml", text)


@pytest.mark.parametrize(
    "fields",
    [
        "checks: {a: {command: x, timeout: 0s}}",
        "checks: {a: {command: x, timeout: 400d}}",
        "checks: {a: {command: x, timeout: 99999999}}",
        f"checks: {{a: {{command: x, timeout: 1{'0' * 400}}}}}",
        f"checks: {{a: {{command: x, timeout: 1.{'0' * 60}s}}}}",
        "limits: {files: 2.0}",
        "expect: [.]",
    ],
)
def test_what_only_the_checker_refuses(tmp_path: Path, fields: str) -> None:
    """What a schema cannot say, or not in a readable way; it never refuses what the checker accepts."""
    text = f"tasks: [{{key: a, title: x, {fields}}}]"
    assert schema_problems(in_yaml(text)) == []
    assert not loaded(tmp_path / "plan.yaml", text)


# ── whatever stands in a field ───────────────────────────────────────────────

VALUES: list[Any] = [
    *("a", "T1", "a b", "", " ", "\u3000", "../x", "/a", "a/..", "..", "..a", "a//b", "日本", "k" * 64, "k" * 65),
    *("10m", "1h30m", "1m1h", "soon", "90", "-3", "1e3", " 5 s ", "１m"),
    *("retry", "block", "Warn", "new", "shared", "implementation", "integration", "feature", "todo", "med"),
    *(0, 1, 3, -1, 1.5, -1.5, 0.0, 10**7, True, False, None),
    *([], ["a"], ["a", "a"], ["a b"], [""], [1], [None], [["a"]], [{}], ["a", 1.5]),
    *({}, {"a": "b"}, {"a": 1}, {"a b": "c"}, {"a": None}, {"files": 1}, {"files": 1, "lines": 2}, {"command": "x"}),
    *([{"rule": "todo", "reason": "a"}], [{"rule": "todo"}]),
    *({"a": {"command": "x"}}, {"a": {}}, {"a": ["x"]}, {"a": {"command": "x", "retry": 1}}),
    *([{"key": "a", "title": "b"}], [{"key": "a"}], [{"key": "a", "title": "b", "c": "d"}, 1]),
]
"""Without those on which only the checker has an opinion."""


def with_field(shape: str, name: str, value: object) -> dict[str, Any]:
    plan: dict[str, Any] = {"tasks": [{"key": "a", "title": "b"}]}
    match shape:
        case "CheckShape":
            plan["checks"] = {"c": {"command": "d", name: value}}
        case "LimitsShape":
            plan["tasks"][0]["limits"] = {name: value}
        case "AllowanceShape":
            plan["tasks"][0]["allow"] = [{"rule": "todo", "reason": "b", name: value}]
        case "TaskShape":
            plan["tasks"][0][name] = value
        case _:
            plan[name] = value
    return plan


@pytest.mark.parametrize(("shape", "name"), FIELDS)
def test_both_agree_on_every_value_of_a_field(shape: str, name: str) -> None:
    verdicts = set()
    for value in VALUES:
        plan = with_field(shape, name, value)
        assert_agreement(plan)
        verdicts.add(bool(checker_problems(plan)))
    assert verdicts == {True, False}, "some value should be right, and some wrong"


NAMES = st.sampled_from(
    [*dict.fromkeys(name for _, name in FIELDS), "task", "depend_on", "schema_address", "a b", "k" * 65, ""]
)
ANY = st.recursive(
    st.sampled_from(VALUES).map(copy.deepcopy),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)


def containers(value: object) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@st.composite
def mutated(draw: st.DrawFn) -> object:
    """A valid plan with some things replaced, left out or added, anywhere in it."""
    plan = in_yaml(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(0, 3))):
        around = draw(st.sampled_from(list(containers(plan))))
        places = list(around) if isinstance(around, dict) else list(range(len(around)))
        change = draw(st.sampled_from(["replace", "leave out", "add"])) if places else "add"
        if change == "leave out":
            del around[draw(st.sampled_from(places))]
        elif change == "replace":
            around[draw(st.sampled_from(places))] = draw(ANY)
        elif isinstance(around, dict):
            around[draw(NAMES)] = draw(ANY)
        else:
            around.append(draw(ANY))
    return plan


@settings(max_examples=200, deadline=None)
@given(mutated())
def test_both_agree_on_plans_that_went_wrong_somewhere(plan: object) -> None:
    assert_agreement(plan)


@settings(max_examples=200, deadline=None)
@given(ANY)
def test_both_agree_on_anything_at_all(plan: object) -> None:
    assert_agreement(plan)
