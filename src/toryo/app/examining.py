"""Looking at everything a session would need, before anybody is disappointed."""

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from enum import StrEnum
from pathlib import Path

from toryo.adapters.agents.probing import Login
from toryo.adapters.git.place import Look, Place, find_place, git_version, has_identity
from toryo.adapters.git.remote import GitRemote
from toryo.adapters.github import GitHub
from toryo.adapters.hosts.tmux_command import tmux_version, why_unusable
from toryo.adapters.settings import Settings
from toryo.app.autonomy import policy_of
from toryo.app.configuration import settings_of
from toryo.app.crew import how_to_get_windows, look_for_agents, why_no_windows
from toryo.app.leasing import attendant, watcher
from toryo.app.models import Choice, choose
from toryo.app.project import Project, open_project, recover
from toryo.app.prompting import prompts_of
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.limits import Budget
from toryo.domain.run import Mode
from toryo.journal.sqlite import JournalBroken
from toryo.ports import ForgeFailed, Held
from toryo.rules.autonomy import why_not_at_all
from toryo.views.queueing import queue_of, queue_words

_OLDEST_GIT = (2, 31)
_LITTLE_SPACE = 1 << 30


class Level(StrEnum):
    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@fact
class Finding:
    what: str
    level: Level
    says: str
    hint: str = ""


def examine(where: Path) -> list[Finding]:
    return list(_examine(where))


def _examine(where: Path) -> Iterator[Finding]:
    yield Finding("python", Level.OK, sys.version.split()[0])
    yield from _programs()
    try:
        place = find_place(where)
        yield Finding("repository", Level.OK, str(place.root))
    except ToryoError as error:
        yield _problem("repository", error)
        return
    yield from _start(place)
    if not has_identity(place):
        yield Finding("identity", Level.NOTE, "git has no name for commits; Toryo's own will be used")
    yield from _disk(place)
    yield from _journal(where)
    yield from _settings(where)
    yield from _prompts(place)


def _programs() -> Iterator[Finding]:
    version = git_version()
    if not version:
        yield Finding("git", Level.PROBLEM, "not installed", "install git")
    elif tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < _OLDEST_GIT:
        yield Finding("git", Level.PROBLEM, version, "2.31 or newer is needed")
    else:
        yield Finding("git", Level.OK, version)
    if why := why_unusable():
        yield Finding("tmux", Level.NOTE, f"{why}; runs stay headless", "install tmux to watch agents work")
    else:
        yield Finding("tmux", Level.OK, tmux_version())


def _start(place: Place) -> Iterator[Finding]:
    try:
        with closing(Look(place)) as look:
            start = look.start()
    except ToryoError as error:
        yield _problem("branch", error)
        return
    yield Finding("branch", Level.OK, f"{start.branch} at {start.commit[:8]}")
    if start.uncommitted:
        says = f"uncommitted changes ({start.uncommitted}), which sessions will not see"
        yield Finding("checkout", Level.NOTE, says)


def _disk(place: Place) -> Iterator[Finding]:
    free = shutil.disk_usage(place.common_dir).free
    words = f"{free / (1 << 30):.1f} GiB free"
    if free < _LITTLE_SPACE:
        yield Finding("disk", Level.PROBLEM, words, "every task needs a worktree: free some space")
    else:
        yield Finding("disk", Level.OK, words)
    if not os.access(place.common_dir, os.W_OK):
        yield Finding("disk", Level.PROBLEM, f"{place.common_dir} is read-only", "make it writable for you")


def _journal(where: Path) -> Iterator[Finding]:
    try:
        project = open_project(where)
        if project.note:
            yield Finding("journal", Level.NOTE, project.note)
            return
        yield from _sessions(project)
    except JournalBroken as error:
        yield Finding("journal", Level.NOTE, recover(find_place(where), error).note)
    except ToryoError as error:
        yield _problem("journal", error)


def _sessions(project: Project) -> Iterator[Finding]:
    rows = project.summaries()
    if rows:
        project.journal.check_all()
    unfinished = [row for row in rows if row["state"] != "closed"]
    hint = "'toryo resume --list' shows them" if unfinished else ""
    yield Finding("sessions", Level.OK, f"{len(rows)}, {len(unfinished)} unfinished", hint)
    pid = project.conductor_pid
    if pid is not None:
        yield Finding("conductor", Level.OK, f"process {pid} is conducting")
    if (watched := watcher(project)) is not None:
        yield Finding("watch", Level.OK, f"process {watched} works off intents")
    attended = attendant(project)
    if words := queue_words(queue_of(rows), attended):
        yield Finding("queue", Level.NOTE if attended is None else Level.OK, words.removeprefix("queued: "))


def _settings(where: Path) -> Iterator[Finding]:
    try:
        settings = settings_of(open_project(where))
    except ToryoError as error:
        yield Finding("configuration", Level.PROBLEM, "; ".join((error.message, *error.details)), error.hint)
        return
    yield Finding("configuration", Level.OK, f"agent {settings.run.agent}, {settings.run.parallel} at once")
    yield from _model(settings)
    yield from _crew(settings)
    yield from _autonomy(settings)
    yield from _forge(settings, find_place(where))
    if not settings.checks:
        says = "none configured; plans can bring their own"
        yield Finding("checks", Level.NOTE, says, "a task without checks is observed, not tested")


