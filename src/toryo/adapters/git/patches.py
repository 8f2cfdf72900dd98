"""What a commit changes, as a hash that stays the same where the change is made somewhere else."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from toryo.adapters.git.command import Git, checked

# Said in full, whatever is configured: two of them are compared.
_PLAIN = ("-p", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "-U3",
          "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=myers", "--inter-hunk-context=0",
          "--ignore-submodules=none")  # fmt: skip
_HEAD = b"commit "


class Patches:
    """Hashes of changes, many in one git command. Unlike git's own, also of what binary files hold."""

    def __init__(self, git: Git, root: Path) -> None:
        self._git, self._root = git, root

    async def of_commits(self, revisions: Iterable[str], *options: str) -> dict[str, str]:
        """Of every commit among them that the options let through and that changes anything."""
        asked = ("log", *_PLAIN, "--no-show-signature", "--format=commit %H", *options, "--stdin")
        return dict(_hashes(await self._said(_lines(revisions), *asked)))

    async def of_whole(self, spans: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Of everything between two commits, by the later one."""
        asked = ("diff-tree", *_PLAIN, "--stdin", "--format=commit %H", "-r")
        # A commit with another named behind it is compared with that one.
        return dict(_hashes(await self._said(_lines(f"{commit} {base}" for base, commit in spans), *asked)))

    async def _said(self, given: str, *asked: str) -> bytes:
        done = await self._git.feed(self._root, given, *asked)
        checked(done, asked)
        return done.stdout


def _lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def _hashes(text: bytes) -> Iterator[tuple[str, str]]:
    commit, digest, index, is_empty = "", hashlib.sha256(), b"", True
    for line in text.split(b"\n"):
        if line.startswith(_HEAD):
            if commit and not is_empty:
                yield commit, digest.hexdigest()
            commit, digest, index, is_empty = line.removeprefix(_HEAD).decode(), hashlib.sha256(), b"", True
            continue
        if line.startswith(b"index "):
            index = line  # the names of contents differ wherever the rest of the file does
            continue
        if line.startswith(b"@@ "):
            line = b"@@"  # where it is in the file does not matter
        elif line.startswith(b"Binary files "):
            line += index.split(b" ")[1]
        if line:
            is_empty = False
            digest.update(line + b"\n")
    if commit and not is_empty:
        yield commit, digest.hexdigest()
