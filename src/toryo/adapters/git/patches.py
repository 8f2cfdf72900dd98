"""The difference between two commits for people and for `git apply`, as git itself writes it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toryo.adapters.git.command import Git, checked
from toryo.domain.difference import readable

# The same patch whatever anybody has configured, and one that can be applied.
_PATCH = (
    *("diff-tree", "-r", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none"),
)
_WHOLE = ("-p", "-U3", "--binary", "--full-index")
_KINDS = {"A": "created", "D": "deleted", "R": "renamed", "C": "copied", "T": "modified", "M": "modified"}


def show_on_screen(git: Git, where: Path, base: str, commit: str, *options: str) -> int:
    """As git shows it to a person: their colours, their pager, their language."""
    theirs = git.elsewhere({"LC_ALL": os.environ.get("LC_ALL", "")})
    return theirs.shown(where, "diff", "-M", *options, base, commit)


def write_patch(git: Git, where: Path, base: str, commit: str, *options: str) -> int:
    """To stdout, byte by byte."""
    return git.shown(where, *_PATCH, *(options or _WHOLE), base, commit)


def patch_lines(git: Git, where: Path, base: str, commit: str, *options: str) -> Iterator[str]:
    """For a screen that git cannot write to itself."""
    with git.reading(where, *_PATCH, *(options or ("-p", "-U3")), base, commit) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield line.decode("utf-8", "replace").rstrip("\n")
        finally:
            process.kill()  # where nobody wants the rest


def file_rows(git: Git, where: Path, base: str, commit: str) -> list[dict[str, Any]]:
    """Each file that differs, as data."""
    asked = (*_PATCH, "-z", "--raw", "--numstat", "--no-abbrev", base, commit)
    return _rows(checked(git.run(where, *asked), asked).split("\0"))


def _rows(parts: list[str]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    ahead = iter(parts)
    for part in ahead:
        if part.startswith(":"):
            old_mode, mode, _, _, how = part[1:].split(" ")
            first = next(ahead)
            path = next(ahead) if how[0] in "RC" else first
            was = readable(first) if how[0] in "RC" else None
            kind = _KINDS.get(how[0], "modified")
            rows[path] = {"path": readable(path), "change": kind, "was": was, "old_mode": old_mode, "mode": mode}
        elif part:
            added, deleted, path = part.split("\t")
            if not path:
                _, path = next(ahead), next(ahead)
            counts = {"added": _count(added), "deleted": _count(deleted), "binary": added == "-"}
            rows[path].update(counts)
    return list(rows.values())


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
