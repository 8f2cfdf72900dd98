"""What the REPL remembers from one conversation to the next."""

import json
import os
import tempfile
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path

from toryo.app.project import Project
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Chosen
from toryo.domain.repl import Provider, ReplState


class ReplMemory:
    def __init__(self, path: Path, state: ReplState) -> None:
        self._path = path
        self.state = state

    @classmethod
    def open(cls, project: Project) -> "ReplMemory":
        path = project.place.store / "repl.json"
        return cls(path, _read(path))

    @property
    def chosen(self) -> Chosen:
        return Chosen(self.state.selected_provider or "", self.state.selected_model or "")

    def select(self, provider: Provider | None, model: str | None) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.state = ReplState(provider, model, now, self.state.current_task_id, self.state.last_task_id)
        descriptor, aside = tempfile.mkstemp(dir=self._path.parent, prefix=".repl-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(self.state), file, indent=2, ensure_ascii=False)
        Path(aside).replace(self._path)


def _read(path: Path) -> ReplState:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored.keys() != {field.name for field in fields(ReplState)}:
            raise ValueError("other fields than there should be")
        provider = stored.pop("selected_provider")
        return ReplState(selected_provider=Provider(provider) if provider else None, **stored)
    except FileNotFoundError:
        return ReplState()
    except (ValueError, AttributeError, TypeError) as error:
        hint = "look at it, or remove it to begin anew"
        raise ToryoError("E105", f"{path} is damaged: {error}", hint=hint, exit_code=Exit.ERROR) from error
