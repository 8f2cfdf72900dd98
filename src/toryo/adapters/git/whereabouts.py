"""Whether what a branch holds is to be found elsewhere: merged, pushed, squashed or rebased by whomever."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.git.patch_ids import Patches
from toryo.domain.errors import GitFailed
from toryo.domain.facts import fact

MERGED = "merged or pushed"
IN_SESSION = "merged on its session's branch"
SQUASHED = "merged as one commit"
REBASED = "merged commit by commit"


@fact
class Line:
    """A branch of ours, and what its work is a change to."""

    branch: str
    commit: str
    base: str
    """Where its work began; empty: nobody knows."""
    session: str
    """The session's own branch; a session's line is its own."""
    since: str
    """The commit that the session began from."""
    targets: tuple[str, ...]
    """Branches on which others would have merged it."""


class Whereabouts:
    """A few git commands for however many branches."""

    def __init__(self, git: Git, root: Path) -> None:
        self._git, self._root = git, root
        self._patches = Patches(git, root)

    async def find(self, lines: Sequence[Line]) -> dict[str, str]:
        """How each is proven to be elsewhere, by branch; those that are not are left out."""
        refs = await self._refs()
        ours = {f"refs/heads/{line.branch}" for line in lines}
        others = {commit for ref, commit in refs.items() if ref not in ours}
        graph = await self._graph({line.commit for line in lines}, await self._present(others))
        found = {line.branch: MERGED for line in lines if line.commit not in graph}
        left = [line for line in lines if line.branch not in found]
        found |= await self._by_patch(left, refs, graph)
        named = {line.session: refs.get(f"refs/heads/{line.session}", "") for line in left}
        staying = {session: commit for session, commit in named.items() if commit}
        merged = {session: _reachable(graph, commit) for session, commit in staying.items()}
        for line in left:
            if line.branch != line.session and line.commit in merged.get(line.session, ()):
                found.setdefault(line.branch, IN_SESSION)
        return found

    async def _refs(self) -> dict[str, str]:
        asked = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes")
        listed = (await self._git.ask(self._root, *asked)).splitlines()
        return {ref: commit for commit, _, ref in (line.partition(" ") for line in listed)}

    async def _present(self, commits: Iterable[str]) -> list[str]:
        """Without those that only a broken ref names: they hold nothing, and keep nothing else from being found."""
        given = "".join(f"{commit}\n" for commit in commits)
        done = await self._git.attempt(self._root, "cat-file", "--batch-check", given=given.encode())
        rows = (line.split() for line in done.stdout.decode().splitlines())
        return [commit for commit, what, *_ in rows if what != "missing"]

    async def _graph(self, commits: Iterable[str], without: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The commits that nobody else has, each with its parents."""
        given = "".join([*(f"{commit}\n" for commit in commits), *(f"^{commit}\n" for commit in without)])
        done = await self._git.attempt(self._root, "rev-list", "--parents", "--stdin", given=given.encode())
        rows = (line.split() for line in done.stdout.decode().splitlines())
        if done.returncode != 0:
            return dict.fromkeys(commits, ())  # nothing is proven
        return {commit: tuple(parents) for commit, *parents in rows}

    async def _by_patch(
        self, lines: Sequence[Line], refs: Mapping[str, str], graph: Mapping[str, tuple[str, ...]]
    ) -> dict[str, str]:
        """Those whose changes somebody made again: as one commit, or each by itself."""
        if not lines:
            return {}
        own = {line.branch: _reachable(graph, line.commit) for line in lines}
        commits = set().union(*own.values())
        edge = {parent for commit in commits for parent in graph[commit] if parent not in graph}
        span_of_all = [*(line.commit for line in lines), *(f"^{commit}" for commit in edge)]
        each = await self._patches.of_commits(span_of_all, "--no-merges")
        # Walked, not listed: where it is told not to walk, git does not find what the merged ones have in common.
        mended = await self._mended(span_of_all, graph)
        whole = await self._patches.of_whole((line.base, line.commit) for line in lines if line.base)
        found = {}
        for span in dict.fromkeys((line.since, line.targets) for line in lines):
            theirs = await self._theirs(*span, refs)
            for line in lines:
                if (line.since, line.targets) != span:
                    continue
                patches = [each[commit] for commit in own[line.branch] if commit in each]
                if line.base and whole.get(line.commit, "") in theirs:
                    found[line.branch] = SQUASHED
                elif patches and theirs.issuperset(patches) and not own[line.branch] & mended:
                    found[line.branch] = REBASED
        return found

    async def _mended(self, span: Sequence[str], graph: Mapping[str, tuple[str, ...]]) -> set[str]:
        """Merges that hold something that neither side has; all of them, where git is too old to say."""
        try:
            return set(await self._patches.of_commits(span, "--merges", "--remerge-diff"))
        except GitFailed:
            return {commit for commit, parents in graph.items() if len(parents) > 1}

    async def _theirs(self, since: str, targets: Sequence[str], refs: Mapping[str, str]) -> set[str]:
        """What came after the session began, on the branches it was meant for, here and on remotes."""
        names = {f"refs/heads/{name}" for name in targets}
        ends = [commit for ref, commit in refs.items() if ref in names or _on_remote(ref) in targets]
        found = await self._patches.of_commits([*ends, f"^{since}"], "--no-merges") if ends else {}
        return set(found.values())


def _on_remote(ref: str) -> str:
    """A branch as it is called there; empty: it is none of a remote."""
    return "/".join(ref.split("/")[3:]) if ref.startswith("refs/remotes/") else ""


def _reachable(graph: Mapping[str, tuple[str, ...]], commit: str) -> set[str]:
    found: set[str] = set()
    ahead = [commit]
    while ahead:
        one = ahead.pop()
        if one in graph and one not in found:
            found.add(one)
            ahead += graph[one]
    return found
