"""What happens to an intent in the session that works on it."""

from toryo.domain.calls import Message
from toryo.domain.event import Event, ModelEvent
from toryo.domain.facts import fact
from toryo.domain.intent import Analysis, AuditFinding, Flow, Proposal


@fact
class IntentAnalysed(ModelEvent):
    """What a model makes of the intent: its type and risk, and whether it can be planned."""

    analysis: Analysis
    flow: Flow
    talk: tuple[Message, ...] = ()


@fact
class IntentReleased(Event):
    """It may be carried out: a person approved it, or the rules of autonomy let it through."""

    by: str
    base_commit: str = ""
    base_tree: str = ""
    """Where the branch stood by then; empty: where it stood when the session was opened."""


@fact
class IntentsFiled(Event):
    """Files were written for these: the parts of an intent, or what an audit found."""

    intents: tuple[Proposal, ...]
    findings: tuple[AuditFinding, ...] = ()
    """All that an audit found, also what did not become an intent."""
