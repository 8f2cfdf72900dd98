"""What is asked of a model and what it answers, in no provider's own shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class BadRequest(Exception):
    """A request that the real service would refuse with status 400."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the agent offers to the model."""

    name: str
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.schema.get("properties") or {}
        return found

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(self.schema.get("required") or ())


@dataclass(frozen=True, slots=True)
class UserText:
    text: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    text: str


Heard = UserText | ToolResult


@dataclass(frozen=True, slots=True)
class Question:
    """One request to the model."""

    model: str
    stream: bool
    conversation: str
    heard: tuple[Heard, ...]
    tools: tuple[Tool, ...]
    system: str = ""
    wanted_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    stop: str = ""
    """Why it ended, in the protocol's own words; empty: its word for a reply that is over."""
    is_refusal: bool = False
    has_usage: bool = True
    is_whole: bool = False
    """Sent as one body, also to who asked for a stream."""
    raw: bytes | None = None
    """Sent as they are, instead of anything of the protocol."""
    raw_type: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: Mapping[str, Any]


Reply = Say | Call


@dataclass(frozen=True, slots=True)
class Usage:
    fresh_input: int
    cached_input: int
    output: int

    @property
    def input(self) -> int:
        return self.fresh_input + self.cached_input

    @property
    def total(self) -> int:
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error answer in a provider's shape."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]


def pieces(text: str, size: int = 400) -> list[str]:
    """The text as a model streams it, in more than one piece where it can be."""
    size = max(1, min(size, len(text) // 3))
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]
