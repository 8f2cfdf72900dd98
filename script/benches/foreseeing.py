"""Foreseeing what will collide among many live branches, against git trying the same merges in one go."""

import shutil
import subprocess
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians, ratios
from benches.repositories import environment, run
from toryo.adapters.git.command import Git
from toryo.adapters.git.foresight import GitForesight
from toryo.ports import Picture, Sight

FILES, BRANCHES, LINES, CHANGES, SHARED_BY = 2_000, 50, 30, 10, 5
PAIRS = BRANCHES * (BRANCHES - 1) // 2
COLLISIONS = BRANCHES * (SHARED_BY - 1) // 2
LIMIT, AGAIN_LIMIT = 5_000.0, 1_000.0
_MERGE = ["git", "merge-tree", "--write-tree", "--stdin", "-z", "--name-only"]


def measure(rounds: int, folder: Path) -> Report:
    env = environment(folder)
    repository = _make(folder / "repository", env)
    worktrees = [_branch(repository, number, env) for number in range(BRANCHES)]
    floor, full, same, one = in_turns(
        rounds,
        (
            lambda turn: _plain_git(repository, worktrees, folder / f"floor{turn}", env),
            lambda turn: _look(repository, worktrees, folder, turn, env, forgets=True),
            lambda turn: _look(repository, worktrees, folder, turn, env),
            lambda turn: _one_changes(repository, worktrees, folder, turn, env),
        ),
    )
    plain = Figure(f"git merge-tree, {PAIRS:,} pairs of commits", floor)
    all_new = Figure("toryo, everything new, nothing committed", full)
    nothing_new = Figure("toryo, nothing has changed (a new process)", same)
    one_new = Figure("toryo, one worktree has changed (same process)", one)
    ratio = ratio_of_medians(all_new, plain)
    about = f"{BRANCHES} worktrees of {FILES:,} files, {CHANGES} changed in each; {ratio:.1f} times plain git"
    return Report(
        about,
        (plain, all_new, nothing_new, one_new, ratios("ratio, round by round", all_new, plain)),
        (
            Target(f"{PAIRS:,} pairs foreseen, median", all_new.median, LIMIT, "ms", full),
            Target("after one of them has changed, median", one_new.median, AGAIN_LIMIT, "ms", one),
        ),
    )


def _make(repository: Path, env: dict[str, str]) -> Path:
    repository.mkdir(parents=True)
    run(["git", "init", "-q", "-b", "main"], repository, env)
    for number in range(FILES):
        target = repository / _path(number)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(f"line {line} of {number}\n" for line in range(LINES)))
    run(["git", "add", "-A"], repository, env)
    run(["git", "commit", "-q", "-m", "base"], repository, env)
    run(["git", "repack", "-adq"], repository, env)
    return repository


def _path(number: int) -> str:
    return f"package{number % 50}/source{number % 7}/file{number}.txt"


def _branch(repository: Path, number: int, env: dict[str, str]) -> Path:
    """A worktree with changed files, one of which it shares with a few others; nothing is committed."""
    worktree = repository / ".worktrees" / f"branch{number}"
    run(["git", "worktree", "add", "-q", "-b", f"branch{number}", str(worktree)], repository, env)
    for place in range(CHANGES):
        target = worktree / _path(number * CHANGES + place if place else number // SHARED_BY * SHARED_BY * CHANGES)
        target.write_text(target.read_text().replace("line 5 ", f"branch {number} "))
    return worktree


def _plain_git(repository: Path, worktrees: list[Path], objects: Path, env: dict[str, str]) -> float:
    """What git itself takes for the merges alone, where all is committed; objects go to a folder of their own."""
    commits = [_committed(worktree, env) for worktree in worktrees]
    pairs = "".join(f"{one} {other}\n" for at, one in enumerate(commits) for other in commits[at + 1 :])
    objects.mkdir()
    apart = {"GIT_OBJECT_DIRECTORY": str(objects), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repository / ".git/objects")}

    def merge() -> None:
        subprocess.run(
            _MERGE, cwd=repository, env={**env, **apart}, input=pairs.encode(), capture_output=True, check=True
        )

    took = milliseconds(merge)
    shutil.rmtree(objects)
    return took


def _committed(worktree: Path, env: dict[str, str]) -> str:
    """The worktree's changes as a commit of no branch; the worktree itself stays as it is."""
    copy = worktree.parent.parent / ".git" / "bench-index"
    shutil.copy2(run(["git", "rev-parse", "--git-path", "index"], worktree, env).strip(), copy)
    index = {**env, "GIT_INDEX_FILE": str(copy)}
    run(["git", "add", "-A"], worktree, index)
    tree = run(["git", "write-tree"], worktree, index).strip()
    return run(["git", "commit-tree", tree, "-p", "HEAD", "-m", "work"], worktree, env).strip()


def _foresight(repository: Path, folder: Path, name: str, env: dict[str, str]) -> GitForesight:
    common, cache = repository / ".git", folder / "foreseen.json"
    return GitForesight(Git(env), root=repository, common_dir=common, folder=folder / name, cache=cache)


def _sights(worktrees: list[Path], mark: str) -> tuple[Sight, ...]:
    return tuple(Sight(number, worktree=path, mark=mark) for number, path in enumerate(worktrees, 1))


def _look(
    repository: Path, worktrees: list[Path], folder: Path, turn: int, env: dict[str, str], *, forgets: bool = False
) -> float:
    if forgets:
        (folder / "foreseen.json").unlink(missing_ok=True)
    foresight = _foresight(repository, folder, f"look{turn}", env)
    try:
        pictures: list[Picture] = []
        took = milliseconds(lambda: pictures.append(foresight.look(_sights(worktrees, "now"), "")))
        _verify(pictures[0])
        return took
    finally:
        foresight.close()


def _one_changes(repository: Path, worktrees: list[Path], folder: Path, turn: int, env: dict[str, str]) -> float:
    foresight = _foresight(repository, folder, f"one{turn}", env)
    try:
        foresight.look(_sights(worktrees, "now"), "")
        (worktrees[0] / "new.txt").write_text(f"{turn}\n")
        first, *others = _sights(worktrees, "now")
        sights = (Sight(first.task, worktree=first.worktree, mark="later"), *others)
        took = milliseconds(lambda: _verify(foresight.look(sights, "")))
        (worktrees[0] / "new.txt").unlink()
        return took
    finally:
        foresight.close()


def _verify(picture: Picture) -> None:
    """What is timed must have found what is there."""
    if len(picture.clashes) != COLLISIONS or picture.unseen:
        raise RuntimeError(f"{len(picture.clashes)} collisions instead of {COLLISIONS}, {picture.unseen} unseen")


BENCH = Bench(3, measure)
