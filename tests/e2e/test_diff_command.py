"""`toryo diff`: what was done, as a patch that can be applied."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.support.repositories import TORYO, Repo, shell, until
from tests.support.terminals import on_terminal

_WORK = (
    "git mv old new; printf 'more\\n' >> new; printf '\\000\\001' > 絵.bin; chmod +x run.sh; rm gone; "
    "mkdir 日本; printf '一\\n' > 日本/語.txt; ln -s new link; printf 'no newline' > bare"
)


@pytest.fixture
def filled(repo: Repo) -> Repo:
    repo.write("old", "line\n" * 30)
    repo.write("run.sh", "#!/bin/sh\n")
    repo.write("gone", "x\n")
    repo.commit("files")
    repo.git("config", "diff.noprefix", "true")
    return repo


def patch(repo: Repo, *args: str) -> bytes:
    done = subprocess.run([*TORYO, "diff", *args], cwd=repo.path, env=repo.environ, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def applied(repo: Repo, given: bytes, folder: Path, base: str) -> str:
    """The tree that a patch makes of a commit."""
    repo.git("worktree", "add", "-q", "--detach", str(folder), base)
    subprocess.run(["git", "apply", "--index"], cwd=folder, env=repo.environ, input=given, check=True)
    return repo.git("-C", str(folder), "write-tree")


@pytest.mark.covers("B5")
def test_a_patch_of_live_work_of_a_merged_task_and_of_the_session_applies(filled: Repo, tmp_path: Path) -> None:
    repo = filled
    base = repo.git("rev-parse", "HEAD")
    gate = f"touch {tmp_path}/done; until test -e {tmp_path}/go; do sleep 0.05; done"
    plan = repo.plan(shell("A", f"{_WORK}; {gate}"), shell("B", "echo b > b", depends_on=["A"]))
    process = repo.start("run", "--plan", str(plan))
    until(lambda: (tmp_path / "done").exists())
    live = patch(repo, "A")
    assert "has not begun" in repo.toryo("diff", "B").err
    rows = {row["path"]: row for row in json.loads(repo.toryo("diff", "A", "--json").out)["files"]}
    assert (rows["new"]["change"], rows["new"]["was"]) == ("renamed", "old")
    assert (rows["絵.bin"]["binary"], rows["日本/語.txt"]["added"]) == (True, 1)
    assert (rows["run.sh"]["old_mode"], rows["run.sh"]["mode"]) == ("100644", "100755")
    (tmp_path / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert not repo.git("branch", "--list", "agent/task-a"), "its branch is gone"
    merged = patch(repo, "A")
    assert merged == live
    assert applied(repo, live, tmp_path / "live", base) == repo.git(
        "rev-parse", f"{repo.tasks()['A']['commit']}^{{tree}}"
    )
    whole = applied(repo, patch(repo), tmp_path / "whole", base)
    assert whole == repo.git("rev-parse", "agent/the-plan^{tree}")
    assert repo.toryo("diff", "--name-only", "B").out == "b\n"
    assert "日本/語.txt" in repo.toryo("diff", "--stat").out
    assert repo.toryo("diff", "--stat", "--json").code == 64


def test_on_a_terminal_git_shows_it_in_colour(filled: Repo) -> None:
    assert filled.run(shell("A", "echo 新しい > 名前")).code == 0
    filled.environ["GIT_PAGER"] = "sed s/^/paged:/"
    code, seen = on_terminal(filled, "diff", "A")
    assert code == 0
    assert "paged:" in seen
    assert "新しい" in seen
    assert "名前" in seen
    assert "\x1b[" in seen
