"""What reflections came to, kept in the store before any of it is carried out, and until all of it is."""

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toryo.adapters.replacing import put
from toryo.domain.intent import Proposal, Risk
from toryo.domain.learning import Reflection, Skill


class Reflections:
    """Those of one repository; a file each, which says whether it was carried out."""

    def __init__(self, store: Path) -> None:
        self._folder = store / "reflections"

    def keep(self, reflection: Reflection, *, is_applied: bool = False) -> None:
        """On the disk before this returns."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = json.dumps({"applied": is_applied, **asdict(reflection)})
        put(self._folder / f"{reflection.id}.json", text.encode(), is_durable=True)

    def pending(self) -> list[Reflection]:
        """Those that were not carried out to their end, oldest first."""
        found = [reflection for reflection, is_applied in self._all() if not is_applied]
        return sorted(found, key=lambda one: (one.at, one.id))

    def histories(self) -> frozenset[str]:
        """The names of all that were looked at so far."""
        return frozenset(name for reflection, _ in self._all() for name in reflection.histories)

    def _all(self) -> list[tuple[Reflection, bool]]:
        found = []
        for path in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            with suppress(ValueError, KeyError, TypeError):  # damaged from outside: there is nothing to carry out
                said = json.loads(path.read_bytes())
                found.append((_reflection(said), said["applied"] is True))
        return found


def _reflection(said: dict[str, Any]) -> Reflection:
    return Reflection(
        said["id"],
        said["at"],
        tuple(said["observations"]),
        tuple(_proposal(one) for one in said["intents"]),
        tuple(Skill(one["name"], one["description"], one["body"], tuple(one["seen"])) for one in said["skills"]),
        tuple(said["histories"]),
        tuple(said["dropped"]),
        said["by"],
    )


def _proposal(one: dict[str, Any]) -> Proposal:
    risk = Risk(one["risk"]) if one["risk"] else None
    return Proposal(one["slug"], one["title"], one["body"], one["type"], risk, tuple(one["observations"]))
