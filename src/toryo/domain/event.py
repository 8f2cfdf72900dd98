"""What every event is made of."""

from toryo.domain.calls import CallRecord
from toryo.domain.facts import fact


class UnknownEvent(Exception):
    """An event that cannot be folded by this version, or not here; folding on would guess."""


@fact
class Event:
    at: float


@fact
class TaskEvent(Event):
    task: int


@fact
class ModelEvent(Event):
    """Something a model said, made use of; with the calls it took."""

    calls: tuple[CallRecord, ...]
