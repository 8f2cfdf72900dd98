"""A model endpoint whose replies a test has prepared, call by call, faults included.

    with model_endpoint(replies=[Refuse(429, retry_after=1), json_text(plan), "fine"]) as endpoint:
        environ |= endpoint.environ("openai")
        ...
        assert endpoint.bodies[0]["messages"] ...

It speaks Chat Completions (/v1/chat/completions), Anthropic Messages (/v1/messages) and, for Codex, Responses, on
loopback. A plain text is a reply of that text. What is asked of it once nothing is left gets HTTP 400, and `left_over`
tells what nobody asked for.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server import ModelServer
from tests.support.model_server.director import Cut, Deed, Director
from tests.support.model_server.exchange import Question, Say
from tests.support.model_server.records import Record
from tests.support.model_server.script import Fault


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, and how it is sent."""

    text: str
    delay: float = 0.0
    """Seconds before it begins."""
    stop: str = ""
    """In the protocol's own words, e.g. `length` or `max_tokens`; empty: its word for a reply that is over."""
    refusal: bool = False
    """Chat Completions: the text comes as a refusal."""
    has_usage: bool = True
    is_whole: bool = False
    """One JSON body, though a stream was asked for."""
    when: str = ""
    """Only for a request that has this text somewhere in its body; others get the next reply that fits."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """An HTTP error in the provider's own shape."""

    status: int
    message: str = ""
    retry_after: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    when: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """These bytes, whatever they are."""

    content: bytes
    content_type: str = "text/event-stream"
    when: str = ""


@dataclass(frozen=True, slots=True)
class BreakOff:
    """The connection is closed in the middle of a stream."""

    text: str = "This reply is never heard to its end."
    when: str = ""


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing comes for so long; with `after`, this text comes first."""

    seconds: float = 60.0
    after: str = ""
    when: str = ""


Prepared = Answer | Refuse | Raw | BreakOff | Hang


def json_text(value: object, **more: Any) -> Answer:
    """A reply in JSON."""
    return Answer(json.dumps(value, ensure_ascii=False), **more)


class Endpoint:
    """What a test sees of the server."""

    def __init__(self, server: ModelServer, script: "Script") -> None:
        self._server = server
        self._script = script

    @property
    def url(self) -> str:
        """The root; `openai_url` is what goes into `model.base_url` of provider openai, this into anthropic's."""
        return self._server.url

    @property
    def openai_url(self) -> str:
        return f"{self._server.url}/v1"

    def environ(self, provider: str, model: str = "scripted") -> dict[str, str]:
        """Variables that make Toryo ask this endpoint; with a key that is none."""
        return {
            "TORYO_MODEL_PROVIDER": provider,
            "TORYO_MODEL_MODEL": model,
            "TORYO_MODEL_BASE_URL": self.openai_url if provider == "openai" else self.url,
            "OPENAI_API_KEY" if provider == "openai" else "ANTHROPIC_API_KEY": "not-a-real-key",
        }

    @property
    def requests(self) -> tuple[Record, ...]:
        """Every question so far, oldest first: `.body`, `.headers`, `.path`."""
        return tuple(record for record in self._server.requests() if record.question is not None)

    @property
    def bodies(self) -> tuple[Any, ...]:
        return tuple(record.body for record in self.requests)

    def conversations(self) -> list[list[str]]:
        """Of each request the system text and all messages, in order, without what belongs to the protocol."""
        return [_texts(body) for body in self.bodies]

    def shared_prefix(self, first: int, second: int) -> str:
        """What two requests have in common from their beginning on, byte by byte, as a provider would cache it."""
        one, other = ("\0".join(_texts(self.bodies[place])) for place in (first, second))
        length = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
        return one[: min(len(one), len(other)) if length is None else length]

    def add(self, *replies: "Prepared | str") -> None:
        self._script.add(replies)

    @property
    def left_over(self) -> list[Prepared]:
        return self._script.left()

    def wait_until_idle(self, timeout: float = 10) -> bool:
        """Waits until nobody is connected any more."""
        return self._server.wait_until_idle(timeout)


class Script(Director):
    """Gives each request the first prepared reply that fits."""

    def __init__(self, replies: Iterable["Prepared | str"]) -> None:
        super().__init__()
        self._guard = threading.Lock()
        self._left: list[Prepared] = []
        self.add(replies)

    def add(self, replies: Iterable["Prepared | str"]) -> None:
        with self._guard:
            self._left += [Answer(reply) if isinstance(reply, str) else reply for reply in replies]

    def left(self) -> list[Prepared]:
        with self._guard:
            return list(self._left)

    def decide(self, question: Question, pause: Callable[[float], None], body: Any = None) -> Deed:
        match self._next(json.dumps(body, ensure_ascii=False)):
            case None:
                return Fault(400, message="the test has prepared no reply for this")
            case Answer() as answer:
                if answer.delay:
                    pause(answer.delay)
                return Say(
                    answer.text,
                    stop=answer.stop,
                    is_refusal=answer.refusal,
                    has_usage=answer.has_usage,
                    is_whole=answer.is_whole,
                )
            case Refuse(status, message, retry_after, headers, own):
                waits = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
                return Fault(status, message=message or None, headers={**waits, **headers}, body=own)
            case Raw(content, kind):
                return Say("", raw=content, raw_type=kind)
            case BreakOff(text):
                return Cut(text)
            case Hang(seconds, after):
                return Cut(after, seconds)

    def _next(self, body: str) -> Prepared | None:
        with self._guard:
            for place, reply in enumerate(self._left):
                if reply.when in body:
                    return self._left.pop(place)
        return None


@contextmanager
def model_endpoint(replies: Iterable[Prepared | str] = (), port: int = 0) -> Iterator[Endpoint]:
    script = Script(replies)
    with ModelServer(port, script) as server:
        yield Endpoint(server, script)


def _texts(body: Any) -> list[str]:
    said = body.get("messages") or body.get("input") or []
    system = body.get("system") or body.get("instructions") or ""
    return [*([_text_of(system)] if system else []), *(_text_of(message.get("content", "")) for message in said)]


def _text_of(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())
