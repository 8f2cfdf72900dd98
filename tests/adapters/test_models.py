"""Models over HTTP, with real connections to an endpoint that misbehaves in every way we could think of."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.planning_server import (
    Answer,
    BreakOff,
    Endpoint,
    Hang,
    Prepared,
    Raw,
    Refuse,
    model_endpoint,
)

from toryo.adapters.models.known import model_with_key
from toryo.adapters.settingmodels import ModelSettings
from toryo.domain.calls import Call, CallFailed, Message, Reply, Speaker, Stop
from toryo.domain.report import Trouble
from toryo.ports import Model

KEY = "none-of-anybodys-keys-0123456789"
CALL = Call("You plan.", (Message(Speaker.USER, "Plan this: 日本語"),), max_tokens=500)
LONG_CALL = Call(
    "You plan.",
    (Message(Speaker.USER, "The files."), Message(Speaker.MODEL, "Seen."), Message(Speaker.USER, "Plan.")),
)
PROVIDERS = ("openai", "anthropic")


def _settings(provider: str, endpoint: Endpoint, **more: Any) -> ModelSettings:
    url = endpoint.openai_url if provider == "openai" else endpoint.url
    return replace(ModelSettings(provider, "m", url), **more)


@asynccontextmanager
async def _model(provider: str, endpoint: Endpoint, **more: Any) -> AsyncIterator[Model]:
    model = model_with_key(_settings(provider, endpoint, **more), KEY)
    try:
        yield model
    finally:
        await model.close()


async def _ask(provider: str, *replies: Prepared | str, call: Call = CALL, **more: Any) -> tuple[Reply, list[str], Any]:
    heard: list[str] = []
    with model_endpoint(replies) as endpoint:
        async with _model(provider, endpoint, **more) as model:
            reply = await model.reply(call, heard.append)
        return reply, heard, endpoint.requests


async def _fails(provider: str, *replies: Prepared | str, **more: Any) -> CallFailed:
    with pytest.raises(CallFailed) as failed:
        await _ask(provider, *replies, **more)
    assert KEY not in failed.value.message
    return failed.value


# ── replies ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("P23", "G35")
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_reply_comes_in_pieces_and_is_counted(provider: str) -> None:
    text = '{"tasks": []} 日本語\u2028\x85 と改行\n' * 50
    reply, heard, requests = await _ask(provider, text)
    assert reply.text == "".join(heard) == text
    assert len(heard) > 2
    assert reply.stop is Stop.DONE
    assert reply.usage.input_tokens > 10
    assert reply.usage.output_tokens > 100
    assert not reply.is_estimate
    assert reply.model == "m"
    assert requests[0].body["max_tokens"] == 500


async def test_openai_is_asked_in_its_own_way() -> None:
    _, _, requests = await _ask("openai", "fine", call=LONG_CALL)
    assert requests[0].path == "/v1/chat/completions"
    assert requests[0].headers["authorization"] == f"Bearer {KEY}"
    body = requests[0].body
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["stream_options"] == {"include_usage": True}
    assert "response_format" not in body


async def test_anthropic_is_asked_in_its_own_way_and_told_what_to_cache() -> None:
    _, _, requests = await _ask("anthropic", "fine", call=LONG_CALL)
    assert requests[0].path == "/v1/messages"
    assert requests[0].headers["x-api-key"] == KEY
    assert requests[0].headers["anthropic-version"] == "2023-06-01"
    body = requests[0].body
    assert body["system"] == [{"type": "text", "text": "You plan.", "cache_control": {"type": "ephemeral"}}]
    marked = ["cache_control" in message["content"][0] for message in body["messages"]]
    assert marked == [True, False, False]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_consecutive_calls_begin_with_the_same_bytes(provider: str) -> None:
    longer = replace(CALL, messages=(*CALL.messages, Message(Speaker.MODEL, "one"), Message(Speaker.USER, "More.")))
    with model_endpoint(["one", "two"]) as endpoint:
        async with _model(provider, endpoint) as model:
            await model.reply(CALL, lambda _: None)
            await model.reply(longer, lambda _: None)
        assert endpoint.shared_prefix(0, 1) == "\0".join(endpoint.conversations()[0])
        assert endpoint.left_over == []


@pytest.mark.parametrize(
    ("provider", "answer", "stop"),
    [
        ("openai", Answer("cut", stop="length"), Stop.LENGTH),
        ("openai", Answer("no", stop="content_filter"), Stop.REFUSAL),
        ("openai", Answer("I will not", refusal=True), Stop.REFUSAL),
        ("openai", Answer("I will not", refusal=True, is_whole=True), Stop.REFUSAL),
        ("openai", Answer("odd", stop="something_new"), Stop.DONE),
        ("anthropic", Answer("cut", stop="max_tokens"), Stop.LENGTH),
        ("anthropic", Answer("no", stop="refusal"), Stop.REFUSAL),
        ("anthropic", Answer("ok", stop="stop_sequence"), Stop.DONE),
    ],
)
async def test_why_a_reply_ended_is_told(provider: str, answer: Answer, stop: Stop) -> None:
    reply, _, _ = await _ask(provider, answer)
    assert (reply.text, reply.stop) == (answer.text, stop)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_whole_body_is_as_good_as_a_stream(provider: str) -> None:
    reply, heard, _ = await _ask(provider, Answer("all at once", is_whole=True))
    assert (reply.text, heard, reply.is_estimate) == ("all at once", ["all at once"], False)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("is_whole", [True, False])
async def test_without_usage_it_is_estimated(provider: str, is_whole: bool) -> None:
    reply, _, _ = await _ask(provider, Answer("日本語です", has_usage=False, is_whole=is_whole), price_out=1_000.0)
    assert reply.is_estimate
    assert reply.usage.output_tokens == 5
    assert reply.usage.usd == pytest.approx(0.005)


async def test_cached_tokens_are_told() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 64}}
    done = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}], "usage": usage}
    reply, _, _ = await _ask("openai", Raw(f"data: {json.dumps(done)}\n\ndata: [DONE]\n\n".encode()))
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (100, 64, 5)
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 70, "output_tokens": 3}
    whole = {"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "usage": usage}
    reply, _, _ = await _ask("anthropic", Raw(json.dumps(whole).encode(), "application/json"))
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (100, 70, 3)


async def test_a_server_need_not_say_why_a_reply_ended() -> None:
    reply, _, _ = await _ask("openai", Raw(_UNFINISHED + b"data: [DONE]\n\n"))
    assert (reply.text, reply.stop) == ("half a thought", Stop.DONE)


async def test_a_server_without_key_gets_none() -> None:
    with model_endpoint(["fine"]) as endpoint:
        model = model_with_key(_settings("openai", endpoint), "")
        await model.reply(CALL, lambda _: None)
        await model.close()
        assert "authorization" not in endpoint.requests[0].headers


# ── servers that know less ───────────────────────────────────────────────────


@pytest.mark.parametrize("status", [400, 422])
async def test_options_that_a_server_does_not_know_are_left_out_from_then_on(status: int) -> None:
    refusals = [
        Refuse(status, "Unrecognized request argument supplied: stream_options"),
        Refuse(status, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    ]
    with model_endpoint([*refusals, "one", "two"]) as endpoint:
        async with _model("openai", endpoint) as model:
            assert (await model.reply(CALL, lambda _: None)).text == "one"
            assert (await model.reply(CALL, lambda _: None)).text == "two"
        assert len(endpoint.bodies) == 4
        for body in endpoint.bodies[2:]:
            assert "stream_options" not in body
            assert "max_tokens" not in body
            assert body["max_completion_tokens"] == 500


async def test_a_server_that_never_has_enough_is_asked_no_further() -> None:
    refusal = "max_tokens is too large; max_completion_tokens too; and so is stream_options"
    with model_endpoint([Refuse(400, refusal)] * 9) as endpoint:
        async with _model("openai", endpoint) as model:
            with pytest.raises(CallFailed, match="too large"):
                await model.reply(CALL, lambda _: None)
        assert len(endpoint.requests) <= 3


# ── refusals and broken connections ──────────────────────────────────────────


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("refusal", "trouble", "wait"),
    [
        (Refuse(401), Trouble.LOGIN, None),
        (Refuse(401, f"nobody knows {KEY} here"), Trouble.LOGIN, None),
        (Refuse(404, "no such model"), Trouble.OTHER, None),
        (Refuse(429, retry_after=2), Trouble.QUOTA, 2.0),
        (Refuse(429, headers={"retry-after-ms": "250"}), Trouble.QUOTA, 0.25),
        (Refuse(500), Trouble.API, None),
        (Refuse(529, retry_after=4), Trouble.API, 4.0),
    ],
)
async def test_a_refusal_says_whose_turn_it_is(
    provider: str, refusal: Refuse, trouble: Trouble, wait: float | None
) -> None:
    failed = await _fails(provider, refusal)
    assert (failed.trouble, failed.retry_after) == (trouble, wait)
    assert refusal.message.replace(KEY, "[MASKED:KEY]") in failed.message


_HALF = b'data: {"type": "content_block_delta", "choices": [{"delta": {"content": "ha'
_UNFINISHED = b'data: {"choices": [{"index": 0, "delta": {"content": "half a thought"}}]}\n\n'
_OVERLOADED = (
    b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n'
)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "fault",
    [
        BreakOff(),
        Raw(_HALF),
        Raw(_UNFINISHED),
        Raw(_OVERLOADED),
        Raw(b"data: [DONE]\n\n"),
        Raw(b"data: [1, 2]\n\n"),
        Raw(b"data: {nonsense}\n\n"),
        Raw(b""),
        Raw(b"<html>a login page</html>", "text/html"),
        Raw(b'{"choices": [{"message"', "application/json"),
        Raw(b"[]", "application/json"),
        Raw(b"{}", "application/json"),
        Raw(b"\xff\xfe\x00 not text at all \xff", "application/json"),
    ],
    ids=repr,
)
async def test_what_is_no_reply_is_the_apis_fault(provider: str, fault: Prepared) -> None:
    assert (await _fails(provider, fault)).trouble is Trouble.API


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_an_error_within_a_stream_is_told_in_its_own_words(provider: str) -> None:
    assert "Overloaded" in (await _fails(provider, Raw(_OVERLOADED))).message


@pytest.mark.covers("G27", "B2")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", [Hang(60, after="some words"), Answer("late", delay=60)], ids=["midway", "at once"])
async def test_silence_ends_a_call(provider: str, fault: Prepared) -> None:
    before = time.monotonic()
    failed = await _fails(provider, fault, timeout=0.4)
    assert failed.trouble is Trouble.API
    assert "nothing was heard" in failed.message
    assert time.monotonic() - before < 10


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_reply_without_end_is_given_up(provider: str) -> None:
    failed = await _fails(provider, Answer("x" * 2_100_000))
    assert failed.trouble is Trouble.OTHER
    assert "longer than" in failed.message


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://no.such.host.invalid", "https://127.0.0.1:1"], ids=["refused", "dns", "tls"]
)
async def test_nobody_there_is_the_apis_fault(provider: str, url: str) -> None:
    model = model_with_key(ModelSettings(provider, "m", url), KEY)
    with pytest.raises(CallFailed) as failed:
        await model.reply(CALL, lambda _: None)
    await model.close()
    assert failed.value.trouble is Trouble.API
    assert url in failed.value.message


async def test_a_server_without_tls_is_the_apis_fault() -> None:
    with model_endpoint() as endpoint:
        model = model_with_key(ModelSettings("openai", "m", endpoint.url.replace("http", "https")), KEY)
        with pytest.raises(CallFailed) as failed:
            await model.reply(CALL, lambda _: None)
        await model.close()
    assert failed.value.trouble is Trouble.API


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_cancelling_closes_the_connection_at_once(provider: str) -> None:
    with model_endpoint([Hang(60, after="some words")]) as endpoint:
        async with _model(provider, endpoint) as model:
            begun = asyncio.Event()
            asking = asyncio.create_task(model.reply(CALL, lambda _: begun.set()))
            async with asyncio.timeout(10):
                await begun.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert await asyncio.to_thread(endpoint.wait_until_idle, 5)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_after_a_failure_the_next_call_works(provider: str) -> None:
    with model_endpoint([Refuse(500), BreakOff(), "fine"]) as endpoint:
        async with _model(provider, endpoint) as model:
            for _ in range(2):
                with pytest.raises(CallFailed):
                    await model.reply(CALL, lambda _: None)
            assert (await model.reply(CALL, lambda _: None)).text == "fine"


# ── scripted ─────────────────────────────────────────────────────────────────


def _scripted(path: Path, text: str) -> Model:
    path.write_text(text, encoding="utf-8")
    return model_with_key(ModelSettings("scripted", scenario=path), "")


@pytest.mark.covers("P37")
async def test_a_scenario_replies_in_order_or_as_it_fits(tmp_path: Path) -> None:
    model = _scripted(
        tmp_path / "s.yaml",
        """
