"""A person may edit tasks.md before approving the plan: what stands there then is what is approved."""

import os
from collections.abc import Mapping
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.git.place import taken_names
from toryo.adapters.tasklists.file import load_tasklist, plan_of
from toryo.adapters.tasklists.reading import read_tasklist
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.plan import PlannedTask
from toryo.domain.session import Session
from toryo.domain.tasklist import Entry
from toryo.rules.naming import name_tasks
from toryo.views.tasklist import tasklist_text


def edited_tasks(project: Project, session: Session) -> tuple[PlannedTask, ...] | None:
    """The proposed tasks as a person changed them; None: they are as they were proposed.

    Raises ToryoError, with every line, where the list cannot be carried out as it stands.
    """
    planning = session.planning
    assert planning is not None
    path = project.place.root / "specs" / planning.spec / "tasks.md"
    written = tasklist_text(session.title, [task.plan for task in session.tasks.values()])
    if not path.is_file() or _is_as_written(path, written):
        return None
    crew = session.terms.crew_by_type()
    edited = load_tasklist(path)
    plan = plan_of(edited, path, default_agents=crew, config_checks=session.checks, known_agents=sorted(crew.values()))
    before = {entry.key: entry for entry in read_tasklist(written).entries}
    after = {entry.key: entry for entry in edited.entries}
    kept = {task.plan.key for task in session.tasks.values() if task.number <= planning.kept_tasks}
    proposed = {task.plan.key: task.plan for task in session.tasks.values()}
    tasks = [_merged(task, proposed, before, after, session) for task in plan.tasks if task.key not in kept]
    taken = {
        *taken_names(project.place, Git(os.environ)),
        session.branch,
        *(t.plan.branch for t in session.tasks.values()),
    }
    new = iter(name_tasks(session.short, [task for task in tasks if not task.branch], taken))
    return tuple(task if task.branch else next(new) for task in tasks)


def _is_as_written(path: Path, written: str) -> bool:
    try:
        return path.read_text(encoding="utf-8", errors="replace") == written
    except OSError:
        return False  # whoever reads it as a list says why it cannot be read


def _merged(
    read: PlannedTask,
    proposed: Mapping[str, PlannedTask],
    before: Mapping[str, Entry],
    after: Mapping[str, Entry],
    session: Session,
) -> PlannedTask:
    """A task whose words were left alone keeps all that the list does not say; order is the list's."""
    old = proposed.get(read.key)
    if old is None:
        return changed(read, branch="", limits=session.terms.limits)
    if read.key in before and _words(before[read.key]) == _words(after[read.key]):
        return changed(old, depends_on=read.depends_on)
    return changed(old, title=read.title, description=read.description, acceptance=(), depends_on=read.depends_on)


def _words(entry: Entry) -> tuple[str, str]:
    return entry.title, entry.text
