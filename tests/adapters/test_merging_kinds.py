"""Everything that two lines of work can do to the same files, on real git: the very tree that `git merge` makes."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.adapters.test_git_integration import HOME, git_in, merge, point, with_git
from tests.support.repositories import Repo, shell

from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.ports import Conflict, Point

_LINES = r"seq 1 40 > f"
_MERGE = "git -c user.name=x -c user.email=x merge -q --no-ff -m x"
_LFS = "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize 5\\n'"
# Each: what both begin from, what is merged already, what is to be merged, and the files that collide.
KINDS: dict[str, tuple[str, str, str, list[str]]] = {
    "renamed here, changed there": (_LINES, "git mv f g", "echo x >> f", []),
    "renamed on both sides": (_LINES, "git mv f g", "git mv f h", ["f", "g", "h"]),
    "renamed here, deleted there": (_LINES, "git mv f g; echo x >> g", "git rm -q f", ["g"]),
    "folder renamed here, file added there": (
        "mkdir d; seq 1 20 > d/a; seq 30 50 > d/b; seq 60 90 > d/c",
        "git mv d e",
        "seq 5 > d/new",
        ["e/new"],
    ),
    "executable here, changed there": (_LINES, "chmod +x f", "echo x >> f", []),
    "binary": ("printf 'a\\0b' > f", "printf 'a\\0c' > f", "printf 'a\\0d' > f", ["f"]),
    "link on one side": (_LINES, "rm f; ln -s elsewhere f", "echo x >> f", ["f"]),
    "link on both sides": ("ln -s a f", "ln -sf b f", "ln -sf c f", ["f"]),
    "file here, folder there": ("echo x > keep", "echo a > f", "mkdir f; echo b > f/g", ["f"]),
    "case only": (_LINES, "git mv f F", "echo x >> f", []),
    "windows lines": (
        "git config core.autocrlf input; echo '* text=auto' > .gitattributes; printf '%s\\r\\n' a b c d > f",
        "printf 'a\\r\\nb\\r\\nc\\r\\nD\\r\\n' > f",
        "printf 'A\\r\\nb\\r\\nc\\r\\nd\\r\\n' > f",
        [],
    ),
    "windows lines kept": ("seq 1 9 | sed 's/$/\\r/' > f", "sed -i '1s/1/one/' f", "sed -i '9s/9/nine/' f", []),
    "pointers of LFS": (
        f"printf 'f filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes; {_LFS} {'0' * 64} > f",
        f"{_LFS} {'1' * 64} > f",
        "echo x > other",
        [],
    ),
    "pointers of LFS on both sides": (
        f"printf 'f filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes; {_LFS} {'0' * 64} > f",
        f"{_LFS} {'1' * 64} > f",
        f"{_LFS} {'2' * 64} > f",
        ["f"],
    ),
    "a driver of the repository's own": (
        "printf 'f merge=union\\n' > .gitattributes; echo base > f",
        "echo ours >> f",
        "echo theirs >> f",
        [],
    ),
    "a driver in a folder": (
        "mkdir d; printf 'f -merge\\n' > d/.gitattributes; seq 1 40 > d/f",
        "sed -i 1s/1/one/ d/f",
        "echo x >> d/f",
        ["d/f"],
    ),
    "names": (
        "seq 9 > 日本.txt; seq 9 > ./-dash; seq 9 > \"$(printf 'new\\nline')\"; seq 9 > \"$(printf 'bad\\377')\"",
        'for f in *; do sed -i 1s/1/one/ -- "$f"; done',
        'for f in *; do echo x >> "./$f"; done',
        [],
    ),
    "names that collide": (
        "seq 9 > 日本.txt; seq 9 > ./-d",
        "echo a >> 日本.txt; echo a >> ./-d",
        "echo b >> 日本.txt; echo b >> ./-d",
        ["-d", "日本.txt"],
    ),
}


def side(repo: Repo, branch: str, base: str, script: str) -> Point:
    repo.git("checkout", "-q", "-b", branch, base)
    subprocess.run(["bash", "-ec", script], cwd=repo.path, env=repo.environ, check=True, capture_output=True)
    repo.git("add", "-A")
    repo.git("commit", "-q", "--allow-empty", "-m", branch)
    found = point(repo, branch)
    repo.git("checkout", "-q", "-f", "--detach", "main")
    return found


def by_git(repo: Repo, folder: Path, tip: Point, work: Point) -> tuple[str, list[str]]:
    """What `git merge` itself makes of it: the tree, or else the files that collide."""
    repo.git("worktree", "add", "-q", "--detach", str(folder), tip.commit)
    asked = ["git", "-c", "user.name=x", "-c", "user.email=x", "merge", "-q", "--no-ff", "-m", "x", work.commit]
    code = subprocess.run(asked, cwd=folder, env=repo.environ, capture_output=True, check=False).returncode
    if code:
        listed = git_in(repo, folder, "-c", "core.quotePath=false", "diff", "--name-only", "--diff-filter=U")
        return "", sorted({name.partition("~")[0] for name in listed.splitlines()})
    return git_in(repo, folder, "rev-parse", "HEAD^{tree}"), []


@pytest.mark.covers("A15", "A10")
@pytest.mark.parametrize("kind", KINDS)
def test_the_tree_is_the_one_that_git_merge_makes(repo: Repo, tmp_path: Path, kind: str) -> None:
    base, ours, theirs, collide = KINDS[kind]
    side(repo, "base", "main", base)
    tip, work = side(repo, "ours", "base", ours), side(repo, "theirs", "base", theirs)
    tree, files = by_git(repo, tmp_path / "git", tip, work)
    assert files == collide

    async def act(integration: GitIntegration, _: GitWorktrees) -> Point | list[str]:
        try:
            return await merge(integration, tip, work.commit)
        except Conflict as conflict:
            return sorted(conflict.files)

    merged = with_git(repo, act)
    if isinstance(merged, Point):
        assert merged.tree == tree
        assert repo.git("log", "-1", "--format=%P", HOME.branch).split() == [tip.commit, work.commit]
    else:
        assert not tree
        assert merged == files
        assert repo.git("branch", "--list", HOME.branch) in ("", f"* {HOME.branch}", f"+ {HOME.branch}")
    folder = repo.path / ".worktrees" / HOME.folder
    if folder.exists():
        assert git_in(repo, folder, "status", "--porcelain") == ""
        assert not list((repo.path / ".git" / "worktrees" / HOME.folder).glob("MERGE_*"))


@pytest.mark.covers("A15")
def test_criss_cross(repo: Repo, tmp_path: Path) -> None:
    side(repo, "base", "main", _LINES)
    a, b = side(repo, "a", "base", "sed -i 5s/5/five/ f"), side(repo, "b", "base", "sed -i 35s/35/thirty/ f")
    tip = side(repo, "tip", "a", f"{_MERGE} {b.commit}; sed -i 1s/1/one/ f")
    work = side(repo, "work", "b", f"{_MERGE} {a.commit}; echo more >> f")
    assert len(repo.git("merge-base", "--all", tip.commit, work.commit).split()) == 2
    tree, _ = by_git(repo, tmp_path / "git", tip, work)
    assert tree
    assert with_git(repo, lambda integration, _: merge(integration, tip, work.commit)).tree == tree


@pytest.mark.covers("A15")
def test_submodules(repo: Repo, tmp_path: Path) -> None:
    inner = Repo.make(tmp_path / "inner", repo.environ)
    first = inner.git("rev-parse", "HEAD")
    inner.write("more", "x\n")
    second = inner.commit("more")
    allowed = "git -c protocol.file.allow=always submodule --quiet"
    add = f"{allowed} add file://{inner.path} sub; git -C sub checkout -q {first}"
    base = side(repo, "base", "main", add)
    moved = side(repo, "moved", "base", f"{allowed} update --init; git -C sub checkout -q {second}")
    other = side(repo, "other", "base", "echo x > other")
    shutil.rmtree(repo.path / "sub", ignore_errors=True)
    tree, _ = by_git(repo, tmp_path / "git", other, moved)
    merged = with_git(repo, lambda integration, _: merge(integration, other, moved.commit))
    assert merged.tree == tree
    assert repo.git("ls-tree", merged.tree, "sub").split()[2] == second
    assert base.tree != merged.tree


@pytest.mark.covers("A15")
def test_huge_files_and_a_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "core.bigFileThreshold", "1m")
    repo.git("config", "core.compression", "0")
    for number in range(3):
        repo.git("commit", "-q", "--allow-empty", "-m", str(number))
    side(repo, "base", "main", f"truncate -s 60M huge; {_LINES}")
    side(repo, "ours", "base", "echo end >> huge")
    side(repo, "theirs", "base", "sed -i 1s/1/one/ f")
    clone = tmp_path / "clone"
    for branch in ("ours", "theirs"):  # shallow, so that both have to be brought together from what is there
        depth = ["--depth", "2"]
        if not clone.exists():
            repo.git("clone", "-q", *depth, "--no-single-branch", f"file://{repo.path}", str(clone))
        repo.git("-C", str(clone), "branch", "-q", "-f", branch, f"origin/{branch}")
    shallow = Repo(clone, repo.environ)
    assert shallow.git("rev-parse", "--is-shallow-repository") == "true"
    tip, work = point(shallow, "ours"), point(shallow, "theirs")
    merged = with_git(shallow, lambda integration, _: merge(integration, tip, work.commit))
    assert shallow.git("show", f"{merged.tree}:f").startswith("one\n")
    size = int(shallow.git("cat-file", "-s", f"{merged.tree}:huge"))
    assert size == 60 * 1024 * 1024 + 4


@pytest.mark.covers("A15")
def test_two_hundred_branches(repo: Repo) -> None:
    stream = "".join(
        f"commit refs/heads/b{number}\ncommitter x <x> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\n"
        f"M 100644 inline d{number % 10}/f{number}\ndata 2\nx\n\n"
        for number in range(200)
    )
    importing = ["git", "fast-import", "--quiet"]
    subprocess.run(importing, input=stream.encode(), cwd=repo.path, env=repo.environ, check=True)

    async def act(integration: GitIntegration, _: GitWorktrees) -> Point:
        tip = point(repo, "main")
        ids = repo.git("rev-parse", *(f"b{number}" for number in range(200))).split()
        for commit in ids:
            tip = await merge(integration, tip, commit)
        return tip

    merged = with_git(repo, act)
    assert point(repo, HOME.branch) == merged
    assert repo.git("rev-list", "--count", "--merges", HOME.branch) == "200"
    assert len(repo.files_on(HOME.branch)) == 201


@pytest.mark.covers("A16")
def test_nothing_is_ever_signed(repo: Repo, tmp_path: Path) -> None:
    """Not even where the person's git signs and verifies everything, with a program that would wait for ever."""
    asked = tmp_path / "asked"
    program = tmp_path / "sign"
    program.write_text(f"#!/bin/sh\ntouch {asked}\nexec sleep 600\n")
    program.chmod(0o755)
    for key in ("commit.gpgSign", "tag.gpgSign", "merge.verifySignatures", "push.gpgSign"):
        repo.git("config", key, "true")
    for key, value in (("gpg.program", str(program)), ("user.signingKey", "me"), ("merge.ff", "only")):
        repo.git("config", key, value)
    done = repo.toryo(
        *("run", "--yes", "--plan"),
        str(
            repo.plan(
                shell("A", "echo a > a; git add a; git commit -qm a"),
                shell("B", "echo b > b"),
                shell("C", "cat a b > c", depends_on=["A", "B"]),
                checks="true",
            )
        ),
    )
    assert done.code == 0, done
    assert not asked.exists()
    assert repo.show("agent/the-plan", "c") == "a\nb"


