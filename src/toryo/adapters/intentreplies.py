"""Reads what a model made of an intent."""

import re
from collections.abc import Container
from typing import Any

from toryo.adapters.planforms import each, one
from toryo.adapters.replies import (
    FILLED,
    FLAG,
    LONGEST_TITLE,
    QUESTION,
    TEXT,
    BadReply,
    Open,
    clipped,
    member,
    object_in,
    questions_of,
    read,
)
from toryo.domain.intent import Analysis, AnalysisEnd, Proposal, Risk
from toryo.rules.slugs import slug_of

MOST_CHILDREN = 20
_LONGEST_BODY = 10_000
_TYPE = re.compile(r"[a-z][a-z0-9_-]{0,30}")
_CHILD = Open(dict, {"title": FILLED, "body": TEXT, "type": TEXT, "risk": TEXT}, required=("title",))
_ANALYSIS = Open(
    dict,
    {
        "end": one(member(*(str(end) for end in AnalysisEnd))),
        "title": TEXT,
        "type": FILLED,
        "risk": one(member(*(str(risk) for risk in Risk))),
        "why": TEXT,
        "follows": FLAG,
        "intents": each(_CHILD),
        "questions": each(QUESTION),
    },
    required=("end", "type", "risk"),
)


def analysis_in(text: str, *, taken: Container[str], may_ask: bool = True, may_split: bool = True) -> Analysis:
    """What the intent comes to; names of new intents are none of those that are taken."""
    said = read(_ANALYSIS, object_in(text))
    end = AnalysisEnd(said["end"])
    if end is AnalysisEnd.QUESTIONS and not may_ask:
        raise BadReply("end: enough was asked; decide by what is known, with `tasks` or `intents`")
    if end is AnalysisEnd.CHILDREN and not may_split:
        raise BadReply("end: this is a part of a part already; plan it as it is, with `tasks`")
    questions = questions_of(said) if end is AnalysisEnd.QUESTIONS else ()
    children = _children(said.get("intents", []), taken) if end is AnalysisEnd.CHILDREN else ()
    if end is AnalysisEnd.QUESTIONS and not questions:
        raise BadReply("questions: none is asked; then the end is another one")
    if end is AnalysisEnd.CHILDREN and len(children) < 2:
        raise BadReply("intents: at least two take the place of one; else the end is `tasks`")
    title = " ".join(said.get("title", "").split())[:LONGEST_TITLE]
    return Analysis(
        end,
        type_in(said["type"]),
        Risk(said["risk"]),
        clipped(said.get("why", "")),
        title,
        questions,
        children,
        said.get("follows", False),
    )


def type_in(text: str) -> str:
    """One word; raises BadReply."""
    word = text.strip().lower()
    if not _TYPE.fullmatch(word):
        raise BadReply(f"type: '{text}' should be one word of small letters")
    return word


def _children(said: list[dict[str, Any]], taken: Container[str]) -> tuple[Proposal, ...]:
    if len(said) > MOST_CHILDREN:
        raise BadReply(f"intents: there are {len(said)}; at most {MOST_CHILDREN} can take the place of one")
    names: set[str] = set()
    children = []
    for child in said:
        title = " ".join(child["title"].split())[:LONGEST_TITLE]
        slug = slug_of(title, _Either(taken, names))
        names.add(slug)
        risk = Risk(child["risk"]) if child.get("risk") in list(Risk) else None
        type_ = type_in(child["type"]) if child.get("type") else ""
        children.append(Proposal(slug, title, child.get("body", "")[:_LONGEST_BODY], type_, risk))
    return tuple(children)


class _Either:
    def __init__(self, *parts: Container[str]) -> None:
        self._parts = parts

    def __contains__(self, name: object) -> bool:
        return any(name in part for part in self._parts)
