"""The tables behind docs/data-model.md: what each source calls a thing, and where it is here."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "data-model"
KINDS = {
    "fields": "Field",
    "values": "Value",
    "moves": "Move",
    "events": "Event",
    "parts": "Part",
    "operations": "Operation",
    "relations": "Relation",
    "formats": "Format",
    "files": "File",
    "numbers": "Number",
    "rules": "Rule",
    "commands": "Command",
    "requirements": "Requirement",
}
"""The sections of a table, and what its rows are called."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing of a source: where it lives, or why it does not."""

    kind: str
    entity: str
    name: str
    places: tuple[str, ...] = ()
    note: str = ""
    missing: str = ""

    @property
    def where(self) -> str:
        return f"[{self.kind}.{self.entity}] {self.name}"


@dataclass(frozen=True, slots=True)
class Source:
    path: Path
    title: str
    rows: tuple[Row, ...]
    structures: dict[str, str]
    """Entities that are shown under exactly these names, and as what."""

    def of(self, kind: str, entity: str) -> list[Row]:
        return [row for row in self.rows if (row.kind, row.entity) == (kind, entity)]


class BadTable(Exception):
    """A table says too little, or two things at once."""


def sources(folder: Path = FOLDER) -> list[Source]:
    return [read_source(path) for path in sorted(folder.glob("*.toml"))]


def read_source(path: Path) -> Source:
    content = tomllib.loads(path.read_text(encoding="utf-8"))  # refuses the same name twice
    title, structures = content.pop("title"), content.pop("structures", {})
    if strangers := content.keys() - KINDS:
        raise BadTable(f"{path.name}: unknown sections: {', '.join(sorted(strangers))}")
    rows = tuple(
        _row(path, kind, entity, name, said)
        for kind, entities in content.items()
        for entity, names in entities.items()
        for name, said in names.items()
    )
    return Source(path, title, rows, structures)


def _row(path: Path, kind: str, entity: str, name: str, said: object) -> Row:
    where = f"{path.name}: [{kind}.{entity}] {name}"
    details = said if isinstance(said, dict) else {"in": said}
    if details.keys() - {"in", "note", "not"}:
        raise BadTable(f"{where}: only `in`, `note` and `not` are known")
    places = details.get("in", [])
    listed = tuple([places] if isinstance(places, str) else places)
    missing = str(details.get("not", "")).strip()
    if bool(listed) == bool(missing):
        raise BadTable(f"{where}: says both where it is and why it is not" if listed else f"{where}: says nothing")
    if not all(isinstance(place, str) and place for place in listed) or len(set(listed)) != len(listed):
        raise BadTable(f"{where}: a place is empty or named twice")
    return Row(kind, entity, name, listed, str(details.get("note", "")), missing)
