"""What the REPL remembers as work goes on: the model that was selected, the task at work, the one that ended last."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.repl import Provider, ReplState
from toryo.domain.session import Session
from toryo.domain.shelf import Shelf
from toryo.domain.task import ENDED, LIVE, Task


class Keep(Enum):
    """As it was; null is a choice too."""

    KEEP = "keep"


KEEP = Keep.KEEP


def selected(state: ReplState, provider: Provider | Keep | None, model: str | Keep | None, at: str) -> ReplState:
    """Another provider does not know the model that was selected before."""
    if provider is KEEP:
        provider = state.selected_provider
    if model is KEEP:
        model = state.selected_model if provider is state.selected_provider else None
    return changed(state, selected_provider=provider, selected_model=model, updated_at=at)


# ── tasks ────────────────────────────────────────────────────────────────────


@fact
class Standing:
    """Tasks by their ids, with when each began to run or came to its end, as they stand now."""

    running: Mapping[str, float] = field(default_factory=dict)
    ended: Mapping[str, float] = field(default_factory=dict)
    at: float = 0.0
    """Of the last event; it never goes backwards, whatever the clock did."""


def after(standing: Standing, before: Session | None, now: Session) -> Standing:
    """How a session's tasks stand once something more has happened; one that is sent round again has not ended."""
    at = max(standing.at, now.updated_at)
    old: Shelf[Task] = before.tasks if before else Shelf()
    if now.tasks is old:
        return changed(standing, at=at)
    running, ended = dict(standing.running), dict(standing.ended)
    for number in now.tasks.differing(old):
        task = now.tasks.get(number)
        task_id = (task or old[number]).id
        _place(running, task_id, at, is_there=task is not None and task.state in LIVE)
        _place(ended, task_id, at, is_there=task is not None and task.state in ENDED)
    return Standing(running, ended, at)


def _place(times: dict[str, float], task_id: str, at: float, *, is_there: bool) -> None:
    if not is_there:
        times.pop(task_id, None)
    elif task_id not in times:
        times[task_id] = at


def together(one: Standing, other: Standing) -> Standing:
    """Of several sessions."""
    return Standing({**one.running, **other.running}, {**one.ended, **other.ended}, max(one.at, other.at))


def remembered(state: ReplState, standing: Standing, at: str) -> ReplState:
    """The task that began last of those at work, and the one that ended last; the very same where nothing is new."""
    current, last = _latest(standing.running), _latest(standing.ended)
    if (current, last) == (state.current_task_id, state.last_task_id):
        return state
    return changed(state, current_task_id=current, last_task_id=last, updated_at=at)


def _latest(times: Mapping[str, float]) -> str | None:
    """Of several at the same moment, the one that came last."""
    return max(reversed(list(times)), key=times.__getitem__, default=None)
