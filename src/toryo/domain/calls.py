"""What is asked of a language model, what it replied, and what kept it from replying."""

from enum import StrEnum

from toryo.domain.facts import fact
from toryo.domain.report import Trouble, Usage


class Speaker(StrEnum):
    USER = "user"
    MODEL = "assistant"


@fact
class Message:
    """One turn of the conversation with a model."""

    speaker: Speaker
    text: str


@fact
class Call:
    """One question to a model. What stays the same from call to call comes first, so that providers can cache it."""

    system: str
    messages: tuple[Message, ...]
    """Begins and ends with the user; speakers alternate."""
    max_tokens: int = 16_000


class Stop(StrEnum):
    """Why a reply ended."""

    DONE = "done"
    LENGTH = "length"
    """Cut off at the most it may be long."""
    REFUSAL = "refusal"


@fact
class Reply:
    """What a model said; untrusted, whatever it says."""

    text: str
    stop: Stop = Stop.DONE
    usage: Usage = Usage()
    is_estimate: bool = False
    """The provider gave no usage: the tokens are estimated from the length of the texts."""
    model: str = ""
    """The model that answered, as the provider names it."""


class CallFailed(Exception):
    """No reply came. `trouble` says whose turn it is: time's (QUOTA, API) or a person's (everything else)."""

    def __init__(self, trouble: Trouble, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.message = message
        self.retry_after = retry_after
        """Seconds to wait, where the provider said so."""


@fact
class CallRecord:
    """One call as it went; the words themselves are in the session's log of calls."""

    question: str
    """Which of Toryo's questions it was."""
    model: str
    at: float
    seconds: float
    usage: Usage = Usage()
    is_estimate: bool = False
    trouble: Trouble | None = None
    """Why no reply came."""
    provider: str = ""
