"""OpenAI's Chat Completions, and whatever speaks them: local servers, gateways, other providers."""

from collections.abc import Callable, Mapping
from typing import Any

from toryo.adapters.agents.lines import count, table, tables, text
from toryo.adapters.models.gathering import Gathering
from toryo.adapters.models.wire import Answer, Wire
from toryo.adapters.settingmodels import ModelSettings
from toryo.domain.calls import Call, CallFailed, Reply, Stop
from toryo.domain.report import Trouble, Usage
from toryo.rules.callfailures import failure_in_stream

BASE_URL = "https://api.openai.com/v1"
_STOPS = {"length": Stop.LENGTH, "max_tokens": Stop.LENGTH, "content_filter": Stop.REFUSAL}


class OpenAiModel:
    """Options that a server does not know are left out after its first complaint, and not tried again."""

    def __init__(self, own: ModelSettings, key: str) -> None:
        self.name = f"openai/{own.model}"
        self._own = own
        headers = {"authorization": f"Bearer {key}"} if key else {}
        url = f"{(own.base_url or BASE_URL).rstrip('/')}/chat/completions"
        self._wire = Wire(url, headers, key, own.timeout)
        self._dialect: Mapping[str, str] = {"limit": "max_tokens", "stream_options": "yes"}

    async def reply(self, call: Call, hear: Callable[[str], None]) -> Reply:
        tried = [self._dialect]
        while True:
            try:
                reply = await self._ask(call, hear, tried[-1])
            except CallFailed as failed:
                other = _simpler(tried[-1], failed)
                if other in tried or len(tried) > 2:
                    raise
                tried.append(other)
            else:
                self._dialect = tried[-1]
                return reply

    async def _ask(self, call: Call, hear: Callable[[str], None], dialect: Mapping[str, str]) -> Reply:
        gathering = Gathering(hear, self._own.model)
        async with self._wire.ask(self._body(call, dialect)) as answer:
            if answer.is_stream:
                await _follow(answer, gathering)
            else:
                _take_whole(await answer.whole(), gathering)
        return gathering.reply(call, self._own.price_in, self._own.price_out)

    def _body(self, call: Call, dialect: Mapping[str, str]) -> dict[str, Any]:
        system = [{"role": "system", "content": call.system}] if call.system else []
        messages = [{"role": said.speaker.value, "content": said.text} for said in call.messages]
        return {
            "model": self._own.model,
            "messages": [*system, *messages],
            dialect["limit"]: min(call.max_tokens, self._own.max_tokens),
            "stream": True,
            **({"stream_options": {"include_usage": True}} if dialect["stream_options"] else {}),
        }

    async def close(self) -> None:
        await self._wire.close()


def _simpler(dialect: Mapping[str, str], failed: CallFailed) -> dict[str, str]:
    """How to ask instead, if the complaint is about how it was asked; else as before."""
    other = dict(dialect)
    if failed.trouble is Trouble.OTHER and failed.message.startswith(("HTTP 400", "HTTP 422")):
        if "stream_options" in failed.message or "include_usage" in failed.message:
            other["stream_options"] = ""
        if "max_tokens" in failed.message and other["limit"] == "max_tokens":
            other["limit"] = "max_completion_tokens"
        elif "max_completion_tokens" in failed.message:
            other["limit"] = "max_tokens"
    return other


async def _follow(answer: Answer, gathering: Gathering) -> None:
    async for event in answer.events():
        if event.get("error"):
            raise failure_in_stream(event["error"])
        _note(event, gathering)
        for choice in tables(event, "choices"):
            if not count(choice, "index"):
                _take(choice, table(choice, "delta"), gathering)
    if answer.said_done and gathering.stop is None and gathering.has_text:
        gathering.end(Stop.DONE)  # some servers never say why a reply ended


def _take_whole(event: Mapping[str, Any], gathering: Gathering) -> None:
    if event.get("error"):
        raise failure_in_stream(event["error"])
    _note(event, gathering)
    for choice in tables(event, "choices"):
        if not count(choice, "index"):
            _take(choice, table(choice, "message"), gathering)
            gathering.end(gathering.stop or Stop.DONE)


def _take(choice: Mapping[str, Any], said: Mapping[str, Any], gathering: Gathering) -> None:
    gathering.add(_content(said))
    if text(said, "refusal"):
        gathering.add(text(said, "refusal"))
        gathering.end(Stop.REFUSAL)
    if reason := text(choice, "finish_reason"):
        gathering.end(_STOPS.get(reason, Stop.DONE))


def _content(said: Mapping[str, Any]) -> str:
    return text(said, "content") or "".join(text(part, "text") for part in tables(said, "content"))


def _note(event: Mapping[str, Any], gathering: Gathering) -> None:
    gathering.model = text(event, "model") or gathering.model
    usage = table(event, "usage")
    if count(usage, "prompt_tokens"):
        cached = count(table(usage, "prompt_tokens_details"), "cached_tokens")
        gathering.usage = Usage(count(usage, "prompt_tokens"), count(usage, "completion_tokens"), cached)
