"""Reads tasks that a model proposes: only what is a model's to say, and only what fits what is there."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from toryo.adapters.located import Place
from toryo.adapters.planforms import Fields, Found, each, one
from toryo.adapters.planshape import PATHS, TASK, TaskShape
from toryo.adapters.replies import (
    COUNT,
    FILLED,
    LONGEST_TITLE,
    MOST_ERRORS,
    TEXT,
    TEXTS,
    BadReply,
    Open,
    clipped,
    member,
    object_in,
    read,
)
from toryo.domain.plan import Complexity, PlannedTask, TaskType
from toryo.domain.planning import Draft
from toryo.domain.review import Remedy
from toryo.rules.graph import separate_cycles

MOST_TASKS = 500

_ALLOWED = (
    "key",
    "title",
    "type",
    "description",
    "acceptance",
    "depends_on",
    "scope",
    "expect",
    "worktree",
    "complexity",
)
_TASK = Fields(TaskShape, {**{name: TASK.known[name] for name in _ALLOWED}, "scope": PATHS}, required=("key", "title"))
"""What a model may say about a task: neither who does it, nor commands, checks or limits, nor files elsewhere."""


@dataclass(slots=True)
class Workshop:
    """What tasks proposed by a model have to fit: who does them, which keys exist, where they may work."""

    crew: Callable[[TaskType, Complexity | None], tuple[str, str]]
    """Who does a task, and as which model."""
    known: frozenset[str] = frozenset()
    """Keys of tasks that are there already."""
    gone: frozenset[str] = frozenset()
    """Keys of tasks for which no new one can wait: they will never be done, or wait for the new ones themselves."""
    within: tuple[str, ...] = ()
    """Patterns of files that no task may go beyond; empty: anywhere."""
    remarks: list[str] = field(default_factory=list)

    def tasks(self, value: object) -> tuple[PlannedTask, ...]:
        if not isinstance(value, list):
            raise BadReply("tasks: should be a list")
        if len(value) > MOST_TASKS:
            raise BadReply(f"tasks: there are {len(value)}, which is more than {MOST_TASKS}; plan larger pieces")
        shapes = read(each(_OpenTask(self.remarks)), value, ("tasks",))
        self._look_at_names([shape.key for shape in shapes])
        self._look_at_dependencies(shapes)
        return tuple(self._task(shape) for shape in shapes)

    def _look_at_names(self, keys: list[str]) -> None:
        twice = sorted({key for key in keys if keys.count(key) > 1}) if len(set(keys)) < len(keys) else []
        taken = sorted(set(keys) & self.known)
        if twice or taken:
            raise BadReply(
                *(f"tasks: the key '{key}' is used twice" for key in twice),
                *(f"tasks: there is a task '{key}' already; use another key" for key in taken),
            )

    def _look_at_dependencies(self, shapes: list[TaskShape]) -> None:
        keys = {shape.key for shape in shapes}
        errors = [
            f"tasks: {shape.key} depends on {need}, which does not exist"
            for shape in shapes
            for need in shape.depends_on
            if need not in keys and need not in self.known
        ]
        errors += [
            f"tasks: {shape.key} cannot wait for {need}, which will not be done before it"
            for shape in shapes
            for need in shape.depends_on
            if need in self.gone
        ]
        edges = {shape.key: [need for need in shape.depends_on if need in keys] for shape in shapes}
        errors += [f"tasks: circular dependency: {' → '.join(circle)}" for circle in separate_cycles(edges)]
        if errors:
            raise BadReply(*errors)

    def _task(self, shape: TaskShape) -> PlannedTask:
        kind = TaskType.IMPLEMENTATION if shape.type is TaskType.INTEGRATION else shape.type
        acceptance = shape.acceptance
        scope = tuple(shape.scope)
        if self.within and scope != self.within:
            self.remarks.append(f"{shape.key} keeps to the files of the task it comes from")
            scope = self.within
        agent, model = self.crew(kind, shape.complexity)
        return PlannedTask(
            key=shape.key,
            title=" ".join(shape.title.split())[:LONGEST_TITLE],
            agent=agent,
            description=shape.description,
            type=kind,
            acceptance=(acceptance,) if isinstance(acceptance, str) else tuple(acceptance),
            depends_on=tuple(dict.fromkeys(shape.depends_on)),
            scope=scope,
            expect=tuple(shape.expect),
            worktree=shape.worktree,
            complexity=shape.complexity,
            model=model,
        )


class _OpenTask:
    """A task of which only the fields a model may set are taken; the others are left out, and that is said."""

    def __init__(self, remarks: list[str]) -> None:
        self._remarks = remarks

    def __call__(self, value: object, place: Place, found: Found) -> object:
        if isinstance(value, dict):
            value = {name: said for name, said in value.items() if said is not None}
            if "complexity" in value and (hard := _complexity(value["complexity"])):
                value["complexity"] = hard
            elif "complexity" in value:  # nothing depends on it that would be worth asking again
                del value["complexity"]
            for name in [name for name in value if name not in _ALLOWED]:
                self._remarks.append(f"{value.get('key', '?')}: '{name}' is not for the model to say; left out")
                del value[name]
        return _TASK(value, place, found)


def _complexity(said: object) -> str:
    """As models like to write it; empty: it is none."""
    word = str(said).strip().lower()
    word = "med" if word in ("medium", "middle", "moderate") else word
    return word if word in list(Complexity) else ""


def draft_in(text: str, workshop: Workshop) -> Draft:
    said = object_in(text)
    tasks = workshop.tasks(said.get("tasks"))
    if not tasks:
        raise BadReply("tasks: there should be at least one")
    parallel = read(_PARALLEL, said).get("parallel")
    return Draft(tasks, parallel, _in_short(workshop.remarks))


def _in_short(remarks: list[str]) -> tuple[str, ...]:
    more = len(remarks) - MOST_ERRORS
    return (*map(clipped, remarks[:MOST_ERRORS]), *([f"and {more} more of the kind"] if more > 0 else []))


_PARALLEL = Open(dict, {"parallel": COUNT})


@dataclass(frozen=True, slots=True)
class Reconsidered:
    remedy: Remedy
    reason: str
    advice: str = ""
    tasks: tuple[PlannedTask, ...] = ()


_REMEDY = Open(dict, {"remedy": one(member(*Remedy)), "reason": FILLED, "advice": TEXT}, required=("remedy", "reason"))


def remedy_in(text: str, workshop: Workshop) -> Reconsidered:
    data = object_in(text)
    said = read(_REMEDY, data)
    remedy = Remedy(said["remedy"])
    advice = said.get("advice", "")
    tasks = workshop.tasks(data.get("tasks")) if remedy is Remedy.REPLACE else ()
    if remedy is Remedy.REPLACE and not tasks:
        raise BadReply("tasks: to replace a task, say with what")
    if remedy is not Remedy.REPLACE and not advice:
        raise BadReply(f"advice: should not be empty with '{remedy}'")
    return Reconsidered(remedy, said["reason"], advice, tasks)


@dataclass(frozen=True, slots=True)
class Considered:
    answer: str
    changes: tuple[tuple[str, str], ...] = ()
    cancel: tuple[str, ...] = ()
    tasks: tuple[PlannedTask, ...] = ()


_CHANGE = Open(dict, {"key": FILLED, "says": FILLED}, required=("key", "says"))
_SAYING = Open(dict, {"answer": FILLED, "changes": each(_CHANGE), "cancel": TEXTS}, required=("answer",))


def saying_in(text: str, workshop: Workshop) -> Considered:
    data = object_in(text)
    said = read(_SAYING, data)
    changes = tuple((change["key"], change["says"]) for change in said.get("changes", []))
    cancel = tuple(said.get("cancel", []))
    named = {key for key, _ in changes} | set(cancel)
    if unknown := sorted(named - workshop.known):
        raise BadReply(*(f"there is no task '{key}'" for key in unknown))
    tasks = replace(workshop, gone=workshop.gone | set(cancel)).tasks(data.get("tasks") or [])
    return Considered(said["answer"], changes, cancel, tasks)
