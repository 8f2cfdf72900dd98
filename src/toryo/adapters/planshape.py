"""The shapes of a plan file, and what to say when something does not have its shape."""

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import ErrorDetails

from toryo.adapters.located import Place, did_you_mean, kind_of
from toryo.domain.plan import Check, OnFailure, TaskType, WorktreeChoice
from toryo.rules.durations import DURATION_PATTERN, checked_seconds, parse_duration

_FORMS: dict[type, str] = {
    str: "<text>",
    int: "<number>",
    float: "<number>",
    list: "<list>",
    dict: "<mapping>",
}
_FORM_WORDS = {"<text>": "text", "<number>": "a number", "<list>": "a list", "<mapping>": "a mapping"}
NAME_PATTERN = r"^[A-Za-z0-9._-]+$"
BLANK_PATTERN = r"\S"
INSIDE_PATTERN = r"^(?!\s*$)(?!/)(?!(?:.*/)?\.\.(?:/|$))"


def _form_of(value: object) -> str:
    """Which of several accepted forms this is; the angle brackets keep it apart from names of fields."""
    return _FORMS.get(type(value), "<other>")


def _seconds(value: str | float) -> float:
    return parse_duration(value) if isinstance(value, str) else checked_seconds(value)


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or not parts:
        raise ValueError(f"'{path}' should be a path inside the repository, relative to its top")
    return path


Text = Annotated[str, Field(pattern=BLANK_PATTERN)]
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=64)]
Count = Annotated[int, Field(ge=1)]
RepositoryPath = Annotated[
    str,
    Field(pattern=BLANK_PATTERN, json_schema_extra={"pattern": INSIDE_PATTERN}),
    AfterValidator(_inside),
]
Duration = Annotated[
    Annotated[Annotated[str, Field(json_schema_extra={"pattern": DURATION_PATTERN})], Tag("<text>")]
    | Annotated[float, Field(json_schema_extra={"exclusiveMinimum": 0}), Tag("<number>")],
    Discriminator(_form_of),
    AfterValidator(_seconds),
]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


_CHECK = Check("", "")


class CheckShape(_Shape):
    """A command Toryo runs to get evidence, such as the tests."""

    model_config = ConfigDict(title="Check")
    command: Text
    """What to run, by a shell, in the task's worktree; exit code 0 is a pass."""
    timeout: Duration = _CHECK.timeout
    """How long it may take: "10m", "90s", "1h30m" or a number of seconds."""
    on_failure: Annotated[OnFailure, Field(strict=False)] = _CHECK.on_failure
    """What a failure does to the task: send it round again, block it, or only be mentioned."""
    parallel: Count | None = None
    """How many of this check may run at once; without it, as many as there are tasks."""


