"""`toryo prompts`: what a model is asked, and how to ask it otherwise."""

import click

from toryo.app.prompting import Template, prompts_around
from toryo.app.prompting import eject as eject_prompts
from toryo.frontends.cli.talking import here, json_option, say, show, show_json
from toryo.views.columns import columns
from toryo.views.rows import envelope


@click.group(epilog="Example: toryo prompts eject specify")
def command() -> None:
    """Look at the templates of Toryo's questions to a model, or make them your own.

    A template in .toryo/prompts/ goes before one in your own configuration folder, and that before the built-in one.
    """


@command.command(
    name="list", short_help="Show every template and where it comes from.", epilog="Example: toryo prompts list"
)
@json_option
def list_prompts(as_json: bool) -> None:
    """Show every template and where it comes from: project, user or built in."""
    prompts = prompts_around(here())
    templates = [*prompts.templates(), *prompts.strangers()]
    if as_json:
        show_json(envelope("prompts", {"prompts": [_row(template) for template in templates]}))
        return
    for line in columns([(t.name, t.origin, _where(t)) for t in templates], ("NAME", "FROM", "WHERE")):
        show(line)


def _row(template: Template) -> dict[str, str | None]:
    path = str(template.path) if template.path else None
    return {"name": template.name, "origin": template.origin, "path": path, "problem": template.problem or None}


def _where(template: Template) -> str:
    problem = f" {template.problem}" if template.problem else ""
    return f"{template.path or '-'}{problem}"


@command.command(name="show", epilog="Example: toryo prompts show specify")
@click.argument("name")
@json_option
def show_prompt(name: str, as_json: bool) -> None:
    """Show the template that is used, with its places in double braces."""
    prompts = prompts_around(here())
    text = prompts.text(name.removesuffix(".md"))
    if as_json:
        row = next(_row(template) for template in prompts.templates() if template.name == name.removesuffix(".md"))
        show_json(envelope("prompt", {**row, "text": text}))
    else:
        show(text.rstrip("\n"))


@command.command(
    short_help="Copy templates to where you can change them.", epilog="Example: toryo prompts eject specify"
)
@click.argument("wanted", nargs=-1, metavar="[NAME]...")
@click.option("--user", "for_user", is_flag=True, help="For all your projects, instead of this one.")
@click.option("--force", is_flag=True, help="Write over templates that are there already.")
def eject(wanted: tuple[str, ...], for_user: bool, force: bool) -> None:
    """Copy built-in templates to where you can change them; without a name, all of them."""
    chosen = [name.removesuffix(".md") for name in wanted]
    for path in eject_prompts(here(), chosen, for_user=for_user, force=force):
        show(str(path))
    say("change them there; 'toryo prompts list' shows which are used, and removing one brings the built-in one back")
