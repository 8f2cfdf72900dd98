"""Whatever becomes of any single git command of landing, undoing or cleaning: it gets done, and nothing is lost."""

import itertools
import os
from pathlib import Path

import pytest
from tests.support.git_faults import Fault, Faults, checkout_of, faulty_git, is_clean
from tests.support.repositories import Repo, shell

LONG = "TORYO_TEST_ALL_GIT_FAULTS"
"""Set it to see every kind of fault at every single command."""
MOST_COMMANDS = 80
_OTHERS = [fault for fault in Fault if fault is not Fault.KILLED_AFTER]


def prepare(repo: Repo) -> None:
    """A complete session whose target has moved since, with a person in the middle of something."""
    repo.write("mine", "1\n")
    repo.commit("mine")
    done = repo.run(shell("A", "echo one > one"), shell("B", "echo two > two"), checks="test -e README.md")
    assert done.code == 0, done
    repo.write("README.md", "theirs\n")
    repo.commit("theirs")
    repo.write("mine", "2\n")
    repo.write("notes", "untracked\n")


def until_done(repo: Repo, *args: str, most: int, again: tuple[str, ...] = ()) -> None:
    told = []
    for _ in range(most):
        done = repo.toryo(*args)
        told.append(done)
        if done.code == 0:
            return
        assert "E900" not in done.err, "git's faults are not ours"
        args = again or args
    raise AssertionError(told[-2:])


def assert_survived(repo: Repo, folder: Path, faults: dict[int, Fault], most: int = 4) -> Faults:
    before = checkout_of(repo)
    faulty = faulty_git(repo, folder, faults)
    until_done(repo, "land", "--merge", most=most)
    assert repo.files_on("main") == {"README.md", "mine", "one", "two"}, faulty.happened
    assert repo.git("rev-list", "--count", "--first-parent", f"{before.commit}..main") == "1", "landed once"
    until_done(repo, "undo", most=most)
    assert repo.git("rev-parse", "main") == before.commit
    until_done(repo, "land", "--merge", "--squash", most=most)
    until_done(repo, "clean", most=most)
    repo.environ["PATH"] = os.environ["PATH"]
    assert repo.git("branch", "--list", "agent/*") == "", faulty.happened
    assert (repo.path / "mine").read_text() == "2\n"
    assert (repo.path / "notes").exists()
    assert repo.git("status", "--porcelain").split() == ["M", "mine", "??", "notes"], faulty.happened
    assert repo.toryo("verify").code == 0, faulty.happened
    is_clean(repo, checkout_of(repo))
    return faulty


@pytest.mark.covers("G31", "A15")
def test_killed_again_and_again_each_time_a_little_further(repo: Repo, tmp_path: Path) -> None:
    prepare(repo)
    places = itertools.accumulate(itertools.chain(range(2, 20), itertools.repeat(20, 10)))
    faulty = assert_survived(repo, tmp_path / "faults", dict.fromkeys(places, Fault.KILLED_AFTER), most=40)
    assert len(faulty.happened) > 10


@pytest.mark.covers("G31", "A15")
@pytest.mark.parametrize("offset", [0, 3])
def test_one_thing_after_the_other_goes_wrong(repo: Repo, tmp_path: Path, offset: int) -> None:
    prepare(repo)
    numbers = range(3 + offset, 400, 7)
    faults = {number: _OTHERS[(place + offset) % len(_OTHERS)] for place, number in enumerate(numbers)}
    faulty = assert_survived(repo, tmp_path / "faults", faults, most=40)
    assert len(faulty.happened) > 5


if LONG in os.environ:

    @pytest.mark.parametrize("fault", list(Fault))
    @pytest.mark.parametrize("number", range(1, MOST_COMMANDS))
    def test_any_single_command(repo: Repo, tmp_path: Path, number: int, fault: Fault) -> None:
        prepare(repo)
        if not assert_survived(repo, tmp_path / "faults", {number: fault}).happened:
            pytest.skip("there are not so many commands")
