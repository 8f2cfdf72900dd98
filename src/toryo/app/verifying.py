"""Verifying a session from its journal and repository: nothing is written, nobody is asked, no lease is needed."""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toryo.adapters.git.history import History, plain_git
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.moves import IllegalMove
from toryo.domain.proofs import Claims, Discrepancy, Found, Proof, Stored
from toryo.domain.session import Session
from toryo.journal.codec import Unreadable, decode
from toryo.journal.sqlite import JournalBroken
from toryo.rules.comparing import compare
from toryo.rules.naming import matching
from toryo.rules.proving import Proving

Digests = Callable[[Iterable[str]], Mapping[str, str]]


@dataclass
class Source:
    """Where a session is verified from: a repository, or a bundle."""

    stored: list[Stored]
    digests: Digests
    """The SHA-256 of those of the logs that are there."""
    history: History | None
    only: str = ""
    """The key of the one task that is meant; empty: all of them."""
    discrepancies: list[Discrepancy] = field(default_factory=list)
    masked_logs: frozenset[str] = frozenset()


@dataclass
class Examined:
    """The proof, and what can be tried once more."""

    proof: Proof
    claims: Claims
    session: Session | None


def source_in(project: Project, wanted: str | None) -> Source:
    """What an id names here: a session, or one of its tasks, also where its events no longer fit together."""
    session_id, only = _find(project, wanted)
    stored = stored_in(project.journal.rows(session_id))
    store = project.place.store
    history = History(plain_git(os.environ), project.place.root)
    return Source(stored, lambda paths: _digests(store, paths), history, only)


def _find(project: Project, wanted: str | None) -> tuple[str, str]:
    try:
        session, task, _ = project.find(wanted)
    except (IllegalMove, LookupError, AttributeError, AssertionError, TypeError, ToryoError, JournalBroken) as error:
        if isinstance(error, ToryoError) and error.code != "E203":
            raise
        streams = project.journal.streams()
        found = matching(wanted, streams, "session") if wanted else streams[-1:]
        if len(found) == 1:
            return found[0], ""
        return _find_inside(project, wanted or "", streams)
    return session.id, task.plan.key if task else ""


def _find_inside(project: Project, wanted: str, streams: list[str]) -> tuple[str, str]:
    """A task of a session that cannot be folded as a whole."""
    for stream in reversed(streams):
        session = Proving().walk(stored_in(project.journal.rows(stream))).session
        for task in session.tasks.values() if session else ():
            if wanted.lower() in (task.plan.key.lower(), task.id):
                return stream, task.plan.key
    raise ToryoError("E204", f"nothing here is called '{wanted}'", hint="'toryo status' lists the sessions")


def stored_in(rows: Iterable[tuple[int, str, int, str]], masked: frozenset[int] = frozenset()) -> list[Stored]:
    stored = []
    for seq, kind, version, body in rows:
        try:
            stored.append(Stored(seq, kind, decode(kind, version, body), is_masked=seq in masked))
        except Unreadable as error:
            stored.append(Stored(seq, kind, None, str(error)))
    return stored


def _digests(store: Path, paths: Iterable[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        if is_inside(path):
            try:
                with (store / path).open("rb") as file:
                    found[path] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                continue
    return found


def is_inside(path: str) -> bool:
    """Whether a name that somebody else wrote stays within the folder it is meant for."""
    parts = path.split("/")
    return bool(path) and "\0" not in path and "\\" not in path and not {"", ".", ".."} & set(parts)


def examine(source: Source) -> Examined:
    """Everything that can be seen without running anything."""
    proving = Proving().walk(source.stored)
    claims = _of_one(proving.claims, source.only)
    found = _gather(source, claims)
    flaws = [*source.discrepancies, *proving.discrepancies, *compare(claims, found)]
    if source.only:
        flaws = [flaw for flaw in flaws if flaw.task in ("", source.only)]
    verified = tuple(each for each in proving.verified() if source.only in ("", each.task))
    session = proving.session
    return Examined(Proof(session.id if session else "", verified, tuple(flaws)), claims, session)


def _of_one(claims: Claims, key: str) -> Claims:
    """The claims of one task, and those of the session as a whole that need no log."""
    if not key:
        return claims
    return changed(
        claims,
        logs=tuple(claim for claim in claims.logs if claim.task == key),
        commits=tuple(claim for claim in claims.commits if claim.task in ("", key)),
        differences=tuple(claim for claim in claims.differences if claim.task == key),
        ancestries=tuple(claim for claim in claims.ancestries if claim.task == key),
        checks=tuple(claim for claim in claims.checks if claim.task == key),
        tip=claims.base,  # that its branch is whole is a question about the session
    )


def _gather(source: Source, claims: Claims) -> Found:
    logs = source.digests({claim.path for claim in claims.logs})
    history = source.history
    if history is None:
        return Found(logs, {}, {}, {}, has_repository=False, masked_logs=source.masked_logs)
    commits = history.commits(claims.named_commits)
    pairs = {(claim.base, claim.commit) for claim in claims.differences}
    differences = {
        pair: seen for pair in pairs if set(pair) <= commits.keys() and (seen := history.difference(*pair)) is not None
    }
    kin = {(claim.ancestor, claim.descendant) for claim in claims.ancestries}
    return Found(
        logs,
        commits,
        differences,
        {pair: history.is_ancestor(*pair) for pair in kin if set(pair) <= commits.keys()},
        history.branch(claims.branch, claims.tip, claims.base, claims.session) if claims.tip != claims.base else None,
        history.damage(commits.keys(), claims.base),
        masked_logs=source.masked_logs,
    )
