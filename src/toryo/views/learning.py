"""Observations, histories and reflections as rows and words."""

from collections.abc import Iterable, Sequence
from typing import Any

from toryo.domain.learning import History, Observation, Reflection, Skill
from toryo.rules.durations import say_duration
from toryo.rules.instants import moment
from toryo.views.columns import columns
from toryo.views.moments import date_time
from toryo.views.usage import short_count

_KEPT = {
    "known": "it was noted before",
    "aside": "note: .toryo/observations.yaml cannot be read or written for now; the observation waits until it can be",
}


def kept_words(kept: str) -> str:
    """What became of an observation, where that is not what one expects."""
    return _KEPT.get(kept, "")


# ── observations ─────────────────────────────────────────────────────────────


def observation_row(one: Observation) -> dict[str, Any]:
    return {
        "id": one.id,
        "content": one.content,
        "evidence": [{"type": str(ref.type), "ref": ref.ref} for ref in one.evidence],
        "source": str(one.source),
        "intent_id": one.intent_id or None,
        "processed": one.processed,
        "created_at": _at(one.created_at),
    }


def observation_table(observations: Iterable[Observation], room: int = 0) -> list[str]:
    rows = [
        (one.id, "processed" if one.processed else "new", str(one.source), one.intent_id or "-", _about(one))
        for one in observations
    ]
    return columns(rows, ("ID", "STATE", "BY", "INTENT", "WHAT"), room) if rows else []


def _about(one: Observation) -> str:
    refs = ", ".join(ref.ref for ref in one.evidence)
    return f"{one.content} ({refs})" if refs else one.content


def _at(at: float) -> str | None:
    return moment(at) if at else None


# ── histories ────────────────────────────────────────────────────────────────


def history_row(name: str, one: History) -> dict[str, Any]:
    return {
        "name": name,
        "intent_id": one.intent_id,
        "intent_type": one.intent_type or None,
        "intent_risk": str(one.intent_risk) if one.intent_risk else None,
        "title": one.title,
        "session": one.session,
        "flow": {"steps": list(one.flow), "adjustments": list(one.adjustments)},
        "step_results": [
            {
                "step": step.step,
                "task": step.task or None,
                "result": step.result,
                "seconds": step.seconds,
                "tokens": step.tokens,
                "usd": step.usd,
            }
            for step in one.step_results
        ],
        "outcome": str(one.outcome),
        "failure_reason": one.failure_reason or None,
        "observations": list(one.observations),
        "tokens": one.tokens,
        "usd": one.usd,
        "created_at": _at(one.created_at),
    }


def history_table(histories: Sequence[tuple[str, History]], room: int = 0) -> list[str]:
    rows = [
        (
            date_time(one.created_at) if one.created_at else "-",
            str(one.outcome),
            one.intent_type or "-",
            str(one.intent_risk or "-"),
            say_duration(_seconds(one)),
            short_count(one.tokens),
            name,
            one.title,
        )
        for name, one in histories
    ]
    heads = ("WHEN", "OUTCOME", "TYPE", "RISK", "TOOK", "TOKENS", "HISTORY", "TITLE")
    return columns(rows, heads, room) if rows else []


def _seconds(one: History) -> float:
    return sum(step.seconds for step in one.step_results)


def history_lines(name: str, one: History) -> list[str]:
    """One in full."""
    spent = f"{short_count(one.tokens)} tokens" + (f", ${one.usd:.2f}" if one.usd else "")
    lines = [
        f"{name}: {one.title}",
        f"  {one.outcome}, {one.intent_type or 'no type'}, risk {one.intent_risk or 'unknown'}, {spent}",
        f"  flow: {' → '.join(one.flow) or '-'}",
        *(f"  adjusted: {said}" for said in one.adjustments),
    ]
    rows = [
        (f"  {step.step}", step.task or "-", say_duration(step.seconds), short_count(step.tokens), step.result)
        for step in one.step_results
    ]
    lines += columns(rows)
    lines += [f"  why: {one.failure_reason}"] if one.failure_reason else []
    return [*lines, *(f"  observation {ref}" for ref in one.observations)]


# ── reflections ──────────────────────────────────────────────────────────────


def reflection_row(one: Reflection) -> dict[str, Any]:
    return {
        "id": one.id,
        "at": one.at,
        "observations": list(one.observations),
        "intents": [
            {
                "slug": each.slug,
                "title": each.title,
                "type": each.type or None,
                "risk": str(each.risk) if each.risk else None,
                "observations": list(each.observations),
            }
            for each in one.intents
        ],
        "skills": [skill_row(skill) for skill in one.skills],
        "dropped": list(one.dropped),
        "by": one.by,
    }


def skill_row(skill: Skill) -> dict[str, Any]:
    return {"name": skill.name, "description": skill.description, "seen": list(skill.seen)}


def reflection_lines(one: Reflection) -> list[str]:
    """What came of it, one line each."""
    return [
        *(f"intent {each.slug}: {each.title} ({each.risk or 'risk unknown'})" for each in one.intents),
        *(f"skill {skill.name}: {skill.description}" for skill in one.skills),
    ]
