"""Conducting a session to the point where it rests, with a person deciding on the way where one is there."""

from collections.abc import Callable

import click

from toryo.app.planning import answer, approve, documents_folder, open_questions, reject
from toryo.app.project import Project
from toryo.app.steering import assented
from toryo.domain.errors import Exit
from toryo.domain.facts import fact
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.questioning import ask_person
from toryo.frontends.cli.talking import clean, is_interactive, note_secrets, say, show, show_json
from toryo.frontends.cli.watching import conduct_watched
from toryo.journal.lease import Lease
from toryo.rules.assenting import default_answers
from toryo.rules.phrases import means_go, means_no
from toryo.views.plan import how_to_answer, plan_notes, plan_text, question_lines
from toryo.views.rows import envelope, session_row, task_row


@fact
class Manner:
    """How a person wants to be dealt with."""

    quiet: bool = False
    verbose: bool = False
    yes: bool = False
    """Takes defaults, and approves a plan that is good enough."""
    only_plan: bool = False


def conduct_to_rest(project: Project, session: Session, lease: Lease, manner: Manner) -> tuple[Session, bool]:
    """The session at rest, and whether somebody interrupted it; what a person decides on the way leads on."""
    while True:
        session, interrupted = conduct_watched(project, session, lease, quiet=manner.quiet, verbose=manner.verbose)
        if interrupted:
            return session, True
        try:
            decided = _decided(project, session, manner)
        except click.Abort:
            say("")  # the person's Ctrl-C is on that line
            return session, True
        if decided is None:
            return session, False
        session = decided


def _decided(project: Project, session: Session, manner: Manner) -> Session | None:
    """The session with a decision taken; None: nothing is to be decided, or nobody is there to do so."""
    if open_questions(session) and session.state is SessionState.PLANNING:
        return _answered(project, session, manner)
    if session.state is SessionState.AWAITING_APPROVAL and not manner.only_plan:
        return _approved(project, session, manner)
    return None


# ── questions ────────────────────────────────────────────────────────────────


def _answered(project: Project, session: Session, manner: Manner) -> Session | None:
    questions = open_questions(session)
    if manner.yes:
        for given in default_answers(session):
            say(f"by default: {given.question} → {given.text}")
        return assented(project, session)
    if not is_interactive():
        return None
    answers = ask_person(questions)
    return _moved_on(project, session) or answer(project, session, answers)


def _moved_on(project: Project, session: Session) -> Session | None:
    """The session as somebody else's decision left it, while a person was still looking at the question."""
    now = project.load(session.id)
    if now.seq == session.seq:
        return None
    say("somebody else has decided meanwhile")
    return now


# ── approval ─────────────────────────────────────────────────────────────────


def _approved(project: Project, session: Session, manner: Manner) -> Session | None:
    if manner.yes:
        return assented(project, session)
    if not is_interactive():
        return None
    click.echo_via_pager(clean(plan_text(session)))
    for note in plan_notes(session):
        say(f"  {note}")
    words = click.prompt(
        "Enter: carry it out · q: not now · or say what should be different",
        default="y",
        show_default=False,
        err=True,
    ).strip()
    if moved_on := _moved_on(project, session):
        return moved_on
    if means_go(words):
        return approve(project, session)
    if words.lower() in ("q", "quit", "later"):
        return None
    if means_no(words):
        words = click.prompt("What should be different", err=True).strip()
    note_secrets(words)
    return reject(project, session, words)


# ── what is left to a person ─────────────────────────────────────────────────


def waits_for_decision(session: Session) -> bool:
    has_questions = session.state is SessionState.PLANNING and bool(open_questions(session))
    return has_questions or session.state is SessionState.AWAITING_APPROVAL


def show_what_waits(
    project: Project, session: Session, *, was_seen: bool, interrupted: bool, tell: Callable[[str], None] = say
) -> int:
    """How to go on with a session that waits for answers or an approval; the exit code."""
    code = Exit.INTERRUPTED if interrupted else Exit.NOT_COMPLETE
    if session.state is SessionState.AWAITING_APPROVAL:
        show(f"waits for your approval: {session.title}")
        for note in () if was_seen else plan_notes(session):
            tell(f"  {note}")
        if folder := documents_folder(project, session):
            tell(f"read it: {folder.relative_to(project.place.root)}/, or toryo plan --show {session.short}")
        tell(f"next: toryo approve {session.short}, or toryo reject {session.short} --why '…'")
        return code
    questions = open_questions(session)
    show(f"waits for your answers: {session.title}")
    for line in () if was_seen else question_lines(questions):
        tell(f"  {line}")
    tell(f"next: {how_to_answer(session.short, questions)}")
    return code


def show_plan(session: Session, *, as_json: bool) -> int:
    """What a dry run is for: the whole plan on stdout."""
    if as_json:
        rows = [task_row(session, task) for task in session.tasks.values()]
        data = {"session": session_row(session), "tasks": rows, "plan": plan_text(session)}
        show_json(envelope("plan", data))
    else:
        show(plan_text(session))
        say(f"next: toryo approve {session.short}, or toryo reject {session.short} --why '…'")
    return Exit.COMPLETE
