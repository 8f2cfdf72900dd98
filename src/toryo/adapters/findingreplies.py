"""Reads what an audit says it found; whether it is there is for others to look up."""

import re
from pathlib import PurePosixPath

from toryo.adapters.planforms import each, one
from toryo.adapters.replies import FILLED, LONGEST_TITLE, TEXT, BadReply, Open, member, object_in, read
from toryo.domain.intent import AuditFinding, Severity

MOST_FINDINGS = 50
_LONGEST = 2000
_PLACE = re.compile(r"(?P<path>.+?)(?:(?::|#L)(?P<line>\d{1,7})(?:[-:–]\S*)?)?")
_FINDING = Open(
    dict,
    {
        "severity": one(member(*(str(severity) for severity in Severity))),
        "place": FILLED,
        "title": FILLED,
        "why": TEXT,
        "suggestion": TEXT,
    },
    required=("severity", "place", "title"),
)
_FINDINGS = Open(dict, {"findings": each(_FINDING)}, required=("findings",))


def findings_in(text: str, focus: str = "") -> tuple[AuditFinding, ...]:
    """In the order in which they are told, each once; raises BadReply where nothing of the kind is there."""
    said = read(_FINDINGS, object_in(text))["findings"]
    if len(said) > MOST_FINDINGS:
        raise BadReply(f"findings: there are {len(said)}; name the {MOST_FINDINGS} worst ones")
    found = (
        AuditFinding(
            Severity(one_of["severity"]),
            *_place(one_of["place"]),
            " ".join(one_of["title"].split())[:LONGEST_TITLE],
            one_of.get("why", "")[:_LONGEST],
            one_of.get("suggestion", "")[:_LONGEST],
            focus=focus,
        )
        for one_of in said
    )
    return tuple(dict.fromkeys(found))


def _place(text: str) -> tuple[str, int]:
    """The path and the line; a path that leads out of the repository stays as it is, and is found nowhere."""
    found = _PLACE.fullmatch(" ".join(text.split()).strip("`"))
    path = found["path"] if found else text
    return str(PurePosixPath(path))[:500], int(found["line"] or 0) if found else 0
