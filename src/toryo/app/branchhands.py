"""Agents that a person started by hand on a branch: where each is noted, and which are still at work."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from toryo.adapters.git.place import Place
from toryo.adapters.hosts.windows import noted
from toryo.adapters.processes import record_of
from toryo.adapters.swapping import alone
from toryo.domain.facts import fact

_NOTE = "hand.json"


@fact
class Hand:
    """One that was started; it is nobody's run, and no session knows it."""

    branch: str
    agent: str
    worktree: str
    at: float


def hands_folder(place: Place) -> Path:
    return place.store / "hands"


def record_for(place: Place, branch: str) -> Path:
    """A branch has one at a time."""
    return hands_folder(place) / hashlib.sha256(branch.encode(errors="surrogateescape")).hexdigest()[:16]


def turn_at(record: Path) -> AbstractContextManager[None]:
    """Two who start somebody on the same branch at once do so one after the other."""
    return alone(record / "lock")


def note_hand(record: Path, hand: Hand) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with os.fdopen(os.open(record / _NOTE, flags, 0o600), "w", encoding="utf-8") as file:
        json.dump([hand.branch, hand.agent, hand.worktree, hand.at], file)


def is_at_work(record: Path) -> bool:
    """Its window's own process is there; one that has its number now is not marked like it."""
    window = noted(record)
    return window is not None and record_of(window.process) == str(record)


def hand_of(record: Path) -> Hand | None:
    """As noted, whether or not it is still at work."""
    try:
        return Hand(*json.loads((record / _NOTE).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def hands_in(place: Place) -> Mapping[str, str]:
    """By branch: the agent's name, of those that are at work."""
    return {hand.branch: hand.agent for hand in _hands(place)}


def _hands(place: Place) -> Iterator[Hand]:
    try:
        records = list(hands_folder(place).iterdir())
    except OSError:
        return
    for record in records:
        if is_at_work(record) and (hand := hand_of(record)):
            yield hand
