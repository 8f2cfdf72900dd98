"""A closer look at one branch: what is on it, what it changes, what is not committed, and what the journal knows."""

import os
from contextlib import suppress
from pathlib import Path

from toryo.adapters.git import branches as git_branches
from toryo.adapters.git import patches
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import find_place
from toryo.app.branchfinding import base_of, sight_of
from toryo.app.branchsight import Sight
from toryo.app.branchworks import UNREADABLE, reading
from toryo.domain.branch import Branch, Details, FileLines
from toryo.domain.evidence import CheckStatus
from toryo.domain.facts import fact
from toryo.domain.task import Task

_MOST_COMMITS, _MOST_FILES, _MOST_CHANGES = 100, 300, 100
_COUNT_FOR = 10.0


@fact
class Span:
    """What a branch has that its base does not."""

    branch: Branch
    base: str
    since: str
    """The commit at which it left its base; empty: there is none."""


def span_of(root: Path, name: str) -> Span:
    sight, branch, every = sight_of(root, name)
    return _span(sight, branch, every)


def _span(sight: Sight, branch: Branch, every: tuple[Branch, ...]) -> Span:
    base = base_of(sight, branch, every)
    git = Git(os.environ)
    since = git_branches.merge_base(git, sight.place.root, f"refs/heads/{base}", branch.commit) if base else ""
    return Span(branch, base, since)


def details(root: Path, name: str) -> Details:
    sight, seen, every = sight_of(root, name)
    (branch,) = sight.look_at_changes(sight.count([seen], within=_COUNT_FOR))
    span, git = _span(sight, branch, every), Git(os.environ)
    commits = git_branches.commits(git, root, span.since, branch.commit, _MOST_COMMITS)
    count = len(commits)
    if count == _MOST_COMMITS and span.since:  # else it is the whole history, and nobody wants that counted
        count = git_branches.count_commits(git, root, span.since, branch.commit)
    files = _files(git, root, span)
    changes = git_branches.status_lines(git, Path(branch.worktree)) if branch.worktree else []
    return Details(
        branch,
        span.base,
        span.since,
        tuple(commits),
        count - len(commits),
        tuple(files[:_MOST_FILES]),
        max(len(files) - _MOST_FILES, 0),
        sum(one.added or 0 for one in files),
        sum(one.removed or 0 for one in files),
        tuple(changes[:_MOST_CHANGES]),
        max(len(changes) - _MOST_CHANGES, 0),
        _merged_words(span),
        _task_facts(root, branch),
    )


def _files(git: Git, root: Path, span: Span) -> list[FileLines]:
    if not span.since or span.since == span.branch.commit:
        return []
    rows = patches.file_rows(git, root, span.since, span.branch.commit)
    return [FileLines(row["path"], row.get("added"), row.get("deleted")) for row in rows]


def _merged_words(span: Span) -> str:
    """As far as a quick look shows; whether it was squashed or rebased is looked into when somebody deletes it."""
    branch = span.branch
    if branch.work and branch.work.is_landed:
        return f"landed on {branch.work.base}"
    if span.base and span.since == branch.commit:
        return f"all of it is in {span.base}"
    return f"pushed to {branch.upstream}" if branch.upstream and branch.ahead == 0 else ""


def patch(root: Path, name: str, longest: int) -> str:
    span = span_of(root, name)
    if not span.since or span.since == span.branch.commit:
        return ""
    told: list[str] = []
    room = longest
    for line in patches.patch_lines(Git(os.environ), root, span.since, span.branch.commit):
        if room < len(line) + 1:
            return "\n".join([*told, f"… the rest is left out; git diff {span.since[:12]} {name} shows all of it"])
        told.append(line)
        room -= len(line) + 1
    return "\n".join(told)


# ── the journal ──────────────────────────────────────────────────────────────


def _task_facts(root: Path, branch: Branch) -> tuple[tuple[str, str], ...]:
    """Nothing where the journal cannot be read, which others say."""
    work = branch.work
    if work is None or not work.task:
        return ()
    with suppress(KeyError, *UNREADABLE), reading(find_place(root)) as project:
        return tuple(_told(project.session(work.session).task(work.task)))
    return ()


def _told(task: Task) -> list[tuple[str, str]]:
    usage = [run.report.usage for run in task.runs if run.report]
    tokens = sum(one.input_tokens + one.output_tokens for one in usage)
    checks = task.run.results if task.run else ()
    passed = sum(one.status is CheckStatus.PASSED for one in checks)
    told = [
        ("attempts", str(task.attempts) if task.attempts else ""),
        ("checks", f"{passed} of {len(checks)} passed" if checks else ""),
        ("verdict", f"{task.outcome}: {task.reason}" if task.outcome and task.reason else str(task.outcome or "")),
        ("question", task.question or (task.run.question if task.run else "")),
        ("tokens", f"{tokens:,}" if tokens else ""),
        ("criteria", "; ".join(task.plan.acceptance)),
    ]
    return [(word, says) for word, says in told if says]
