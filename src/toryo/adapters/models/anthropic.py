"""Anthropic's Messages."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toryo.adapters.agents.lines import count, table, tables, text
from toryo.adapters.models.gathering import Gathering
from toryo.adapters.models.wire import Answer, Wire
from toryo.adapters.settingmodels import ModelSettings
from toryo.domain.calls import Call, Message, Reply, Speaker, Stop
from toryo.domain.report import Usage
from toryo.rules.callfailures import failure_in_stream

BASE_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_STOPS = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSAL,
}
_CACHED = {"cache_control": {"type": "ephemeral"}}


class AnthropicModel:
    def __init__(self, own: ModelSettings, key: str) -> None:
        self.name = f"anthropic/{own.model}"
        self._own = own
        headers = {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}
        base = (own.base_url or BASE_URL).rstrip("/").removesuffix("/v1")
        self._wire = Wire(f"{base}/v1/messages", headers, key, own.timeout)

    async def reply(self, call: Call, hear: Callable[[str], None]) -> Reply:
        gathering = Gathering(hear, self._own.model)
        async with self._wire.ask(self._body(call)) as answer:
            if answer.is_stream:
                await _follow(answer, gathering)
            else:
                _take_whole(await answer.whole(), gathering)
        return gathering.reply(call, self._own.price_in, self._own.price_out)

    def _body(self, call: Call) -> dict[str, Any]:
        system = {"system": [{"type": "text", "text": call.system, **_CACHED}]} if call.system else {}
        return {
            "model": self._own.model,
            **system,
            "messages": list(_messages(call.messages)),
            "max_tokens": min(call.max_tokens, self._own.max_tokens),
            "stream": True,
        }

    async def close(self) -> None:
        await self._wire.close()


def _messages(said: tuple[Message, ...]) -> Iterator[dict[str, Any]]:
    """What comes before the last question is what the next call will say again: it is worth being cached."""
    asked = [place for place, message in enumerate(said) if message.speaker is Speaker.USER]
    marked = asked[-2] if len(asked) > 1 else None
    for place, message in enumerate(said):
        block = {"type": "text", "text": message.text, **(_CACHED if place == marked else {})}
        yield {"role": message.speaker.value, "content": [block]}


async def _follow(answer: Answer, gathering: Gathering) -> None:
    told: dict[str, Any] = {}
    async for event in answer.events():
        match event.get("type"):
            case "message_start":
                told |= table(event, "message", "usage")
                gathering.model = text(table(event, "message"), "model") or gathering.model
            case "content_block_delta":
                gathering.add(text(table(event, "delta"), "text"))
            case "message_delta":
                told |= {name: value for name, value in table(event, "usage").items() if value is not None}
                if reason := text(table(event, "delta"), "stop_reason"):
                    gathering.end(_STOPS.get(reason, Stop.DONE))
            case "error":
                raise failure_in_stream(event.get("error"))
            case "message_stop":
                break
    gathering.usage = _usage(told)


def _take_whole(message: Mapping[str, Any], gathering: Gathering) -> None:
    if message.get("error"):
        raise failure_in_stream(message["error"])
    gathering.model = text(message, "model") or gathering.model
    for block in tables(message, "content"):
        gathering.add(text(block, "text"))
    if reason := text(message, "stop_reason"):
        gathering.end(_STOPS.get(reason, Stop.DONE))
    gathering.usage = _usage(table(message, "usage"))


def _usage(told: Mapping[str, Any]) -> Usage | None:
    cached = count(told, "cache_read_input_tokens")
    read = count(told, "input_tokens") + count(told, "cache_creation_input_tokens") + cached
    return Usage(read, count(told, "output_tokens"), cached) if read else None
