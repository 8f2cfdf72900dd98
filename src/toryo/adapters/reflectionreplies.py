"""Reads what a model makes of observations and histories."""

from typing import Any

from toryo.adapters.intentreplies import type_in
from toryo.adapters.planforms import each
from toryo.adapters.replies import FILLED, LONGEST_TITLE, TEXT, TEXTS, BadReply, Open, object_in, read
from toryo.domain.facts import fact
from toryo.domain.intent import Proposal, Risk
from toryo.domain.learning import Skill
from toryo.rules.slugs import is_skill_name

_LONGEST_BODY, _LONGEST_SKILL, _LONGEST_LINE = 6000, 20_000, 300
_INTENT = Open(
    dict,
    {"title": FILLED, "body": TEXT, "type": TEXT, "risk": TEXT, "because": TEXTS},
    required=("title", "because"),
)
_SKILL = Open(
    dict,
    {"name": FILLED, "description": FILLED, "body": FILLED, "seen": TEXTS},
    required=("name", "description", "body", "seen"),
)
_REFLECTION = Open(dict, {"intents": each(_INTENT), "skills": each(_SKILL)}, required=("intents",))


@fact
class Thoughts:
    """What a model proposes, before any rule has looked at it; intents have no names yet."""

    intents: tuple[Proposal, ...] = ()
    skills: tuple[Skill, ...] = ()


def thoughts_in(text: str) -> Thoughts:
    said = read(_REFLECTION, object_in(text))
    return Thoughts(tuple(map(_intent, said["intents"])), tuple(map(_skill, said.get("skills", []))))


def _intent(said: dict[str, Any]) -> Proposal:
    risk = Risk(said["risk"].lower()) if said.get("risk", "").lower() in list(Risk) else None
    type_ = type_in(said["type"]) if said.get("type") else ""
    because = tuple(dict.fromkeys(said["because"]))
    return Proposal("", _line(said["title"], LONGEST_TITLE), said.get("body", "")[:_LONGEST_BODY], type_, risk, because)


def _skill(said: dict[str, Any]) -> Skill:
    name = said["name"].strip()
    if not is_skill_name(name):
        raise BadReply(f"skills: the name '{name}' should be words of small letters, with dashes between")
    seen = tuple(dict.fromkeys(said["seen"]))
    return Skill(name, _line(said["description"], _LONGEST_LINE), said["body"][:_LONGEST_SKILL].strip() + "\n", seen)


def _line(text: str, most: int) -> str:
    return " ".join(text.split())[:most]
