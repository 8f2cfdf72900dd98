"""`toryo clean`: remove worktrees and branches whose work is proven to be elsewhere."""

import asyncio

import click

from toryo.app.cleaning import Swept, clean
from toryo.app.project import open_project
from toryo.domain.errors import Exit
from toryo.frontends.cli.talking import here, json_option, say, show, show_json
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo clean --dry-run")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@json_option
def command(dry_run: bool, as_json: bool) -> None:
    """Remove worktrees and agent/… branches of closed sessions, each only after git has proven its work merged.

    Never forced: what holds uncommitted, unmerged or unpushed work stays and is listed.
    """
    project = open_project(here(), writing=True)
    swept: Swept = asyncio.run(clean(project, dry_run=dry_run))
    if as_json:
        kept = [{"branch": branch, "why": why} for branch, why in swept.kept]
        show_json(envelope("clean", {"removed": swept.removed, "kept": kept, "dry_run": dry_run}))
    else:
        verb = "would remove" if dry_run else "removed"
        for branch in swept.removed:
            show(f"{verb} {branch}")
        for branch, why in swept.kept:
            say(f"kept {branch}: {why}")
        if not swept.removed and not swept.kept:
            show("nothing to clean")
    raise SystemExit(Exit.NOT_COMPLETE if swept.kept else Exit.COMPLETE)
