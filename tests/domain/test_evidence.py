"""Evidence that is changed in any way no longer carries its own hash."""

from dataclasses import fields, replace
from typing import Any

import pytest

from toryo.domain.evidence import Evidence, Operation, seal, sealed

RECORD = Evidence(
    Operation.CHECK,
    1_000_000.25,
    (("check", "tests"), ("code", "0")),
    log="runs/run-1/check-0/output.log",
    log_sha256="a" * 64,
    sensitive=False,
    previous="b" * 64,
)
OTHER: dict[str, list[Any]] = {
    "operation": [Operation.MERGE],
    "at": [1_000_000.2500001, 0.0],
    "facts": [
        (),
        (("check", "tests"),),
        (("code", "0"), ("check", "tests")),
        (("check", "tests"), ("code", "1")),
        (("check", "testscode"), ("", "0")),
    ],
    "log": ["", "runs/run-2/check-0/output.log"],
    "log_sha256": ["", "a" * 63 + "b"],
    "sensitive": [True],
    "previous": ["", "b" * 63 + "a"],
}


def test_every_field_but_the_hash_itself_is_tried() -> None:
    assert {field.name for field in fields(Evidence)} == {*OTHER, "sha256"}


@pytest.mark.covers("P18", "P21")
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in OTHER.items() for value in values])
def test_any_change_breaks_the_seal(name: str, value: Any) -> None:
    record = sealed(RECORD)
    changed = replace(record, **{name: value})
    assert seal(changed) != record.sha256


@pytest.mark.covers("P18")
def test_fields_cannot_flow_into_each_other() -> None:
    assert seal(replace(RECORD, log="ab", log_sha256="c")) != seal(replace(RECORD, log="a", log_sha256="bc"))


def test_sealing_changes_nothing_but_the_hash_and_can_be_checked_later() -> None:
    record = sealed(RECORD)
    assert replace(record, sha256="") == RECORD
    assert seal(record) == record.sha256
    assert sealed(record) == record
    assert record.id == f"ev-{record.sha256[:12]}"


@pytest.mark.covers("P18")
def test_the_seal_stays_what_it_was_for_records_already_stored() -> None:
    assert seal(RECORD) == "42c2ec8e646693dd813f8f4b7da54ec3e83cabc131e6a915b50205432aacd55f"


@pytest.mark.covers("P21")
def test_a_record_replaced_in_the_middle_breaks_the_chain_after_it() -> None:
    first = sealed(RECORD)
    second = sealed(replace(RECORD, at=2.0, previous=first.sha256))
    third = sealed(replace(RECORD, at=3.0, previous=second.sha256))
    forged = sealed(replace(second, facts=(("code", "1"),)))
    assert [second.previous, third.previous] == [first.sha256, second.sha256]
    assert seal(forged) == forged.sha256
    assert third.previous != forged.sha256


def test_words_that_are_not_ascii_are_sealed_too() -> None:
    texts = ["試験", "試験\n", "\udc80", "e\u0301", "é"]
    assert len({seal(replace(RECORD, facts=(("name", text),))) for text in texts}) == len(texts)
