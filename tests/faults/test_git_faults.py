"""Whatever becomes of any single git command: the session gets to its end, and the repository is clean."""

import os
from pathlib import Path

import pytest
from tests.support.aftermath import assert_nothing_lost
from tests.support.git_faults import Fault, Faults, checkout_of, faulty_git, is_clean
from tests.support.repositories import Repo, shell

LONG = "TORYO_TEST_ALL_GIT_FAULTS"
"""Set it to see every kind of fault at every single command, which takes half an hour."""
MOST_COMMANDS = 90
PERIOD = 9
"""One step of Toryo's takes up to eight commands that write: with a fault in each try it would never be done."""
_OTHERS = [fault for fault in Fault if fault is not Fault.KILLED_AFTER]


def collide(repo: Repo) -> Path:
    """Two that conflict, so that one is done again, one that builds on another, and a check."""
    return repo.plan(
        shell("A", "echo A > A; echo A > same"),
        shell("B", "echo B > B; echo B > same"),
        shell("D", "cat A > D", depends_on=["A"]),
        checks="test -e README.md",
    )


def assert_survived(repo: Repo, folder: Path, faults: dict[int, Fault], *, most: int = 4) -> Faults:
    """Begun, and taken up again by whoever comes next, until it is at its end."""
    before = checkout_of(repo)
    faulty = faulty_git(repo, folder, faults, only_writing=len(faults) > 1)
    begin = ("run", "--plan", str(collide(repo)), "--yes", "--parallel", "2")
    args, done = begin, None
    for _ in range(most):
        done = repo.toryo(*args)
        if done.code == 0:
            break
        has_begun = "E201" not in done.err and (repo.path / ".git" / "toryo" / "journal.db").exists()
        args = ("resume",) if has_begun else begin
    assert done is not None
    told = f"{faulty.happened}\n{done}"
    repo.environ["PATH"] = os.environ["PATH"]
    assert done.code == 0, told
    assert_nothing_lost(repo, "A", "B", "D")
    is_clean(repo, before)
    return faulty


@pytest.mark.covers("A15", "B2")
@pytest.mark.parametrize("offset", range(PERIOD))
def test_one_thing_after_the_other_goes_wrong(repo: Repo, tmp_path: Path, offset: int) -> None:
    """Together they hit every command that writes: every second time the conductor dies after it."""
    kinds = [kind for other in _OTHERS for kind in (Fault.KILLED_AFTER, other)]
    numbers = range(1 + offset, 400, PERIOD)
    faults = {number: kinds[(place + offset) % len(kinds)] for place, number in enumerate(numbers)}
    faulty = assert_survived(repo, tmp_path / "faults", faults, most=30)
    assert len(faulty.happened) > 2


if LONG in os.environ:

    @pytest.mark.parametrize("fault", list(Fault))
    @pytest.mark.parametrize("number", range(1, MOST_COMMANDS))
    def test_any_single_command(repo: Repo, tmp_path: Path, number: int, fault: Fault) -> None:
        faulty = assert_survived(repo, tmp_path / "faults", {number: fault})
        if not faulty.happened:
            pytest.skip("there are not so many commands")
