"""Writes docs/data-model.md from its tables:  python -m tests.fidelity.data_model"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.fidelity.tables import KINDS, ROOT, Row, Source, sources

DOCUMENT = ROOT / "docs" / "data-model.md"
_HEAD = """\
<!-- Written by script/data-model from docs/data-model/*.toml; change those. -->

# Data model

Toryo brings four designs together, described in five documents. This page says, for every field, value and state of
each of them, where it lives here, or why it does not. A test looks every place up, so that nothing on this page is
only said.

A place is a name in the code (`toryo.domain.session:Session.id`), a move of a state table
(`TASK_MOVES[PLANNED -> RUNNING]`), a key of a documented [JSON](json.md) answer (`json:session.next_action`), a file, a
command, a [setting](configuration.md), a kind of secret that is masked, or a [requirement](conformance.md).
"""


def document(of: list[Source]) -> str:
    parts = [_HEAD, _overview(of)]
    for source in of:
        parts.append(f"\n## {source.title}\n")
        for (kind, entity), rows in groupby(source.rows, key=lambda row: (row.kind, row.entity)):
            parts.append("\n".join(_table(source, kind, entity, list(rows))) + "\n")
    return "\n".join(parts)


def _overview(of: list[Source]) -> str:
    lines = ["| Document | Rows | Here | Not here |", "|---|---|---|---|"]
    for source in of:
        here = sum(bool(row.places) for row in source.rows)
        lines.append(f"| {source.title} | {len(source.rows)} | {here} | {len(source.rows) - here} |")
    return "\n".join(lines) + "\n"


def _table(source: Source, kind: str, entity: str, rows: list[Row]) -> Iterator[str]:
    yield f"### {entity}: {kind}\n"
    if kind in ("fields", "values") and entity in source.structures:
        yield f"Shown as `{source.structures[entity]}`, with exactly these {kind}.\n"
    yield f"| {KINDS[kind]} | Lives in | |"
    yield "|---|---|---|"
    for row in rows:
        name = f"`{row.name}`" if kind != "rules" else row.name
        places = ", ".join(f"`{place}`" for place in row.places) or "–"
        yield f"| {name} | {places} | {row.note or row.missing} |"


def write(path: Path = DOCUMENT) -> None:
    path.write_text(document(sources()), encoding="utf-8")


if __name__ == "__main__":
    write()
