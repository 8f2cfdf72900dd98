"""What Toryo itself ran in a session: commands and how they ended, those that are the same in one line."""

from toryo.domain.evidence import Evidence, Operation
from toryo.domain.session import Session
from toryo.rules.wholeness import checks_of_the_whole
from toryo.views.markdown import code, line

_MOST = 30
_MOST_CODES = 8
_STAGES = {"before": " before the work", "merge": " on the merged work", "bisect": " on steps of the branch"}


def ran_lines(session: Session) -> list[str]:
    """Set-up commands and checks of the tasks, then the checks on the result, in Markdown."""
    together: dict[tuple[str, str], list[str]] = {}
    looks = [record for record in session.evidence if record.says("stage") == "bisect"]
    for record in (*(record for task in session.tasks.values() for record in task.evidence), *looks):
        facts = dict(record.facts)
        if record.operation in (Operation.SETUP, Operation.CHECK) and facts.get("command"):
            together.setdefault((_what(record, facts), facts["command"]), []).append(_code(facts))
    lines = [f"{what}, {code(command)}: {_ended(codes)}" for (what, command), codes in together.items()]
    lines = [*lines[:_MOST], *([f"… and {len(lines) - _MOST} more"] if len(lines) > _MOST else [])]
    if session.proof and session.proof_commit == session.tip:
        commands = {check.name: check.command for check in checks_of_the_whole(session)}
        for result in session.proof:
            ended = str(result.status) if result.code is None else f"exit code {result.code}"
            where = f"on the result at {session.tip[:8]}"
            lines.append(f"check {line(result.name)} {where}, {code(commands.get(result.name, ''))}: {ended}")
    return lines


def _what(record: Evidence, facts: dict[str, str]) -> str:
    if record.operation is Operation.SETUP:
        return "set-up"
    return f"check {line(facts.get('check', '?'))}{_STAGES.get(facts.get('stage', ''), '')}"


def _code(facts: dict[str, str]) -> str:
    code_said = facts.get("code", "null")
    return facts.get("status", "no exit code") if code_said == "null" else code_said


def _ended(codes: list[str]) -> str:
    times = f"{len(codes)} runs, exit codes" if len(codes) > 1 else "exit code"
    more = ", …" if len(codes) > _MOST_CODES else ""
    return f"{times} {', '.join(codes[:_MOST_CODES])}{more}"
