"""What `gh` shows of a pull request, read: how it stands, and what it came back with."""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from toryo.domain.landing import RequestState
from toryo.ports import Heard, RequestLook
from toryo.rules.masking import mask

_FAILED = ("FAILURE", "TIMED_OUT", "STARTUP_FAILURE", "ERROR")
_PASSED = ("SUCCESS", "NEUTRAL", "SKIPPED")
_WRITERS = ("OWNER", "MEMBER", "COLLABORATOR")
_MERGEABLE = ("CLEAN", "HAS_HOOKS")
_CHECKS_MAY_COME = 120.0
"""Seconds in which a request without any check is not taken for one that has none."""
_MOST = 8_000
Json = Mapping[str, Any]


def look_of(view: Json, line_comments: Sequence[Json], runs: Sequence[Json]) -> RequestLook:
    checks = [*map(_check, view.get("statusCheckRollup") or ())]
    head = str(view["headRefOid"])
    is_young = time.time() - _moment(str(view["createdAt"])) < _CHECKS_MAY_COME
    is_pending = any(not state for _, state, _ in checks) or (not checks and is_young)
    is_approved = view.get("reviewDecision") in (None, "", "APPROVED")
    is_mergeable = view.get("mergeable") == "MERGEABLE" and view.get("mergeStateStatus") in _MERGEABLE
    all_passed = all(state in _PASSED for _, state, _ in checks)
    heard = [*_failed(checks, head, runs), *_reviews(view), *_comments(view), *_lines(line_comments)]
    return RequestLook(
        state=RequestState(str(view["state"]).lower()),
        head=head,
        base=str(view.get("baseRefName") or ""),
        merge_commit=str((view.get("mergeCommit") or {}).get("oid") or ""),
        is_pending=is_pending,
        is_green=all_passed and not is_pending and is_approved and is_mergeable and not view.get("isDraft"),
        is_conflicting=view.get("mergeable") == "CONFLICTING",
        heard=tuple(heard),
    )


def _check(found: Json) -> tuple[str, str, str]:
    """Its name, how it ended (empty: not yet), and where more about it is."""
    if found.get("__typename") == "StatusContext" or "context" in found:
        state = str(found.get("state") or "")
        return str(found["context"]), "" if state in ("PENDING", "EXPECTED") else state, str(found.get("targetUrl", ""))
    is_over = found.get("status") == "COMPLETED"
    return str(found["name"]), str(found.get("conclusion") or "") if is_over else "", str(found.get("detailsUrl", ""))


def _failed(checks: Sequence[tuple[str, str, str]], head: str, runs: Sequence[Json]) -> Iterator[Heard]:
    outputs = {str(run.get("name")): run.get("output") or {} for run in runs}
    for name, state, link in checks:
        if state not in _FAILED:
            continue
        said = outputs.get(name, {})
        text = "\n".join(str(said[part]) for part in ("summary", "text") if said.get(part))
        yield Heard(_id("check", name, head), "check", name, _clipped(text), by=link)


def _reviews(view: Json) -> Iterator[Heard]:
    for review in view.get("reviews") or ():
        body, state = str(review.get("body") or "").strip(), review.get("state")
        if state == "CHANGES_REQUESTED" or (state == "COMMENTED" and body):
            title = "asks for changes" if state == "CHANGES_REQUESTED" else "says in a review"
            yield _of_somebody(review, str(review["id"]), title, body)


def _comments(view: Json) -> Iterator[Heard]:
    for comment in view.get("comments") or ():
        if comment.get("body") and not comment.get("isMinimized"):
            yield _of_somebody(comment, str(comment["id"]), "says", str(comment["body"]))


def _of_somebody(said: Json, key: str, title: str, body: str) -> Heard:
    by = str((said.get("author") or {}).get("login") or "somebody")
    is_trusted = said.get("authorAssociation") in _WRITERS
    return Heard(_id("comment", key), "comment", title, _clipped(body), by, is_trusted)


def _lines(comments: Sequence[Json]) -> Iterator[Heard]:
    for comment in comments:
        where = f"says about {comment['path']}"
        if line := comment.get("line") or comment.get("original_line"):
            where += f", line {line}"
        by = str((comment.get("user") or {}).get("login") or "somebody")
        is_trusted = comment.get("author_association") in _WRITERS
        body = _clipped(str(comment.get("body") or ""))
        yield Heard(_id("line", str(comment["id"])), "comment", where, body, by, is_trusted)


def _id(*parts: str) -> str:
    """Short and the same every time; a check that fails again on another commit is another thing."""
    return f"{parts[0]}-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:12]}"


def _clipped(text: str) -> str:
    text = mask(text.strip())
    return text if len(text) <= _MOST else f"…{text[-_MOST:]}"


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0
