"""What the agents that Toryo knows by name have in common: their options, and who they are."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from toryo.adapters.agents.opening import Opening
from toryo.adapters.settingagents import AgentSettings
from toryo.domain.signals import Signal
from toryo.ports import Abilities, Errand, Invocation


class KnownAgent(ABC):
    """The rest of an agent is how it is started and what its output says."""

    name: str
    tested: str
    """The version it was last tried with."""
    abilities: Abilities
    own_variables: tuple[str, ...]
    """Variables by which people configure the program itself."""

    def __init__(self, options: AgentSettings, passes: tuple[str, ...] = ()) -> None:
        self.options = options
        self.mode = options.mode
        self.credential = options.credential or self.name
        self.passes = (*self.own_variables, *options.pass_env, *passes)

    @abstractmethod
    def invocation(self, errand: Errand) -> Invocation: ...

    @abstractmethod
    def read(self, line: str, at: float) -> Iterable[Signal]: ...

    @abstractmethod
    def opened(self, prompt: str) -> tuple[str, ...]:
        """The command of its own screen for a person, whom it asks before it does something; without a prompt it waits
        for one.
        """

    def opening(self, seat: Opening) -> Invocation:
        """Its own screen, as a person would start it by hand."""
        return Invocation(self.opened(seat.argument if seat.prompt else ""), self.options.env)

    def program(self) -> str:
        return self.options.program or self.name

    def model_flags(self, flag: str, wanted: str = "") -> tuple[str, ...]:
        model = wanted or self.options.model
        return (flag, model) if model else ()
