"""Which events a person wants to see who does not want to see all of them."""

from toryo.domain import events as e

_FOR_THE_CURIOUS = (
    e.WorkspacePrepared,
    e.WorkspaceRemoved,
    e.RunStarted,
    e.ConversationNamed,
    e.TalkCompacted,
)
"""They went as they always go, and nothing follows from them."""


def is_in_summary(event: e.Event) -> bool:
    return not isinstance(event, _FOR_THE_CURIOUS)
