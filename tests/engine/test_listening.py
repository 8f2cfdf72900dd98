"""The readable copy of what a run tells."""

from pathlib import Path

import pytest
from tests.support.secrets import MIXED

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


@pytest.mark.covers("P47")
def test_a_secret_that_comes_in_pieces_is_masked_and_one_begun_anew_goes_on_the_same(tmp_path: Path) -> None:
    path = tmp_path / "readable.log"
    secret = "ghp_" + MIXED[:36]
    pieces = [Said(f"I found {secret[:9]}", is_piece=True), Said(f"{secret[9:]} there.\nAnd ", is_piece=True)]
    first = Transcript(path)
    first.add(pieces[:1])
    assert path.exists() is False or path.read_text() == "", "it may become a secret"
    first.add(pieces[1:])
    assert path.read_text() == "I found [MASKED:GITHUB_TOKEN] there.\n"
    again = Transcript(path)
    again.add([*pieces, Said("more.", is_piece=True)])
    again.finish()
    assert path.read_text() == "I found [MASKED:GITHUB_TOKEN] there.\nAnd more."
