"""What verifying found, in words and as plain data."""

from collections.abc import Sequence
from typing import Any

from toryo.domain.errors import Exit
from toryo.domain.proofs import Discrepancy, Proof, Verified
from toryo.domain.session import short_of
from toryo.rules.numerals import several


def exit_code(proof: Proof) -> Exit:
    """0 if everything holds, 1 if something does not match, 2 if something cannot be shown."""
    if proof.mismatches:
        return Exit.ERROR
    return Exit.NOT_COMPLETE if proof.discrepancies else Exit.COMPLETE


def proof_lines(proof: Proof) -> list[str]:
    lines = []
    for each in proof.verified:
        flaws = [flaw for flaw in proof.discrepancies if flaw.task == each.task]
        lines.append(_verified_line(each, flaws))
        lines += [line for flaw in flaws for line in discrepancy_lines(flaw)]
    known = {each.task for each in proof.verified}
    lines += [line for flaw in proof.discrepancies if flaw.task not in known for line in discrepancy_lines(flaw)]
    return [*lines, _summary(proof)]


def _verified_line(each: Verified, flaws: Sequence[Discrepancy]) -> str:
    name = each.task or "session"
    looked_at = [several(each.records, "record"), several(each.logs, "log"), several(each.commits, "commit")]
    if each.verdicts:
        looked_at.append("verdict follows" if each.verdicts == 1 else f"{each.verdicts} verdicts follow")
    if any(flaw.flaw.is_mismatch for flaw in flaws):
        return f"{name} does not match: {', '.join(looked_at[:3])}"
    if flaws:
        return f"{name} cannot be verified in full: {', '.join(looked_at[:3])}"
    if not each.records and each.task:
        return f"{name} has no evidence yet ({each.state})"
    return f"{name} verified: {', '.join(looked_at)}"


def discrepancy_lines(flaw: Discrepancy) -> list[str]:
    lines = [f"  {flaw.flaw} {flaw.where}: {flaw.what}"]
    if flaw.expected or flaw.found:
        lines += [f"       expected {_indented(flaw.expected)}", f"       found    {_indented(flaw.found)}"]
    return lines


def _indented(text: str) -> str:
    return text.replace("\n", "\n" + " " * 16)


def _summary(proof: Proof) -> str:
    name = f"session {short_of(proof.session)}" if proof.session else "this"
    wrong = len(proof.mismatches)
    gone = len(proof.discrepancies) - wrong
    if not proof.discrepancies:
        if proof.verified and not any(each.records or each.commits for each in proof.verified):
            return f"{name}: there is nothing to verify yet"
        tasks = sum(1 for each in proof.verified if each.task and each.records)
        totals = [sum(getattr(each, part) for each in proof.verified) for part in ("records", "logs", "commits")]
        counted = [several(total, part) for total, part in zip(totals, ("record", "log", "commit"), strict=True)]
        return f"{name}: verified, {', '.join([several(tasks, 'task'), *counted])}"
    said = [f"{several(wrong, 'thing')} {'does' if wrong == 1 else 'do'} not match"] if wrong else []
    said += [f"{several(gone, 'thing')} {'is' if gone == 1 else 'are'} missing or cannot be verified"] if gone else []
    return f"{name}: {', '.join(said)}"


def proof_row(proof: Proof) -> dict[str, Any]:
    return {
        "session": proof.session,
        "holds": not proof.discrepancies,
        "tasks": [_verified_row(proof, each) for each in proof.verified if each.task],
        "whole": next((_verified_row(proof, each) for each in proof.verified if not each.task), None),
        "discrepancies": [
            {
                "code": flaw.flaw.value,
                "is_mismatch": flaw.flaw.is_mismatch,
                "task": flaw.task or None,
                "where": flaw.where,
                "what": flaw.what,
                "expected": flaw.expected or None,
                "found": flaw.found or None,
            }
            for flaw in proof.discrepancies
        ],
    }


def _verified_row(proof: Proof, each: Verified) -> dict[str, Any]:
    flaws = [flaw for flaw in proof.discrepancies if flaw.task == each.task]
    return {
        "key": each.task or None,
        "state": each.state,
        "holds": not flaws,
        "records": each.records,
        "logs": each.logs,
        "commits": each.commits,
        "verdicts": each.verdicts,
    }
