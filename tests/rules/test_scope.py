"""Which paths a task may change."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.rules.scope import out_of_scope


@pytest.mark.covers("A4")
@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src", "src/a/b/c.py"),
        ("src/", "src/a.py"),
        ("src/**", "src/a/b.py"),
        ("src/*", "src/a.py"),
        ("src/*.py", "src/a.py"),
        ("**/*.py", "a.py"),
        ("**/*.py", "a/b/c.py"),
        ("**", "any/thing"),
        ("src/**/test_*.py", "src/test_a.py"),
        ("src/**/test_*.py", "src/x/y/test_a.py"),
        ("a?.py", "ab.py"),
        ("[ab].py", "b.py"),
        ("[!ab].py", "c.py"),
        ("資料/*.md", "資料/設計.md"),
        ("a+b(c).txt", "a+b(c).txt"),
        ("a[.txt", "a[.txt"),
        ("**/new\nline", "x/new\nline"),
    ],
)
def test_covered(glob: str, path: str) -> None:
    assert out_of_scope([path], (glob,)) == ()


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("src/a.py", "src/b.py"),
        ("src", "srcs/a.py"),
        ("src", "lib/src/a.py"),
        ("src/*.py", "src/deep/a.py"),
        ("*.py", "src/a.py"),
        ("a?.py", "a/.py"),
        ("a.py", "axpy"),
        ("[ab].py", "c.py"),
        ("[!ab].py", "a.py"),
        ("src/**/x.py", "srcx.py"),
        ("src/**", "src2/a.py"),
        ("SRC", "src/a.py"),
    ],
)
def test_not_covered(glob: str, path: str) -> None:
    assert out_of_scope([path], (glob,)) == (path,)


def test_no_scope_covers_everything() -> None:
    assert out_of_scope(["a", "b/c"], ()) == ()


def test_one_of_several_globs_is_enough_and_the_rest_is_told_in_order() -> None:
    paths = ["docs/a.md", "z.py", "src/a.py", "a.py"]
    assert out_of_scope(paths, ("src", "docs")) == ("z.py", "a.py")


@given(st.text(alphabet="ab./*?", max_size=8), st.text(alphabet="ab.", min_size=1, max_size=6))
def test_within_one_folder_it_is_what_the_shell_says(glob: str, name: str) -> None:
    if "/" in glob or "**" in glob:
        return
    assert (out_of_scope([name], (glob,)) == ()) == fnmatch.fnmatchcase(name, glob) or glob in ("", ".")


@pytest.mark.parametrize("glob", ["a[]b", "[!]", "[z-a].py"])
def test_odd_brackets_are_taken_as_they_are_written(glob: str) -> None:
    assert out_of_scope([glob], (glob,)) == ()


@pytest.mark.parametrize("glob", [".", "./"])
def test_the_whole_repository(glob: str) -> None:
    assert out_of_scope(["src/a.py"], (glob,)) == ()
