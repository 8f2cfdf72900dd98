"""Looking at commits somebody else named: read-only, offline, and without trusting what is stored under a name."""

import hashlib
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from toryo.adapters.git.command import Git
from toryo.adapters.git.differences import RAW, changes_in
from toryo.domain.difference import readable
from toryo.domain.proofs import BranchSeen, CommitSeen, DifferenceSeen

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_CHUNK = 1 << 20
# Replacements and grafts would show other commits than those that were named; a partial clone must not fetch.
_PLAINLY = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}


def plain_git(environ: Mapping[str, str]) -> Git:
    """Git that shows what is there, and nothing in its place."""
    return Git({**environ, **_PLAINLY})


class History:
    """The commits of one repository."""

    def __init__(self, git: Git, where: Path, tips: Mapping[str, str] | None = None) -> None:
        self._git, self._where = git, where
        self._tips = tips
        """Where branches stand, where that is not asked of git."""
        self._is_unreadable = False

    @property
    def where(self) -> Path:
        return self._where

    def commits(self, names: Iterable[str]) -> dict[str, CommitSeen]:
        """Those of them that are here and are commits."""
        found = {}
        for name, kind, size, content in self._contents({name for name in names if _ID.fullmatch(name)}):
            data = content.read(size)
            if kind == "commit":
                found[name] = _commit_in(data)
        return found

    def difference(self, base: str, commit: str) -> DifferenceSeen | None:
        done = self._git.run(self._where, *RAW, base, commit)
        if done.returncode != 0:
            return None
        files = tuple((readable(name), how) for name, how in changes_in(done.stdout))
        return DifferenceSeen(hashlib.sha256(done.stdout).hexdigest(), files)

    def is_ancestor(self, one: str, other: str) -> bool:
        if not (_ID.fullmatch(one) and _ID.fullmatch(other)):
            return False
        return self._git.run(self._where, "merge-base", "--is-ancestor", one, other).returncode == 0

    def branch(self, name: str, tip: str, base: str, session: str) -> BranchSeen:
        """Where the session's branch stands; `tip` is where it is said to stand."""
        stands = self._tip_of(name)
        if not stands:
            return BranchSeen("", self._home_of(tip))
        since = (f"^{base}",) if _ID.fullmatch(base) else ()
        asked = ("log", "-z", "--first-parent", "--merges", "--format=%H%n%B", stands, *since)
        logged = self._git.run(self._where, *asked).stdout.decode(errors="replace").split("\0")
        merges = [entry.splitlines() for entry in logged if f"Toryo-Session: {session}" in entry.splitlines()]
        return BranchSeen(stands, name, self.is_ancestor(tip, stands), tuple(lines[0] for lines in merges))

    def _home_of(self, commit: str) -> str:
        """A ref that has the commit; empty: none."""
        if self._tips is not None:
            return next((ref for ref, tip in self._tips.items() if self.is_ancestor(commit, tip)), "")
        asked = ("for-each-ref", "--contains", commit, "--count=1", "--format=%(refname)")
        return (
            self._git.run(self._where, *asked).stdout.decode(errors="replace").strip() if _ID.fullmatch(commit) else ""
        )

    def _tip_of(self, branch: str) -> str:
        if self._tips is not None:
            return self._tips.get(f"refs/heads/{branch}", "")
        done = self._git.run(self._where, "rev-parse", "--verify", "-q", f"refs/heads/{branch}")
        return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""

    def refs(self) -> dict[str, str]:
        """Every branch and tag, and the commit it names."""
        asked = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes", "refs/tags")
        lines = self._git.run(self._where, *asked).stdout.decode(errors="replace").splitlines()
        return {ref: commit for commit, _, ref in (line.partition(" ") for line in lines)}

    # ── what is stored under a name ──────────────────────────────────────────

    def damage(self, commits: Collection[str], base: str) -> str:
        """Objects these commits brought whose content is not what their name says; empty: none."""
        wrong = list(self._damaged(commits, base))
        return ", ".join(wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")

    def _damaged(self, commits: Collection[str], base: str) -> Iterator[str]:
        asked = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin")
        roots = "\n".join([*sorted(commits), *([f"^{base}"] if base in commits else [])])
        listed = self._fed(roots.encode(), *asked).decode().split()
        for name, kind, size, content in self._contents(set(listed)):
            hashed = hashlib.new("sha1" if len(name) == 40 else "sha256", usedforsecurity=False)
            hashed.update(f"{kind} {size}\0".encode())
            while piece := content.read(_CHUNK):
                hashed.update(piece)
            if hashed.hexdigest() != name:
                yield f"{kind} {name[:12]}"
        if self._is_unreadable:
            yield "an object that git cannot read"

    def _fed(self, questions: bytes, *args: str) -> bytes:
        return subprocess.run(
            ["git", *args],
            cwd=self._where,
            env=self._git.environ,
            input=questions,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        ).stdout

    def _contents(self, names: Collection[str]) -> Iterator[tuple[str, str, int, "_Content"]]:
        """Each object that is here: its name, kind and size, and where its content can be read."""
        import tempfile

        with tempfile.TemporaryFile() as questions:
            questions.write("".join(f"{name}\n" for name in sorted(names)).encode())
            questions.seek(0)
            process = subprocess.Popen(
                ["git", "cat-file", "--batch", "--buffer"],
                cwd=self._where,
                env=self._git.environ,
                stdin=questions,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert process.stdout is not None
            with process, process.stdout as answers:
                while line := answers.readline():
                    name, _, rest = line.decode(errors="replace").strip().partition(" ")
                    kind, _, size = rest.partition(" ")
                    if not size.isdecimal():
                        continue  # missing
                    content = _Content(answers, int(size))
                    yield name, kind, int(size), content
                    content.skip()
                    answers.read(1)
            self._is_unreadable = self._is_unreadable or process.returncode != 0


class _Content:
    """One object's content in a stream of many."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream, self._left = stream, size

    def read(self, size: int) -> bytes:
        piece = self._stream.read(min(size, self._left))
        self._left -= len(piece)
        return piece

    def skip(self) -> None:
        while self._left and self.read(_CHUNK):
            pass


def _commit_in(data: bytes) -> CommitSeen:
    head, _, message = data.partition(b"\n\n")
    lines = head.decode(errors="replace").split("\n")
    tree = next((line.removeprefix("tree ") for line in lines if line.startswith("tree ")), "")
    parents = tuple(line.removeprefix("parent ") for line in lines if line.startswith("parent "))
    return CommitSeen(tree, parents, message.decode(errors="replace"))
