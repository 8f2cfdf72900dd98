"""From words to a session at rest."""

from collections.abc import Mapping
from typing import NoReturn

from toryo.app.leasing import lease_of
from toryo.app.planning import open_planning, prepare_planning, take_in, uncounted_by
from toryo.app.project import open_project
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.limiting import budget_lines
from toryo.frontends.cli.resume import go_through
from toryo.frontends.cli.talking import here, note_secrets, say
from toryo.frontends.cli.unfinished import go_on_with_unfinished
from toryo.rules.phrases import wants_only_a_plan


def run_instruction(
    words: tuple[str, ...],
    flags: Mapping[str, object],
    *,
    yes: bool,
    only_plan: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> NoReturn:
    """From the words to a session at rest; ends the program."""
    project = open_project(here())
    instruction = take_in(" ".join(words), here())
    settings = prepare_planning(project, flags)
    project.close()
    project = open_project(here(), writing=True)
    if project.note:
        say(f"note: {project.note}")
    note_secrets(instruction.text)
    with lease_of(project) as lease:
        if not yes:
            go_on_with_unfinished(project, lease, as_json=as_json, quiet=quiet, verbose=verbose)
        session = open_planning(project, settings, instruction, parallel=flags["parallel"])  # type: ignore[arg-type]
        if not quiet:
            say(f"session {session.short}: {session.title}")
            for line in budget_lines(session.budget, uncounted_by(settings)):
                say(line)
        manner = Manner(quiet, verbose, yes, only_plan or wants_only_a_plan(instruction.text))
        raise SystemExit(go_through(project, session, lease, manner, as_json=as_json))
