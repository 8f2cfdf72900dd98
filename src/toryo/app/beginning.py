"""Beginning work that goes on in the background, for whoever does not conduct it."""

from contextlib import closing
from pathlib import Path

from toryo.app.background import await_start, enqueue
from toryo.app.opening import open_session, prepare
from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.domain.session import Session


def begin_with_tasks(where: Path, tasks: Path) -> Session:
    """Carries out a tasks.md; raises ToryoError, with every line, where that cannot be."""
    with closing(open_project(where)) as project:
        only_a_person(project)
        prepared = prepare(project, tasks, {"parallel": None}, is_list_of_tasks=True)
    with closing(open_project(where, writing=True)) as project:
        session, process = enqueue(project, open_session(project, prepared, parallel=None))
        await_start(project, process)
        return session
