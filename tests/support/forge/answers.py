"""What the forge answers to the questions that `gh` asks."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from tests.support.forge.state import Hub, Pull, Refused

Json = Any


def graphql(hub: Hub, query: str, given: dict[str, Any]) -> Json:
    """An answer to one of the queries; they are told apart by their names."""
    for name, answer in _QUERIES.items():
        if name in query:
            return answer(hub, given)
    raise Refused(f"the tests' forge does not know: {query[:300]}")


def _user(hub: Hub, given: dict[str, Any]) -> Json:
    return {"viewer": {"login": "mika"}}


def _repository(hub: Hub, given: dict[str, Any]) -> Json:
    owner, name = hub.name.split("/")
    if (given["owner"], given["name"]) != (owner, name):
        raise Refused(f"Could not resolve to a Repository with the name '{given['owner']}/{given['name']}'.")
    described = {
        "id": "R_1",
        "name": name,
        "nameWithOwner": hub.name,
        "owner": {"login": owner},
        "url": f"https://{hub.host}/{hub.name}",
        "isArchived": False,
        "hasIssuesEnabled": True,
        "viewerPermission": "WRITE",
        "defaultBranchRef": {"name": "main"},
        "parent": None,
        "mergeCommitAllowed": True,
        "rebaseMergeAllowed": True,
        "squashMergeAllowed": True,
    }
    return {"repository": described}


def _list(hub: Hub, given: dict[str, Any]) -> Json:
    states, head = given.get("state") or given["states"], given.get("headBranch") or given.get("headRefName")
    found = [
        _pull(hub, pull) for pull in reversed(hub.pulls.values()) if pull.state in states and head in (None, pull.head)
    ]
    nodes = {"totalCount": len(found), "nodes": found, "pageInfo": _LAST}
    return {"repository": {"pullRequests": nodes}}


def _one(hub: Hub, given: dict[str, Any]) -> Json:
    number = given.get("pr_number") or given.get("number")
    if number not in hub.pulls:
        raise Refused(f"Could not resolve to a PullRequest with the number of {number}.")
    return {"repository": {"pullRequest": _pull(hub, hub.pulls[number])}}


def _fields(hub: Hub, given: dict[str, Any]) -> Json:
    return {"PullRequest": {"fields": [{"name": name} for name in ("id", "mergeStateStatus", "reviewDecision")]}}


def _create(hub: Hub, given: dict[str, Any]) -> Json:
    wanted = given["input"]
    head = wanted["headRefName"].rpartition(":")[2]
    pull = hub.open(head, wanted["baseRefName"], wanted["title"], wanted["body"])
    return {"createPullRequest": {"pullRequest": _pull(hub, pull)}}


def _merge(hub: Hub, given: dict[str, Any]) -> Json:
    wanted = given["input"]
    hub.merge(_by_id(hub, wanted), wanted["mergeMethod"], expected=wanted.get("expectedHeadOid") or "")
    return {"mergePullRequest": {"clientMutationId": None}}


def _close(hub: Hub, given: dict[str, Any]) -> Json:
    _by_id(hub, given["input"]).state = "CLOSED"
    return {"closePullRequest": {"pullRequest": {"id": given["input"]["pullRequestId"]}}}


def _update(hub: Hub, given: dict[str, Any]) -> Json:
    pull = _by_id(hub, given["input"])
    pull.base = given["input"].get("baseRefName") or pull.base
    pull.body = given["input"].get("body") or pull.body
    return {"updatePullRequest": {"__typename": "UpdatePullRequestPayload"}}


def _items(hub: Hub, given: dict[str, Any]) -> Json:
    return {"repository": {"pullRequest": {"projectItems": {"nodes": [], "pageInfo": _LAST}}}}


def _issue(hub: Hub, given: dict[str, Any]) -> Json:
    number = given["number"]
    if number not in hub.issues:
        raise Refused(f"Could not resolve to an issue or pull request with the number of {number}.")
    url = f"https://{hub.host}/{hub.name}/issues/{number}"
    issue = {"__typename": "Issue", "id": f"I_{number}", "number": number, "url": url, **hub.issues[number]}
    return {"repository": {"hasIssuesEnabled": True, "issue": issue}}


_QUERIES: dict[str, Callable[[Hub, dict[str, Any]], Json]] = {
    "query UserCurrent": _user,
    "query RepositoryInfo": _repository,
    "query PullRequestList": _list,
    "query PullRequestForBranch": _list,
    "query PullRequestByNumber": _one,
    "query PullRequest_fields": _fields,
    "query PullRequestProjectItems": _items,
    "query IssueByNumber": _issue,
    "mutation PullRequestCreate": _create,
    "mutation PullRequestMerge": _merge,
    "mutation PullRequestClose": _close,
    "mutation PullRequestUpdate": _update,
}
_LAST = {"hasNextPage": False, "endCursor": ""}


def _by_id(hub: Hub, wanted: dict[str, Any]) -> Pull:
    return hub.pulls[int(wanted["pullRequestId"].removeprefix("PR_"))]


def _pull(hub: Hub, pull: Pull) -> Json:
    head = hub.head_of(pull)
    checks = [_check(hub, check) for check in hub.checks.get(head, [])]
    rollup = {"contexts": {"nodes": checks, "pageInfo": _LAST}} if checks else None
    return {
        "id": f"PR_{pull.number}",
        "number": pull.number,
        "url": f"https://{hub.host}/{hub.name}/pull/{pull.number}",
        "title": pull.title,
        "body": pull.body,
        "state": pull.state,
        "headRefName": pull.head,
        "baseRefName": pull.base,
        "headRefOid": head,
        "headRepositoryOwner": {"login": "acme"},
        "isCrossRepository": False,
        "isDraft": False,
        "createdAt": _time(pull.created),
        "mergeCommit": {"oid": pull.merge_commit} if pull.merge_commit else None,
        "mergeable": pull.mergeable,
        "mergeStateStatus": _merge_state(hub, pull, head),
        "reviewDecision": pull.review_decision,
        "commits": {"nodes": [{"commit": {"oid": head}}]},
        "statusCheckRollup": {"nodes": [{"commit": {"statusCheckRollup": rollup}}]},
        "comments": {"nodes": [_said(one) for one in pull.comments], "pageInfo": _LAST},
        "reviews": {"nodes": [_said(one) for one in pull.reviews], "pageInfo": _LAST},
        "reviewRequests": {"nodes": []},
        "assignees": {"nodes": []},
        "labels": {"nodes": []},
        "projectCards": {"nodes": []},
    }


def _merge_state(hub: Hub, pull: Pull, head: str) -> str:
    checks = hub.checks.get(head, [])
    if pull.review_decision in ("CHANGES_REQUESTED", "REVIEW_REQUIRED"):
        return "BLOCKED"
    if pull.mergeable != "MERGEABLE":
        return "DIRTY"
    return "CLEAN" if all(check["conclusion"] == "SUCCESS" for check in checks) else "UNSTABLE"


def _check(hub: Hub, check: dict[str, Any]) -> Json:
    return {
        "__typename": "CheckRun",
        "name": check["name"],
        "status": "COMPLETED" if check["conclusion"] else "IN_PROGRESS",
        "conclusion": check["conclusion"],
        "detailsUrl": check["url"],
        "startedAt": _time(0),
        "completedAt": _time(0),
        "checkSuite": {"workflowRun": {"workflow": {"name": "CI"}}},
    }


def _said(one: dict[str, Any]) -> Json:
    return {
        "id": one["id"],
        "author": {"login": one["by"]},
        "authorAssociation": one["role"],
        "body": one["body"],
        "state": one.get("state", ""),
        "commit": {"oid": one.get("commit", "")},
        "createdAt": _time(0),
        "submittedAt": _time(0),
        "url": f"https://forge.test/acme/app/pull/1#{one['id']}",
    }


def _time(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at or time.time()))


def rest(hub: Hub, method: str, address: str, given: Json = None) -> Json:
    """An answer of the older interface; None: there is no such thing."""
    parts = urlsplit(address)
    path = parts.path.removeprefix("/api/v3")
    if path in ("", "/"):
        return {"current_user_url": "/user"}
    match path.strip("/").split("/"):
        case ["repos", _, _, "pulls", number, "comments"]:
            return [_line_comment(one) for one in hub.pulls[int(number)].line_comments]
        case ["repos", _, _, "pulls", number] if method == "PATCH":
            hub.pulls[int(number)].base = given["base"]
            return {"number": int(number)}
        case ["repos", _, _, "commits", sha, "check-runs"]:
            return {"check_runs": [_check_run(place, one) for place, one in enumerate(hub.checks.get(sha, []))]}
        case _:
            return None


def _line_comment(one: dict[str, Any]) -> Json:
    return {
        "id": one["id"],
        "path": one["path"],
        "line": one["line"],
        "body": one["body"],
        "commit_id": one["commit"],
        "user": {"login": one["by"]},
        "author_association": one["role"],
        "html_url": f"https://forge.test/acme/app/pull/1#discussion_r{one['id']}",
    }


def _check_run(place: int, check: dict[str, Any]) -> Json:
    return {
        "id": place + 1,
        "name": check["name"],
        "conclusion": check["conclusion"].lower() or None,
        "details_url": check["url"],
        "output": {"title": check["name"], "summary": check["summary"], "text": None},
    }
