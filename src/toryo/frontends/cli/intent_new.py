"""`toryo intent new`: something that a person wants, written down."""

import sys
from pathlib import Path

import click

from toryo.app.intentdecisions import approve_intent
from toryo.app.intents import surroundings, write_down
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent, IntentStatus, Risk
from toryo.frontends.cli.editing import editor
from toryo.frontends.cli.intent_edit import edit_until_valid
from toryo.frontends.cli.talking import here, json_option, note_secrets, say, show, show_json
from toryo.rules.drafting import title_and_body
from toryo.rules.flows import TYPES
from toryo.rules.masking import mask
from toryo.views.intents import surroundings_data
from toryo.views.rows import envelope

_MOST = 500_000


@click.command(name="new", epilog="Example: toryo intent new 'Reset link on the login page' --type feature -m 'Why …'")
@click.argument("words", nargs=-1, metavar="TITLE")
@click.option("-m", "--body", help="What is wanted, in full.")
@click.option("-F", "--file", "path", metavar="FILE | -", help="Read that from a file, or from standard input.")
@click.option("--type", "type_", default="", help=f"{', '.join(TYPES)}, or any word; left out, it is found out.")
@click.option("--risk", type=click.Choice([risk.value for risk in Risk]), help="Left out, it is judged.")
@click.option("--parent", default="", metavar="INTENT", help="The intent that it is a part of.")
@click.option("--approved", is_flag=True, help="It may be carried out as it is.")
@click.option("--edit", "is_edited", is_flag=True, help="Open it in your editor afterwards.")
@json_option
def command(
    words: tuple[str, ...],
    body: str | None,
    path: str | None,
    type_: str,
    risk: str | None,
    parent: str,
    approved: bool,
    is_edited: bool,
    as_json: bool,
) -> None:
    """Write down something that you want; prints its name. Without a TITLE, the text's first line is the title."""
    if body is not None and path is not None:
        raise click.UsageError("give --body or --file, not both")
    project = open_project(here(), writing=True)
    only_a_person(project)
    if is_edited:
        editor()
    title = " ".join(" ".join(words).split())
    text = body if body is not None else _content(path) if path is not None else ""
    title, text = title_and_body(mask(text), mask(title))
    if not title:
        raise click.UsageError("say what you want: toryo intent new 'TITLE'")
    status = IntentStatus.APPROVED if approved else IntentStatus.PROPOSED
    wanted = Intent("", title, text, " ".join(type_.split()), risk=Risk(risk) if risk else None, status=status)
    intent, is_new = write_down(project, _with_parent(project, wanted, parent))
    if approved and not is_new:
        intent, _ = approve_intent(project, intent)
    note_secrets(*words, body or "")
    if is_edited:
        intent = edit_until_valid(project, intent.slug)
    if as_json:
        show_json(envelope("intent", surroundings_data(surroundings(project, intent))))
    else:
        show(intent.slug)
    _say_more(intent, is_new=is_new)


def _content(path: str) -> str:
    try:
        raw = sys.stdin.buffer.read(_MOST + 1) if path == "-" else _read(here() / path)
    except (OSError, ValueError) as error:
        words = f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ToryoError("E176", words, hint="check the path") from error
    if len(raw) > _MOST:
        raise ToryoError("E176", f"{path} is larger than {_MOST // 1000} kB", hint="say what is wanted in fewer words")
    return raw.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST + 1)


def _with_parent(project: Project, intent: Intent, parent: str) -> Intent:
    from toryo.app.intents import find_intent
    from toryo.domain.changing import changed

    return changed(intent, parent=find_intent(project, parent).slug) if parent else intent


def _say_more(intent: Intent, *, is_new: bool) -> None:
    from difflib import get_close_matches

    if not is_new:
        say(f"note: it was written down before, and is {intent.status}; it is not written down twice")
    if intent.type and intent.type not in TYPES and (near := get_close_matches(intent.type, TYPES, n=1)):
        say(f"note: there is no type '{intent.type}', so it goes the way of a feature; did you mean '{near[0]}'?")
    if intent.status is IntentStatus.PROPOSED:
        say(f"proposed; let it be carried out: toryo approve {intent.slug}")
    elif intent.status is IntentStatus.APPROVED:
        say("approved; 'toryo watch' carries it out")
