"""`toryo answer`: answer what an intent, a session or a task asks."""

import click

from toryo.app.deciding import answered
from toryo.app.intentdecisions import answer_intent, questions_of
from toryo.app.meaning import is_slug, what_is_meant
from toryo.app.persons import only_a_person
from toryo.app.planning import open_questions
from toryo.app.project import Project, open_project
from toryo.app.steering import answer_questions, answer_task
from toryo.domain.errors import Exit
from toryo.domain.intent import Intent
from toryo.domain.planning import Question
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.decisions import settle
from toryo.frontends.cli.delegating import Showing, detach_option, turn_in
from toryo.frontends.cli.naming import id_and_words
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import (
    here,
    json_option,
    note_secrets,
    quiet_option,
    say,
    show,
    show_json,
    verbose_option,
)
from toryo.rules.answering import is_choice
from toryo.views.plan import how_to_answer, question_lines
from toryo.views.rows import envelope, question_row


@click.command(epilog="Example: toryo answer add-json-export '1b 2a', or toryo answer T003 'Use the second option'")
@click.argument("which", metavar="[ID]", required=False)
@click.argument("words", metavar="[ANSWER]", required=False)
@click.option("--defaults", "by_default", is_flag=True, help="Take every default.")
@click.option("--only", is_flag=True, help="Record it, and do not go on now.")
@click.option("-y", "--yes", is_flag=True, help="Take defaults, approve the plan; never ask anything.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    which: str | None,
    words: str | None,
    by_default: bool,
    only: bool,
    yes: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Answer the questions of an intent, of a session that is being planned, or of a task that waits.

    Without an answer the questions are shown. Answers are given like '1b 2a'; your own words as '1: …', each on
    a line of its own.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    if (intent := _intent(project, which, words)) is not None:
        raise SystemExit(_answer_intent(project, intent, words, Showing(as_json, quiet, verbose), by_default, only))
    which, words = id_and_words(project, which, words, open_questions, is_choice)
    session, task, _ = project.find(which)
    if not words and not (by_default and task is None):
        _show_questions(session, task, as_json=as_json)
        return
    if task:
        session = answer_task(project, session, task, words or "")
    else:
        session = answer_questions(project, session, words or "", by_default=by_default)
    note_secrets(words or "")
    say("answered")
    if only or is_left_to_another(project, session, as_json=as_json):
        return
    with turn_in(project) as lease:
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose, yes), as_json=as_json))


def _intent(project: Project, which: str | None, words: str | None) -> Intent | None:
    """The one that is meant; None: it is about a session. What stands alone may be an answer: then only a whole name
    is taken for one.
    """
    if which is None or (words is None and not is_slug(project, which)):
        return None
    return what_is_meant(project, which).intent


def _answer_intent(
    project: Project, intent: Intent, words: str | None, showing: Showing, by_default: bool, only: bool
) -> int:
    if not words and not by_default:
        _show_open(intent, questions_of(project, intent), as_json=showing.as_json)
        return Exit.COMPLETE
    decided = answered(*answer_intent(project, intent, words or "", by_default=by_default))
    note_secrets(words or "")
    return settle(project, [decided], [], showing, only=only)


def _show_open(intent: Intent, questions: tuple[Question, ...], *, as_json: bool) -> None:
    if as_json:
        rows = [question_row(question) for question in questions]
        about = {"session": intent.session or None, "intent": intent.slug, "questions": rows, "task": None}
        show_json(envelope("questions", about))
        return
    for line in question_lines(questions) if questions else ["nothing is asked"]:
        show(line)
    if questions:
        say(f"next: {how_to_answer(intent.slug, questions)}")


def _show_questions(session: Session, task: Task | None, *, as_json: bool) -> None:
    questions = open_questions(session)
    if as_json:
        rows = [question_row(question) for question in questions]
        asked = (task.question or task.reason) if task and task.state is TaskState.BLOCKED else None
        show_json(envelope("questions", {"session": session.id, "intent": None, "questions": rows, "task": asked}))
        return
    if task:
        show((task.question or task.reason) if task.state is TaskState.BLOCKED else "nothing is asked")
        return
    for line in question_lines(questions) if questions else ["nothing is asked"]:
        show(line)
    if questions:
        say(f"next: {how_to_answer(session.short, questions)}")
