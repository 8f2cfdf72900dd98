"""The lines of a prompt that say what the model does."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PREFIX = "MODEL: "
_TOOL_STEPS = {"run", "background", "write", "ask"}
_WORDS = _TOOL_STEPS | {"say", "think", "http", "cut"}
_ESCAPE = re.compile(r"\\(n|t|\\)")
_ESCAPED = {"n": "\n", "t": "\t", "\\": "\\"}


class BadScript(Exception):
    """A `MODEL: ` line that means nothing; the test that wrote it must be told."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the script, and where in it the line stands."""

    word: str
    rest: str
    place: int

    @property
    def is_tool_call(self) -> bool:
        return self.word in _TOOL_STEPS


@dataclass(frozen=True, slots=True)
class Fault:
    """An error answer, as asked for by `MODEL: http`."""

    status: int
    times: int | None = None
    retry_after: int | None = None
    reset: int | None = None
    unless: str | None = None
    message: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    """Sent instead of the provider's own shape."""

    @property
    def is_over(self) -> bool:
        """The limit has been reset, or a test has put an end to it."""
        is_reset = self.reset is not None and self.reset <= time.time()
        return is_reset or (self.unless is not None and Path(self.unless).exists())


def has_script(text: str) -> bool:
    return any(line.startswith(PREFIX) for line in text.splitlines())


def steps_of(text: str) -> tuple[Step, ...]:
    lines = [line.removeprefix(PREFIX) for line in text.splitlines() if line.startswith(PREFIX)]
    steps = []
    for place, line in enumerate(lines):
        word, _, rest = line.partition(" ")
        if word not in _WORDS:
            raise BadScript(f"unknown step: {PREFIX}{line}")
        steps.append(Step(word, rest, place))
    return tuple(steps)


def steps_due(steps: Sequence[Step], tool_results: int) -> tuple[Step, ...]:
    """What is left of the script after that many tool calls."""
    if tool_results == 0:
        return tuple(steps)
    calls = [place for place, step in enumerate(steps) if step.is_tool_call]
    if len(calls) < tool_results:
        # More results than scripted calls: the agent added some of its own.
        return tuple(steps[calls[-1] + 1 :]) if calls else tuple(steps)
    return tuple(steps[calls[tool_results - 1] + 1 :])


def fault_of(rest: str) -> Fault:
    head, _, message = rest.partition("message=")
    status, *options = head.split()
    given = dict(option.split("=", 1) for option in options)
    unless = given.pop("unless", None)
    numbers = {name.replace("-", "_"): int(value) for name, value in given.items()}
    if unknown := numbers.keys() - {"times", "retry_after", "reset"}:
        raise BadScript(f"unknown option of http: {', '.join(sorted(unknown))}")
    return Fault(int(status), unless=unless, message=message or None, **numbers)


def unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED[found[1]], text)
