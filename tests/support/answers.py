"""JSON answers against the schema that ships, and against a strict one that lets nothing through unnamed."""

from typing import Any

import jsonschema

from toryo.views.records.answers import answers_schema

_STRICT, _SHIPPED = answers_schema(strict=True), answers_schema()
OPEN = {"logs --events"}
"""Lines that hold an event's own fields."""


def assert_answer(name: str, data: Any) -> None:
    for known in (_SHIPPED,) if name in OPEN else (_SHIPPED, _STRICT):
        validator = jsonschema.Draft202012Validator({**known, "$ref": f"#/$defs/{name.replace(' ', '%20')}"})
        found = [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(data)]
        assert not found, (name, found)
