"""`toryo audit`: have agents look for what is wrong, and propose it as intents."""

import click

from toryo.app.auditing import open_audit, prepare_audit
from toryo.app.project import Project, open_project
from toryo.domain.limits import Limit
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.delegating import Showing, detach_option, leave_to_delegate, turn_in, unattended_flags
from toryo.frontends.cli.limiting import as_flags, budget_option
from toryo.frontends.cli.outcome import show_outcome
from toryo.frontends.cli.talking import here, json_option, quiet_option, say, show, show_json, verbose_option
from toryo.frontends.cli.watching import conduct_watched
from toryo.journal.lease import Lease
from toryo.rules.auditing import FOCUS
from toryo.rules.judging import session_outcome
from toryo.views.audits import finding_lines, finding_row, findings_summary, how_to_decide
from toryo.views.outcome import exit_code
from toryo.views.rows import envelope, session_row


@click.command(epilog="Example: toryo audit src/login --focus security, then toryo approve the intents it proposes")
@click.argument("path", required=False)
@click.option(
    "--focus",
    multiple=True,
    type=click.Choice([*FOCUS]),
    help="What to look for; may be given more than once. Without it: everything.",
)
@click.option("--agent", metavar="NAME", help="The agent that looks.")
@click.option("--host", type=click.Choice(["auto", "tmux", "headless"]), help="Where runs live.")
@budget_option
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    path: str | None,
    focus: tuple[str, ...],
    agent: str | None,
    host: str | None,
    limits: tuple[dict[Limit, str], ...],
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Have agents look at PATH, or at everything, without changing a file.

    Each finding has a severity and a place, which Toryo looks up. What is there becomes a proposed intent, unless one
    wants the same already; nothing is changed before you approve it.
    """
    flags = {"agent": agent, "host": host, **as_flags(limits), **unattended_flags()}
    project = open_project(here())
    audit = prepare_audit(project, here(), path, focus, flags)
    project.close()
    project = open_project(here(), writing=True)
    if project.note:
        say(f"note: {project.note}")
    with turn_in(project) as lease:
        session = open_audit(project, audit)
        if lease is None:
            raise SystemExit(leave_to_delegate(project, session, Showing(as_json, quiet, verbose)))
        if not quiet:
            say(f"session {session.short}: {session.title}, at {session.base_commit[:8]}")
            if audit.start.uncommitted:
                say("note: what is not committed is not looked at")
        raise SystemExit(_go_through(project, session, lease, as_json=as_json, quiet=quiet, verbose=verbose))


def _go_through(project: Project, session: Session, lease: Lease, *, as_json: bool, quiet: bool, verbose: bool) -> int:
    """The exit code; what was found is not what it depends on."""
    session, interrupted = conduct_watched(project, session, lease, quiet=quiet, verbose=verbose)
    assert session.pursuit is not None
    findings = session.pursuit.findings
    if as_json:
        data = {"session": session_row(session), "intent": session.pursuit.intent}
        show_json(envelope("audit", {**data, "findings": [finding_row(finding) for finding in findings]}))
        return exit_code(session, session_outcome(session), interrupted=interrupted)
    if session.state is not SessionState.CLOSED:
        return show_outcome(session, as_json=False, quiet=quiet, interrupted=interrupted)
    for line in finding_lines(findings):
        show(line)
    show(findings_summary(findings))
    if (do := how_to_decide(findings)) and not quiet:
        say(f"next: {do}, or toryo inbox")
    return exit_code(session, session_outcome(session), interrupted=interrupted)
