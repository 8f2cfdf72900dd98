"""`toryo verify`: whether a session's evidence, logs and commits are those that were recorded."""

from pathlib import Path

import click

from toryo.app.verifying import Examined, Source, examine, source_in
from toryo.domain.changing import changed
from toryo.frontends.cli.talking import here, json_option, say, show, show_json
from toryo.rules.masking import mask
from toryo.views.proof import exit_code, proof_lines, proof_row
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo verify, toryo verify T001 --rerun, or toryo verify t001.zip")
@click.argument("wanted", metavar="[ID|FILE]", required=False)
@click.option("--rerun", is_flag=True, help="Run the recorded checks again, each on the commit it was run on.")
@click.option("--trust", is_flag=True, help="With a bundle and --rerun: its commands may be run here.")
@json_option
def command(wanted: str | None, rerun: bool, trust: bool, as_json: bool) -> None:
    """Verify a session, a task (by id or key) or a bundle made by 'toryo proof export'.

    Every record must have its hash and follow the one before it, every log and commit must be the one that was
    recorded, events and evidence must tell the same, and each verdict must follow from them. Nothing is changed,
    and nobody is asked; it may be done at any time, by anybody who can read the repository.
    """
    bundle = Path(wanted) if wanted and _is_file(wanted) else None
    if bundle is not None:
        from toryo.app.unpacking import unpacked

        with unpacked(bundle, here()) as opened:
            examined = _examined(opened.source)
            if rerun:
                opened.refuse_unless(trusted=trust)
                examined = _rerun(opened.source, examined)
    else:
        from toryo.app.project import open_project

        source = source_in(open_project(here()), wanted)
        examined = _examined(source)
        if rerun:
            examined = _rerun(source, examined)
    proof = examined.proof
    if as_json:
        show_json(envelope("verify", proof_row(proof)))
    else:
        for line in proof_lines(proof):
            show(mask(line))
    raise SystemExit(exit_code(proof))


def _is_file(wanted: str) -> bool:
    return wanted.endswith(".zip") or ("/" in wanted and Path(wanted).is_file())


def _examined(source: Source) -> Examined:
    return examine(source)


def _rerun(source: Source, examined: Examined) -> Examined:
    from toryo.app.rerunning import rerun

    found = rerun(source, examined, say)
    proof = changed(examined.proof, discrepancies=(*examined.proof.discrepancies, *found))
    return Examined(proof, examined.claims, examined.session)