@pytest.mark.covers("A15", "F11")
def test_a_session_in_which_all_of_it_happens(repo: Repo) -> None:
    """Parallel tasks that rename, change modes, link, and use names that are hard to type."""
    subprocess.run(["bash", "-ec", f"{_LINES}; mkdir d; seq 20 > d/日本; ln -s f link"], cwd=repo.path, check=True)
    repo.commit("things")
    done = repo.run(
        shell("A", "git mv f 名前"),
        shell("B", "echo more >> f"),
        shell("C", "chmod +x d/日本; ln -sfn d link"),
        shell("D", "echo x > ./-dash; printf 'a\\0b' > bin; printf 'x\\r\\n' > crlf"),
        checks="true",
        flags=["--parallel", "4"],
    )
    assert done.code == 0, done
    listed = repo.git("-c", "core.quotePath=false", "ls-tree", "-r", "agent/the-plan")
    modes = {line.partition("\t")[2]: line.split()[0] for line in listed.splitlines()}
    expected = {"名前": "100644", "d/日本": "100755", "link": "120000", "-dash": "100644", "bin": "100644"}
    assert {name: modes.get(name) for name in expected} == expected
    assert repo.show("agent/the-plan", "名前").endswith("40\nmore")
    assert repo.toryo("verify").code == 0
