"""More about one thing that waits: all that was said about it, and what has been changed for it."""

from collections.abc import Iterator

from toryo.app.differing import between, difference_lines
from toryo.app.meaning import Meant
from toryo.app.project import Project
from toryo.app.skills import skill_proposals
from toryo.domain.errors import ToryoError
from toryo.views.inboxlist import task_details
from toryo.views.intentinbox import intent_details, skill_details

_MOST_CHANGES = 30


def details_of(project: Project, meant: Meant) -> Iterator[str]:
    session, task = meant.session, meant.task
    if meant.intent:
        yield from intent_details(meant.intent)
        known = bool(meant.intent.session) and meant.intent.session in project.journal.streams()
        session = project.load(meant.intent.session) if known else None
    if meant.skill:
        yield from (
            line for skill, _ in skill_proposals(project) if skill.name == meant.skill for line in skill_details(skill)
        )
    if task:
        yield from task_details(task)
    if session is None or not session.tasks:
        return
    try:
        with between(project, session, task) as found:
            changes = [] if found.is_empty else list(difference_lines(found, "--stat"))
    except ToryoError as error:
        changes = [error.message]
    yield from changes[-_MOST_CHANGES:] or ["nothing is changed yet"]
