"""Reads a plan file, and says everything that is wrong with it at once."""

from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from toryo.adapters.located import Document, Node, Place, Problems, Unreadable, locate, read_json
from toryo.adapters.planforms import Found
from toryo.adapters.planreading import Reading
from toryo.adapters.planshape import PlanShape, plan_shape
from toryo.adapters.textfiles import unreachable
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Check, Plan, TaskType

SUFFIXES = (".yaml", ".yml", ".json")
FILLER = "-"
"""Stands where something is wrong; nothing more is said about such a place."""


def load_plan(
    path: Path,
    *,
    default_agents: Mapping[TaskType, str],
    config_checks: tuple[Check, ...],
    known_agents: Collection[str],
    by_complexity: Mapping[str, str] = MappingProxyType({}),
) -> Plan:
    """The plan in a file, every agent and check settled; ToryoError with one line per problem."""
    text = _text(path)
    try:
        document = locate(_tree(path, text))
    except Unreadable as error:
        raise _refusal(path, [f"{path}:{error.line}: {error}"]) from error
    problems = Problems(document)
    shape = _shape(document, problems)
    if shape is None:
        raise _refusal(path, problems.lines(path))
    reading = Reading(shape, problems, default_agents, config_checks, known_agents, by_complexity)
    plan = reading.plan(path.stem)
    if problems.entries:
        raise _refusal(path, problems.lines(path))
    return plan


# ── text ─────────────────────────────────────────────────────────────────────


def _text(path: Path) -> str:
    if path.suffix.lower() not in SUFFIXES and not path.is_dir():
        hint = f"plan files end in {', '.join(SUFFIXES)}"
        raise ToryoError("E111", f"{path} is not a plan file", hint=hint, exit_code=Exit.USAGE)
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        raise unreachable(path, error, code="E111", kind="plan file") from error
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _refusal(path, [f"{path}:{line}: not UTF-8 text; save the file as UTF-8"]) from error


def _tree(path: Path, text: str) -> Node:
    if not text.strip():
        raise Unreadable(1, "the file is empty; a plan has at least one task")
    tree = read_json(text) if path.suffix.lower() == ".json" else _yaml_tree(text)
    if tree is None or tree.value is None:
        raise Unreadable(1, "the file is empty; a plan has at least one task")
    return tree


def _yaml_tree(text: str) -> Node | None:
    from toryo.adapters.located_plain import read_plain_yaml

    if tree := read_plain_yaml(text):
        return tree
    from toryo.adapters.located_yaml import read_yaml  # takes longer to import than most plans to read

    return read_yaml(text)


def _refusal(path: Path, lines: list[str]) -> ToryoError:
    count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
    hint = "correct these lines and run it again; plan.schema.json lets an editor check while you type"
    return ToryoError("E110", f"{path} has {count}", hint=hint, exit_code=Exit.USAGE).with_details(lines)


# ── shape ────────────────────────────────────────────────────────────────────


def _shape(document: Document, problems: Problems) -> PlanShape | None:
    """The file's content; where it has problems, what is left of it, so that the rest is looked at too."""
    if not isinstance(document.value, dict):
        problems.add((), "a plan should be a mapping with `tasks`, not a list or a single value")
        return None
    found: Found = []
    if shape := plan_shape(document.value, found):
        return shape
    for place, said in found:
        problems.add(place, said)
    return plan_shape(_without(document.value, problems), [])


def _without(plan: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
    """The plan without the fields that are wrong; tasks keep their number."""
    left = {name: value for name, value in plan.items() if (name,) not in problems.fields}
    if isinstance(tasks := left.get("tasks"), list):
        left["tasks"] = [_task_without(task, ("tasks", number), problems) for number, task in enumerate(tasks)]
    return left


def _task_without(task: object, place: Place, problems: Problems) -> dict[str, Any]:
    left: dict[str, Any] = {"key": FILLER, "title": FILLER}
    for name, value in task.items() if isinstance(task, dict) else ():
        inner = (*place, name)
        if inner not in problems.fields:
            left[name] = value
        elif isinstance(value, list) and inner not in problems.places:
            left[name] = [FILLER if (*inner, n) in problems.places else item for n, item in enumerate(value)]
    return left
