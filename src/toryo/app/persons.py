"""Decisions about a session's work are people's: whoever does the work does not get to make them."""

import os
from pathlib import Path

from toryo.app.project import Project
from toryo.domain.errors import Exit, ToryoError


def only_a_person(project: Project) -> None:
    """Refuses what an agent, or a command of a task, asks for from inside its own run."""
    refuse_inside_a_run(project.place.root)


def refuse_inside_a_run(root: Path | None) -> None:
    """Of the repository with that root; None: of any."""
    run, main = os.environ.get("TORYO_RUN"), os.environ.get("TORYO_MAIN")
    if run and main and root in (None, Path(main)):
        raise ToryoError(
            "E216",
            f"this comes from inside {run}, and a run does not decide about its own session",
            hint="a person does, in a terminal of their own; agents finish their turn and say what they need",
            exit_code=Exit.REFUSED,
        )
