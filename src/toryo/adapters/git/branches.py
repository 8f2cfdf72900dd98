"""Local branches in few git commands, however many there are: where they stand, and how far from what."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from toryo.adapters.git.command import Git, checked
from toryo.domain.branch import Commit
from toryo.domain.difference import readable
from toryo.domain.facts import fact

_HEADS = "refs/heads/"
_FIELDS = ("refname", "objectname", "upstream", "upstream:short", "worktreepath", "committerdate:unix", "authorname",
           "symref", "contents:subject")  # fmt: skip
_AT_ONCE = 1000
"""Names in one command: of a system's commands none may be of any length."""
_IGNORED = re.compile(rb"ignoring broken ref refs/heads/(.*)")
UNREADABLE = "no commit can be read from it"
_LIST = ("for-each-ref", "--format=" + "%00".join(f"%({name})" for name in _FIELDS), "refs/heads")


@fact
class Ref:
    """A branch as git lists it."""

    name: str
    commit: str
    upstream: str
    """Its whole name; empty: none, or the branch is one that no commit is on yet."""
    upstream_short: str
    worktree: str
    committed_at: float
    author: str
    subject: str
    broken: str = ""
    """What git says is wrong with it; empty: nothing."""


def listed(git: Git, root: Path) -> list[Ref]:
    """All of them, by name; also those that git cannot show."""
    done = git.run(root, *_LIST)
    if done.returncode:
        asked = ("for-each-ref", "--format=%(refname)", _HEADS)
        names = checked(git.run(root, *asked), asked).split()
        found = _one_by_one(git, root, names)
    else:
        found = _refs(checked(done, _LIST))
    ignored = [_broken(ref.decode(errors="surrogateescape"), UNREADABLE) for ref in _IGNORED.findall(done.stderr)]
    return sorted((*found, *ignored), key=lambda ref: ref.name) if ignored else found


def _one_by_one(git: Git, root: Path, names: Sequence[str]) -> list[Ref]:
    """Git shows nothing at all where it cannot show one: halved until that one is alone."""
    if 0 < len(names) <= _AT_ONCE:
        done = git.run(root, *_LIST[:-1], *names)
        if done.returncode == 0:
            return _refs(checked(done, _LIST))
        if len(names) == 1:
            return [_broken(names[0], done.stderr.decode(errors="replace").strip().rpartition("fatal: ")[2])]
    half = len(names) // 2
    return [*_one_by_one(git, root, names[:half]), *_one_by_one(git, root, names[half:])] if names else []


def _broken(ref: str, why: str) -> Ref:
    return Ref(_short(ref), "", "", "", "", 0.0, "", "", why)


def _refs(text: str) -> list[Ref]:
    found = []
    for line in text.split("\n"):
        parts = line.split("\0")
        if len(parts) != len(_FIELDS):
            continue
        name, commit, upstream, short, worktree, at, author, _, subject = parts
        when = float(at) if at.isdecimal() else 0.0
        found.append(Ref(_short(name), commit, upstream, short, worktree, when, author, subject))
    return found


def on_remotes(git: Git, root: Path) -> dict[str, str]:
    """Where every branch of a remote stood when it was last heard of, by its whole name."""
    asked = ("for-each-ref", "--format=%(refname)%00%(objectname)", "refs/remotes")
    lines = checked(git.run(root, *asked), asked).split("\n")
    return {ref: commit for ref, _, commit in (line.partition("\0") for line in lines if line)}


def default_base(git: Git, root: Path, names: Iterable[str]) -> str:
    """The branch that others are measured by: the remote's default where it is here, or else the usual name."""
    here = set(names)
    done = git.run(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    default = done.stdout.decode(errors="surrogateescape").strip().removeprefix("origin/")
    for name in (default, "main", "master", "trunk", "develop"):
        if name in here:
            return name
    return ""


def distances(
    git: Git, root: Path, against: Mapping[str, str], environ: Mapping[str, str]
) -> dict[str, tuple[int, int]]:
    """By how many commits each branch is ahead of and behind what it is to be compared to, in one git command.

    Git counts against a branch's upstream only (before 2.41), so for this command each has the one that is wanted.
    """
    if not against:
        return {}
    configured = int(environ.get("GIT_CONFIG_COUNT") or 0)
    settings = [
        pair
        for name, ref in against.items()
        for pair in ((f"branch.{name}.remote", "."), (f"branch.{name}.merge", ref))
    ]
    variables = {"GIT_CONFIG_COUNT": str(configured + len(settings))}
    for number, (key, value) in enumerate(settings, configured):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    asked = ("for-each-ref", "--format=%(refname)%00%(upstream:track,nobracket)", *(_HEADS + name for name in against))
    lines = checked(git.elsewhere(variables).run(root, *asked), asked).split("\n")
    told = (line.partition("\0") for line in lines if line)
    return {_short(name): _counts(track) for name, _, track in told if track != "gone"}


def _counts(track: str) -> tuple[int, int]:
    """Out of `ahead 2, behind 1`; nothing at all where both are the same."""
    told = dict(part.split(" ") for part in track.split(", ") if part)
    return int(told.get("ahead", 0)), int(told.get("behind", 0))


def _short(ref: str) -> str:
    return ref.removeprefix(_HEADS)


# ── one of them ──────────────────────────────────────────────────────────────


def merge_base(git: Git, root: Path, one: str, other: str) -> str:
    """Empty: they have no commit in common."""
    done = git.run(root, "merge-base", one, other)
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def commits(git: Git, root: Path, since: str, commit: str, most: int) -> list[Commit]:
    """Latest first; of the whole history, where nothing is said about since when."""
    return log(git, root, f"-{most}", *([f"{since}..{commit}"] if since else [commit]))


def log(git: Git, root: Path, *which: str) -> list[Commit]:
    asked = ("log", "--no-show-signature", "--format=%h%x00%ct%x00%an%x00%s", *which, "--")
    parts = (line.split("\0") for line in checked(git.run(root, *asked), asked).split("\n") if line)
    return [Commit(short, float(at), author, subject) for short, at, author, subject in parts]


def count_commits(git: Git, root: Path, since: str, commit: str) -> int:
    asked = ("rev-list", "--count", f"{since}..{commit}" if since else commit)
    return int(checked(git.run(root, *asked), asked))


def status_lines(git: Git, worktree: Path) -> list[str]:
    """What is not committed there, in git's short form."""
    done = git.run(worktree, "status", "--porcelain", "-z", "--no-renames")
    text = done.stdout.decode(errors="surrogateescape") if done.returncode == 0 else ""
    return [readable(entry) for entry in text.split("\0") if entry]


def resolved(git: Git, root: Path, wanted: str) -> str:
    """The commit that a name or a beginning of an id stands for; empty: none."""
    done = git.run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}")
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def is_name(git: Git, root: Path, name: str) -> bool:
    """Whether git takes it for a branch's; none that would be read as an option, or as something else."""
    if name.startswith("-") or name == "HEAD":
        return False
    return git.run(root, "check-ref-format", _HEADS + name).returncode == 0
