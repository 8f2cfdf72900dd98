"""Bringing two commits together without a working folder: the tree that `git merge` would make."""

import re
from collections.abc import Iterable
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.domain.difference import readable
from toryo.domain.errors import GitFailed
from toryo.domain.facts import fact

_ENTRY = re.compile(rb"(\d{6}) ([0-9a-f]{40,64}) ([123])\t(.+)", re.DOTALL)
# Git reads attributes from the files of the folder it works in, and here there are none.
_DECIDES = ("grep", "-a", "-q", "-e", "merge", "-e", "binary", "-e", "conflict-marker-size")
_ATTRIBUTES = ":(glob)**/.gitattributes"


@fact
class Stage:
    """One side of a file that does not merge: 1 where both began, 2 ours, 3 theirs."""

    mode: str
    blob: str
    number: int
    path: str
    """As the file system has it."""


@fact
class Union:
    """What came of it; with stages it is not to be committed: the files they name hold markers."""

    tree: str
    stages: tuple[Stage, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(stage.path for stage in self.stages))

    def of(self, path: str) -> tuple[Stage, ...]:
        return tuple(stage for stage in self.stages if stage.path == path)

    @property
    def files(self) -> tuple[str, ...]:
        return named(self.paths)


_ASIDE = re.compile(r"~(?:HEAD|[0-9a-f]{40,64})(?:_\d+)?$")


def named(paths: Iterable[str]) -> tuple[str, ...]:
    """For people; a file that had to make room for a folder is called as both sides called it."""
    return tuple(dict.fromkeys(readable(_ASIDE.sub("", path)) for path in paths))


async def combine(git: Git, common_dir: Path, tip: str, commit: str) -> Union | None:
    """The merge of both; None: it depends on the files of the tip, so it has to be done where they are."""
    done = await git.attempt(common_dir, "merge-tree", "--write-tree", "--messages", "-z", tip, commit)
    if done.returncode not in (0, 1):
        return None  # no such command, or one of them is not to be merged: git says why when it is done the other way
    union, touches_files = parse(done.stdout)
    if touches_files and await _has_a_say(git, common_dir, tip):
        return None
    return union


async def _has_a_say(git: Git, common_dir: Path, tip: str) -> bool:
    """Whether the repository says how some of its files are merged."""
    found = await git.attempt(common_dir, *_DECIDES, tip, "--", _ATTRIBUTES)
    if found.returncode > 1:
        raise GitFailed(f"git grep failed: {found.stderr.decode(errors='replace').strip()}")
    return found.returncode == 0


def parse(output: bytes) -> tuple[Union, bool]:
    """The result, and whether the content of any file had to be merged."""
    tree, *fields = output.split(b"\0")
    stages = []
    for field in fields:
        match = _ENTRY.fullmatch(field)
        if match is None:
            break
        mode, blob, number, path = match.groups()
        stages.append(Stage(mode.decode(), blob.decode(), int(number), path.decode(errors="surrogateescape")))
    has_messages = any(fields[len(stages) :])
    return Union(tree.decode().strip(), tuple(stages)), has_messages