def _model(settings: Settings) -> Iterator[Finding]:
    """What would plan and judge, as far as one can tell without asking it anything."""
    told: dict[Choice, list[str]] = {}
    for role in settings.model_roles:
        try:
            found = choose(settings, role)
        except ToryoError as error:
            yield _problem("model", error)
            return
        if found is None:
            says = "none is configured, and none was found; plans have to be files"
            yield Finding("model", Level.NOTE, says, "toryo config init")
            return
        told.setdefault(found, []).append(role)
    for found, roles in told.items():
        what = "model" if len(told) == 1 else f"model ({', '.join(roles)})"
        if found.missing:
            yield Finding(what, Level.PROBLEM, f"{found.name}: {found.missing}", found.hint)
        else:
            automatic = " (chosen by itself)" if found.is_automatic else ""
            yield Finding(what, Level.OK, f"{found.name}{automatic}: {found.says}")


def _autonomy(settings: Settings) -> Iterator[Finding]:
    """Off is as good as on; but what is switched on and cannot work is worth a word."""
    autonomy = settings.autonomy
    if not autonomy.enabled:
        yield Finding("autonomy", Level.OK, "off: every intent waits for your approval")
    elif why := why_not_at_all(policy_of(settings)):
        hint = (
            "toryo config set budget.runs 20" if settings.budget == Budget() else "toryo config set autonomy.per_day 10"
        )
        yield Finding("autonomy", Level.NOTE, f"on, but nothing runs by itself: {why}", hint)
    else:
        of_type = ", ".join(autonomy.types) or "no type"
        yield Finding("autonomy", Level.OK, f"on: low risk, {of_type}, at most {autonomy.per_day} a day")


def _crew(settings: Settings) -> Iterator[Finding]:
    """Agents that are not here are only a problem where somebody counts on them."""
    wanted = {settings.run.agent, settings.run.resolver, *settings.roles.values(), *settings.agents}
    wanted |= {said.partition("/")[0] for said in settings.complexity.values()}
    absent = []
    for agent, found in ((each.agent, each.probe) for each in look_for_agents(settings) if each.probe.program):
        if found.path is None:
            if agent.name in wanted:
                says = f"its program {found.program} is not installed"
                yield Finding(f"agent {agent.name}", Level.PROBLEM, says, found.advice or "install it")
            else:
                absent.append(agent.name)
        elif found.login is Login.NO:
            level = Level.PROBLEM if agent.name in wanted else Level.NOTE
            yield Finding(f"agent {agent.name}", level, f"not logged in: {found.says}", found.advice)
        else:
            words = " ".join(filter(None, (found.version, found.says)))
            level = Level.NOTE if found.advice else Level.OK
            yield Finding(f"agent {agent.name}", level, words or "here", found.advice)
        if agent.mode is Mode.INTERACTIVE and (why := why_no_windows(settings.run.host)):
            yield Finding(
                f"agent {agent.name}",
                Level.PROBLEM,
                f"is interactive, but {why}",
                how_to_get_windows(settings.run.host),
            )
    if absent:
        yield Finding("agents", Level.OK, f"not installed: {', '.join(absent)}")


def _forge(settings: Settings, place: Place) -> Iterator[Finding]:
    """Whether pull requests could be opened; a problem only where they are what sessions end with."""
    level = Level.PROBLEM if settings.run.land.has_requests else Level.NOTE
    remote = GitRemote(os.environ, place.root, settings.land.remote)
    if not asyncio.run(remote.is_there()):
        says = f"there is no remote '{remote.name}'"
        yield Finding("pull requests", level, says, "git remote add, or toryo config set land.remote")
        return
    try:
        yield Finding("pull requests", Level.OK, asyncio.run(_ready(GitHub(os.environ, place.root, remote))))
    except (Held, ForgeFailed) as trouble:
        yield Finding("pull requests", level, str(trouble), getattr(trouble, "hint", ""))


async def _ready(forge: GitHub) -> str:
    await forge.ready()
    return f"gh {await forge.version()}, logged in, for {await forge.place()}"


def _prompts(place: Place) -> Iterator[Finding]:
    """Only what somebody changed is worth a word."""
    prompts = prompts_of(place)
    own = [template for template in prompts.templates() if template.path]
    for template in own:
        if template.problem:
            yield Finding(
                f"prompt {template.name}", Level.PROBLEM, f"{template.path} {template.problem}", template.hint
            )
    if usable := [template.name for template in own if not template.problem]:
        yield Finding("prompts", Level.OK, f"not the built-in ones: {', '.join(usable)}")
    for stranger in prompts.strangers():
        yield Finding(f"prompt {stranger.name}", Level.NOTE, f"{stranger.path} {stranger.problem}", stranger.hint)


def _problem(what: str, error: ToryoError) -> Finding:
    return Finding(what, Level.PROBLEM, error.message, error.hint)
