"""What an audit found, and the way of an intent, in words and rows."""

from collections.abc import Sequence
from typing import Any

from toryo.domain.intent import AuditFinding, Pursuit
from toryo.rules.flows import risk_of
from toryo.rules.masking import mask
from toryo.rules.numerals import several


def flow_words(pursuit: Pursuit) -> str:
    """The steps, one after the other; empty: nobody knows them yet."""
    return " → ".join(pursuit.flow.steps) if pursuit.flow else ""


def flow_lines(pursuit: Pursuit) -> list[str]:
    """The type and the risk that counts with why, the steps, and how they were adjusted."""
    if pursuit.flow is None:
        return []
    analysis, counts = pursuit.analysis, risk_of(pursuit)
    why = f" ({mask(analysis.why)})" if analysis and analysis.why and analysis.risk is counts else ""
    return [f"{pursuit.flow.type}, risk {counts}{why}", flow_words(pursuit), *pursuit.flow.adjustments]


def pursuit_row(pursuit: Pursuit | None) -> dict[str, Any] | None:
    if pursuit is None:
        return None
    flow = pursuit.flow
    return {
        "intent": pursuit.intent,
        "type": flow.type if flow else pursuit.type or None,
        "risk": risk_of(pursuit),
        "why": pursuit.analysis.why if pursuit.analysis else "",
        "steps": list(flow.steps) if flow else [],
        "adjustments": list(flow.adjustments) if flow else [],
        "released_by": pursuit.released_by or None,
        "intents": [proposal.slug for proposal in pursuit.filed or ()],
        "findings": [finding_row(finding) for finding in pursuit.findings],
    }


def finding_row(finding: AuditFinding) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "path": finding.path,
        "line": finding.line or None,
        "title": finding.title,
        "why": finding.why,
        "suggestion": finding.suggestion,
        "focus": finding.focus or None,
        "confirmed": finding.is_there,
        "intent": finding.intent or None,
        "known": finding.is_known,
    }


def finding_lines(findings: Sequence[AuditFinding]) -> list[str]:
    """Worst first, each with its place and with what became of it."""
    lines = []
    for finding in findings:
        lines.append(f"{finding.severity:<4}  {finding.where}  {finding.title}")
        lines += [f"      {line}" for text in (finding.why, finding.suggestion) for line in text.splitlines()]
        lines.append(f"      → {_fate(finding)}")
    return [mask(line) for line in lines]


def _fate(finding: AuditFinding) -> str:
    if not finding.is_there:
        return "unconfirmed: that place is not there, so no intent came of it"
    return f"known already: {finding.intent}" if finding.is_known else f"proposed: {finding.intent}"


def findings_summary(findings: Sequence[AuditFinding]) -> str:
    if not findings:
        return "nothing was found"
    claims = sum(not finding.is_there for finding in findings)
    known = sum(finding.is_known for finding in findings)
    more = [f"{claims} unconfirmed"] if claims else []
    more += [f"{known} known already"] if known else []
    count = several(len(findings), "finding")
    return f"{count} ({', '.join(more)})" if more else count


def how_to_decide(findings: Sequence[AuditFinding]) -> str:
    """The command that approves what is new; empty: nothing is."""
    slugs = list(dict.fromkeys(one.intent for one in findings if one.intent and not one.is_known))
    return f"toryo approve {','.join(slugs[:3])}{'' if len(slugs) < 4 else ',…'}" if slugs else ""
