"""What an agent says about its own run: never proof of anything, but what it cost and what stood in its way."""

from enum import StrEnum

from toryo.domain.facts import fact


class Trouble(StrEnum):
    """What kept an agent from doing its work, as far as its own protocol tells."""

    QUOTA = "usage limit"
    API = "model API error"
    LOGIN = "not logged in"
    CONVERSATION = "unknown conversation"
    """The conversation it was to go on with does not exist."""
    PROGRAM = "program missing"
    OTHER = "error"


@fact
class Usage:
    """What a model was asked to read and write, in tokens, and what that cost where the agent knows it."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """The part of the input that the model had read before."""
    usd: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            round(self.usd + other.usd, 9),
        )

    def since(self, earlier: "Usage") -> "Usage":
        """The part that came after `earlier`, of something that only grows."""
        return Usage(
            max(0, self.input_tokens - earlier.input_tokens),
            max(0, self.output_tokens - earlier.output_tokens),
            max(0, self.cached_tokens - earlier.cached_tokens),
            max(0.0, round(self.usd - earlier.usd, 9)),
        )

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@fact
class Report:
    """The agent's own account of one run, folded from its signals."""

    conversation: str = ""
    usage: Usage = Usage()
    """This run's own share."""
    counter: Usage = Usage()
    """What the agent counted up to here over the whole conversation; zero where it counts by the run."""
    trouble: Trouble | None = None
    message: str = ""
    """What the agent said about its trouble."""
    until: float = 0.0
    """When the trouble is over, where the agent knows it."""
    last_words: str = ""
    is_speaking: bool = False
    """More of the last words may follow."""
    is_finished: bool = False
    """It says that its turn is over, well or not; nothing it says later undoes that but more work."""
    tells_end: bool = False
    """It is of an agent that says when its turn is over; so one that did not say so was cut short."""
    question: str = ""
    """What it waits for a person to answer; empty: it does not wait."""
