"""`toryo observe`: something worth knowing, noted while working."""

from typing import Any

import click

from toryo.app.observing import Kept, is_in_a_run, observe, observed_at
from toryo.domain.errors import ToryoError
from toryo.domain.learning import EvidenceType
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json
from toryo.views.learning import kept_words, observation_row, observation_table
from toryo.views.rows import envelope


class _Harmless(click.Command):
    """In a run it always succeeds: what an agent notes must not fail its task."""

    def main(self, *args: Any, **more: Any) -> Any:
        return self._spared(super().main, *args, **more)

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        context: click.Context = self._spared(super().make_context, *args, **more)
        return context

    def invoke(self, ctx: click.Context) -> Any:
        return self._spared(super().invoke, ctx)

    def _spared(self, do: Any, *args: Any, **more: Any) -> Any:
        try:
            return do(*args, **more)
        except Exception as error:
            if isinstance(error, click.exceptions.Exit) or not is_in_a_run():
                raise
            say(f"note: not kept, go on without it: {_words(error)}")
            raise SystemExit(0) from None


def _words(error: Exception) -> str:
    said = error.format_message() if isinstance(error, click.ClickException) else str(error)
    return f"{said} ({error.code})" if isinstance(error, ToryoError) else said


@click.command(
    cls=_Harmless, epilog="Example: toryo observe 'login and signup check addresses twice' --file src/login.py"
)
@click.argument("words", nargs=-1, metavar="TEXT")
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file it is about; as often as needed.")
@click.option("--skill", "skills", multiple=True, metavar="REF", help="A skill it is about.")
@click.option("--history", "histories", multiple=True, metavar="REF", help="A history it is about.")
@click.option("--decision", "decisions", multiple=True, metavar="REF", help="A decision it is about.")
@click.option("--list", "is_list", is_flag=True, help="Show what was noted so far.")
@json_option
def command(
    words: tuple[str, ...],
    files: tuple[str, ...],
    skills: tuple[str, ...],
    histories: tuple[str, ...],
    decisions: tuple[str, ...],
    is_list: bool,
    as_json: bool,
) -> None:
    """Note something worth knowing for later work, in .toryo/observations.yaml; or --list what is there.

    For agents at work, and for you. Called in an agent's run it finds the main checkout and the intent by itself,
    and always exits with 0. 'toryo reflect' makes proposals of what was noted.
    """
    if is_list and words:
        raise click.UsageError("--list takes no words: note something, or list what was noted")
    if is_list:
        _show_list(as_json=as_json)
        return
    given = {
        EvidenceType.FILE: files,
        EvidenceType.SKILL: skills,
        EvidenceType.HISTORY: histories,
        EvidenceType.DECISION: decisions,
    }
    observation, kept = observe(here(), " ".join(words), [(kind, ref) for kind, refs in given.items() for ref in refs])
    if as_json:
        show_json(envelope("observation", {"kept": str(kept), "observation": observation_row(observation)}))
        return
    show(observation.id)
    if kept is not Kept.ADDED:
        say(kept_words(str(kept)))


def _show_list(*, as_json: bool) -> None:
    observed = observed_at(here())
    if as_json:
        rows = [observation_row(one) for one in observed.observations]
        broken = [{"path": one.path, "line": one.line, "says": one.says} for one in observed.broken]
        show_json(envelope("observations", {"observations": rows, "broken": broken}))
        return
    for line in observation_table(observed.observations, room()):
        show(line)
    if not observed.observations:
        say("nothing was noted yet")
    for one in observed.broken:
        say(f"note: {one.path}:{one.line}: {one.says}")
