"""From a plan file or a list of tasks to an open session, settled and recorded before the first worktree exists."""

import dataclasses
import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from toryo import __version__
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Look, Start, taken_names
from toryo.adapters.planfile import load_plan
from toryo.adapters.settings import Settings
from toryo.app.autonomy import refuse_unless_autonomous
from toryo.app.configuration import settings_of
from toryo.app.crew import agents_of, refuse_unusable, uncounted, unknown_agent
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.evidence import SEALING
from toryo.domain.facts import fact
from toryo.domain.plan import Limits, Plan, Terms
from toryo.domain.session import Session, short_of
from toryo.rules.discretion import discreet
from toryo.rules.naming import name_branches

Read = Callable[[Path, Settings, Sequence[str]], tuple[Plan, tuple[str, ...]]]
"""Makes a plan of a file, with a line for everything a person should know about it."""


@fact
class Prepared:
    """A plan that is valid here, and what it would start from."""

    plan: Plan
    settings: Settings
    start: Start
    source: str
    remarks: tuple[str, ...] = ()
    """What was noticed while reading, in lines for people."""
    uncounted: tuple[str, ...] = ()
    """What the budget does not hold for, likewise."""


def prepare(
    project: Project,
    source: Path,
    flags: Mapping[str, object],
    *,
    is_list_of_tasks: bool = False,
    look: Look | None = None,
) -> Prepared:
    """Validates everything that can be validated; changes nothing. Git may have been asked to look already."""
    with closing(look or Look(project.place)) as look:
        return _prepare(project, source, flags, look, read_tasks if is_list_of_tasks else read_plan)


def _prepare(project: Project, source: Path, flags: Mapping[str, object], look: Look, read: Read) -> Prepared:
    settings = settings_of(project, flags)
    agents = agents_of(settings)
    if (given := flags.get("agent")) and given not in agents:
        raise unknown_agent(str(given), agents)
    plan, remarks = read(source, settings, sorted(agents))
    plan = _with_limits(plan, settings.limits)
    used = [agents[name] for name in sorted({task.agent for task in plan.tasks})]
    refuse_unusable(used, settings.run.host)
    start = look.start()
    look.refuse_if_prefix_is_taken()
    return Prepared(plan, settings, start, str(source), remarks, uncounted(settings.budget, used))


def _with_limits(plan: Plan, limits: Limits) -> Plan:
    """Tasks without limits of their own get the configured ones."""
    if limits == Limits():
        return plan
    bound = (changed(task, limits=limits) if task.limits == Limits() else task for task in plan.tasks)
    return changed(plan, tasks=tuple(bound))


def read_plan(path: Path, settings: Settings, known_agents: Sequence[str]) -> tuple[Plan, tuple[str, ...]]:
    plan = load_plan(
        path,
        default_agents=settings.roles,
        config_checks=settings.checks,
        known_agents=known_agents,
        by_complexity=settings.complexity,
    )
    return plan, ()


def read_tasks(path: Path, settings: Settings, known_agents: Sequence[str]) -> tuple[Plan, tuple[str, ...]]:
    """The open tasks of a tasks.md, and a line for everything a person should know about it."""
    from toryo.adapters.tasklists.file import done_line, load_tasklist, plan_of, remark_lines

    tasklist = load_tasklist(path)
    plan = plan_of(
        tasklist, path, default_agents=settings.roles, config_checks=settings.checks, known_agents=known_agents
    )
    return plan, (*remark_lines(tasklist.remarks, path), *done_line(tasklist, path))


def open_session(project: Project, prepared: Prepared, *, parallel: int | None) -> Session:
    """Records the session with its plan; from here on it can be resumed."""
    now = time.time()
    session_id = f"session-{uuid.uuid4()}"
    plan, start = discreet(prepared.plan), prepared.start  # branches are named after what it says
    taken = taken_names(project.place, Git(os.environ)) | project.reserved_names()
    branch, names = name_branches(plan.title, short_of(session_id), plan.tasks, taken)
    tasks = tuple(dataclasses.replace(task, branch=name) for task, name in zip(plan.tasks, names, strict=True))
    events: list[e.Event] = [
        e.SessionOpened(
            now,
            session_id,
            plan.title,
            prepared.source,
            start.branch,
            start.commit,
            start.tree,
            branch,
            terms_of(prepared.settings, _at_once(prepared, parallel)),
            version=__version__,
            sealing=SEALING,
        ),
        e.PlanProposed(now, tasks, plan.checks),
        e.PlanApproved(now, "the plan file"),
    ]
    return project.begin(*events)


def _at_once(prepared: Prepared, parallel: int | None) -> int:
    """A plan proposes, the configuration caps, and who asks for it on the command line gets it."""
    most = prepared.settings.run.parallel
    return parallel or min(prepared.plan.parallel or most, most)


def terms_of(settings: Settings, parallel: int) -> Terms:
    run, worktree = settings.run, settings.worktree
    return Terms(
        parallel=parallel,
        attempts=run.attempts,
        time_limit=run.time_limit,
        grace=run.grace,
        setup=worktree.setup,
        resolver=run.resolver,
        keep_worktrees=worktree.keep,
        credentials=tuple(
            (name, own.credential) for name, own in settings.agents.items() if own.credential and own.credential != name
        ),
        quota_wait=run.quota_wait,
        api_wait=run.api_wait,
        answer_time=run.answer_time,
        prompt_silence=run.prompt_silence,
        host=str(run.host),
        checks_at_once=_checks_at_once(run.checks_at_once),
        budget=settings.budget,
        hygiene=settings.hygiene,
        protection=settings.protection,
        land=run.land,
        land_asked=settings.origins.get("run.land", "").startswith("flag "),
        squash=settings.land.squash,
        when_green=_when_green(settings),
        collisions=run.collisions,
        check_merges=run.check_merges,
    )


def _when_green(settings: Settings) -> bool:
    if not settings.land.when_green or not settings.run.land.has_requests:
        return False
    refuse_unless_autonomous(settings, settings.budget)
    return True


_MOST_CHECKS = 4


def _checks_at_once(said: int | str) -> int:
    """A test suite keeps a processor busy; where there are many, memory and disks are the limit."""
    return said if isinstance(said, int) else min(os.cpu_count() or 1, _MOST_CHECKS)
