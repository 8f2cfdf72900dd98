"""What the forge holds: a bare git repository, and the pull requests on it."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_IDENTITY = ("-c", "user.name=Forge", "-c", "user.email=forge@localhost", "-c", "core.hooksPath=/dev/null")
_ENV = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}


@dataclass
class Pull:
    """One pull request."""

    number: int
    head: str
    base: str
    title: str
    body: str
    state: str = "OPEN"
    head_oid: str = ""
    merge_commit: str = ""
    review_decision: str = ""
    mergeable: str = "MERGEABLE"
    comments: list[dict[str, Any]] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)
    line_comments: list[dict[str, Any]] = field(default_factory=list)
    created: float = field(default_factory=time.time)


class Refused(Exception):
    """What the forge answers instead."""


class Hub:
    """One repository, `acme/app`, with its pull requests, checks and issues."""

    name = "acme/app"
    host = "forge.test"

    def __init__(self, folder: Path) -> None:
        self.bare = folder / "acme" / "app.git"
        self.pulls: dict[int, Pull] = {}
        self.checks: dict[str, list[dict[str, Any]]] = {}
        """By commit."""
        self.statuses: dict[str, list[dict[str, Any]]] = {}
        self.issues: dict[int, dict[str, Any]] = {}
        self.logs: dict[int, str] = {}
        self.required: set[str] = set()
        """Checks without which nothing may be merged."""
        self.next_number = 1
        self.git("init", "-q", "--bare", "-b", "main", str(self.bare), where=folder)
        self.git("config", "http.receivepack", "true")

    # ── git ──────────────────────────────────────────────────────────────────

    def git(self, *args: str, where: Path | None = None, check: bool = True) -> str:
        cwd = where or self.bare
        done = subprocess.run(
            ["git", *_IDENTITY, *args], cwd=cwd, env=_ENV, capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise Refused(done.stderr or done.stdout)
        return done.stdout.strip()

    def tip(self, branch: str) -> str:
        return self.git("rev-parse", "-q", "--verify", f"refs/heads/{branch}", check=False)

    # ── pull requests ────────────────────────────────────────────────────────

    def open(self, head: str, base: str, title: str, body: str) -> Pull:
        if any(pull.head == head and pull.base == base and pull.state == "OPEN" for pull in self.pulls.values()):
            raise Refused(f"A pull request already exists for acme:{head}.")
        if not self.tip(head) or not self.tip(base):
            raise Refused("Head sha can't be blank, Base sha can't be blank")
        if not self.git("rev-list", f"refs/heads/{base}..refs/heads/{head}"):
            raise Refused(f"No commits between {base} and {head}")
        pull = Pull(self.next_number, head, base, title, body)
        self.next_number += 1
        self.pulls[pull.number] = pull
        return pull

    def head_of(self, pull: Pull) -> str:
        if pull.state == "OPEN":
            pull.head_oid = self.tip(pull.head) or pull.head_oid
        return pull.head_oid

    def merge(self, pull: Pull, method: str = "MERGE", *, expected: str = "", delete: bool = False) -> str:
        """As a person does with the button, or `gh` for them."""
        head = self.head_of(pull)
        if expected and expected != head:
            raise Refused("Head branch was modified. Review and try the merge again.")
        if pull.state != "OPEN":
            raise Refused("Pull Request is not mergeable")
        missing = self.required - {check["name"] for check in self.checks.get(head, []) if _passed(check)}
        if missing:
            raise Refused(f'Required status check "{min(missing)}" is expected.')
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "clone"
            self.git("clone", "-q", str(self.bare), str(clone), where=Path(folder))
            self.git("checkout", "-q", pull.base, where=clone)
            message = ("-m", f"{pull.title} (#{pull.number})")
            match method:
                case "SQUASH":
                    self.git("merge", "-q", "--squash", head, where=clone)
                    self.git("commit", "-q", *message, where=clone)
                case "REBASE":
                    self.git("checkout", "-q", "--detach", head, where=clone)
                    self.git("rebase", "-q", pull.base, where=clone)
                    self.git("checkout", "-q", "-B", pull.base, where=clone)
                case _:
                    self.git("merge", "-q", "--no-ff", *message, head, where=clone)
            pull.merge_commit = self.git("rev-parse", "HEAD", where=clone)
            self.git("push", "-q", "origin", f"HEAD:refs/heads/{pull.base}", where=clone)
        pull.state = "MERGED"
        if delete:
            self.git("update-ref", "-d", f"refs/heads/{pull.head}")
        return pull.merge_commit

    # ── what comes back ──────────────────────────────────────────────────────

    def check(self, pull: Pull, name: str, conclusion: str = "", *, summary: str = "", job: int = 0) -> None:
        """A check of the head as it stands; without a conclusion it is still going on."""
        found = self.checks.setdefault(self.head_of(pull), [])
        found[:] = [known for known in found if known["name"] != name]
        url = f"https://{self.host}/{self.name}/actions/runs/7/job/{job}" if job else "https://ci.invalid/build/1"
        found.append({"name": name, "conclusion": conclusion, "summary": summary, "url": url, "job": job})

    def comment(self, pull: Pull, text: str, *, by: str = "mika", role: str = "MEMBER") -> None:
        pull.comments.append({"id": f"IC_{len(pull.comments) + 1}", "body": text, "by": by, "role": role})

    def review(
        self, pull: Pull, state: str, text: str = "", *, by: str = "mika", role: str = "MEMBER",
        lines: tuple[tuple[str, int, str], ...] = (),
    ) -> None:  # fmt: skip
        number = len(pull.reviews) + 1
        pull.reviews.append({"id": f"PRR_{number}", "state": state, "body": text, "by": by, "role": role,
                             "commit": self.head_of(pull)})  # fmt: skip
        for path, line, words in lines:
            pull.line_comments.append(
                {"id": 100 * number + len(pull.line_comments), "path": path, "line": line, "body": words,
                 "by": by, "role": role, "commit": self.head_of(pull)}
            )  # fmt: skip
        if state in ("APPROVED", "CHANGES_REQUESTED"):
            pull.review_decision = state


def _passed(check: dict[str, Any]) -> bool:
    return check["conclusion"] in ("SUCCESS", "NEUTRAL", "SKIPPED")
