"""Trying merges of live work: what git would find, without anything being touched."""

import random
import re
import shutil
from pathlib import Path

import pytest
from tests.support.repositories import Repo, fingerprint

from toryo.adapters.git.command import Git
from toryo.adapters.git.foreseen import Foreseen
from toryo.adapters.git.foresight import GitForesight
from toryo.ports import Picture, Sight

_ONE, _OTHER = "1" * 40, "2" * 40


class Bench:
    """Worktrees of a repository, and foresight over them."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.repo, self.folder = repo, folder

    def worktree(self, name: str, base: str = "main") -> Path:
        path = self.repo.path / ".worktrees" / name
        self.repo.git("worktree", "add", "-q", "-b", f"agent/{name}", str(path), base)
        return path

    def foresight(self) -> GitForesight:
        common = self.repo.path / ".git"
        git = Git(self.repo.environ)
        folder, cache = self.folder / "scratch", self.folder / "foreseen.json"
        return GitForesight(git, root=self.repo.path, common_dir=common, folder=folder, cache=cache)

    def look(self, *worktrees: Path, tip: str = "") -> Picture:
        sights = tuple(Sight(number, worktree=path, mark="now") for number, path in enumerate(worktrees, 1))
        return self.foresight().look(sights, tip)


@pytest.fixture
def bench(repo: Repo, tmp_path: Path) -> Bench:
    repo.write("list", "top\nnothing\nbottom\n")
    repo.write("日本/語.txt", "一\n二\n三\n")
    repo.write("folder/file", "text\n" * 20)
    repo.commit("files")
    folder = tmp_path / "foresight"
    folder.mkdir()
    return Bench(repo, folder)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.covers("B5")
def test_committed_and_uncommitted_work_is_seen_and_nothing_is_touched(bench: Bench) -> None:
    one, two, three = (bench.worktree(name) for name in ("one", "two", "three"))
    write(one / "list", "top\none\nbottom\n")
    write(one / "日本/語.txt", "一\n弐\n三\n")
    write(two / "list", "top\ntwo\nbottom\n")
    write(two / "日本/語.txt", "一\n2\n三\n")
    bench.repo.git("-C", str(two), "commit", "-qam", "half of it")
    write(two / "new", "not added")
    write(three / "new", "something else")
    bench.repo.git("-C", str(three), "add", "new")
    lock = bench.repo.path / ".git/worktrees/one/index.lock"
    lock.touch()  # the agent is in the middle of a git command
    nothing = re.compile("$^")
    before = fingerprint(bench.repo.path, nothing)
    picture = bench.look(one, two, three)
    assert fingerprint(bench.repo.path, nothing) == before
    found = {(clash.task, clash.other): clash.files for clash in picture.clashes}
    assert found == {(2, 1): ("list", "日本/語.txt"), (3, 2): ("new",)}
    assert not picture.unseen
    assert not picture.untried


@pytest.mark.covers("B5")
def test_renamed_folders_deletions_modes_and_binaries_are_judged_as_git_does(bench: Bench) -> None:
    renames, adds, deletes, changes = (bench.worktree(name) for name in ("renames", "adds", "deletes", "changes"))
    (renames / "folder").rename(renames / "moved")
    write(adds / "folder/more", "text\n")  # git moves it along with the folder: no conflict by names alone
    (deletes / "folder/file").unlink()
    write(changes / "folder/file", "text\n" * 20 + "more\n")
    picture = bench.look(renames, adds, deletes, changes)
    told = {(clash.task, clash.other) for clash in picture.clashes}
    assert (4, 3) in told, "deleted here, changed there"
    assert told == merged_by_git(bench, [renames, adds, deletes, changes])


def merged_by_git(bench: Bench, worktrees: list[Path]) -> set[tuple[int, int]]:
    """Which of them conflict when they are really merged, two by two."""
    clone = bench.folder / "clone"
    commits = []
    for path in worktrees:
        bench.repo.git("-C", str(path), "add", "-A")
        bench.repo.git("-C", str(path), "commit", "-q", "--allow-empty", "-m", "work")
        commits.append(bench.repo.git("-C", str(path), "rev-parse", "HEAD"))
    bench.repo.git("clone", "-q", str(bench.repo.path), str(clone))
    found = set()
    for two in range(len(commits)):
        for one in range(two):
            bench.repo.git("-C", str(clone), "reset", "-q", "--hard")
            bench.repo.git("-C", str(clone), "clean", "-qfd")
            bench.repo.git("-C", str(clone), "checkout", "-q", "--detach", commits[one])
            bench.repo.git("-C", str(clone), "merge", "-q", "--no-commit", commits[two], check=False)
            if bench.repo.git("-C", str(clone), "ls-files", "-u"):
                found.add((two + 1, one + 1))
    shutil.rmtree(clone)
    return found


@pytest.mark.covers("B5")
def test_what_is_foreseen_is_what_git_finds_for_random_work(bench: Bench) -> None:
    chance = random.Random(5)
    worktrees = [bench.worktree(f"w{number}") for number in range(5)]
    for path in worktrees:
        for _ in range(3):
            name = chance.choice(["list", "folder/file", "folder/new", "new", "new/below", "日本/語.txt"])
            match chance.randrange(4):
                case 0:
                    (path / "list").unlink(missing_ok=True)
                case 1 if (path / "folder").is_dir() and not (path / "moved").exists():
                    (path / "folder").rename(path / "moved")
                case _ if not (path / name).is_dir() and not (path / name).parent.is_file():
                    write(path / name, f"{chance.randrange(3)}\n" + "text\n" * 20)
    picture = bench.look(*worktrees)
    assert {(clash.task, clash.other) for clash in picture.clashes} == merged_by_git(bench, worktrees)
    assert picture.clashes


@pytest.mark.covers("B5")
def test_a_worktree_that_vanishes_or_has_another_history_is_no_error(bench: Bench) -> None:
    one, gone, orphan, merging = (bench.worktree(name) for name in ("one", "gone", "orphan", "merging"))
    write(one / "list", "top\none\nbottom\n")
    shutil.rmtree(gone)
    bench.repo.git("-C", str(orphan), "checkout", "-q", "--orphan", "anew")
    write(merging / "list", "top\nmine\nbottom\n")
    bench.repo.git("-C", str(merging), "commit", "-qam", "mine")
    bench.repo.git("-C", str(one), "commit", "-qam", "one")
    bench.repo.git("-C", str(merging), "merge", "-q", "agent/one", check=False)
    write(merging / "list", "top\nboth\nbottom\n")
    picture = bench.look(one, gone, orphan, merging)
    assert picture.unseen == (2,)
    assert (4, 1) not in {(clash.task, clash.other) for clash in picture.clashes}, "it holds the other's work by now"
    assert bench.look(one, tip=bench.repo.git("rev-parse", "agent/merging")).clashes


@pytest.mark.covers("B5")
def test_what_was_tried_before_is_not_tried_again(bench: Bench) -> None:
    one, two = bench.worktree("one"), bench.worktree("two")
    write(one / "list", "top\none\nbottom\n")
    write(two / "list", "top\ntwo\nbottom\n")
    assert len(bench.look(one, two).clashes) == 1
    cache = bench.folder / "foreseen.json"
    assert cache.stat().st_mode & 0o777 == 0o600
    written = cache.read_text()
    cache.write_text(written.replace('"list"', '"remembered"'))
    assert bench.look(one, two).clashes[0].files == ("remembered",)
    write(two / "list", "top\nagain\nbottom\n")
    assert bench.look(one, two).clashes[0].files == ("list",)
    for damage in ("", "[]", '{"shape": 1, "pairs": [[1]]}', '{"shape": 1, "pairs": [["x", "y", "z"]]}', written[:40]):
        cache.write_text(damage)
        assert bench.look(one, two).clashes[0].files == ("list",)


def test_nothing_is_lost_where_nothing_can_be_written(tmp_path: Path) -> None:
    foreseen = Foreseen(tmp_path / "not there" / "foreseen.json")
    foreseen.note((_ONE, _OTHER), ("a",))
    foreseen.keep([(_ONE, _OTHER)])
    assert foreseen.files((_ONE, _OTHER)) == ("a",)


def test_a_worktree_is_only_looked_at_when_its_mark_changes(bench: Bench) -> None:
    one, two = bench.worktree("one"), bench.worktree("two")
    write(one / "list", "top\none\nbottom\n")
    foresight = bench.foresight()

    def sights(mark: str) -> tuple[Sight, ...]:
        return (Sight(1, worktree=one, mark="idle"), Sight(2, worktree=two, mark=mark))

    assert not foresight.look(sights("a"), "").clashes
    write(two / "list", "top\ntwo\nbottom\n")
    assert not foresight.look(sights("a"), "").clashes
    assert foresight.look(sights("b"), "").clashes
    foresight.close()
    assert not (bench.folder / "scratch").exists()
