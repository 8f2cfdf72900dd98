"""`toryo continue`: add to a session what is missing, or something more."""

import click

from toryo.app.budgeting import change_budget
from toryo.app.leasing import lease_of
from toryo.app.planning import open_planning, prepare_planning, take_in, wish
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.limits import Limit
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.limiting import as_flags, budget_option, together
from toryo.frontends.cli.naming import id_and_words
from toryo.frontends.cli.outcome import show_outcome
from toryo.frontends.cli.resume import go_through
from toryo.frontends.cli.talking import here, json_option, note_secrets, quiet_option, say, show, verbose_option


@click.command(name="continue", epilog="Example: toryo continue, or toryo continue 7682b3a8 'Add MFA as well'")
@click.argument("session_id", metavar="[ID]", required=False)
@click.argument("words", metavar="[INSTRUCTION]", required=False)
@budget_option
@click.option("-y", "--yes", is_flag=True, help="Take defaults and approve; never ask anything.")
@json_option
@quiet_option
@verbose_option
def command(
    session_id: str | None,
    words: str | None,
    limits: tuple[dict[Limit, str], ...],
    yes: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Make tasks for what the final judgement found missing, or for what you add; at most three times.

    A session that is finished is continued by a new one that begins from its branch.
    """
    project = open_project(here(), writing=True)
    session_id, words = id_and_words(project, session_id, words)
    session = project.session(session_id)
    missing = session.judgement.missing if session.judgement else ()
    if not words and not missing:
        if session.state is SessionState.CLOSED:
            if as_json:
                raise SystemExit(show_outcome(session, as_json=True, quiet=quiet, interrupted=False))
            show(f"session {session.short} is complete; say what to add: toryo continue {session.short} '…'")
            return
        hint = f"say what to add: toryo continue {session.short} '…'; blocked tasks go on with toryo resume"
        raise ToryoError("E211", f"nothing is known to be missing in session {session.short}", hint=hint)
    found = "What was found missing:\n\n" + "\n".join(f"- {aspect}" for aspect in missing)
    text = take_in(words, here()).text if words else found
    manner = Manner(quiet, verbose, yes)
    note_secrets(words or "")
    with lease_of(project) as lease:
        session = _continued(project, session, text, limits)
        raise SystemExit(go_through(project, session, lease, manner, as_json=as_json))


def _continued(project: Project, session: Session, text: str, limits: tuple[dict[Limit, str], ...]) -> Session:
    if session.state is not SessionState.CLOSED:
        session = wish(project, session, text)
        return change_budget(project, session, together(limits)) if limits else session
    if session.planning is None:
        raise ToryoError("E211", "this session began with a plan, not with an instruction", hint='toryo run "…"')
    settings = prepare_planning(project, as_flags(limits))
    say(f"a new session goes on from {session.branch}")
    return open_planning(project, settings, take_in(text, here()), earlier=session)
