"""What a person typed, for another time: without secrets, and never where a key was typed."""

from toryo.adapters.historyfile import HistoryFile
from toryo.app.project import Project
from toryo.rules.keylines import keepable
from toryo.rules.masking import mask


class TypedBefore:
    """The lines typed in this repository, by whoever has it."""

    def __init__(self, file: HistoryFile) -> None:
        self._file = file

    def lines(self) -> list[str]:
        """Oldest first."""
        return self._file.entries()

    def keep(self, text: str) -> None:
        self._file.add(text)


def typed_before(project: Project) -> TypedBefore:
    return TypedBefore(HistoryFile(project.place.store / "repl-history"))


def as_kept(text: str) -> str | None:
    """What of it may be kept; None: nothing."""
    return mask(text) if text.strip() and keepable(text) == text else None
