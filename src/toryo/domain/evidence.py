"""What Toryo itself observed: one record per logical operation, hashed and chained per task."""

import hashlib
import json
from enum import StrEnum

from toryo.domain.facts import fact

SEALING = 1
"""Which facts are sealed and where; 0 stands for sessions from before everything a verdict rests on was."""


class Operation(StrEnum):
    SETUP = "setup"
    AGENT = "agent"
    FILES = "files"
    CHECK = "check"
    REVIEW = "review"
    VERDICT = "verdict"
    MERGE = "merge"


class Change(StrEnum):
    CREATED = "created"
    MODIFIED = "modified"
    DELETED = "deleted"


@fact
class FileChange:
    """One file that differs between before and after, and whether it is on disk now."""

    path: str
    change: Change
    exists: bool


class CheckStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    NOT_RUN = "not run"


@fact
class Evidence:
    """An observation with its hash; `previous` is the hash of the task's evidence before it."""

    operation: Operation
    at: float
    facts: tuple[tuple[str, str], ...]
    log: str = ""
    log_sha256: str = ""
    sensitive: bool = False
    previous: str = ""
    sha256: str = ""

    @property
    def id(self) -> str:
        return f"ev-{self.sha256[:12]}"

    def says(self, name: str) -> str | None:
        """What it says under a name; None: nothing."""
        return next((value for known, value in self.facts if known == name), None)


def sealed(evidence: Evidence) -> Evidence:
    """The same evidence carrying its own hash."""
    return Evidence(
        evidence.operation,
        evidence.at,
        evidence.facts,
        evidence.log,
        evidence.log_sha256,
        evidence.sensitive,
        evidence.previous,
        seal(evidence),
    )


def seal(evidence: Evidence) -> str:
    """The SHA-256 of everything the evidence says, including what came before it."""
    content = [
        evidence.operation,
        repr(evidence.at),
        evidence.facts,
        evidence.log,
        evidence.log_sha256,
        evidence.sensitive,
        evidence.previous,
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()


@fact
class CheckResult:
    """One check, run by Toryo on one state of the files."""

    name: str
    status: CheckStatus
    code: int | None
    seconds: float
    tail: str = ""
