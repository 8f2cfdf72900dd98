"""Conflicts that were settled once are settled by git the next time, without the person's git noticing any of it."""

from pathlib import Path

import pytest
from tests.adapters.test_git_integration import HOME, point, with_git
from tests.support.repositories import Repo

from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.ports import Combined, Conflict, Point

_ODD = "-名 前\n.txt"


def side(repo: Repo, branch: str, text: str, name: str = "list", *more: str) -> Point:
    repo.git("checkout", "-q", "-B", branch, "main")
    repo.write(name, f"top\n{text}\nbottom\n")
    for other in more:
        repo.write(other, f"{other} of {branch}\n")
    repo.commit(branch)
    repo.git("checkout", "-q", "main")
    return point(repo, branch)


def settled(repo: Repo, tip: Point, work: Point, text: str, name: str = "list") -> Point:
    """The merge of both as somebody made it."""
    repo.git("checkout", "-q", "-B", "settled", tip.commit)
    repo.git("merge", "-q", work.commit, check=False)
    repo.write(name, text)
    repo.commit("settled")
    repo.git("checkout", "-q", "main")
    return point(repo, "settled")


@pytest.mark.covers("A15", "G30")
@pytest.mark.parametrize("name", ["list", _ODD])
def test_settled_once_it_is_settled_again_and_can_be_forgotten(repo: Repo, name: str) -> None:
    repo.write(name, "top\nnothing\nbottom\n")
    repo.commit("base")
    tip, work = side(repo, "a", "from A", name), side(repo, "b", "from B", name)
    result = settled(repo, tip, work, "top\nfrom A and B\nbottom\n", name)
    later, again = side(repo, "a2", "from A", name, "a2"), side(repo, "b2", "from B", name, "b2")

    async def act(integration: GitIntegration, _: GitWorktrees) -> Combined:
        with pytest.raises(Conflict) as met:
            await integration.combine(HOME, tip, work.commit)
        assert met.value.files == (name,)
        await integration.learn(tip, work.commit, result.commit)
        known = await integration.combine(HOME, later, again.commit)
        await integration.forget(later, again.commit, known.remembered)
        with pytest.raises(Conflict):
            await integration.combine(HOME, later, again.commit)
        # The other way round, and settled otherwise.
        other = settled(repo, later, again, "top\nneither\nbottom\n", name)
        await integration.learn(later, again.commit, other.commit)
        turned = await integration.combine(HOME, work, tip.commit)
        assert repo.git("show", f"{turned.tree}:{name}") == "top\nneither\nbottom"
        return known

    known = with_git(repo, act)
    assert known.remembered == (name,)
    assert repo.git("show", f"{known.tree}:{name}") == "top\nfrom A and B\nbottom"
    assert repo.git("ls-tree", "--name-only", known.tree, "a2", "b2").split() == ["a2", "b2"]
    assert not (repo.path / ".git" / "rr-cache").exists(), "it would turn rerere on for everybody"
    assert not (repo.path / ".worktrees").exists()


def test_what_is_only_known_in_part_is_a_conflict(repo: Repo) -> None:
    for name in ("list", "other"):
        repo.write(name, "top\nnothing\nbottom\n")
    repo.commit("base")
    tip, work = side(repo, "a", "from A"), side(repo, "b", "from B")
    result = settled(repo, tip, work, "top\nboth\nbottom\n")
    more, much = side(repo, "c", "from A", "list", "other"), side(repo, "d", "from B", "list", "other")

    async def act(integration: GitIntegration, _: GitWorktrees) -> None:
        await integration.learn(tip, work.commit, result.commit)
        with pytest.raises(Conflict) as met:
            await integration.combine(HOME, more, much.commit)
        assert met.value.files == ("list", "other")

    with_git(repo, act)


def test_who_uses_rerere_themselves_is_taken_at_their_word(repo: Repo, tmp_path: Path) -> None:
    repo.write("list", "top\nnothing\nbottom\n")
    repo.commit("base")
    tip, work = side(repo, "a", "from A"), side(repo, "b", "from B")
    repo.git("config", "rerere.enabled", "true")
    repo.git("checkout", "-q", "-b", "mine", tip.commit)
    repo.git("merge", "-q", work.commit, check=False)
    repo.write("list", "top\nas I say\nbottom\n")
    repo.git("commit", "-q", "-a", "-m", "mine")
    assert list((repo.path / ".git" / "rr-cache").iterdir())
    known = with_git(repo, lambda integration, _: integration.combine(HOME, tip, work.commit))
    assert repo.git("show", f"{known.tree}:list") == "top\nas I say\nbottom"
