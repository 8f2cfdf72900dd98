"""`toryo proof`: a session's evidence in one file."""

from pathlib import Path

import click

from toryo.frontends.cli.talking import here, say, show


@click.group(epilog="Example: toryo proof export")
def command() -> None:
    """Put a session's evidence into one file that can be verified elsewhere."""


@command.command(
    name="export",
    short_help="Write one self-contained file; 'toryo verify FILE' verifies it.",
    epilog="Example: toryo proof export T001 -o t001.zip, then elsewhere: toryo verify t001.zip",
)
@click.argument("wanted", metavar="[ID]", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export_proof(wanted: str | None, output: Path | None, force: bool) -> None:
    """Write the proof of a session, or of one task, into a zip file: events, evidence, logs, report and commits.

    What looks like a secret is masked. The name of the file is printed.
    """
    from toryo.app.bundling import export
    from toryo.app.project import open_project

    path = export(open_project(here()), wanted, output, force=force)
    say(f"verify it in any clone: toryo verify {path.name}")
    show(str(path))
