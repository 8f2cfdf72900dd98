"""The text of an intent's file, as an intent."""

import re

from toryo.adapters.yamlfields import BrokenFile, Fields, document_of, text_of
from toryo.domain.intent import Clarification, Feedback, Intent, IntentSource, IntentStatus, Risk

USUAL = ("title", "body", "type", "source", "risk", "status", "parent", "created_at", "clarifications")
MORE = ("order", "session", "feedback", "reason", "updated_at")
"""Only where they say something."""
KNOWN = frozenset({*USUAL, *MORE})
_OF_A_CLARIFICATION = frozenset({"question", "answer", "why", "options", "default"})
_OF_FEEDBACK = frozenset({"task", "says"})
_SESSION = re.compile(r"session-[0-9a-f-]{8,40}")


def read_intent(slug: str, raw: bytes) -> tuple[Intent, dict[str, object]]:
    """The intent, and whatever else the file says; raises BrokenFile with every line that is wrong."""
    text = text_of(raw)
    fields = Fields(document_of(text, "an intent"), text)
    fields.look_for_slips(KNOWN)
    intent = Intent(
        slug,
        " ".join(fields.text("title", is_needed=True).split()),
        fields.text("body"),
        fields.text("type").strip(),
        fields.choice("source", IntentSource) or IntentSource.HUMAN,
        fields.choice("risk", Risk),
        fields.choice("status", IntentStatus) or IntentStatus.PROPOSED,
        fields.text("parent").strip(),
        tuple(_clarification(row) for row in fields.rows("clarifications")),
        fields.instant("created_at"),
        fields.number("order"),
        _session(fields),
        tuple(_feedback(row) for row in fields.rows("feedback")),
        fields.text("reason"),
        fields.instant("updated_at"),
    )
    if fields.problems:
        raise BrokenFile(fields.problems)
    return intent, {name: value for name, value in fields.values.items() if name not in KNOWN}


def _clarification(row: Fields) -> Clarification:
    row.look_for_slips(_OF_A_CLARIFICATION)
    return Clarification(
        row.text("question", is_needed=True),
        row.text("answer").strip(),
        row.text("why"),
        row.texts("options"),
        row.text("default"),
    )


def _feedback(row: Fields) -> Feedback:
    row.look_for_slips(_OF_FEEDBACK)
    return Feedback(row.text("task", is_needed=True), row.text("says"))


def _session(fields: Fields) -> str:
    """Names of folders are made of it: nothing but the id of a session will do."""
    said = fields.text("session").strip()
    if said and not _SESSION.fullmatch(said):
        fields.wrong("session", "should be the id of a session; take the line out to begin anew")
    return said
