"""Round trips with models and agents: one line each, or all that was said."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.report import Usage
from toryo.domain.run import Run
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.rules.durations import say_duration
from toryo.rules.masking import mask
from toryo.views.columns import clipped, columns
from toryo.views.moments import clock_time
from toryo.views.records.chronicle import Chronicle
from toryo.views.records.logevents import end_words
from toryo.views.records.plain import masked
from toryo.views.usage import usage_row, usage_words


@fact
class Trip:
    """Something asked of a model, or an agent sent to work, and what came back."""

    at: float
    kind: str
    """`call` or `run`."""
    who: str
    what: str
    usage: Usage
    seconds: float | None
    outcome: str
    task: str = ""
    run: str = ""
    texts: tuple[tuple[str, str], ...] = ()
    """Who said what, in order."""
    data: Any = None
    """Everything that is known about it, for programs."""


_ASKED = "asked: "
_ANSWERED = {"done": "answered", "length": "cut off", "refusal": "refused"}


def is_call(entry: object) -> bool:
    """A line of the log of calls that can be shown."""
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("at"), int | float)
        and isinstance(entry.get("question"), str)
        and isinstance(entry.get("messages", []), list)
    )


def call_trip(entry: Mapping[str, Any]) -> Trip:
    trouble, message = entry.get("trouble"), entry.get("message")
    failed = f"no reply: {trouble}" + (f" ({message})" if message else "") if trouble else ""
    usage = Usage(*(_number(entry.get(name)) for name in ("input_tokens", "output_tokens", "cached_tokens")))
    return Trip(
        float(entry["at"]),
        "call",
        str(entry.get("model") or "a model"),
        f"{_ASKED}{entry['question']}",
        changed(usage, usd=_amount(entry.get("usd"))),
        _amount(entry.get("seconds")),
        failed or _ANSWERED.get(str(entry.get("stop")), "answered"),
        str(entry.get("task") or ""),
        str(entry.get("run") or ""),
        tuple(_said(entry)),
        entry,
    )


def _said(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if system := entry.get("system"):
        yield "system", str(system)
    for message in entry.get("messages", []):
        if isinstance(message, dict):
            yield str(message.get("role", "?")), str(message.get("text", ""))
    if (reply := entry.get("reply")) is not None:
        yield "reply", str(reply)


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _amount(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


Ties = Mapping[tuple[str, float], tuple[str, str]]


def ties_of(told: Chronicle) -> Ties:
    """Which task and run a call was about, by its question and time, as the journal has it."""
    ties: dict[tuple[str, float], tuple[str, str]] = {}
    for step in (step for steps in told.steps.values() for step in steps):
        if isinstance(step.event, e.WorkReviewed | e.TaskReconsidered) and step.event.task == step.after.number:
            run = step.after.run
            for call in step.event.calls:
                ties[call.question, call.at] = (step.after.id, run.id if run else "")
    return ties


def tied(trip: Trip, ties: Ties) -> Trip:
    """With the task it was about, also where the log of calls is too old to say so."""
    found = ties.get((trip.what.removeprefix(_ASKED), trip.at))
    return changed(trip, task=found[0], run=found[1]) if found and not trip.task else trip


def run_trip(session: Session, task: Task, run: Run, prompt: str) -> Trip:
    began = run.started_at or run.planned_at
    report, verdict = run.report, run.verdict
    judged = f"; {verdict.outcome}, {verdict.disposition}" if verdict else ""
    ended = end_words(run, None) if run.ended_at is not None else str(run.state)
    usage = report.usage if report else Usage()
    seconds = max(0.0, run.ended_at - began) if run.ended_at is not None else None
    words = report.last_words if report else ""
    data = {
        "at": began,
        "session": session.id,
        "task": task.id,
        "key": task.plan.key,
        "run": run.id,
        "number": run.number,
        "agent": run.agent,
        "conversation": run.conversation,
        "state": run.state.value,
        "seconds": seconds,
        "code": run.code,
        "ended_by": run.ended_by.value if run.ended_by else None,
        **usage_row(usage),
        "outcome": verdict.outcome.value if verdict else None,
        "disposition": verdict.disposition.value if verdict else None,
        "reasons": list(verdict.reasons) if verdict else [],
        "prompt": prompt or None,
        "last_words": words,
    }
    texts = [("prompt", prompt), ("last words", words), ("judged", "\n".join(verdict.reasons) if verdict else "")]
    return Trip(
        began,
        "run",
        run.agent,
        f"run {run.number}",
        usage,
        seconds,
        ended + judged,
        task.id,
        run.id,
        tuple((who, text) for who, text in texts if text.strip()),
        data,
    )


def about(trips: Iterable[Trip], task: Task | None, run: Run | None) -> list[Trip]:
    """Those that concern a task, or one run of it; all, where neither is named."""
    if run is not None:
        return [trip for trip in trips if trip.run == run.id]
    return [trip for trip in trips if task is None or trip.task == task.id]


def trip_lines(trips: Sequence[Trip], keys: Mapping[str, str], room: int = 0) -> list[str]:
    """One line each; tasks by their keys."""
    rows = [_cells(trip, keys) for trip in trips]
    return columns(rows, ("TIME", "WHO", "WHAT", "TASK", "TOKENS", "TOOK", "OUTCOME"), room)


def _cells(trip: Trip, keys: Mapping[str, str]) -> tuple[str, ...]:
    took = "-" if trip.seconds is None else say_duration(max(trip.seconds, 0.001))
    return (
        clock_time(trip.at),
        clipped(trip.who, 30),
        trip.what,
        keys.get(trip.task, "-"),
        usage_words(trip.usage) or "-",
        took,
        clipped(mask(trip.outcome), 80),
    )


def full_lines(trips: Sequence[Trip], keys: Mapping[str, str]) -> Iterator[str]:
    """All that was said; what a call says again of the one before it is only counted."""
    before: tuple[tuple[str, str], ...] = ()
    for trip in trips:
        yield "  ".join(cell for cell in _cells(trip, keys) if cell != "-")
        same = _shared(before, trip.texts) if trip.kind == "call" else 0
        if same:
            yield f"  ({same} text{'s' if same > 1 else ''} as before)"
        for who, text in trip.texts[same:]:
            yield f"  [{who}]"
            yield from (f"    {line}" for line in mask(text).splitlines())
        yield ""
        before = trip.texts if trip.kind == "call" else before


def _shared(one: Sequence[object], two: Sequence[object]) -> int:
    count = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        count += 1
    return count


_TEXTS = ("system", "messages", "reply", "prompt")


def trip_row(trip: Trip, *, is_full: bool) -> dict[str, Any]:
    """For programs; the texts, which may be long, only where they are asked for."""
    known = {name: value for name, value in trip.data.items() if is_full or name not in _TEXTS}
    shown: dict[str, Any] = masked(known)
    return {"toryo": 1, "kind": trip.kind, **shown, "task": trip.task or None, "run": trip.run or None}