replies:
  - {when: "Review", text: "looks good", repeat: true}
  - json: {tasks: [{key: T1, title: 日本語}]}
  - fail: {trouble: quota, retry_after: 3, message: come back later}
  - {text: cut, stop: length}
""",
    )
    heard: list[str] = []
    review = replace(CALL, messages=(Message(Speaker.USER, "Review this."),))
    first = await model.reply(CALL, heard.append)
    assert json.loads(first.text) == {"tasks": [{"key": "T1", "title": "日本語"}]}
    assert "".join(heard) == first.text
    assert (first.model, first.is_estimate) == ("scripted", True)
    for _ in range(2):
        assert (await model.reply(review, heard.append)).text == "looks good"
    with pytest.raises(CallFailed, match="come back later") as failed:
        await model.reply(CALL, heard.append)
    assert (failed.value.trouble, failed.value.retry_after) == (Trouble.QUOTA, 3.0)
    assert (await model.reply(CALL, heard.append)).stop is Stop.LENGTH
    with pytest.raises(CallFailed, match="no reply is left for: Plan this") as failed:
        await model.reply(CALL, heard.append)
    assert failed.value.trouble is Trouble.OTHER


@pytest.mark.parametrize("text", ["{", "5", "[5]", "[{}]", "[{text: a, json: b}]", "[{text: a, stop: never}]"])
async def test_a_scenario_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(CallFailed, match="scenario"):
        await _scripted(tmp_path / "s.yaml", text).reply(CALL, lambda _: None)
