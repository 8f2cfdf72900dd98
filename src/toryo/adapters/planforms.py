"""How values are put together in a plan file: lists, mappings, and fields that take one form or another."""

from collections.abc import Callable, Mapping
from typing import Any

from toryo.adapters.located import Place, did_you_mean, kind_of
from toryo.adapters.settingkinds import Kind
from toryo.domain.facts import fact

Found = list[tuple[Place, str]]
"""What is wrong, and where."""
Form = Callable[[object, Place, Found], Any]
"""Makes a value of what the file says at a place; if that adds to what was found, the value is of no use."""

_NUMBER = (int, float)
_TYPES: Mapping[str, tuple[type, ...]] = {"text": (str,), "a number": _NUMBER, "a list": (list,), "a mapping": (dict,)}


def one(kind: Kind) -> Form:
    """A single value."""

    def form(value: object, place: Place, found: Found) -> object:
        try:
            return kind.check(value)
        except ValueError as error:
            found.append((place, str(error)))
            return None

    return form


def each(item: Form, *, least: int = 0) -> Form:
    """A list of such values."""

    def form(value: object, place: Place, found: Found) -> object:
        if not isinstance(value, list):
            found.append((place, f"should be a list, not {kind_of(value)}"))
            return None
        if len(value) < least:
            found.append((place, "should have at least one entry"))
        return [item(inner, (*place, number), found) for number, inner in enumerate(value)]

    return form


def named(name: Kind, item: Form) -> Form:
    """A mapping from names that the file chooses to such values."""
    check_name = one(name)

    def form(value: object, place: Place, found: Found) -> object:
        if not isinstance(value, dict):
            found.append((place, f"should be a mapping, not {kind_of(value)}"))
            return None
        return {
            check_name(key, (*place, key), found): item(inner, (*place, key), found) for key, inner in value.items()
        }

    return form


def either(
    *, text: Form | None = None, number: Form | None = None, items: Form | None = None, mapping: Form | None = None
) -> Form:
    """One form or another, whichever the value looks like."""
    given = zip(_TYPES, (text, number, items, mapping), strict=True)
    accepted = {words: form for words, form in given if form is not None}
    by_type = {kind: form for words, form in accepted.items() for kind in _TYPES[words]}

    def form(value: object, place: Place, found: Found) -> object:
        fitting = by_type.get(type(value))
        if fitting is None:
            found.append((place, f"should be {' or '.join(accepted)}, not {kind_of(value)}"))
            return None
        return fitting(value, place, found)

    return form


@fact
class Fields:
    """A mapping with these fields and no others; `make` makes a value of those that are there."""

    make: Callable[..., object]
    known: Mapping[str, Form]
    required: tuple[str, ...] = ()

    def __call__(self, value: object, place: Place, found: Found) -> object:
        if not isinstance(value, dict):
            found.append((place, f"should be a mapping, not {kind_of(value)}"))
            return None
        before = len(found)
        said = {}
        for name, form in self.known.items():
            if name in value:
                said[name] = form(value[name], (*place, name), found)
            elif name in self.required:
                found.append(((*place, name), "required field is missing"))
        for name in value:
            if name not in self.known:
                found.append(((*place, name), "unknown field" + did_you_mean(name, self.known)))
        return self.make(**said) if len(found) == before else None
