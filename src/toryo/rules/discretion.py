"""Events without the secrets in what anybody said; what has to be carried out stays as it is written."""

from collections.abc import Hashable
from dataclasses import is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast

from toryo.domain import run
from toryo.domain.calls import CallRecord
from toryo.domain.evidence import Evidence, FileChange
from toryo.domain.limits import Budget, LimitViolation
from toryo.domain.plan import Limits, Terms
from toryo.domain.report import Usage
from toryo.rules.masking import mask, masked

T = TypeVar("T")

_AS_IT_IS = frozenset({Evidence, FileChange, Terms, Limits, Budget, LimitViolation, CallRecord, Usage})
"""Evidence is sealed after it was masked; the others hold no words of anybody's, or commands."""
_NAMED = """at task session spec branch base_branch base base_commit base_tree commit tree head tip run agent
conversation credential effect key name depends_on scope expect resolves command files path diff_sha256 until
not_before pid code reaped by onto target before heard url merged_as mends mode state merging is_instruction follows
saying cancelled parallel budget remembered slug intent"""
_NAMES = frozenset(_NAMED.split())
"""Names of things, and what is carried out: masked, they would name and do something else."""
_PATHS: dict[object, frozenset[str]] = {run.Observation: frozenset({"changes", "missing", "out_of_scope", "outside"})}


def discreet(thing: T) -> T:
    """The same without secrets in what agents, models, checks or people said; the very same where there are none."""
    spoken: T = _walk(thing)
    return spoken


def secrets_in(thing: object) -> tuple[str, ...]:
    """The kinds of secrets in what is said there."""
    kinds: set[str] = set()
    _gather(thing, kinds)
    return tuple(sorted(kinds))


def _walk(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        said = mask(value)
        return value if said == value else said
    if kind is tuple:
        items = [_walk(item) for item in value]
        return value if all(map(_is, items, value)) else tuple(items)
    changes = {}
    for name in _texts(cast(Hashable, kind)):
        before = getattr(value, name)
        if (after := _walk(before)) is not before:
            changes[name] = after
    return replace(value, **changes) if changes else value


def _is(one: object, other: object) -> bool:
    return one is other


def _gather(value: Any, kinds: set[str]) -> None:
    if isinstance(value, str):
        kinds.update(masked(value)[1])
    elif isinstance(value, tuple | list):
        for item in value:
            _gather(item, kinds)
    else:
        kind = type(value)
        for name in _texts(cast(Hashable, kind)):
            _gather(getattr(value, name), kinds)


@cache
def _texts(kind: Hashable) -> tuple[str, ...]:
    """The fields of a fact in which somebody may have said something."""
    if not isinstance(kind, type) or not is_dataclass(kind) or kind in _AS_IT_IS:
        return ()
    names: tuple[str, ...] = getattr(kind, "__match_args__", ())
    return tuple(name for name in names if name not in _NAMES and name not in _PATHS.get(kind, ()))
