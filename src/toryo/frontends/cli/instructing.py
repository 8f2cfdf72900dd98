"""From words to a session at rest."""

from collections.abc import Mapping
from typing import NoReturn

from toryo.app.planning import open_planning, prepare_planning, take_in, uncounted_by
from toryo.app.project import open_project
from toryo.domain.plan import Assent, Chosen
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.delegating import delegate, turn_in
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
    other = delegate()
    chosen = other.chosen if other else Chosen()
    settings = prepare_planning(project, flags, chosen)
    project.close()
    project = open_project(here(), writing=True)
    if project.note:
        say(f"note: {project.note}")
    note_secrets(instruction.text)
    with turn_in(project) as lease:
        if not yes:
            go_on_with_unfinished(project, lease, as_json=as_json, quiet=quiet, verbose=verbose)
        only_plan = only_plan or wants_only_a_plan(instruction.text)
        session = open_planning(
            project,
            settings,
            instruction,
            parallel=flags["parallel"],  # type: ignore[arg-type]
            chosen=chosen,
            assent=_assent(yes or other.yes, only_plan) if other else Assent.NONE,
        )
        if not quiet:
            say(f"session {session.short}: {session.title}")
            for line in budget_lines(session.budget, uncounted_by(settings)):
                say(line)
        manner = Manner(quiet, verbose, yes, only_plan)
        raise SystemExit(go_through(project, session, lease, manner, as_json=as_json))


def _assent(yes: bool, only_plan: bool) -> Assent:
    """What somebody else who goes on with it need not ask."""
    if not yes:
        return Assent.NONE
    return Assent.DEFAULTS if only_plan else Assent.PLAN
