"""OpenAI Chat Completions: /v1/chat/completions."""

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.model_server import openai_errors
from tests.support.model_server.exchange import (
    Call,
    Heard,
    Question,
    Reply,
    Say,
    Tool,
    ToolResult,
    Usage,
    UserText,
    pieces,
)

refusal = openai_errors.refusal


def question(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Question:
    functions = [tool["function"] for tool in body.get("tools") or [] if tool.get("type") == "function"]
    wanted = body.get("response_format") or {}
    system = [m for m in body["messages"] if m["role"] in ("system", "developer")]
    return Question(
        model=body["model"],
        stream=bool(body.get("stream")),
        conversation=headers.get("x-session-affinity") or headers.get("x-opencode-session") or "",
        heard=tuple(entry for message in body["messages"] for entry in _heard(message)),
        tools=tuple(Tool(function["name"], function.get("parameters") or {}) for function in functions),
        system="\n".join(_text_of(message["content"]) for message in system),
        wanted_schema=(wanted.get("json_schema") or {}).get("schema"),
    )


def _heard(message: Mapping[str, Any]) -> Iterator[Heard]:
    if message["role"] == "tool":
        yield ToolResult(_text_of(message["content"]))
    elif message["role"] == "user":
        content = message["content"]
        texts = [content] if isinstance(content, str) else [p["text"] for p in content if p["type"] == "text"]
        yield from (UserText(text) for text in texts)


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def whole(question: Question, reply: Reply, usage: Usage) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    match reply:
        case Say(text):
            message["refusal" if reply.is_refusal else "content"] = text
        case Call(tool, arguments):
            message["tool_calls"] = [_call(tool, json.dumps(arguments))]
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply), "logprobs": None}
    told = {"usage": _usage(usage)} if _tells_usage(reply) else {}
    return {**_frame(question, "chat.completion"), "choices": [choice], **told}


def events(question: Question, reply: Reply, usage: Usage) -> Iterator[bytes]:
    frame = _frame(question, "chat.completion.chunk")
    for delta in _deltas(reply):
        yield _event({**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield _event({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(reply)}]})
    if _tells_usage(reply):
        yield _event({**frame, "choices": [], "usage": _usage(usage)})
    yield b"data: [DONE]\n\n"


def _deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    match reply:
        case Say(text):
            yield {"role": "assistant", "content": ""}
            for piece in pieces(text):
                yield {"refusal" if reply.is_refusal else "content": piece}
        case Call(tool, arguments):
            yield {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **_call(tool, "")}]}
            for piece in pieces(json.dumps(arguments)):
                yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


def _frame(question: Question, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex[:24]}",
        "object": kind,
        "created": int(time.time()),
        "model": question.model,
    }


def _call(tool: str, arguments: str) -> dict[str, Any]:
    name = f"call_{uuid.uuid4().hex[:24]}"
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def _finish(reply: Reply) -> str:
    return reply.stop or "stop" if isinstance(reply, Say) else "tool_calls"


def _tells_usage(reply: Reply) -> bool:
    return reply.has_usage if isinstance(reply, Say) else True


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cached_input},
    }


def _event(body: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()
