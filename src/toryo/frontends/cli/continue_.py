"""`toryo continue`: add to a session what is missing, or something more."""

import click

from toryo.app.continuing import continued, what_is_missing
from toryo.app.persons import only_a_person
from toryo.app.planning import take_in
from toryo.app.project import open_project
from toryo.domain.errors import ToryoError
from toryo.domain.limits import Limit
from toryo.domain.plan import Chosen
from toryo.domain.session import SessionState
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.delegating import delegate, detach_option, turn_in, unattended_flags
from toryo.frontends.cli.limiting import budget_option, together
from toryo.frontends.cli.naming import id_and_words
from toryo.frontends.cli.outcome import show_outcome
from toryo.frontends.cli.resume import go_through
from toryo.frontends.cli.talking import here, json_option, note_secrets, quiet_option, say, show, spoken, verbose_option


@click.command(name="continue", epilog="Example: toryo continue, or toryo continue 7682b3a8 'Add MFA as well'")
@click.argument("session_id", metavar="[ID]", required=False)
@click.argument("words", metavar="[INSTRUCTION]", required=False)
@budget_option
@click.option("-y", "--yes", is_flag=True, help="Take defaults and approve; never ask anything.")
@detach_option
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
    only_a_person(project)
    session_id, words = id_and_words(project, session_id, words)
    session = project.session(session_id)
    text = words or what_is_missing(session)
    if not text:
        if session.state is SessionState.CLOSED:
            if as_json:
                raise SystemExit(show_outcome(session, as_json=True, quiet=quiet, interrupted=False))
            show(spoken(f"session {session.short} is complete; say what to add: toryo continue {session.short} '…'"))
            return
        hint = f"say what to add: toryo continue {session.short} '…'; blocked tasks go on with toryo resume"
        raise ToryoError("E211", f"nothing is known to be missing in session {session.short}", hint=hint)
    instruction = take_in(text, here())
    manner = Manner(quiet, verbose, yes)
    note_secrets(words or "")
    with turn_in(project) as lease:
        other = delegate()
        chosen = other.chosen if other else Chosen()
        added = continued(project, session, instruction, chosen, together(limits), unattended_flags())
        if added.id != session.id:
            say(f"a new session goes on from {session.branch}")
        raise SystemExit(go_through(project, added, lease, manner, as_json=as_json))
