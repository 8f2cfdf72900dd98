"""Worktrees as commits, without anything of theirs or of the repository being touched."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from toryo.adapters.git.checkout import LOOK, look_at_checkout
from toryo.adapters.git.command import IDENTITY, Git
from toryo.adapters.git.differences import RAW, changes_in
from toryo.adapters.git.upkeep import git_dir
from toryo.domain.difference import readable

# The same files on the same commit are the same snapshot, whenever it is taken.
_ALWAYS_THE_SAME = {**IDENTITY, "GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
# Nothing may be fetched for it, and nothing but our copy of the index may be written.
_SETTINGS = {"core.fsmonitor": "false", "core.splitIndex": "false", "core.looseCompression": "0", "core.fsync": "none"}
_STATUS = (*LOOK, "--untracked-files=all")
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


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

    def take(self, worktree: Path) -> str | None:
        """A commit of it as it is now, with what is not committed; None: it is gone, or cannot be read now."""
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

    def _take(self, worktree: Path, home: Path, index: Path) -> str | None:
        git = self.git(GIT_DIR=str(home), GIT_WORK_TREE=str(worktree), GIT_INDEX_FILE=str(index))
        seen = git.run(worktree, *_STATUS)
        if seen.returncode != 0:
            return None
        state, merging = look_at_checkout(seen.stdout), _merging(home)
        if not state.changes and not merging:
            return state.commit or None
        _stage(git, worktree, list(state.changes))
        written = git.run(worktree, "write-tree")
        if written.returncode != 0:
            return None
        parents = [part for parent in (state.commit, *merging) if parent for part in ("-p", parent)]
        made = git.run(worktree, "commit-tree", written.stdout.decode().strip(), *parents, "-m", "as it is")
        return made.stdout.decode().strip() if made.returncode == 0 else None

    def changed(self, where: Path, base: str, commit: str) -> tuple[str, ...]:
        """Files that differ between the two."""
        done = self.git().run(where, *RAW, base, commit)
        return tuple(readable(name) for name, _ in changes_in(done.stdout)) if done.returncode == 0 else ()

    def forget(self) -> None:
        shutil.rmtree(self._objects, ignore_errors=True)


def _stage(git: Git, worktree: Path, paths: list[str]) -> None:
    """Only what differs is read again; a folder that is a repository of its own is left to `git add`."""
    if not any(path.endswith("/") for path in paths):
        given = "".join(f"{path}\0" for path in paths).encode(errors="surrogateescape")
        if git.fed(worktree, given, "update-index", "--add", "--remove", "--replace", "-z", "--stdin").returncode == 0:
            return
    # What cannot be read, or vanishes while it is read, is left as it was.
    git.run(worktree, "add", "-A", "--ignore-errors")


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
