"""How the output of a run's checks ends, also of those that passed, and of one that runs."""

from contextlib import closing
from pathlib import Path

from toryo.app.project import open_project
from toryo.rules.kinds import checks_for
from toryo.rules.masking import mask_output
from toryo.rules.prompting import without_escapes
from toryo.views.screen import printable

_MOST_LINES = 30
_MOST_BYTES = 1 << 16
"""More than is shown: what belongs to a key is known by how the key begins."""


def check_tails(root: Path, session_id: str, key: str, run_id: str) -> dict[str, tuple[str, ...]]:
    """By the names of the checks."""
    with closing(open_project(root)) as project:
        task = project.load(session_id).task(key)
        run = next((run for run in task.runs if run.id == run_id), None)
        record = project.place.store / "runs" / run_id
        names = [check.name for check in checks_for(task, run)]
    return {name: _end_of(record / f"check-{place}" / "output.log") for place, name in enumerate(names)}


def _end_of(log: Path) -> tuple[str, ...]:
    try:
        with log.open("rb") as file:
            start = max(0, log.stat().st_size - _MOST_BYTES)
            file.seek(start)
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    if start:
        text = text.partition("\n")[2]  # half a line may be half a secret
    lines = mask_output("\n".join(map(without_escapes, text.splitlines()))).split("\n")
    return tuple(printable(line.expandtabs(4)) for line in lines[-_MOST_LINES:] if line.strip())
