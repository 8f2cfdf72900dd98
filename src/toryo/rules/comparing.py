"""What a session claims against what is there: logs, commits, differences, and its branch."""

from collections.abc import Iterable, Iterator

from toryo.domain.evidence import Change
from toryo.domain.proofs import (
    BranchSeen,
    Claims,
    CommitClaim,
    CommitSeen,
    DifferenceClaim,
    Discrepancy,
    Flaw,
    Found,
    LogClaim,
)
from toryo.rules.briefing import ANCHOR


def compare(claims: Claims, found: Found) -> list[Discrepancy]:
    """Everything that is other than claimed, or gone."""
    return [*_of_logs(claims.logs, found), *(_of_commits(claims, found) if found.has_repository else _unseen(claims))]


def _of_logs(claims: Iterable[LogClaim], found: Found) -> Iterator[Discrepancy]:
    for claim in claims:
        digest = found.logs.get(claim.path)
        if digest is None:
            yield Discrepancy(Flaw.LOG_GONE, claim.task, claim.where, f"its log is gone: {claim.path}")
        elif digest != claim.sha256 and claim.path in found.masked_logs:
            what = f"something in its log was hidden when it was exported: {claim.path}"
            yield Discrepancy(Flaw.MASKED, claim.task, claim.where, what)
        elif digest != claim.sha256:
            what = f"its log is another one: {claim.path}"
            yield Discrepancy(Flaw.LOG, claim.task, claim.where, what, claim.sha256, digest)


def _unseen(claims: Claims) -> Iterator[Discrepancy]:
    count = len({claim.commit for claim in claims.commits})
    what = f"{count} commits could not be compared: this is not a clone of the repository"
    yield Discrepancy(Flaw.NO_CLONE, "", "commits", what)


def _of_commits(claims: Claims, found: Found) -> Iterator[Discrepancy]:
    if found.damage:
        yield Discrepancy(Flaw.COMMIT, "", "objects", f"git finds them damaged: {found.damage}")
    for claim in claims.commits:
        yield from _of_commit(claim, found.commits.get(claim.commit))
    for difference in claims.differences:
        yield from _of_difference(difference, found)
    for ancestry in claims.ancestries:
        if found.ancestries.get((ancestry.ancestor, ancestry.descendant)) is False:
            what = f"commit {_id(ancestry.descendant)} does not contain {_id(ancestry.ancestor)}"
            yield Discrepancy(Flaw.MERGE, ancestry.task, ancestry.where, what)
    if found.branch is not None and claims.tip != claims.base:
        yield from _of_branch(claims, found.branch)


def _of_commit(claim: CommitClaim, seen: CommitSeen | None) -> Iterator[Discrepancy]:
    about = f"commit {_id(claim.commit)}"
    if seen is None:
        yield Discrepancy(Flaw.COMMIT_GONE, claim.task, claim.where, f"{about} is not in the repository")
        return
    if seen.tree != claim.tree:
        yield Discrepancy(Flaw.COMMIT, claim.task, claim.where, f"{about} has other files", claim.tree, seen.tree)
    if claim.parents is not None and seen.parents != claim.parents:
        what = f"{about} merges something else"
        expected, there = (" ".join(map(_id, parents)) for parents in (claim.parents, seen.parents))
        yield Discrepancy(Flaw.MERGE, claim.task, claim.where, what, expected, there)
    named = _anchors_in(seen.message)
    if claim.anchors and named != claim.anchors:
        what = f"{about} was made for other evidence: its {ANCHOR} is not the head of this chain"
        yield Discrepancy(
            Flaw.ANCHOR, claim.task, claim.where, what, " ".join(claim.anchors), " ".join(named) or "none"
        )


def _anchors_in(message: str) -> tuple[str, ...]:
    mark = f"{ANCHOR}: "
    return tuple(line.removeprefix(mark).strip() for line in message.splitlines() if line.startswith(mark))


def _of_difference(claim: DifferenceClaim, found: Found) -> Iterator[Discrepancy]:
    seen = found.differences.get((claim.base, claim.commit))
    if seen is None:
        if claim.commit in found.commits:  # else it has been said that it is gone
            what = f"commit {_id(claim.base)}, which the work began from, is not in the repository"
            yield Discrepancy(Flaw.COMMIT_GONE, claim.task, claim.where, what)
        return
    about = f"the difference between {_id(claim.base)} and {_id(claim.commit)}"
    if claim.sha256 and seen.sha256 != claim.sha256:
        what = f"{about} has another hash"
        yield Discrepancy(Flaw.DIFFERENCE, claim.task, claim.where, what, claim.sha256, seen.sha256)
    if sorted(seen.files) != sorted(claim.files):
        expected, there = _only(claim.files, seen.files), _only(seen.files, claim.files)
        what = f"{about} is about other files"
        yield Discrepancy(Flaw.DIFFERENCE, claim.task, claim.where, what, expected, there)


def _only(some: tuple[tuple[str, Change], ...], others: tuple[tuple[str, Change], ...]) -> str:
    left = [f"{change} {path}" for path, change in sorted(set(some) - set(others))]
    return ", ".join(left[:5]) + (f" and {len(left) - 5} more" if len(left) > 5 else "") if left else "nothing more"


def _of_branch(claims: Claims, seen: BranchSeen) -> Iterator[Discrepancy]:
    where = f"branch {claims.branch}"
    if not seen.commit:
        if not seen.home:
            what = f"it is gone, and no other branch has commit {_id(claims.tip)}"
            yield Discrepancy(Flaw.BRANCH_GONE, "", where, what)
        return
    if not seen.has_tip:
        what = "it does not contain the last commit that was merged on it"
        yield Discrepancy(Flaw.BRANCH, "", where, what, claims.tip, seen.commit)
    told = {claim.commit for claim in claims.commits}
    for commit in seen.merges:
        if commit not in told and not (claims.is_under_way and commit == seen.commit):
            what = f"commit {_id(commit)} says it is a merge of this session, and no event tells of it"
            yield Discrepancy(Flaw.BRANCH, "", where, what)
    if seen.has_tip and seen.commit not in (claims.tip, *seen.merges) and not claims.is_under_way:
        what = f"it has moved on to {_id(seen.commit)}: what came after {_id(claims.tip)} is not part of the proof"
        yield Discrepancy(Flaw.MOVED_ON, "", where, what)


def _id(commit: str) -> str:
    return commit[:12] or "none"
