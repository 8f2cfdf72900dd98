"""`toryo retry`: send a blocked task, or an intent that failed, round again."""

import time

import click

from toryo.app.configuration import settings_of
from toryo.app.crew import agents_of, unknown_agent
from toryo.app.deciding import retry_one
from toryo.app.leasing import attendant, conducting
from toryo.app.meaning import what_is_meant
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.app.steering import what_is_wanted
from toryo.domain import events as e
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.decisions import is_detached, settle
from toryo.frontends.cli.delegating import Showing, delegate, detach_option, into_background, turn_in
from toryo.frontends.cli.resume import go_on
from toryo.frontends.cli.talking import here, json_option, note_secrets, quiet_option, say, verbose_option


@click.command(epilog="Example: toryo retry T003 --say 'Use the second option', or toryo retry add-json-export")
@click.argument("task_id", metavar="TASK | INTENT")
@click.option("--agent", metavar="NAME", default="", help="Give it to another agent.")
@click.option("--say", "words", metavar="TEXT", default="", help="Tell its agent: an answer, or what to do better.")
@click.option("--by-hand", is_flag=True, help="You did it yourself in its worktree: prove and merge what is there.")
@click.option("--now", is_flag=True, help="Begin with an intent at once, in the background, though nobody watches.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    task_id: str, agent: str, words: str, by_hand: bool, now: bool, as_json: bool, quiet: bool, verbose: bool
) -> None:
    """Give a blocked task fresh attempts, and go on with its session; or the same for an intent that failed.

    The agent goes on in the same conversation where it can. A task that waits for a usage limit is tried at
    once. Where its worktree is gone, it is made again from the task's branch. While another Toryo conducts
    the session, the task is only put back in its queue.

    With --by-hand no agent works: what you left in the task's worktree, committed or not, is taken as a run of
    yours and goes the usual way, through the checks and the review to the merge.

    An intent is named by its slug. What of it failed is done once more, and what succeeded is kept; where its session
    is closed, a new one begins. What you --say is told to the agents, or added to the intent.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    meant = what_is_meant(project, task_id)
    if meant.intent:
        if agent or by_hand:
            raise click.UsageError("--agent and --by-hand are for tasks: name one")
        note_secrets(words)
        decided = retry_one(project, meant.intent, words, is_now=now or is_detached())
        raise SystemExit(settle(project, [decided], [], Showing(as_json, quiet, verbose)))
    session, task = (meant.session, meant.task) if meant.session and meant.task else project.session_and_task(task_id)
    if session.state is SessionState.CLOSED:
        raise ToryoError(
            "E206",
            f"{task.plan.key} belongs to session {session.short}, which is closed ({session.outcome})",
            hint="'toryo resume --list' shows sessions that are not",
        )
    if agent and agent not in (known := agents_of(settings_of(project))):
        raise unknown_agent(agent, known)
    if by_hand and (agent or words):
        raise click.UsageError("--by-hand is your own work: there is no agent to choose or to tell anything")
    note_secrets(words)
    at = time.time()
    events = [_handed_in(project, session, task)] if by_hand else what_is_wanted(session, task, at, agent, words)
    held = None if delegate() else conducting(project)
    if held and held.purpose in ("", session.id):
        project.append(session, *events)
        say(f"{task.plan.key} is handed in" if by_hand else f"{task.plan.key} is queued again")
        return
    if held and attendant(project) is not None:
        session = project.append(session, *events, e.SessionResumed(at))
        raise SystemExit(into_background(project, session, Showing(as_json, quiet, verbose)))
    with turn_in(project) as lease:
        session = project.append(session, *events, e.SessionResumed(at))
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose), as_json=as_json))


def _handed_in(project: Project, session: Session, task: Task) -> e.Event:
    from toryo.app.handing import handed_in

    return handed_in(project, session, task)
