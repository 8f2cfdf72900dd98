"""What a person can do about the task they look at."""

import subprocess
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from toryo.app.attending import attaching_command
from toryo.app.frontdoor import FrontDoor
from toryo.app.project import open_project
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task, TaskState
from toryo.frontends.tui.dialogs import Confirm
from toryo.frontends.tui.watching.asking import Deciding
from toryo.views.inboxitems import Choice
from toryo.views.taskpages import waiting_item

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp

_DECISIONS = {"approve": Choice.APPROVE, "answer": Choice.ANSWER, "retry": Choice.RETRY}


def is_possible(action: str, session: Session | None, task: Task | None) -> bool:
    """Whether there is anything about it that the key would do."""
    if session is None or task is None:
        return False
    if action in _DECISIONS:
        item = waiting_item(session, task)
        return (item is not None and _DECISIONS[action] in item.can) or (action == "retry" and is_held(session, task))
    if action == "window":
        return task.state is TaskState.RUNNING
    if action == "stop":
        return session.state not in (SessionState.CLOSED, SessionState.PAUSED)
    return action != "run" or len(task.runs) > 1


def is_held(session: Session, task: Task) -> bool:
    """It waits for a usage limit, and may be tried at once."""
    return task.state is TaskState.PLANNED and session.credential_of(task) in session.pauses


def decide(face: "ToryoApp", session: Session, task: Task, choice: Choice) -> None:
    if item := waiting_item(session, task):
        Deciding(face, item, choice).begin()
        return
    retry = partial(FrontDoor(face.root).retry, session.id, task.plan.key)
    face.carry_out(retry, lambda _: face.tell(f"once more: {task.plan.key}"))


def stop_session(face: "ToryoApp", session_id: str) -> None:
    """Asks first: everything of it is stopped, not this task alone."""
    door = FrontDoor(face.root)

    def confirm(says: str) -> None:
        if says:
            face.push_screen(Confirm("Stop the session?", [says], "Stop it"), stop)

    def stop(is_wanted: bool | None) -> None:
        if is_wanted:
            face.carry_out(partial(door.stop, session_id), lambda _: face.tell("stopped; everything is kept"))

    face.carry_out(partial(door.will_stop, session_id), confirm)


def go_to_window(face: "ToryoApp", session_id: str, key: str) -> None:
    """The app waits in the background until the person comes back."""

    def find() -> list[str]:
        with closing(open_project(face.root)) as project:
            session = project.load(session_id)
            return attaching_command(project, session, session.task(key))

    def go(argv: list[str]) -> None:
        if "switch-client" in argv:  # the person's own tmux shows another window; we stay in ours
            face.carry_out(partial(subprocess.run, argv, check=False, capture_output=True))
            return
        try:
            with face.suspend():
                subprocess.run(argv, check=False)
        except SuspendNotSupported:
            face.tell(f"this terminal cannot be left for a while; in another one: toryo attach {key}")

    face.carry_out(find, go)