CheckForm = Annotated[Annotated[Text, Tag("<text>")] | Annotated[CheckShape, Tag("<mapping>")], Discriminator(_form_of)]
CheckTable = dict[Name, CheckForm]
PlanChecks = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[CheckTable, Tag("<mapping>")], Discriminator(_form_of)
]
TaskChecks = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[CheckTable, Tag("<mapping>")] | Annotated[list[Name], Tag("<list>")],
    Discriminator(_form_of),
]
Texts = Annotated[Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")], Discriminator(_form_of)]


class LimitsShape(_Shape):
    """Hard limits of one task."""

    model_config = ConfigDict(title="Limits")
    files: Count | None = None
    """How many files it may change."""
    tests: Count | None = None
    """How many times checks may be run on it, over all its runs."""
    seconds: Count | None = None
    """How long one run may take."""


class TaskShape(_Shape):
    """One piece of work, the size of one agent run."""

    model_config = ConfigDict(title="Task")
    key: Name
    """Short and unique in this file, such as T001; other tasks depend on it by this name."""
    title: Text
    """What the task is about, in one line."""
    type: Annotated[TaskType, Field(strict=False)] = TaskType.IMPLEMENTATION
    """What kind of work it is; an investigation completes on its written result."""
    description: str = ""
    """What to do, for the agent."""
    acceptance: Texts = []
    """What must hold when the task is done."""
    depends_on: list[Name] = []
    """Keys of the tasks whose work this one starts from."""
    scope: list[Text] = []
    """Globs of the paths the task is meant to change."""
    expect: list[RepositoryPath] = []
    """Files that must exist afterwards, relative to the top of the repository."""
    agent: Text | None = None
    """Who does it; without it, the plan's agent, then the one configured for its type."""
    command: Text | None = None
    """What the agent `shell` runs; no other agent takes one."""
    worktree: Annotated[WorktreeChoice, Field(strict=False)] = WorktreeChoice.NEW
    """A worktree of its own, or the session's shared one."""
    limits: LimitsShape = Field(default_factory=LimitsShape)
    """Hard limits of this task."""
    checks: TaskChecks | None = None
    """Text or a mapping: in addition to the plan's checks; a list of names: exactly those of the plan's."""


class PlanShape(_Shape):
    """A plan for Toryo: tasks, how they depend on each other, and the checks that prove them."""

    model_config = ConfigDict(title="Toryo plan")
    schema_address: Text | None = Field(
        default=None, alias="$schema", description="Where an editor finds this schema; of no meaning to Toryo."
    )
    title: Text | None = None
    """What the whole is about; without it, the name of the file."""
    agent: Text | None = None
    """Who does the tasks that name no agent of their own; without it, the configured ones, by type of task."""
    parallel: Count | None = None
    """How many tasks may run at once."""
    checks: PlanChecks | None = None
    """Checks for every task: one command, or a mapping from name to command or to its details."""
    tasks: Annotated[list[TaskShape], Field(min_length=1)]
    """What is to be done."""


class PlanSchema(GenerateJsonSchema):
    """Without the titles that only repeat the names of the fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


# ── words ────────────────────────────────────────────────────────────────────


def place_of(error: ErrorDetails) -> Place:
    """Where in the file an error is; pydantic also names the form it tried."""
    return tuple(step for step in error["loc"] if step != "[key]" and not _is_form(step))


def _is_form(step: int | str) -> bool:
    return isinstance(step, str) and step.startswith("<") and step.endswith(">")


def say(error: ErrorDetails) -> str:
    """What is wrong, in words that do not need pydantic to be known."""
    given, context, kind = error["input"], error.get("ctx", {}), error["type"]
    match kind:
        case "missing":
            return "required field is missing"
        case "extra_forbidden":
            return "unknown field" + did_you_mean(str(error["loc"][-1]), _fields_around(place_of(error)))
        case "string_type":
            quotes = "; put it in quotes" if isinstance(given, int | float) else ""
            return f"should be text, not {kind_of(given)}{quotes}"
        case "int_type" | "int_from_float" | "float_type":
            return f"should be a whole number, not {_said(given)}"
        case "list_type":
            return f"should be a list, not {kind_of(given)}"
        case "dict_type" | "model_type":
            return f"should be a mapping, not {kind_of(given)}"
        case "union_tag_invalid":
            forms = [words for form, words in _FORM_WORDS.items() if form in context["expected_tags"]]
            return f"should be {' or '.join(forms)}, not {kind_of(given)}"
        case "enum":
            names = [str(name) for name in context["expected"].replace(" or ", ", ").split(", ")]
            near = did_you_mean(str(given), [name.strip("'") for name in names])
            return f"should be one of {', '.join(names)}, not {_said(given)}{near}"
        case "greater_than_equal":
            return f"should be at least {context['ge']}, not {given}"
        case "string_pattern_mismatch" if context["pattern"] == BLANK_PATTERN:
            return "should not be blank"
        case "string_pattern_mismatch":
            return f"'{given}' should consist of letters, digits, '.', '_' and '-' only"
        case "string_too_long":
            return f"should have at most {context['max_length']} characters"
        case "too_short":
            return "should have at least one entry"
        case "value_error":
            return str(context["error"])
        case _:
            return error["msg"][:1].lower() + error["msg"][1:]


def _said(value: object) -> str:
    is_short = isinstance(value, str | int | float) and not isinstance(value, bool)
    return f"'{value}'" if is_short else kind_of(value)


def _fields_around(place: Place) -> list[str]:
    shape: type[BaseModel] = CheckShape
    if len(place) == 1:
        shape = PlanShape
    elif len(place) == 3 and place[0] == "tasks":
        shape = TaskShape
    elif place[-2] == "limits" and len(place) == 4:
        shape = LimitsShape
    return [field.alias or name for name, field in shape.model_fields.items()]
