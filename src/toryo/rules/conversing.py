"""The conversation with the planning model: what it is told, and what becomes of it when it grows too long."""

from toryo.domain.calls import Call, Message, Speaker
from toryo.domain.planning import Document, Planning
from toryo.domain.session import Session
from toryo.domain.task import SETTLED
from toryo.rules.counting import estimated_tokens
from toryo.rules.wording import answers_text

KEPT = 20
"""So many messages stay word for word, whatever their size."""
_SLACK = 6
"""Where those alone are too long already, not every reply is to cost another summary."""


def call_about(session: Session, system: str, question: str, max_tokens: int) -> Call:
    """The question as the next turn of the conversation; everything before it is as it was in the call before."""
    planning = session.planning
    talk = planning.talk if planning else ()
    return Call(system, _opened_by_summary(session, (*talk, Message(Speaker.USER, question))), max_tokens)


def _opened_by_summary(session: Session, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    planning = session.planning
    if planning is None or not planning.summary:
        return messages
    first, *rest = messages
    return (Message(Speaker.USER, f"{remembered(session, planning)}\n\n{first.text}"), *rest)


def remembered(session: Session, planning: Planning) -> str:
    """What a conversation that lost its beginning has to know: a summary, and what is unfinished word for word."""
    parts = [
        f"# What was asked for\n\n{planning.instruction}",
        f"# What was said before, in short\n\n{planning.summary}",
    ]
    parts += [f"# {kind}.md as it stands\n\n{text}" for kind, text in planning.documents if kind is not Document.TASKS]
    parts += [f"# Decided\n\n{answers_text(planning)}"] if planning.answers else []
    unfinished = [task for task in session.tasks.values() if task.state not in SETTLED]
    parts += [f"# Task {t.plan.key}, {t.state}: {t.plan.title}\n\n{t.plan.description}" for t in unfinished]
    return "\n\n".join(parts)


def talk_tokens(planning: Planning) -> int:
    return estimated_tokens(planning.summary) + sum(estimated_tokens(message.text) for message in planning.talk)


def needs_compacting(planning: Planning, limit: int) -> bool:
    return len(planning.talk) >= KEPT + _SLACK and talk_tokens(planning) > limit


def older_part(planning: Planning) -> tuple[Message, ...]:
    """What is to become a summary: all but the last messages; what is left begins with the user."""
    cut = len(planning.talk) - KEPT
    while cut < len(planning.talk) and planning.talk[cut].speaker is not Speaker.USER:
        cut -= 1
    return planning.talk[:cut]


def excerpt(messages: tuple[Message, ...], summary: str, most: int = 300) -> str:
    """A summary without a model: the beginning of each message."""
    said = [f"- {m.speaker}: {' '.join(m.text.split())[:most]}" for m in messages]
    return "\n".join([summary, *said] if summary else said)
