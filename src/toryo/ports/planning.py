"""What planning and reviewing need from the world: a model to ask, and a desk to plan at."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from toryo.domain.calls import Call, Reply
from toryo.domain.facts import fact
from toryo.domain.intent import Intent
from toryo.domain.plan import Check


class Model(Protocol):
    """A language model that plans, judges and reviews. It keeps nothing between calls."""

    name: str
    """The provider and the model, as people know them."""

    async def reply(self, call: Call, hear: Callable[[str], None]) -> Reply:
        """Asks once, without trying again; `hear` gets the reply in pieces as they come. Raises CallFailed."""

    async def close(self) -> None:
        """Lets go of connections and processes."""


@fact
class Surveyed:
    """What the repository's files say about it."""

    text: str
    """For a model to read."""
    findings: tuple[str, ...]
    """For people, in a few lines."""
    checks: tuple[Check, ...]
    """The checks that hold for every task: configured, else found."""


class Desk(Protocol):
    """Where plans are made: what planning needs from the world besides the crew's."""

    max_tokens: int

    def model(self, role: str, *, is_correction: bool = False) -> Model:
        """The role's model, or the one for replies that could not be used; raises CallFailed where there is none."""

    def prompt(self, name: str) -> str:
        """The template of one of Toryo's questions: the project's own, the person's own, or the built-in one."""

    def survey(self) -> Surveyed: ...

    def taken_names(self) -> set[str]:
        """Names that branches must not have."""

    def write_documents(self, spec: str, documents: Mapping[str, str]) -> Path:
        """Writes specs/<spec>/<name>.md; where that is."""

    def intents(self) -> Sequence[Intent]:
        """All that are on file, as far as they can be read."""

    def file_intents(self, intents: Sequence[Intent]) -> Sequence[str]:
        """Sees that there is a file for each, and says under which names; one that is there is left as it is."""

    def tick(self, spec: str, keys: Collection[str]) -> None:
        """Ticks these tasks in specs/<spec>/tasks.md, as far as it is there and has them."""

    async def difference(self, before: str, after: str, most: int) -> str:
        """What changed between two commits: a list of files, then the lines, at most so many characters."""

    async def lines_of(self, commit: str, paths: Collection[str]) -> Mapping[str, int]:
        """How many lines each of these files has at a commit; those that are not in it are left out."""

    def log_call(self, session: str, entry: Mapping[str, object]) -> None:
        """Adds to the session's log of calls; masked, and only readable by the person."""

    def hear(self, question: str, piece: str) -> None:
        """Shows a reply as it comes, where somebody watches; an empty piece: the question was just asked."""

    def hear_out(self, question: str) -> None:
        """The reply is over, or none will come."""
