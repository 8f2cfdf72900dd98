"""Intents as lines and rows: lists of them, and one in full."""

from collections.abc import Sequence
from typing import Any

from toryo.domain.facts import fact
from toryo.domain.intent import Broken, Clarification, Flow, Intent, IntentStatus, Listing, Risk
from toryo.domain.session import Session, short_of
from toryo.rules.durations import UNITS
from toryo.rules.flows import flow_of
from toryo.rules.masking import mask
from toryo.views.columns import columns
from toryo.views.moments import date_time

_HEADS = ("INTENT", "STATUS", "RISK", "TYPE", "AGE", "TITLE")


@fact
class Surroundings:
    """What there is besides its file: the session that works on it, and its kin."""

    intent: Intent
    path: str
    """From the root of the repository."""
    session: Session | None = None
    parent: Intent | None = None
    children: tuple[Intent, ...] = ()


# ── a list ───────────────────────────────────────────────────────────────────


def chosen(
    listing: Listing, *, statuses: Sequence[IntentStatus] = (), types: Sequence[str] = (), is_all: bool = False
) -> list[Intent]:
    """Those that something may still come of, unless others are asked for."""

    def is_wanted(intent: Intent) -> bool:
        is_status = intent.status in statuses if statuses else is_all or intent.status.is_open
        return is_status and (not types or intent.type in types)

    return [intent for intent in listing.intents if is_wanted(intent)]


def list_lines(intents: Sequence[Intent], now: float, room: int = 0) -> list[str]:
    """In the order in which their turn comes."""
    rows = [
        (
            one.slug,
            status_words(one),
            one.risk.value if one.risk else "-",
            mask(one.type) or "-",
            age_words(one, now),
            mask(one.title),
        )
        for one in intents
    ]
    return columns(rows, _HEADS, room) if rows else []


def status_words(intent: Intent) -> str:
    asked = len(intent.open_questions)
    return f"{intent.status}, asks" if asked and intent.status.is_open else intent.status.value


def age_words(intent: Intent, now: float) -> str:
    """In the largest unit that fits; a file need not say when it was made."""
    seconds = now - intent.created_at
    if not intent.created_at or seconds < 0:
        return "-"
    unit = next((unit for unit in ("d", "h", "m") if seconds >= UNITS[unit]), "s")
    return f"{int(seconds // UNITS[unit])}{unit}"


def broken_words(broken: Broken) -> str:
    return f"{broken.path}:{broken.line}: {mask(broken.says)}; it is left as it is, and not worked on"


# ── one in full ──────────────────────────────────────────────────────────────


def intent_lines(around: Surroundings) -> list[str]:
    """Everything that is known about it."""
    intent = around.intent
    facts = [
        ("id", intent.slug),
        ("file", around.path),
        ("status", status_words(intent) + (f" ({mask(intent.reason)})" if intent.reason else "")),
        ("risk", intent.risk.value if intent.risk else "not judged yet"),
        ("type", mask(intent.type) or "not known yet"),
        ("source", intent.source.value),
        ("created", date_time(intent.created_at) if intent.created_at else ""),
        ("changed", date_time(intent.updated_at) if intent.updated_at else ""),
        ("order", f"{intent.order:g}" if intent.order else ""),
        ("parent", _kin(around.parent) if around.parent else intent.parent),
        ("session", _session_words(around)),
        ("flow", _flow_words(flow_of_intent(around))),
    ]
    lines = [mask(intent.title), *(f"  {name:<9} {said}" for name, said in facts if said)]
    lines += [f"  {'child':<9} {_kin(child)}" for child in around.children]
    if intent.body.strip():
        lines += ["", *(f"  {line}".rstrip() for line in mask(intent.body).strip("\n").split("\n"))]
    for number, one in enumerate(intent.clarifications, 1):
        lines += ["", *_question_lines(number, one)]
    for failed in intent.feedback:
        lines += ["", f"  failed: {mask(failed.task)}", *(f"    {line}" for line in mask(failed.says).splitlines())]
    return lines


def flow_of_intent(around: Surroundings) -> Flow | None:
    """As its session goes; before there is one, as it would go, if that is known."""
    pursuit = around.session.pursuit if around.session else None
    if pursuit and pursuit.flow:
        return pursuit.flow
    intent = around.intent
    return flow_of(intent.type, intent.risk or Risk.HIGH) if intent.type else None


def _flow_words(flow: Flow | None) -> str:
    if flow is None:
        return ""
    return " → ".join(flow.steps) + "".join(f"; {one}" for one in flow.adjustments)


def _session_words(around: Surroundings) -> str:
    if around.session:
        return f"{around.session.short} ({around.session.state})"
    return f"{short_of(around.intent.session)} (not begun)" if around.intent.session else ""


def _kin(intent: Intent) -> str:
    return f"{intent.slug} ({intent.status}): {mask(intent.title)}"


def _question_lines(number: int, one: Clarification) -> list[str]:
    lines = [f"  {number}. {mask(one.question)}"]
    if one.answer:
        return [*lines, f"     → {mask(one.answer)}"]
    lines += [f"     why: {mask(one.why)}"] if one.why else []
    lines += [f"     - {mask(option)}" for option in one.options]
    default = f" (without one: {mask(one.default)})" if one.default else ""
    return [*lines, f"     → not answered{default}"]


# ── rows ─────────────────────────────────────────────────────────────────────


def intent_row(intent: Intent) -> dict[str, Any]:
    return {
        "id": intent.slug,
        "title": mask(intent.title),
        "body": mask(intent.body),
        "type": mask(intent.type) or None,
        "source": intent.source.value,
        "risk": intent.risk.value if intent.risk else None,
        "status": intent.status.value,
        "parent": intent.parent or None,
        "clarifications": [_clarification_row(one) for one in intent.clarifications],
        "needs_clarification": intent.needs_clarification,
        "created_at": intent.created_at or None,
        "order": intent.order,
        "session": intent.session or None,
        "feedback": [{"task": mask(one.task), "says": mask(one.says)} for one in intent.feedback],
        "reason": mask(intent.reason),
        "updated_at": intent.updated_at or None,
    }


def _clarification_row(one: Clarification) -> dict[str, Any]:
    return {
        "question": mask(one.question),
        "answer": mask(one.answer) or None,
        "why": mask(one.why),
        "options": [mask(option) for option in one.options],
        "default": mask(one.default),
    }


def listing_data(intents: Sequence[Intent], broken: Sequence[Broken], drafts: Sequence[str]) -> dict[str, Any]:
    return {
        "intents": [intent_row(intent) for intent in intents],
        "broken": [{"path": one.path, "line": one.line, "says": mask(one.says)} for one in broken],
        "drafts": list(drafts),
    }


def surroundings_data(around: Surroundings) -> dict[str, Any]:
    flow, session = flow_of_intent(around), around.session
    return {
        "intent": intent_row(around.intent),
        "path": around.path,
        "state": session.state.value if session else None,
        "outcome": session.outcome.value if session and session.outcome else None,
        "children": [{"id": one.slug, "status": one.status.value, "title": mask(one.title)} for one in around.children],
        "flow": {"steps": list(flow.steps), "adjustments": list(flow.adjustments)} if flow else None,
    }
