"""What is done about an intent, and what became of it, in words for people."""

from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent
from toryo.domain.session import Session
from toryo.rules.reconciling import plain
from toryo.rules.tending import Step

DONE = {
    Step.OPEN: "opened",
    Step.RELEASE: "released",
    Step.ANSWER: "answered",
    Step.RETRY: "retried",
    Step.RESUME: "resumed",
    Step.GO_ON: "resumed",
    Step.DISCARD: "discarded",
}
"""What each step comes to, in one word for scripts."""


def step_words(step: Step, intent: Intent, session: Session) -> str:
    by = session.pursuit.released_by if session.pursuit else ""
    match step:
        case Step.OPEN:
            says = "looks into it"
        case Step.RELEASE:
            says = f"carries it out, let through by {by}"
        case Step.ANSWER:
            says = "has the answers of its file"
        case Step.RETRY:
            says = "tries again"
        case Step.DISCARD:
            says = "is closed, since it was rejected"
        case _:
            says = "goes on"
    return f"{intent.slug}: session {session.short} {says}"


def status_words(intent: Intent) -> str:
    failed = "; ".join(one.task for one in intent.feedback[:3])
    return f"{intent.slug}: {intent.status}" + "".join(f" ({part})" for part in (intent.reason, failed) if part)


def trouble_words(error: ToryoError | OSError) -> str:
    """In one line."""
    if isinstance(error, OSError):
        return plain(error.strerror or str(error), 300)
    return plain("; ".join((error.message, *error.details[:3])) + (f" ({error.hint})" if error.hint else ""), 500)
