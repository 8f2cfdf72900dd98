"""Where Toryo was called, and whether it can work there; refuses before anything is changed."""

import errno
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from toryo.adapters.git.checkout import LOOK, look_at_checkout
from toryo.adapters.git.command import Git, UnderWay
from toryo.domain.errors import Exit, GitFailed, ToryoError
from toryo.domain.facts import fact

_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisect",
}


class NotARepository(ToryoError):
    """There is none around the folder: nothing is wrong with it otherwise."""


_FOLDERS = ("runs", "reports", "logs")
_PREFIX = "refs/heads/agent"


@fact
class Place:
    """A repository: the checkout we were called in, and what all its worktrees share."""

    checkout: Path
    git_dir: Path
    common_dir: Path

    @property
    def root(self) -> Path:
        """The main checkout; for a bare repository's worktrees, the one we were called in."""
        return self.common_dir.parent if self.common_dir.name == ".git" else self.checkout

    @property
    def store(self) -> Path:
        """Where Toryo keeps what is its own."""
        return self.common_dir / "toryo"


@fact
class Start:
    """The branch and commit a session begins from."""

    branch: str
    commit: str
    tree: str
    uncommitted: int


@cache
def find_place(where: Path) -> Place:
    """The repository around a folder."""
    if shutil.which("git") is None:
        raise ToryoError("E101", "git is not installed", hint="install git, then try again", exit_code=Exit.MISSING)
    asked = (
        "--is-bare-repository",
        "--is-inside-work-tree",
        "--path-format=absolute",
        "--git-dir",
        "--git-common-dir",
        "--show-toplevel",
    )
    done = Git(os.environ).run(where, "rev-parse", *asked)
    # It prints what it can before it fails: without a work tree, all but the last line.
    is_bare, is_inside, git_dir, common_dir, checkout, *more = [*_lines(done.stdout), *[""] * 5]
    if any(more):
        raise ToryoError(
            "E103",
            f"the path of the repository has a line break in it: {git_dir} …",
            hint="rename the folder: neither programs nor people could tell where its name ends",
        )
    if not common_dir:
        raise _not_a_repository(where, done)
    if is_inside != "true":
        kind = "a bare repository" if is_bare == "true" else "inside a .git folder"
        raise ToryoError(
            "E103", f"{where} is {kind}", hint="go to a checkout (git worktree add makes one), then try again"
        )
    return Place(Path(checkout), Path(git_dir), Path(common_dir))


def _lines(output: bytes) -> list[str]:
    return output.decode(errors="surrogateescape").removesuffix("\n").split("\n")


def _not_a_repository(where: Path, done: subprocess.CompletedProcess[bytes]) -> ToryoError:
    said = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
    if "not a git repository" in said:
        return NotARepository(
            "E102",
            f"{where} is not in a git repository",
            hint="go to your repository, or make one with 'git init'",
        )
    return ToryoError("E102", f"git cannot use the repository here: {said}", hint="what git says above is the cause")


def under_way(git_dir: Path) -> str:
    """What somebody is in the middle of in a checkout; empty: nothing."""
    return next((what for name, what in _UNDER_WAY.items() if (git_dir / name).exists()), "")


class Look:
    """A look at the checkout that a session would begin from; git takes it while something else is done."""

    def __init__(self, place: Place) -> None:
        self._place, self._git = place, Git(os.environ)
        self._status = self._git.begin(place.checkout, *LOOK)
        self._known = self._git.begin(place.checkout, "rev-parse", "--revs-only", "HEAD", "HEAD^{tree}", _PREFIX)

    def start(self) -> Start:
        """What a session can begin from; refuses states in which starting would be wrong."""
        place = self._place
        if what := under_way(place.git_dir):
            raise ToryoError(
                "E106",
                f"{what} is under way in {place.checkout}",
                hint=f"finish or abort {what.removeprefix('a ')} first",
                exit_code=Exit.REFUSED,
            )
        state = look_at_checkout(self._status.done().stdout)
        if not state.commit:
            raise _no_commit()
        if not state.branch:
            raise ToryoError(
                "E107",
                "HEAD is detached: there is no branch to work from",
                hint="switch to a branch (git switch NAME, or git switch -c NAME), then try again",
            )
        return Start(state.branch, state.commit, self._tree_of(state.commit), len(state.changes))

    def _tree_of(self, commit: str) -> str:
        head, tree, *_ = [*_lines(self._known.done().stdout), "", ""]
        # Somebody may have committed between the two commands.
        return (
            tree if head == commit else self._git.text(self._place.checkout, "rev-parse", f"{commit}^{{tree}}").strip()
        )

    def refuse_if_prefix_is_taken(self) -> None:
        """A branch called `agent` leaves no room for branches called `agent/…`."""
        if len(_lines(self._known.done().stdout)) > 2:
            raise ToryoError(
                "E108",
                "a branch called 'agent' exists, so no branch 'agent/…' can be made",
                hint="rename it: git branch -m agent NAME",
            )

    def close(self) -> None:
        """Git is left to finish, whoever wants to know."""
        self._status.done()
        self._known.done()


