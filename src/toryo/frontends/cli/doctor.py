"""`toryo doctor`: is everything Toryo needs here and well?"""

import click

from toryo.app.examining import Finding, Level, examine
from toryo.domain.errors import Exit
from toryo.frontends.cli.talking import here, json_option, show, show_json, spoken
from toryo.views.columns import columns
from toryo.views.rows import envelope

_MARKS = {Level.OK: "ok", Level.NOTE: "note", Level.PROBLEM: "problem"}


@click.command(epilog="Example: toryo doctor --json")
@json_option
def command(as_json: bool) -> None:
    """Check git, the repository, the configuration, the agents, the journal and the disk; say what to do."""
    findings = examine(here())
    if as_json:
        rows = [{"what": f.what, "level": f.level.value, "says": f.says, "hint": f.hint} for f in findings]
        show_json(envelope("doctor", {"findings": rows}))
    else:
        for line in columns([(_MARKS[f.level], f.what, _words(f)) for f in findings]):
            show(line)
    bad = any(finding.level is Level.PROBLEM for finding in findings)
    raise SystemExit(Exit.MISSING if bad else Exit.COMPLETE)


def _words(finding: Finding) -> str:
    return f"{finding.says}; {spoken(finding.hint)}" if finding.hint else finding.says
