"""What can be done with a branch: asked for, confirmed where something goes, carried out, and told."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from toryo.app import branches
from toryo.app.project import open_project
from toryo.domain.branch import AgentHere, Branch, Details, Shell, Started, Work
from toryo.domain.errors import ToryoError
from toryo.frontends.tui.dialogs import AskLine, Choose, Confirm, Tell
from toryo.views.screen import clean

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp


class Acts:
    """Every act begins with a key, and ends with words on the screen; the list hears of it by itself."""

    def __init__(self, face: "ToryoApp") -> None:
        self._face = face

    @property
    def _root(self) -> Path:
        return self._face.root

    # ── making ───────────────────────────────────────────────────────────────

    def create(self, known: Sequence[str], start: str, then: Callable[[str], object]) -> None:
        """`then` gets the name, once there is such a branch."""
        from toryo.frontends.tui.branches.newbranch import NewBranch

        def tell(made: Branch) -> None:
            self._face.tell(f"{made.name} is there, at {made.commit[:8]}")
            then(made.name)

        def make(answer: tuple[str, str] | None) -> None:
            if answer is not None:
                name, begins = answer
                self._face.carry_out(lambda: branches.create(self._root, name, begins), tell)

        self._face.push_screen(NewBranch(known, start), make)

    # ── bringing home, and clearing away ─────────────────────────────────────

    def delete(self, branch: Branch) -> None:
        def look() -> tuple[str, Details]:
            return branches.why_not_deletable(self._root, branch.name), branches.details(self._root, branch.name)

        self._face.carry_out(look, lambda found: self._confirm_deletion(branch, *found))

    def _confirm_deletion(self, branch: Branch, why_not: str, details: Details) -> None:
        if why_not:
            self._face.push_screen(Tell(f"{branch.name} stays", why_not.splitlines()))
            return

        def go(answer: bool | None) -> None:
            if answer:
                self._face.carry_out(lambda: branches.delete(self._root, branch.name), self._face.tell)

        lines = ["What goes:", f"  the branch {branch.name} ({branch.commit[:8]})"]
        lines += [f"  its worktree {_beside(branch.worktree, self._root)}"] if branch.worktree else []
        lines += ["What stays:", f"  its commits: {details.merged or 'they are on other branches'}"]
        self._face.push_screen(Confirm(f"Delete {branch.name}?", lines, "Delete", is_risky=True), go)

    def merge(self, branch: Branch, current: Branch | None) -> None:
        if current is not None and current.name == branch.name:
            self._face.push_screen(Tell("Nothing to merge", [f"{branch.name} is what is checked out."]))
            return

        def go(answer: bool | None) -> None:
            if answer:
                self._face.carry_out(lambda: branches.merge(self._root, branch.name), self._face.tell)

        if branch.broken:
            go(True)  # what is said then is all there is to say
            return
        into = current.name if current else "what is checked out"
        work = branch.work
        if work and work.is_finished and not work.task:
            lines = [f"It is what session {work.session} made: {work.title}", "It is landed as 'toryo land' does."]
            self._face.push_screen(Confirm(f"Land {branch.name} on {work.base or into}?", lines, "Land"), go)
            return
        lines = [f"The last commit of it: {branch.commit[:8]} {branch.subject}"]
        lines += [f"It is {_commits(branch.ahead)} ahead of {branch.compared_to}."] if branch.ahead else []
        lines += [f"What is not committed in its worktree stays there ({branch.changes})."] if branch.changes else []
        lines += ["If the two do not go together, nothing is changed."]
        self._face.push_screen(Confirm(f"Merge {branch.name} into {into}?", lines, "Merge"), go)

    # ── agents and windows ───────────────────────────────────────────────────

    def start_agent(self, branch: Branch) -> None:
        self._face.tell("looking which agents are here …")
        self._face.carry_out(lambda: branches.agents_here(self._root), lambda agents: self._choose(branch, agents))

    def _choose(self, branch: Branch, agents: Sequence[AgentHere]) -> None:
        usable = [(agent.name, f"{agent.name} {agent.version}".strip()) for agent in agents if not agent.why_not]
        others = [f"not {agent.name}: {agent.why_not}" for agent in agents if agent.why_not]
        if not usable:
            self._face.push_screen(Tell("No agent can be started here", others or ["None is known."]))
            return

        def ask(agent: str | None) -> None:
            if agent:
                label = f"What {agent} is told first (may be empty)"
                ask_line = AskLine(f"{agent} on {branch.name}", label, yes_label="Start")
                self._face.push_screen(ask_line, lambda prompt: self._start(branch, agent, prompt))

        self._face.push_screen(Choose(f"Which agent on {branch.name}?", usable, others), ask)

    def _start(self, branch: Branch, agent: str, prompt: str | None) -> None:
        if prompt is not None:
            self._face.carry_out(
                lambda: branches.start_agent(self._root, branch.name, agent, prompt.strip()),
                self._tell_started,
            )

    def _tell_started(self, started: Started) -> None:
        note = f" ({started.note})" if started.note else ""
        self._face.tell(f"{started.agent} is at work on {started.branch}; o opens its window{note}")

    def open_window(self, branch: Branch) -> None:
        words = f"The window of {branch.name}: Ctrl-B D comes back to Toryo, and whoever works there goes on."
        self._face.carry_out(
            lambda: branches.window_argv(self._root, branch.name),
            lambda argv: self._leave(argv, self._root, words),
        )

    def open_worktree(self, branch: Branch) -> None:
        self._face.carry_out(lambda: branches.shell_argv(self._root, branch.name), lambda shell: self._enter(shell))

    def _enter(self, shell: Shell) -> None:
        if shell.is_elsewhere:
            from toryo.frontends.tui.branches.leaving import beside

            where = _beside(str(shell.cwd), self._root)
            self._face.carry_out(
                lambda: beside(shell.argv, shell.cwd), lambda _: self._face.tell(f"a window is open in {where}")
            )
        else:
            self._leave(shell.argv, shell.cwd, f"A shell in {shell.cwd}: exit comes back to Toryo.")

    def _leave(self, argv: Sequence[str], cwd: Path, words: str) -> None:
        from toryo.frontends.tui.branches.leaving import instead

        try:
            instead(self._face, argv, cwd, words)
        except ToryoError as error:
            self._face.tell_error(error)

    # ── looking ──────────────────────────────────────────────────────────────

    def watch(self, work: Work) -> None:
        """The screen of the task that the branch is for."""
        from toryo.frontends.tui.watching.task import TaskScreen

        def whole_id() -> str:
            with closing(open_project(self._root)) as project:
                return project.session(work.session).id

        self._face.carry_out(whole_id, lambda session: self._face.push_screen(TaskScreen(session, work.task)))

    def show_patch(self, branch: Branch) -> None:
        from toryo.frontends.tui.branches.patchview import PatchScreen

        self._face.carry_out(
            lambda: clean(branches.patch(self._root, branch.name)),  # here, since a long one takes its time
            lambda text: self._face.push_screen(PatchScreen(branch.name, text)),
        )


def _beside(path: str, root: Path) -> str:
    """As it is called from the main checkout, where that is shorter."""
    found = Path(path)
    return str(found.relative_to(root)) if found.is_relative_to(root) and found != root else path


def _commits(count: int) -> str:
    return f"{count} commit{'' if count == 1 else 's'}"
