"""The readable copy of what a run tells."""

from pathlib import Path

import pytest

from toryo.domain.signals import Said, Used
from toryo.engine.performers.listening import Transcript

SAID = [Said("Looking around."), Used("Bash", "ls")]


def test_begun_anew_it_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "readable.log"
    Transcript(path).add(SAID)
    again = Transcript(path)
    again.add(SAID)
    again.add([Said("Done.")])
    assert path.read_text("utf-8") == "Looking around.\n▸ Bash: ls\nDone.\n"


@pytest.mark.covers("B2")
def test_a_full_disk_costs_the_copy_and_nothing_else() -> None:
    Transcript(Path("/dev/full")).add(SAID)
