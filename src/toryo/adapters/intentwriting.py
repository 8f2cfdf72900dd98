"""An intent as the text of its file: a new one, or an old one with some fields changed."""

from typing import Any

from toryo.adapters.intentreading import read_intent
from toryo.adapters.yamlfields import BrokenFile
from toryo.adapters.yamlwords import entry, sound
from toryo.domain.intent import Clarification, Intent
from toryo.rules.instants import moment


class CannotEdit(Exception):
    """The text cannot be changed without changing more than was asked for."""


def new_text(intent: Intent) -> str:
    return "\n".join(line for name, value in fields(intent).items() for line in entry(name, value, 0)) + "\n"


def edited(raw: bytes, before: Intent, after: Intent) -> bytes:
    """The file with what differs changed, and nothing else; raises CannotEdit."""
    from toryo.adapters.yamledits import with_changes  # takes longer to import than most of what is done with intents

    said = with_changes(raw.decode("utf-8"), fields(before), fields(after)).encode()
    try:
        read, more = read_intent(before.slug, said)
    except BrokenFile as error:
        raise CannotEdit(str(error)) from error
    _, more_before = read_intent(before.slug, raw)
    if fields(read) != fields(after) or more != more_before:
        raise CannotEdit("one of its values stands for another one too")
    return said


def fields(intent: Intent) -> dict[str, Any]:
    """As they stand in the file; those beyond the usual ones only where they say something."""
    usual: dict[str, Any] = {
        "title": " ".join(sound(intent.title).split()),
        "body": sound(intent.body),
        "type": sound(intent.type).strip() or None,
        "source": intent.source.value,
        "risk": intent.risk.value if intent.risk else None,
        "status": intent.status.value,
        "parent": sound(intent.parent).strip() or None,
        "created_at": moment(intent.created_at) if intent.created_at else None,
        "clarifications": [_clarification(one) for one in intent.clarifications],
    }
    more: dict[str, Any] = {
        "order": intent.order,
        "session": intent.session,
        "feedback": [{"task": sound(one.task), "says": sound(one.says)} for one in intent.feedback],
        "reason": sound(intent.reason),
        "updated_at": moment(intent.updated_at) if intent.updated_at else None,
    }
    return usual | {name: value for name, value in more.items() if value}


def _clarification(one: Clarification) -> dict[str, Any]:
    more: dict[str, Any] = {
        "why": sound(one.why),
        "options": [sound(option) for option in one.options],
        "default": sound(one.default),
    }
    said = {name: value for name, value in more.items() if value}
    return {"question": sound(one.question), "answer": sound(one.answer).strip() or None} | said
