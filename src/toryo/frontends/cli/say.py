"""`toryo say`: step in while the work goes on."""

import time

import click

from toryo.app.leasing import lease_of
from toryo.app.planning import approve, open_questions, reject
from toryo.app.project import Project, open_project
from toryo.domain import events as e
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, json_option, note_secrets, quiet_option, say, verbose_option
from toryo.rules.phrases import means_go


@click.command(epilog="Example: toryo say 'The flag should be called --format'")
@click.argument("words", metavar="TEXT")
@click.argument("session_id", metavar="[ID]", required=False)
@json_option
@quiet_option
@verbose_option
def command(words: str, session_id: str | None, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Tell a session something: only the tasks it concerns are stopped, changed and begun again.

    Of a plan that waits for approval, 'run it' approves it, and anything else says what should be different.
    """
    project = open_project(here(), writing=True)
    session = _told(project, project.session(session_id), words.strip())
    note_secrets(words)
    if is_left_to_another(project, session):
        say("told; see what comes of it: toryo logs --follow")
        return
    with lease_of(project) as lease:
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose), as_json=as_json))


def _told(project: Project, session: Session, words: str) -> Session:
    if not words:
        raise ToryoError("E213", "there is nothing to say")
    if session.state is SessionState.CLOSED:
        hint = f'toryo continue {session.short} "…" adds to it'
        raise ToryoError("E213", f"session {session.short} is closed", hint=hint)
    if session.planning is None and not session.terms.reviews:
        hint = "toryo retry TASK --say '…' tells one task's agent"
        raise ToryoError("E213", "this session has no planner to listen: it began with a plan file", hint=hint)
    if session.state is SessionState.AWAITING_APPROVAL:
        return approve(project, session) if means_go(words) else reject(project, session, words)
    if open_questions(session):
        raise ToryoError("E213", "it has questions first", hint=f"toryo answer {session.short}")
    told = project.decide(session, e.PersonSaid(time.time(), words))
    return told or _told(project, project.load(session.id), words)
