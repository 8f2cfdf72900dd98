"""A list of tasks as people write it in Markdown: entries in phases, and what was noticed while reading."""

from toryo.domain.facts import fact


@fact
class Phase:
    """A part of the list with a heading of its own; the next one waits for it unless the list says otherwise."""

    title: str
    line: int
    text: str = ""
    """What is said about the phase besides its tasks: its goal, its checkpoint."""


@fact
class Entry:
    """One task of the list."""

    key: str
    line: int
    title: str
    text: str
    """All that is said about it, with what stands below it."""
    is_done: bool = False
    is_parallel: bool = False
    story: str = ""
    phase: int = 0
    """Its place among the phases."""
    section: int = 0
    """Entries of the same section stand under the same heading and belong to the same group."""
    paths: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    last_line: int = 0
    has_checkbox: bool = True


@fact
class Remark:
    """Something a person should know about the list; an error means that it cannot be carried out like this."""

    line: int
    text: str
    is_error: bool = False
    last_line: int = 0
    """If it is about several lines in a row."""


@fact
class TaskList:
    title: str
    phases: tuple[Phase, ...]
    entries: tuple[Entry, ...]
    remarks: tuple[Remark, ...] = ()

    @property
    def open_entries(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if not entry.is_done)

    @property
    def errors(self) -> tuple[Remark, ...]:
        return tuple(remark for remark in self.remarks if remark.is_error)
