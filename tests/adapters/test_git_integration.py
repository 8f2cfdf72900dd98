"""The session's branch: how it comes to be, and which branches go once they are merged into it."""

from pathlib import Path

import pytest
from tests.support.git_parts import branch_off, git_in, point, with_git
from tests.support.repositories import Repo

from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.domain.errors import GitFailed
from toryo.ports import Leftovers, Point, Seat

HOME = Seat("agent/plan", "plan")
MESSAGE = "Merge A: Task A\n\nToryo-Task: task-1\n"


async def merge(integration: GitIntegration, tip: Point, commit: str, message: str = MESSAGE) -> Point:
    combined = await integration.combine(HOME, tip, commit)
    return await integration.finish(HOME, tip, commit, combined.tree, message)


def test_merging_needs_no_worktree(repo: Repo) -> None:
    tip, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    merged = with_git(repo, lambda integration, _: merge(integration, tip, work.commit))
    assert merged == point(repo, HOME.branch)
    assert merged.tree == work.tree
    assert repo.git("log", "-1", "--format=%P", HOME.branch).split() == [tip.commit, work.commit]
    assert repo.git("log", "-1", "--format=%B", HOME.branch).strip() == MESSAGE.strip()
    assert not (repo.path / ".worktrees").exists()


def test_asked_again_it_is_merged_once(repo: Repo) -> None:
    tip, first = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    second = branch_off(repo, "agent/b", "main", "b")

    async def both(integration: GitIntegration, _: GitWorktrees) -> Point:
        merged = await merge(integration, tip, first.commit)
        # As after a crash, before anybody heard of it.
        assert await integration.look(HOME, tip, is_begun=False, merging=first.commit) is None
        assert await merge(integration, tip, first.commit) == merged
        assert await merge(integration, merged, tip.commit) == merged, "there is nothing to merge"
        return await merge(integration, merged, second.commit, "Merge B\n")

    assert with_git(repo, both) == point(repo, HOME.branch)
    assert {"a", "b"} <= repo.files_on(HOME.branch)
    assert repo.git("rev-list", "--count", "--merges", HOME.branch) == "2"


def test_its_folder_is_in_step_and_the_branch_is_not_moved_under_anybody_else(repo: Repo, tmp_path: Path) -> None:
    tip, first = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    second = branch_off(repo, "agent/b", "main", "b")

    async def act(integration: GitIntegration, worktrees: GitWorktrees) -> None:
        await integration.lay_out(HOME, tip, first.tree)
        folder = worktrees.path(HOME.folder)
        assert (folder / "a").exists(), "laid out before it is committed"
        merged = await merge(integration, tip, first.commit)
        assert git_in(repo, folder, "status", "--porcelain") == ""
        merged = await merge(integration, merged, second.commit)
        assert (folder / "b").exists()
        assert git_in(repo, folder, "status", "--porcelain") == ""
        await integration.abandon(HOME, merged, "0" * 40)
        assert await worktrees.remove_folder(HOME) == ""
        repo.git("worktree", "add", "-q", str(tmp_path / "person"), HOME.branch)
        third = branch_off(repo, "agent/c", "main", "c")
        with pytest.raises(GitFailed, match="is checked out in"):
            await merge(integration, merged, third.commit)
        assert point(repo, HOME.branch) == merged

    with_git(repo, act)


def test_a_merge_that_was_cut_short_and_does_not_hold_is_taken_back(repo: Repo) -> None:
    tip, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")

    async def act(integration: GitIntegration, _: GitWorktrees) -> None:
        await merge(integration, tip, work.commit)
        await integration.abandon(HOME, tip, work.commit)

    with_git(repo, act)
    assert point(repo, HOME.branch) == tip


@pytest.mark.covers("G37")
def test_unfinished_work_is_kept_where_a_task_is_begun_anew(repo: Repo) -> None:
    tip, seat = point(repo, "main"), Seat("agent/task", "task")

    async def act(_: GitIntegration, worktrees: GitWorktrees) -> None:
        await worktrees.create(seat, [tip], adopt=False)
        path = worktrees.path(seat.folder)
        (path / "mine").write_text("not committed\n")
        assert await worktrees.begin_anew(seat, tip, keeping="", merging="") == tip
        assert not (path / "mine").exists()
        assert await worktrees.begin_anew(seat, tip, keeping="", merging="") == tip, "asked again it keeps no more"

    with_git(repo, act)
    (kept,) = repo.git("for-each-ref", "--format=%(refname)", "refs/toryo/kept").split()
    assert repo.show(kept, "mine") == "not committed"


