"""The person's checkout, branch, index and stash are never touched, in whatever repository."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.support.repositories import Repo, fingerprint, shell

_TORYOS_OWN = re.compile(
    r"(\.worktrees/|\.git/(toryo|worktrees|objects)/|\.git/(refs|logs/refs)/heads/agent/|\.git/info/exclude$"
    r"|\.git/refs/toryo/|\.git/packed-refs$)"
)


def dirty(repo: Repo) -> None:
    """Staged, unstaged, untracked, ignored, stashed: everything a person may have lying about."""
    repo.write("stashed", "in the stash\n")
    repo.git("add", "stashed")
    repo.git("stash", "push", "-q")
    repo.write("README.md", "unstaged\n")
    repo.write("staged", "staged\n")
    repo.git("add", "staged")
    repo.write("untracked/file", "untracked\n")


@pytest.mark.covers("A10")
def test_checkout_index_stash_and_head_are_the_same_byte_for_byte(repo: Repo) -> None:
    dirty(repo)
    before = fingerprint(repo.path, _TORYOS_OWN)
    stash = repo.git("stash", "list")
    tasks = [shell(key, f"echo {key} > {key}; echo {key} > README.md") for key in "ABC"]
    done = repo.run(*tasks, shell("D", "exit 1"), shell("E", "echo e > e", depends_on=["A"]))
    assert done.code == 1, done
    assert fingerprint(repo.path, _TORYOS_OWN) == before
    assert repo.git("stash", "list") == stash
    assert "4 uncommitted changes" in done.err or "3 uncommitted changes" in done.err


@pytest.mark.covers("B11")
def test_spaces_and_non_ascii_in_the_path(tmp_path: Path, environ: dict[str, str]) -> None:
    repo = Repo.make(tmp_path / "a folder" / "レポジトリ é", environ)
    done = repo.run(shell("A", "echo a > 'ファイル 1'"), shell("B", "echo b > 'ファイル 1'"), checks="true")
    assert done.code == 0, done
    assert "ファイル 1" in repo.files_on("agent/the-plan")


def test_a_linked_worktree_is_as_good_a_place_to_start(repo: Repo) -> None:
    linked = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", "-b", "feature", str(linked))
    (linked / "only-here").write_text("x\n")
    subprocess.run(["git", "add", "-A"], cwd=linked, check=True, env=repo.environ)
    identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"]
    subprocess.run(["git", *identity, "commit", "-qm", "x"], cwd=linked, check=True, env=repo.environ)
    plan = repo.plan(shell("A", "cat only-here > a"))
    done = repo.toryo("run", "--plan", str(plan), cwd=linked)
    assert done.code == 0, done
    assert repo.status()["sessions"][0]["base_branch"] == "feature"
    assert {"a", "only-here"} <= repo.files_on("agent/the-plan")
    assert repo.toryo("status", cwd=linked).out == repo.toryo("status").out


def test_a_worktree_of_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    subprocess.run(
        ["git", "worktree", "add", "-q", str(tmp_path / "tree"), "main"],
        cwd=tmp_path / "bare.git",
        check=True,
        env=repo.environ,
    )
    done = repo.toryo("run", "--plan", str(repo.plan(shell("A", "echo a > a"))), cwd=tmp_path / "tree")
    assert done.code == 0, done


def test_a_repository_with_submodules(repo: Repo, tmp_path: Path) -> None:
    library = Repo.make(tmp_path / "library", repo.environ)
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "lib")
    repo.commit("add a submodule")
    done = repo.run(shell("A", "echo a > a"), shell("B", "echo b > b"))
    assert done.code == 0, done
    assert repo.git("ls-tree", "agent/the-plan", "lib").split()[:2] == ["160000", "commit"]


@pytest.mark.covers("A10")
def test_started_from_a_git_hook_it_does_not_touch_the_callers_index(repo: Repo) -> None:
    repo.environ.update(GIT_DIR=str(repo.path / ".git"), GIT_INDEX_FILE=str(repo.path / ".git" / "index"))
    index = (repo.path / ".git" / "index").read_bytes()
    done = repo.toryo("run", "--plan", str(repo.plan(shell("A", "echo a > a && git add a && git status"))))
    assert done.code == 0, done
    assert (repo.path / ".git" / "index").read_bytes() == index


@pytest.mark.covers("A10")
def test_worktrees_do_not_show_up_as_untracked(repo: Repo) -> None:
    repo.environ["TORYO_WORKTREE_KEEP"] = "1"
    assert repo.run(shell("A", "echo a > a")).code in (0, 64)
    assert repo.git("status", "--porcelain") == ""