def taken_names(place: Place, git: Git) -> set[str]:
    """Every `agent/…` name that is used by a branch here or on a remote, or by a worktree's folder."""
    asked = ("--format=%(refname)", "refs/heads/agent/", "refs/remotes/*/agent/")
    names: set[str] = set()
    for line in git.text(place.checkout, "for-each-ref", *asked).splitlines():
        parts = line.partition("/agent/")[2].split("/")
        # A branch `agent/a/b` leaves no room for one called `agent/a`.
        names.update("agent/" + "/".join(parts[:count]) for count in range(1, len(parts) + 1))
    folder = place.root / ".worktrees"
    if folder.is_dir():
        names.update(f"agent/{entry.name}" for entry in folder.iterdir())
    return names


def ensure_store(place: Place) -> None:
    """Makes Toryo's folder (0700) and hides worktrees from git; says plainly if the disk does not let us."""
    try:
        for folder in (place.store, *(place.store / name for name in _FOLDERS)):
            folder.mkdir(mode=0o700, exist_ok=True)
        probe = place.store / f".probe-{os.getpid()}"
        probe.write_bytes(b"x" * 4096)
        probe.unlink(missing_ok=True)  # another thread may have tried at the same time
        _exclude(place.common_dir / "info" / "exclude")
    except OSError as error:
        raise cannot_write(place.store, error) from error


def refuse_if_unwritable(place: Place) -> None:
    """Before anything is made: Toryo's folder, or where it will be, must be one that we may write to."""
    folder = place.store if place.store.exists() else place.common_dir
    if not os.access(folder, os.W_OK | os.X_OK):
        raise cannot_write(place.store, PermissionError(errno.EACCES, "it cannot be written to"))


def refuse_if_empty(place: Place) -> None:
    """Work branches off from a commit; where there is none, nothing can begin."""
    if Git(os.environ).run(place.checkout, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").returncode:
        raise _no_commit()


def _no_commit() -> ToryoError:
    return ToryoError(
        "E104", "the repository has no commit yet", hint="commit something first: work branches off from it"
    )


def cannot_write(where: Path, error: OSError) -> ToryoError:
    """Disk full and read-only, in words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ToryoError(
            "E112",
            f"the disk is full: cannot write in {where}",
            hint="free some space, then 'toryo resume' goes on where it stopped",
            kept="what was recorded so far",
            exit_code=Exit.MISSING,
        )
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return ToryoError(
            "E113",
            f"the repository is read-only: cannot write in {where} ({error.strerror})",
            hint="make it writable for you, or work in a clone",
            exit_code=Exit.MISSING,
        )
    return ToryoError("E114", f"cannot write in {where}: {error.strerror or error}", exit_code=Exit.MISSING)


def _exclude(path: Path) -> None:
    line = "/.worktrees/"
    text = path.read_text(errors="surrogateescape") if path.exists() else ""
    if line not in text.splitlines():
        path.parent.mkdir(exist_ok=True)
        gap = "" if not text or text.endswith("\n") else "\n"
        with path.open("a", errors="surrogateescape") as file:
            file.write(f"{gap}{line}\n")


def has_identity(place: Place) -> bool:
    return look_for_identity(place).done().returncode == 0


@cache
def look_for_identity(place: Place) -> UnderWay:
    """Lets git find out whether it has a name for who commits."""
    return Git(os.environ).begin(place.checkout, "var", "GIT_COMMITTER_IDENT")


def git_version() -> str:
    try:
        return Git(os.environ).text(Path.cwd(), "--version").strip().removeprefix("git version ")
    except (GitFailed, OSError):
        return ""
