"""A `git` that goes wrong at chosen commands of Toryo's, and a look at whether the repository is clean after it."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tests.support.repositories import Repo


class Fault(StrEnum):
    """What happens instead of the command, or after it."""

    FAILS = "fails"
    """It fails and does nothing."""
    FAILS_AFTERWARDS = "fails-afterwards"
    """It does what it should, and says that it failed."""
    KILLED_BEFORE = "killed-before"
    """The conductor dies by SIGKILL, and nothing was done."""
    KILLED_AFTER = "killed-after"
    """It is done, and the conductor dies by SIGKILL before it can tell."""
    LEAVES_LOCKS = "leaves-locks"
    """Git itself dies by SIGKILL while it holds its locks."""
    DISK_FULL = "disk-full"
    """Git cannot write any more after the first bytes."""


# The conductor's own commands are known by their first setting, and by the one that answers for all of its lookups.
# What agents and checks call is let through. Whoever creates the file of a number has that number.
_SCRIPT = r"""#!/bin/sh
git={git}
state={state}
case "$1 $2" in
  "-c core.hooksPath=/dev/null" | "-c commit.gpgSign=false" | "cat-file --batch"*) ;;
  *) exec "$git" "$@" ;;
esac
verb=
for word; do
  case "$word" in
    -c) ;;
    *=*) ;;
    *) verb="$word"; break ;;
  esac
done
case "$verb" in
  worktree | update-ref | commit-tree | commit | merge | reset | clean) writes=yes ;;
  add | checkout | branch | write-tree | push | fetch) writes=yes ;;
  *) writes= ;;
esac
set -C
n=1
test -e "$state/last" && read -r n < "$state/last"
until {{ echo "$verb" > "$state/$n"; }} 2>/dev/null; do n=$((n + 1)); done
set +C
echo "$n" > "$state/last"
test -e "$state/faults/$n" || exec "$git" "$@"
read -r fault < "$state/faults/$n"
for word; do last="$word"; done
echo "$n $fault $verb $last" >> "$state/happened"

lock() {{ test -d "$(dirname "$1")" && : > "$1"; }}

case $fault in
  fails)
    echo "fatal: it was not to be" >&2; exit 128 ;;
  fails-afterwards)
    "$git" "$@"; echo "fatal: so it seems" >&2; exit 128 ;;
  killed-before)
    kill -9 $PPID; exit 137 ;;
  killed-after)
    "$git" "$@"; kill -9 $PPID; exit 137 ;;
  leaves-locks)
    own=$("$git" rev-parse --path-format=absolute --git-dir)
    common=$("$git" rev-parse --path-format=absolute --git-common-dir)
    branch=$("$git" symbolic-ref -q HEAD)
    case "$verb" in
      merge | reset | add | checkout) test "$own" = "$common" || lock "$own/index.lock" ;;
      commit) lock "$own/index.lock"; lock "$own/HEAD.lock"; lock "$common/$branch.lock" ;;
      update-ref)
        for word; do case "$word" in refs/*) lock "$common/$word.lock" ;; esac; done ;;
      branch) lock "$common/refs/heads/$last.lock" ;;
      worktree)
        case " $* " in *" worktree add "*)
          "$git" "$@"
          for made in "$common"/worktrees/*; do
            test -e "$made/index" || {{ echo initializing > "$made/locked"; : > "$made/HEAD.lock"; }}
          done ;;
        esac
        case " $* " in *" worktree remove "*) rm -f "$last/.git" "$last/README.md" ;; esac ;;
    esac
    kill -9 $$ ;;
  disk-full)
    if test -n "$writes"; then
      (ulimit -f 0; trap '' XFSZ; exec "$git" "$@") > /dev/null 2>&1 && exit 0
    fi
    echo "fatal: write error: No space left on device" >&2; exit 128 ;;
esac
"""


@dataclass
class Faults:
    """One faulty git, and what became of it."""

    state: Path

    @property
    def happened(self) -> list[str]:
        """The number of each command at which something went wrong, with what did, and the command."""
        told = self.state / "happened"
        return told.read_text().splitlines() if told.exists() else []

    @property
    def commands(self) -> list[str]:
        """What was counted, in order."""
        numbered = sorted((path for path in self.state.iterdir() if path.name.isdigit()), key=lambda p: int(p.name))
        return [path.read_text().strip() for path in numbered]


def faulty_git(repo: Repo, folder: Path, faults: Mapping[int, Fault]) -> Faults:
    """Puts a git on the repository's PATH that goes wrong at the commands with these numbers, from one on."""
    state, program = folder / "state", folder / "bin" / "git"
    (state / "faults").mkdir(parents=True)
    for number, fault in faults.items():
        (state / "faults" / str(number)).write_text(f"{fault}\n")
    program.parent.mkdir()
    program.write_text(_SCRIPT.format(git=shutil.which("git"), state=state))
    program.chmod(0o755)
    repo.environ["PATH"] = f"{program.parent}:{repo.environ['PATH']}"
    return Faults(state)


@dataclass(frozen=True)
class Checkout:
    """What is the person's own: their branch, index and files."""

    head: str
    commit: str
    index: str
    files: tuple[tuple[str, str], ...]


def checkout_of(repo: Repo) -> Checkout:
    own = repo.path / ".git"
    shown = sorted(path for path in repo.path.rglob("*") if path.is_file() and not _is_ours(path, repo.path))
    return Checkout(
        (own / "HEAD").read_text(),
        repo.git("rev-parse", "HEAD"),
        _digest(own / "index"),
        tuple((str(path.relative_to(repo.path)), _digest(path)) for path in shown),
    )


def _is_ours(path: Path, root: Path) -> bool:
    return path.relative_to(root).parts[0] in (".git", ".worktrees")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")


def is_clean(repo: Repo, before: Checkout) -> None:
    """Nothing half-made is left by us, whatever happened, and what is the person's is as it was."""
    common = repo.path / ".git"
    folders = [common, *(path for path in (common / "worktrees").glob("*") if path.is_dir())]
    assert [folder / name for folder in folders for name in _UNFINISHED if (folder / name).exists()] == []
    locks = [path for path in common.rglob("*.lock") if common / "toryo" not in path.parents]
    assert locks == [], "lock files of ours"
    _assert_worktrees(repo, folders[1:])
    checked = subprocess.run(
        ["git", "fsck", "--connectivity-only"], cwd=repo.path, env=_plain(repo), capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stderr.decode()
    assert checkout_of(repo) == before, "the person's checkout"


def _assert_worktrees(repo: Repo, registered: list[Path]) -> None:
    """Every registered one is there and whole, and every folder is registered."""
    entries = repo.git("worktree", "list", "--porcelain").split("\n\n")
    listed = [dict(line.partition(" ")[::2] for line in entry.splitlines()) for entry in entries if entry]
    assert [entry for entry in listed if "prunable" in entry or "locked" in entry] == []
    known = {Path(entry["worktree"]).resolve() for entry in listed}
    assert all(path.is_dir() for path in known)
    ours = repo.path / ".worktrees"
    folders = {path.resolve() for path in ours.iterdir()} if ours.exists() else set()
    assert folders <= known, "folders that git does not know"
    assert len(registered) == len(known) - 1
    for path in folders:
        looked = subprocess.run(["git", "status"], cwd=path, env=_plain(repo), capture_output=True, check=False)
        assert looked.returncode == 0, looked.stderr.decode()


def _plain(repo: Repo) -> Mapping[str, str]:
    return {**repo.environ, "PATH": os.environ["PATH"], "GIT_OPTIONAL_LOCKS": "0"}
