"""Taking over what a person did by hand in a blocked task's worktree."""

import os
import time
import uuid
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.git.upkeep import git_dir, is_worktree
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.difference import readable
from toryo.domain.errors import ToryoError
from toryo.domain.evidence import Evidence, Operation, sealed
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.engine.performers.recording import seat_of
from toryo.rules.testimony import of_hand_in, worded

_BY = "a person"


def handed_in(project: Project, session: Session, task: Task) -> e.WorkHandedIn:
    """The event that puts the work in the task's worktree to the proof; refuses where there is none."""
    key = task.plan.key
    if task.state is not TaskState.BLOCKED:
        raise ToryoError("E208", f"{key} is {task.state}, not blocked", hint=f"toryo info {key}")
    path = project.place.root / ".worktrees" / seat_of(session, task).folder
    git = Git(os.environ)
    if path.exists() and not is_worktree(path):
        git.run(project.place.root, "worktree", "repair", str(path))  # the repository may have been moved
    if not task.base or not is_worktree(path):
        is_there = git.run(project.place.root, "rev-parse", "-q", "--verify", f"refs/heads/{task.plan.branch}")
        raise ToryoError(
            "E225",
            f"{key} has no worktree at {path}",
            kept=f"what was committed is on {task.plan.branch}" if is_there.returncode == 0 else "",
            hint=f"'toryo retry {key}' makes it again and lets its agent work there",
        )
    _refuse_conflicts(git, path, key)
    heads = _heads(git, path)
    _refuse_nothing(git, path, task, heads)
    base = _base(git, path, session, task, heads)
    base_tree = git.text(path, "rev-parse", f"{base}^{{tree}}").strip()
    now, run = time.time(), f"run-{uuid.uuid4()}"
    facts = worded(of_hand_in(task, run, _BY, base))
    record = sealed(Evidence(Operation.AGENT, now, facts, "", "", False, task.chain))
    return e.WorkHandedIn(now, task.number, run, _BY, base, base_tree, (record,))


def _refuse_conflicts(git: Git, path: Path, key: str) -> None:
    listed = git.run(path, "diff", "--name-only", "--diff-filter=U", "-z").stdout
    files = [readable(name) for name in listed.decode(errors="surrogateescape").split("\0") if name]
    if files:
        raise ToryoError(
            "E227",
            f"{key} still has conflicts: {', '.join(files[:10])}",
            hint=f"settle them in {path}, 'git add' them there, then again: toryo retry {key} --by-hand",
        )


def _refuse_nothing(git: Git, path: Path, task: Task, heads: list[str]) -> None:
    is_as_it_was = heads == [task.commit or task.base]
    if is_as_it_was and not git.text(path, "status", "--porcelain").strip():
        raise ToryoError(
            "E226",
            f"nothing has changed in {path} since {task.plan.key} was blocked",
            hint=f"do the work there first; 'toryo retry {task.plan.key}' lets its agent try again",
        )


def _heads(git: Git, path: Path) -> list[str]:
    """What is checked out, and what is being merged into it."""
    merging = git_dir(path) / "MERGE_HEAD"
    others = merging.read_text().split() if merging.exists() else []
    return [git.text(path, "rev-parse", "HEAD").strip(), *others]


def _base(git: Git, path: Path, session: Session, task: Task, heads: list[str]) -> str:
    """The merged work it builds on by now: what others did is not the task's own."""
    for head in reversed(heads):
        merged = git.run(path, "merge-base", head, session.tip).stdout.decode().strip()
        if merged and git.run(path, "merge-base", "--is-ancestor", task.base, merged).returncode == 0:
            return merged
    return task.base
