"""Landing and undoing in somebody's checkout: what lies about there stays, what fails half-way is taken back."""

import json
from pathlib import Path

import pytest
from tests.support.repositories import Repo, kill, shell, until


def ready(repo: Repo, command: str, *flags: str) -> None:
    repo.write(".gitignore", "/ign\n*.ign\n")
    repo.write("a", "a\n")
    repo.write("b", "b\n")
    repo.commit("what is there")
    done = repo.run(shell("A", command), checks="true", flags=flags)
    assert done.code == 0, done


@pytest.mark.covers("G31")
def test_what_is_ignored_is_worth_keeping_too(repo: Repo) -> None:
    ready(repo, "mkdir d; echo theirs > d/x.ign; echo theirs > ign; git add -f d ign; git commit -qm x")
    repo.write("d/x.ign", "precious\n")
    repo.write("ign/data", "precious\n")
    held = repo.toryo("land", "--merge")
    assert held.code == 2, held
    assert "d/x.ign, ign" in held.out
    assert [(repo.path / name).read_text() for name in ("d/x.ign", "ign/data")] == ["precious\n", "precious\n"]
    assert repo.git("log", "-1", "--format=%s") == "what is there"
    (repo.path / "d/x.ign").unlink()
    (repo.path / "ign/data").unlink()
    (repo.path / "ign").rmdir()
    assert repo.toryo("resume").code == 0
    assert (repo.path / "ign").read_text() == "theirs\n"


@pytest.mark.covers("G31")
def test_undoing_keeps_the_index_and_what_is_ignored(repo: Repo) -> None:
    ready(repo, "echo more >> a; git rm -q --cached b; rm b; echo b >> .gitignore", "--land", "merge")
    repo.write("b", "mine\n")
    held = repo.toryo("undo")
    assert (held.code, "E242" in held.err) == (73, True), held
    assert (repo.path / "b").read_text() == "mine\n"
    (repo.path / "b").unlink()
    repo.write("staged", "as staged\n")
    repo.git("add", "staged")
    repo.write("staged", "changed since\n")
    assert repo.toryo("undo").code == 0
    assert repo.git("status", "--porcelain") == "AM staged"
    assert repo.git("show", ":staged") == "as staged"
    assert (repo.path / "b").read_text() == "b\n"


@pytest.mark.covers("G31")
def test_what_cannot_be_finished_leaves_nothing_half_done(repo: Repo) -> None:
    ready(repo, "echo more >> a; echo new > z.bin")
    hook = repo.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\ntest "$1" = prepared && grep -q refs/heads/main && exit 1\nexit 0\n')
    hook.chmod(0o755)
    held = repo.toryo("land", "--merge")
    assert (held.code, "aborted by hook" in held.out) == (2, True), held
    assert repo.git("status", "--porcelain") == ""
    hook.unlink()
    (repo.path / ".git" / "info" / "attributes").write_text("*.bin filter=broken\n")
    for key, value in {"smudge": "false", "clean": "cat", "required": "true"}.items():
        repo.git("config", f"filter.broken.{key}", value)
    held = repo.toryo("resume")
    assert (held.code, "smudge filter" in held.out) == (2, True), held
    assert repo.git("status", "--porcelain") == ""
    repo.git("config", "filter.broken.smudge", "cat")
    assert repo.toryo("resume").code == 0
    assert repo.git("status", "--porcelain") == ""
    assert (repo.path / "z.bin").read_text() == "new\n"


@pytest.mark.covers("G31")
def test_a_checkout_whose_git_folder_is_elsewhere_is_one_all_the_same(repo: Repo, tmp_path: Path) -> None:
    repo.git("init", "-q", "--separate-git-dir", str(tmp_path / "git"))
    ready(repo, "echo more >> a", "--land", "merge")
    assert repo.git("status", "--porcelain") == ""
    assert (repo.path / "a").read_text() == "a\nmore\n"


@pytest.mark.covers("G31")
@pytest.mark.parametrize("command", [("undo",), ("land", "--branch")])
def test_a_landing_that_nobody_had_time_to_record_is_known(
    repo: Repo, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ready(repo, "echo more >> a")
    hook = repo.path / ".git" / "hooks" / "post-merge"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/landed; until test -e {tmp_path}/go; do sleep 0.05; done\n")
    hook.chmod(0o755)
    process = repo.start("land", "--merge")
    until((tmp_path / "landed").exists)
    kill(process)
    (tmp_path / "go").touch()
    hook.unlink()
    assert repo.git("log", "-1", "--format=%s") == "Merge agent/the-plan: The plan"
    done = repo.toryo(*command)
    assert done.code == 0, done
    if command != ("undo",):
        assert json.loads(repo.toryo("info", "--json").out)["session"]["landed"] is True
        assert repo.toryo("undo").code == 0
    assert repo.git("log", "-1", "--format=%s") == "what is there"
    assert repo.git("status", "--porcelain") == ""
