"""Every local branch: seen at a glance, followed while it changes, and what a person may do with one.

What is needed only when somebody acts is loaded then: the list has to be on the screen at once.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from toryo.app.branchsight import Sight
from toryo.domain.branch import AgentHere, Branch, BranchSummary, Details, Shell, Started

LONGEST_PATCH = 400_000
"""Characters."""


# ── looking ──────────────────────────────────────────────────────────────────


def look(root: Path) -> tuple[Branch, ...]:
    """Every local branch, by name: quick, so without `ahead`, `behind` and `changes` where those are not known."""
    return Sight(root).look()


def look_closely(root: Path) -> tuple[Branch, ...]:
    """The same with all that `look` leaves out."""
    sight = Sight(root)
    return sight.look_at_changes(sight.count(sight.look(), within=60.0))


def look_at_changes(root: Path, branches: Sequence[Branch]) -> tuple[Branch, ...]:
    """The same branches with what is not committed in their worktrees."""
    return Sight(root).look_at_changes(branches)


def follow(root: Path) -> AsyncGenerator[tuple[Branch, ...], None]:
    """At once what there is, soon after with its numbers, and again whenever something of it is different."""
    from toryo.app.branchfollowing import follow

    return follow(root)


def details(root: Path, name: str) -> Details:
    from toryo.app.branchdetails import details

    return details(root, name)


def patch(root: Path, name: str, *, longest: int = LONGEST_PATCH) -> str:
    """What the branch changes since it left its base, as git writes it; cut where it is longer, and says so."""
    from toryo.app.branchdetails import patch

    return patch(root, name, longest)


# ── doing ────────────────────────────────────────────────────────────────────


def create(root: Path, name: str, start: str = "") -> Branch:
    """A branch that begins at `start`, or else where the main checkout stands; nothing is checked out."""
    from toryo.app.branchmaking import create

    return create(root, name, start)


def make_worktree(root: Path, name: str) -> Path:
    """The folder in which the branch is checked out; made under `.worktrees/` where there is none."""
    from toryo.app.branchmaking import make_worktree

    return make_worktree(root, name)


def why_not_deletable(root: Path, name: str) -> str:
    """What would be said if somebody wanted it deleted now, in lines; empty: it can go."""
    from toryo.app.branchremoval import why_not_deletable

    return why_not_deletable(root, name)


def delete(root: Path, name: str, *, with_worktree: bool = True) -> str:
    """Deletes a branch, never by force, once its work is proven to be elsewhere; what was done, in words."""
    from toryo.app.branchremoval import delete

    return delete(root, name, with_worktree=with_worktree)


def merge(root: Path, name: str) -> str:
    """Brings a branch into the one that the main checkout is on; what was done and how to undo it, in words."""
    from toryo.app.branchmerging import merge

    return merge(root, name)


# ── agents by hand ───────────────────────────────────────────────────────────


def agents_here(root: Path) -> tuple[AgentHere, ...]:
    """Agents that may be started by hand, each with why it cannot be where that is so. Programs are asked: slow."""
    from toryo.app.branchagents import agents_here

    return agents_here(root)


def start_agent(root: Path, branch: str, agent: str, prompt: str = "") -> Started:
    """Starts an agent's own screen in a window, in the branch's worktree; it is the person's, not Toryo's."""
    from toryo.app.branchagents import start_agent

    return start_agent(root, branch, agent, prompt)


def window_argv(root: Path, branch: str) -> list[str]:
    """The command that puts a person in front of who is at work on the branch; refuses where nobody is."""
    from toryo.app.branchagents import window_argv

    return window_argv(root, branch)


def shell_argv(root: Path, branch: str) -> Shell:
    """A shell in the branch's worktree, which is made where there is none; inside of tmux in a new window."""
    from toryo.app.branchagents import shell_argv

    return shell_argv(root, branch)


# ── summaries ────────────────────────────────────────────────────────────────


def can_summarise(root: Path) -> bool:
    """Whether a model is configured or found, as far as one can see without asking it."""
    from toryo.app.branchsummaries import can_summarise

    return can_summarise(root)


def cached_summary(root: Path, name: str) -> BranchSummary | None:
    """What was said about the branch as it stands now; None: nothing yet."""
    from toryo.app.branchsummaries import cached_summary

    return cached_summary(root, name)


def summary(
    root: Path, name: str, *, fresh: bool = False, hear: Callable[[str], object] | None = None
) -> BranchSummary | None:
    """What the branch changes and why; asks a model where that is not known. None: no model is configured.

    `hear` gets the reply piece by piece, in the thread that asks; an empty piece says that it begins anew.
    """
    from toryo.app.branchsummaries import summary

    return summary(root, name, fresh=fresh, hear=hear)
