"""What the agents that Toryo knows by name have in common: their options, and who they are."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

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

    def program(self) -> str:
        return self.options.program or self.name

    def model_flags(self, flag: str) -> tuple[str, ...]:
        return (flag, self.options.model) if self.options.model else ()
