"""What Toryo must do, as docs/requirements.toml says it."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.fidelity.tables import ROOT

FILE = ROOT / "docs" / "requirements.toml"


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    says: str
    waits: str = ""
    """What it, or a part of it, waits for."""
    untested: str = ""
    """Why no test shows it."""


@cache
def groups(path: Path = FILE) -> dict[str, dict[str, Requirement]]:
    """Requirements by the title of their group."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    found: dict[str, dict[str, Requirement]] = {}
    for letter, entries in content.items():
        title = f"{letter}: {entries.pop('title')}"
        found[title] = {id_: Requirement(id_, **_details(said)) for id_, said in entries.items()}
    return found


def _details(said: str | dict[str, str]) -> dict[str, str]:
    return {"says": said} if isinstance(said, str) else said


@cache
def requirements() -> dict[str, Requirement]:
    return {id_: each for group in groups().values() for id_, each in group.items()}
