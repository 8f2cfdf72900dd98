"""Asking a model one of Toryo's questions: every call on record, a useless reply sent back at most twice."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Generic, TypeVar

from toryo.adapters.replies import BadReply
from toryo.domain import events as e
from toryo.domain.calls import Call, CallFailed, CallRecord, Message, Reply, Speaker, Stop
from toryo.domain.plan import Terms
from toryo.domain.report import Trouble
from toryo.domain.session import MODEL, Session
from toryo.domain.task import Task
from toryo.ports import Clock, Desk, World
from toryo.rules.patience import longest_wait, wait_after
from toryo.rules.wording import bullets, fill

T = TypeVar("T")
CORRECTIONS = 2
LONGEST_CALL = 1800.0
_SHORTEST_WAIT = 1.0
"""Even where a provider says that it can be asked again at once."""
_BY_TIME = (Trouble.QUOTA, Trouble.API)
_CUT_OFF = {Stop.LENGTH: "it was cut off: answer more briefly", Stop.REFUSAL: "it was refused by the model"}


@dataclass(slots=True)
class Asked(Generic[T]):
    """What came of a question; no value: no usable reply, and what was wrong with the last one."""

    value: T | None = None
    calls: tuple[CallRecord, ...] = ()
    talk: tuple[Message, ...] = ()
    """The question and the reply that was used, as they stand in the conversation."""
    errors: tuple[str, ...] = ()
    by: str = ""


class Unanswered(Exception):
    """No reply came: the question is asked again later."""

    def __init__(self, question: str, failure: CallFailed, calls: tuple[CallRecord, ...]) -> None:
        super().__init__(failure.message)
        self.question, self.failure, self.calls = question, failure, calls


@dataclass(slots=True)
class _Asking:
    desk: Desk
    clock: Clock
    log: str
    question: str
    role: str
    about: Task | None = None
    calls: list[CallRecord] = field(default_factory=list)

    async def once(self, call: Call, *, is_correction: bool) -> Reply:
        begun = self.clock.now()
        name, provider = self.role, ""
        self.desk.hear(self.question, "")
        try:
            model = self.desk.model(self.role, is_correction=is_correction)
            name, provider = model.name, model.name.partition("/")[0]
            reply = await _in_time(model.reply(call, lambda piece: self.desk.hear(self.question, piece)))
        except CallFailed as failure:
            took = self._since(begun)
            record = CallRecord(self.question, name, begun, took, trouble=failure.trouble, provider=provider)
            self._record(call, record, said=failure.message)
            raise Unanswered(self.question, failure, tuple(self.calls)) from failure
        finally:
            self.desk.hear_out(self.question)
        record = CallRecord(
            self.question,
            reply.model or name,
            begun,
            self._since(begun),
            reply.usage,
            reply.is_estimate,
            provider=provider,
        )
        self._record(call, record, reply)
        return reply

    def _since(self, begun: float) -> float:
        return round(self.clock.now() - begun, 3)

    def _record(self, call: Call, record: CallRecord, reply: Reply | None = None, said: str = "") -> None:
        self.calls.append(record)
        run = self.about.run if self.about else None
        entry: dict[str, object] = {
            "at": record.at,
            "session": self.log,
            "task": self.about.id if self.about else None,
            "run": run.id if run else None,
            "question": record.question,
            "provider": record.provider,
            "model": record.model,
            "seconds": record.seconds,
            "system": call.system,
            "messages": [{"role": str(message.speaker), "text": message.text} for message in call.messages],
            "reply": reply.text if reply else None,
            "stop": str(reply.stop) if reply else None,
            "trouble": str(record.trouble) if record.trouble else None,
            "message": said or None,
            "input_tokens": record.usage.input_tokens,
            "output_tokens": record.usage.output_tokens,
            "cached_tokens": record.usage.cached_tokens,
            "usd": record.usage.usd,
            "is_estimate": record.is_estimate,
        }
        self.desk.log_call(self.log, entry)


async def _in_time(replying: Coroutine[Any, Any, Reply]) -> Reply:
    """A reply that never ends is none."""
    try:
        async with asyncio.timeout(LONGEST_CALL):
            return await replying
    except TimeoutError:
        raise CallFailed(Trouble.API, f"no whole reply came in {LONGEST_CALL / 60:.0f} minutes") from None


async def ask(
    world: World,
    session: Session,
    question: str,
    call: Call,
    read: Callable[[str], T],
    *,
    role: str,
    about: Task | None = None,
) -> Asked[T]:
    """Asks on behalf of a session, perhaps about one of its tasks, once the model can be asked again."""
    if pause := session.pauses.get(MODEL):
        await world.clock.sleep_until(pause.until)
    return await inquire(desk_of(world), world.clock, session.id, question, call, read, role=role, about=about)


async def inquire(
    desk: Desk,
    clock: Clock,
    log: str,
    question: str,
    call: Call,
    read: Callable[[str], T],
    *,
    role: str,
    about: Task | None = None,
) -> Asked[T]:
    """The reply, read; after two corrections without a value. Raises Unanswered where no reply comes at all.

    `log` names the log in which every call is kept.
    """
    asking = _Asking(desk, clock, log, question, role, about)
    errors: tuple[str, ...] = ()
    asked = call
    for corrections in range(1 + CORRECTIONS):
        reply = await asking.once(asked, is_correction=corrections > 0)
        by = asking.calls[-1].model
        try:
            value = read(_usable(reply))
        except BadReply as bad:
            errors = bad.errors
            asked = _corrected(call, reply, errors, desk)
            continue
        talk = (call.messages[-1], Message(Speaker.MODEL, reply.text))
        return Asked(value, tuple(asking.calls), talk, by=by)
    return Asked(calls=tuple(asking.calls), errors=errors)


def desk_of(world: World) -> Desk:
    if world.desk is None:
        raise LookupError("nothing can be planned here: no model is set up")
    return world.desk


def _usable(reply: Reply) -> str:
    if reply.stop in _CUT_OFF:
        raise BadReply(_CUT_OFF[reply.stop])
    if not reply.text.strip():
        raise BadReply("the reply was empty")
    return reply.text


def _corrected(call: Call, reply: Reply, errors: tuple[str, ...], desk: Desk) -> Call:
    """The question again, with the reply and exactly what was wrong with it."""
    correction = fill(desk.prompt("correct"), errors=bullets(errors))
    again = (
        Message(Speaker.MODEL, reply.text if reply.text.strip() else "(nothing)"),
        Message(Speaker.USER, correction),
    )
    return replace(call, messages=(*call.messages, *again))


Performer = Callable[[World, Session, Any], Awaitable[e.Event]]


def postponed(perform: Performer) -> Performer:
    """A performer that asks a model: where no reply comes, that is what happened, and when to ask again."""

    @wraps(perform)
    async def performing(world: World, session: Session, effect: Any) -> e.Event:
        try:
            return await perform(world, session, effect)
        except Unanswered as none:
            now = world.clock.now()
            failure = none.failure
            until = when_to_ask_again(failure, session.outages, session.outage_since or now, now, session.terms)
            return e.CallPostponed(now, none.calls, none.question, failure.trouble, failure.message, until)

    return performing


def when_to_ask_again(failure: CallFailed, outages: int, since: float, now: float, terms: Terms) -> float:
    """When it is worth asking again, after so many failures since then; 0: not before a person acts."""
    if failure.trouble not in _BY_TIME:
        return 0.0
    if failure.retry_after is not None:
        wait = max(failure.retry_after, _SHORTEST_WAIT)
    else:
        wait = wait_after(failure.trouble, outages) * random.uniform(0.75, 1.25)
    if now + wait - since > longest_wait(failure.trouble, terms):
        return 0.0
    return now + wait
