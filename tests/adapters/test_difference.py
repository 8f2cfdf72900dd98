"""What git says differs, read line by line: checked against the files themselves, on real repositories."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from toryo.adapters.git import difference as adapter
from toryo.adapters.git.command import Git
from toryo.adapters.git.difference import difference, parse
from toryo.domain.difference import Difference
from toryo.domain.evidence import Change

NAMES = [
    "a.py",
    "sp ace.txt",
    "q\"uo'te.js",
    "tab\t.go",
    "new\nline.rb",
    "日本語.md",
    "-dash",
    "a/b/ü.c",
    "diff --git a/x b/x",
]
PIECES = [
    *("x = 1", "", "@@ -1 +1 @@", "diff --git a/x b/x", "--- a/x", "+++ b/x", "-removed", "+added", " kept"),
    *("\\ No newline at end of file", "Binary files a/x and b/x differ", "index 000..111", "日本", "tail\r", "\r"),
]


class Tree:
    """A repository of its own, with the commits of a test."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "core.autocrlf", "false")
        self.adapter = Git(os.environ)

    def git(self, *args: str) -> str:
        asked = ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", *args]
        done = subprocess.run(asked, cwd=self.path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def write(self, name: str, content: bytes) -> None:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def between(self, base: str, commit: str) -> Difference:
        return difference(self.adapter, self.path, base, commit)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "tree")


def lines_of(content: bytes) -> list[str]:
    if not content:
        return []
    text = content.decode()
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if text.endswith("\n") else lines)]


@pytest.mark.parametrize("seed", range(6))
def test_numbers_and_texts_are_those_of_the_files(tree: Tree, seed: int) -> None:
    """The file before, without what went and with what came, is the file after: for any names and contents."""
    luck = random.Random(seed)

    def content() -> bytes:
        lines = [luck.choice(PIECES) for _ in range(luck.randint(0, 30))]
        return ("\n".join(lines) + luck.choice(["", "\n"])).encode()

    before = {name: content() for name in luck.sample(NAMES, 6)}
    for name, held in before.items():
        tree.write(name, held)
    base = tree.commit()
    after = dict(before)
    for name in luck.sample(sorted(before), 2):
        (tree.path / name).unlink()
        del after[name]
    for name in luck.sample(NAMES, 5):
        held = after.get(name, b"").split(b"\n")
        held.insert(luck.randint(0, len(held)), luck.choice(PIECES).encode())
        after[name] = luck.choice([content(), b"\n".join(held)])
        tree.write(name, after[name])
    found = tree.between(base, tree.commit())
    assert not found.unread
    touched = {file.path for file in found.files} | {file.old_path for file in found.files if file.old_path}
    assert touched == {name for name in {*before, *after} if before.get(name) != after.get(name)}
    for file in found.files:
        old = lines_of(before.get(file.old_path or file.path, b"")) if file.change is not Change.CREATED else []
        new = lines_of(after.get(file.path, b""))
        assert all(old[number - 1] == text for number, text in file.removed)
        assert all(new[number - 1] == text for number, text in file.added)
        gone, came = {number for number, _ in file.removed}, {number for number, _ in file.added}
        kept = [text for number, text in enumerate(old, 1) if number not in gone]
        assert kept == [text for number, text in enumerate(new, 1) if number not in came]


def test_what_has_no_lines(tree: Tree) -> None:
    tree.write("mode.sh", b"x\n")
    tree.write("becomes-a-link", b"x\n")
    tree.write("moves.py", b"".join(b"line %d\n" % number for number in range(20)))
    tree.write("picture", b"\0\1\2")
    base = tree.commit()
    (tree.path / "mode.sh").chmod(0o755)
    (tree.path / "becomes-a-link").unlink()
    (tree.path / "becomes-a-link").symlink_to("mode.sh")
    (tree.path / "link").symlink_to("TODO: nowhere")
    (tree.path / "moves.py").rename(tree.path / "moved.py")
    tree.write("picture", b"\0\1\3")
    tree.write("empty.py", b"")
    tree.write("last.py", b"# the last one\n")
    inner = tree.path / "inner"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@l", "commit", "-q", "--allow-empty", "-m", "x"],
        cwd=inner,
        check=True,
    )
    found = tree.between(base, tree.commit())
    files = {file.path: file for file in found.files}
    assert not found.unread
    assert {path for path, file in files.items() if file.added} == {"last.py"}
    assert files["moved.py"].old_path == "moves.py"
    assert [path for path, file in files.items() if not file.is_text] == ["becomes-a-link", "inner", "link", "picture"]
    assert files["last.py"].added == ((1, "# the last one"),)


def test_names_that_are_no_text(tree: Tree) -> None:
    base = tree.commit()
    Path(os.fsdecode(os.fsencode(tree.path) + b"/\xff.py")).write_bytes(b"x\n")
    (file,) = tree.between(base, tree.commit()).files
    assert os.fsencode(file.path) == b"\xff.py"
    assert file.name == "\\xff.py"


def test_what_people_configure_does_not_matter(tree: Tree) -> None:
    configured = {"diff.noprefix": "true", "color.ui": "always", "diff.external": "false", "diff.x.textconv": "false"}
    for key, value in configured.items():
        tree.git("config", key, value)
    tree.write(".gitattributes", b"*.py diff=x\n")
    base = tree.commit()
    tree.write("a.py", b"one\n")
    (file,) = tree.between(base, tree.commit()).files
    assert file.added == ((1, "one"),)


def test_there_is_a_limit(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not read is named, and what was read is right."""
    base = tree.commit()
    for number in range(30):
        tree.write(f"f{number:02}.py", b"# line\n" * 200)
    tree.write("huge.json", b'"x",\n' * 600_000)
    commit = tree.commit()
    whole = tree.between(base, commit)
    assert not whole.unread
    assert [file.path for file in whole.files if not file.is_text] == ["huge.json"]
    monkeypatch.setattr(adapter, "_MOST_BYTES", 20_000)
    some = tree.between(base, commit)
    assert len(some.files) == 31, "every name is known"
    assert "f29.py" in some.unread
    read = [file for file in some.files if file.name not in some.unread]
    assert read
    assert all(len(file.added) == 200 for file in read)


def test_nothing_differs() -> None:
    assert parse(b"") == Difference()
