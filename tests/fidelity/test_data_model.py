"""Every place of the data model exists, and the page about it is what the tables say."""

import textwrap
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from tests.fidelity.data_model import DOCUMENT, document
from tests.fidelity.places import NotThere, find
from tests.fidelity.tables import BadTable, Source, read_source, sources

SOURCES = sources()
STRUCTURES = [(source, name, place) for source in SOURCES for name, place in source.structures.items()]


def ids(value: object) -> str:
    return value.path.stem if isinstance(value, Source) else str(value).rpartition(":")[2]


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_every_place_is_there(source: Source) -> None:
    gone = []
    for row in source.rows:
        for place in row.places:
            try:
                find(place)
            except NotThere as error:
                gone.append(f"{row.where}: {error}")
    assert not gone, "\n".join(gone)


@pytest.mark.parametrize(("source", "entity", "place"), STRUCTURES, ids=ids)
def test_what_is_shown_has_exactly_the_fields_and_values_of_the_source(source: Source, entity: str, place: str) -> None:
    shown: Any = find(place)
    is_enumeration = isinstance(shown, type) and issubclass(shown, StrEnum)
    rows = source.of("values" if is_enumeration else "fields", entity)
    names = {row.name for row in rows if "." not in row.name}
    assert names, f"{entity} has no rows"
    assert (set(shown) if is_enumeration else _fields(shown)) == names


def _fields(kind: Any) -> set[str]:
    return {field.name for field in fields(kind)} if is_dataclass(kind) else {*get_type_hints(kind)}


def test_there_are_five_documents_and_no_entity_is_told_twice() -> None:
    assert len(SOURCES) == 5
    for source in SOURCES:
        where = [row.where for row in source.rows]
        assert len(set(where)) == len(where)
        assert source.rows


def test_reasons_are_one_line_and_say_something() -> None:
    for source in SOURCES:
        for row in source.rows:
            assert "\n" not in row.note + row.missing
            assert "|" not in row.note + row.missing
            assert not row.missing or len(row.missing.split()) >= 3, row.where


def test_the_page_is_what_the_tables_say() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(SOURCES), "run script/data-model"


# ── the tests themselves ─────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "gone",
    [
        "toryo.domain.session:Session.no_such_field",
        "toryo.domain.run:RunState.ASLEEP",
        "toryo.domain.nowhere:Session",
        "toryo.domain.task:TASK_MOVES[INTEGRATED -> RUNNING]",
        "toryo.domain.task:TASK_MOVES[PLANNED -> ASLEEP]",
        "json:session.mood",
        "json:session.id_of_nothing",
        "file:no/such/file",
        "command:fly",
        "command:run --backwards",
        "setting:run.mood",
        "mask:MOOD",
        "requirement:Z1",
    ],
)
def test_a_place_that_is_gone_is_noticed(gone: str) -> None:
    with pytest.raises(NotThere):
        find(gone)


@pytest.mark.parametrize(
    "place",
    [
        "toryo.domain.session:Session.id",
        "toryo.domain.session:Session.short",
        "toryo.domain.events:RunExited.task",
        "toryo.ports:Agent.invocation",
        "toryo.domain.task:TASK_MOVES[PLANNED -> RUNNING]",
        "json:session.next_action",
        "json:task in detail.runs",
        "command:spec tasks",
        "command:resume --list",
        "setting:run.parallel",
        "setting:agents.<agent>.full_auto",
    ],
)
def test_a_place_that_is_there_is_found(place: str) -> None:
    find(place)


@pytest.mark.parametrize(
    "table",
    [
        'a = ""',
        "a = []",
        "a = { note = 'somewhere' }",
        "a = { in = 'x:y', not = 'because' }",
        "a = { is = 'x:y' }",
        "a = ['x:y', 'x:y']",
        "a = 'x:y'\na = { not = 'because' }",
    ],
)
def test_a_table_that_says_nothing_or_two_things_is_refused(tmp_path: Path, table: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'title = "A source"\n[fields.Thing]\n{textwrap.dedent(table)}\n')
    with pytest.raises((BadTable, ValueError)):
        read_source(path)