@pytest.mark.covers("A15")
def test_a_lock_that_a_killed_command_left_on_the_branch_is_in_nobodys_way(repo: Repo) -> None:
    tip, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    lock = repo.path / ".git" / "refs" / "heads" / f"{HOME.branch}.lock"
    lock.touch()
    assert with_git(repo, lambda integration, _: merge(integration, tip, work.commit)) == point(repo, HOME.branch)


@pytest.mark.covers("G31")
def test_only_merged_branches_are_forgotten(repo: Repo, tmp_path: Path) -> None:
    tip, merged = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    branch_off(repo, "agent/b", "main", "b")
    repo.git("branch", "agent/in-use", merged.commit)
    repo.git("worktree", "add", "-q", str(tmp_path / "in-use"), "agent/in-use")

    async def forget(integration: GitIntegration, worktrees: GitWorktrees) -> None:
        await merge(integration, tip, merged.commit)
        names = ["agent/a", "agent/b", "agent/in-use", "agent/never-was"]
        await worktrees.forget_branches(names, merged_into=HOME.branch)

    with_git(repo, forget)
    left = repo.git("branch", "--list", "agent/*", "--format=%(refname:short)").split()
    assert left == ["agent/b", "agent/in-use", "agent/plan"]


@pytest.mark.covers("A15", "P1")
def test_a_merge_that_somebody_else_made_of_other_files_is_not_taken_for_ours(repo: Repo) -> None:
    tip, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    evil = branch_off(repo, "evil", "agent/a", "EVIL")
    parents = ("-p", tip.commit, "-p", work.commit)
    forged = repo.git("commit-tree", evil.tree, *parents, "-m", MESSAGE)
    repo.git("update-ref", f"refs/heads/{HOME.branch}", forged)
    merged = with_git(repo, lambda integration, _: merge(integration, tip, work.commit))
    assert merged == point(repo, HOME.branch)
    assert merged.tree == work.tree
    assert forged in repo.git("for-each-ref", "refs/toryo/kept"), "it is kept, whoever made it"


@pytest.mark.covers("G31")
def test_where_somebody_committed_meanwhile_nothing_is_moved(repo: Repo) -> None:
    tip, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    theirs = branch_off(repo, HOME.branch, "main", "theirs")
    with pytest.raises(GitFailed, match="meanwhile"):
        with_git(repo, lambda integration, _: merge(integration, tip, work.commit))
    assert point(repo, HOME.branch) == theirs


@pytest.mark.covers("G31", "G37")
def test_commits_beside_the_branch_are_kept_and_a_persons_branch_is_left_alone(repo: Repo) -> None:
    seat, base = Seat("agent/a", "a"), point(repo, "main")
    with_git(repo, lambda _, worktrees: worktrees.create(seat, [base], adopt=False))
    folder = repo.path / ".worktrees" / "a"

    def commit(name: str) -> str:
        (folder / name).write_text(name)
        repo.git("-C", str(folder), "add", "-A")
        repo.git("-C", str(folder), "commit", "-qm", name)
        return repo.git("-C", str(folder), "rev-parse", "HEAD")

    first = commit("on-the-branch")
    repo.git("-C", str(folder), "checkout", "-q", "-b", "mine", "main")
    mine = commit("on-my-own")
    (folder / "left").write_text("over")

    async def leftovers(_: GitIntegration, worktrees: GitWorktrees) -> Leftovers:
        asked = {"base": base, "start": base.commit, "message": "feat: a\n", "merging": ""}
        return await worktrees.commit_leftovers(seat, **asked)  # type: ignore[arg-type]

    seen = with_git(repo, leftovers)
    assert repo.git("rev-parse", "mine") == mine
    assert repo.git("rev-parse", "agent/a^") == mine, "what counts is where it ended"
    assert {change.path for change in seen.changes} == {"on-my-own", "left"}
    assert first in repo.git("for-each-ref", "refs/toryo/kept")
    repo.git("-C", str(folder), "checkout", "-q", "--detach")
    loose = commit("on-no-branch")
    with_git(repo, lambda _, worktrees: worktrees.reopen(seat))
    assert loose in repo.git("for-each-ref", "refs/toryo/kept")
