"""A local branch as a person sees it: where it stands, where it is checked out, and whose work it is."""

from pathlib import Path

from toryo.domain.facts import fact

OURS = "agent/"
"""How the names of branches begin that Toryo makes."""


@fact
class Work:
    """The session that a branch belongs to, and the task of it where it is a task's."""

    session: str
    """Short id."""
    title: str
    state: str
    """How the task stands, or else the session, at a glance."""
    base: str = ""
    """The branch that the session began from."""
    task: str = ""
    """Key; empty: the branch is the session's own."""
    task_title: str = ""
    agent: str = ""
    """Whose run is, or was, the last one."""
    is_running: bool = False
    """A run or a check is at work on the branch; of a session's own branch: the session is not at rest."""
    is_finished: bool = False
    """The session is complete and can be landed."""
    is_landed: bool = False


@fact
class Branch:
    name: str
    commit: str
    subject: str = ""
    committed_at: float = 0.0
    author: str = ""
    is_current: bool = False
    """Checked out in the main checkout."""
    upstream: str = ""
    """Short, such as `origin/main`; empty: it has none."""
    compared_to: str = ""
    """What `ahead` and `behind` are counted against: its upstream, or else its base; empty: it is that itself."""
    ahead: int | None = None
    behind: int | None = None
    """None: not counted yet, or what it is compared to is gone."""
    worktree: str = ""
    """The folder it is checked out in; empty: in none."""
    changes: int | None = None
    """Paths that are not committed there; None: no worktree, or nobody has looked yet."""
    under_way: str = ""
    """What somebody is in the middle of there, such as `a merge`."""
    work: Work | None = None
    by_hand: str = ""
    """The agent that a person started there and that is still at work; empty: none."""
    broken: str = ""
    """What git says is wrong with it, so that nothing else is known of it; empty: nothing."""

    @property
    def is_agents(self) -> bool:
        return self.name.startswith(OURS)

    @property
    def is_running(self) -> bool:
        """Somebody other than a person is at work on it."""
        return bool(self.by_hand) or (self.work is not None and self.work.is_running)


@fact
class Commit:
    id: str
    """Short."""
    at: float
    author: str
    subject: str


@fact
class FileLines:
    """A file that differs, and by how many lines; None: they cannot be counted."""

    path: str
    added: int | None
    removed: int | None


@fact
class Details:
    """What one look at a single branch shows; everything against where it left its base."""

    branch: Branch
    base: str
    """The branch it is compared to; empty: there is none."""
    merge_base: str
    commits: tuple[Commit, ...] = ()
    """Latest first; the first so many of them."""
    more_commits: int = 0
    files: tuple[FileLines, ...] = ()
    more_files: int = 0
    added: int = 0
    removed: int = 0
    """Lines of all files, also of those that are not listed."""
    changes: tuple[str, ...] = ()
    """What is not committed in its worktree, as `git status --short` says it; the first so many."""
    more_changes: int = 0
    merged: str = ""
    """Where its work is to be found, such as `merged into main`; empty: nowhere else, as far as a quick look shows."""
    task: tuple[tuple[str, str], ...] = ()
    """What the journal knows: a word and what it says, such as attempts, tokens, the last verdict."""


@fact
class BranchSummary:
    """What a model says that a branch changes, and why."""

    commit: str
    text: str
    model: str
    at: float


@fact
class AgentHere:
    """An agent that a person may start by hand."""

    name: str
    version: str = ""
    why_not: str = ""
    """What keeps it from being started; empty: nothing."""


@fact
class Started:
    """An agent that a person started by hand; it is theirs, no session knows it."""

    branch: str
    agent: str
    worktree: Path
    argv: tuple[str, ...]
    """The command that puts a person in front of it."""
    note: str = ""
    """What the person still has to do; empty: nothing."""


@fact
class Shell:
    """How to get a shell in a branch's worktree."""

    cwd: Path
    argv: tuple[str, ...]
    is_elsewhere: bool
    """It opens in a window of its own, and the caller's terminal stays as it is; else it needs the terminal."""
