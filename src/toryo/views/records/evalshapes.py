"""The JSON answers of `toryo eval`."""

from typing import Literal, TypedDict

from toryo.views.records.rowshapes import UsageRow


class PastRow(TypedDict):
    """How a case went before; `same_question` is null where nothing was asked now."""

    passed: int
    times: int
    at: float
    model: str
    same_question: bool | None


class MissRow(TypedDict):
    field: str
    expected: str
    came: str


class TryRow(TypedDict):
    ok: bool
    corrections: int
    calls: int
    seconds: float
    misses: list[MissRow]


class EvalRow(TypedDict):
    name: str
    prompt: str
    origin: Literal["project", "file", "built in"]
    path: str
    line: int
    model: str
    ok: bool
    passed: int
    times: int
    before: PastRow | None
    tries: list[TryRow]


class EvalAnswer(TypedDict):
    """`toryo eval --json`"""

    toryo: Literal[1]
    kind: Literal["eval"]
    cases: list[EvalRow]
    passed: int
    failed: int
    unasked: list[str]
    interrupted: bool
    rate: float | None
    calls: int
    usage: UsageRow
    seconds: float


class EvalCaseRow(TypedDict):
    name: str
    prompt: str
    role: str
    says: str
    origin: Literal["project", "file", "built in"]
    path: str
    line: int
    expects: list[str]
    before: PastRow | None


class EvalsAnswer(TypedDict):
    """`toryo eval --list --json`"""

    toryo: Literal[1]
    kind: Literal["evals"]
    cases: list[EvalCaseRow]
