"""`toryo clean`: remove worktrees and branches whose work is proven to be elsewhere."""

import asyncio

import click

from toryo.app.cleaning import Swept, clean
from toryo.app.project import open_project
from toryo.domain.errors import Exit
from toryo.frontends.cli.talking import here, json_option, say, show, show_json
from toryo.rules.amounts import say_bytes
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo clean --dry-run, or toryo clean 7682b3a8")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@json_option
def command(session_id: str | None, dry_run: bool, as_json: bool) -> None:
    """Remove worktrees and agent/… branches of closed sessions, each only after git has proven its work elsewhere.

    Merged, pushed, or made again by a squash or a rebase. Work that is not committed is committed on its branch first.
    Never forced: what is nowhere else stays and is listed, as does a branch that somebody moved or has checked out.
    """
    project = open_project(here(), writing=True)
    only = project.session(session_id) if session_id else None
    swept: Swept = asyncio.run(clean(project, dry_run=dry_run, only=only))
    if as_json:
        show_json(envelope("clean", _data(swept, dry_run)))
    else:
        _show(swept, "would remove" if dry_run else "removed")
    raise SystemExit(Exit.NOT_COMPLETE if swept.kept else Exit.COMPLETE)


def _data(swept: Swept, dry_run: bool) -> dict[str, object]:
    return {
        "removed": [branch for branch, _ in swept.removed],
        "leftovers": swept.leftovers,
        "kept": [{"branch": branch, "why": why} for branch, why in swept.kept],
        "freed_bytes": swept.freed,
        "dry_run": dry_run,
    }


def _show(swept: Swept, verb: str) -> None:
    for branch, home in swept.removed:
        show(f"{verb} {branch} ({home})")
    for name in swept.leftovers:
        show(f"{verb} {name}")
    if swept.freed:
        show(f"{say_bytes(swept.freed)} of worktrees")
    for branch, why in swept.kept:
        say(f"kept {branch}: {why}")
    if not swept.removed and not swept.kept and not swept.leftovers:
        show("nothing to clean")
