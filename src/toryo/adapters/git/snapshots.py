"""Worktrees as commits, without anything of theirs or of the repository being touched."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from toryo.adapters.git.command import IDENTITY, Git
from toryo.adapters.git.differences import RAW, changes_in
from toryo.adapters.git.upkeep import git_dir
from toryo.domain.difference import readable
from toryo.domain.facts import fact

# The same files on the same commit are the same snapshot, whenever it is taken.
_ALWAYS_THE_SAME = {**IDENTITY, "GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
# Nothing may be fetched for it, and nothing but our copy of the index may be written.
_SETTINGS = {"core.fsmonitor": "false", "core.splitIndex": "false", "core.looseCompression": "0", "core.fsync": "none"}
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


@fact
class Snapshot:
    """A worktree as it was at one moment."""

    commit: str
    tree: str


class Snapshots:
    """Their objects are in a folder of their own, which the repository's stand behind."""

    def __init__(self, git: Git, common_dir: Path, folder: Path) -> None:
        self._git, self._common_dir = git, common_dir
        self._objects, self._indexes = folder / "objects", folder / "indexes"

    def git(self, writes: Path | None = None, **more: str) -> Git:
        """Git that sees every snapshot; what it writes goes elsewhere."""
        self._objects.mkdir(parents=True, exist_ok=True)
        behind = [self._common_dir / "objects", *([self._objects] if writes else [])]
        environ = {
            **_ALWAYS_THE_SAME,
            **_OFFLINE,
            "GIT_OBJECT_DIRECTORY": str(writes or self._objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(map(_quoted, behind)),
            **more,
        }
        return self._git.elsewhere(environ, _SETTINGS)

    def take(self, worktree: Path) -> Snapshot | None:
        """As it is now, with what is not committed; None: it is not there, or not to be read at the moment."""
        self._indexes.mkdir(parents=True, exist_ok=True)
        index = self._indexes / worktree.name
        try:
            home = git_dir(worktree)
            # Git replaces an index as a whole, so this is one state of it, whoever holds its lock. It keeps its time:
            # by that git tells which files may have changed in the moment when it was written.
            shutil.copy2(home / "index", index)
            return self._take(worktree, home, index)
        except OSError:
            return None  # it vanished meanwhile
        finally:
            with suppress(OSError):
                index.unlink(missing_ok=True)

    def _take(self, worktree: Path, home: Path, index: Path) -> Snapshot | None:
        git = self.git(GIT_DIR=str(home), GIT_WORK_TREE=str(worktree), GIT_INDEX_FILE=str(index))
        # What cannot be read, or vanishes while it is read, is left as it was.
        git.run(worktree, "add", "-A", "--ignore-errors")
        written = git.run(worktree, "write-tree")
        if written.returncode != 0:
            return None
        tree = written.stdout.decode().strip()
        stands = git.run(worktree, "rev-parse", "--revs-only", "HEAD^{commit}", "HEAD^{tree}")
        head, head_tree, *_ = [*stands.stdout.decode().split(), "", ""]
        merging = _merging(home)
        if tree == head_tree and not merging:
            return Snapshot(head, tree)
        parents = [part for parent in (head, *merging) if parent for part in ("-p", parent)]
        made = git.run(worktree, "commit-tree", tree, *parents, "-m", "as it is")
        return Snapshot(made.stdout.decode().strip(), tree) if made.returncode == 0 else None

    def changed(self, where: Path, base: str, commit: str) -> tuple[str, ...]:
        """Files that differ between the two."""
        done = self.git().run(where, *RAW, base, commit)
        return tuple(readable(name) for name, _ in changes_in(done.stdout)) if done.returncode == 0 else ()

    def forget(self) -> None:
        shutil.rmtree(self._objects, ignore_errors=True)


def _merging(home: Path) -> list[str]:
    """What is half merged in the worktree."""
    try:
        return (home / "MERGE_HEAD").read_text().split()
    except (OSError, ValueError):
        return []


def _quoted(path: Path) -> str:
    """As git wants it in a list of folders."""
    text = str(path)
    if os.pathsep not in text and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
