"""Anthropic Messages: /v1/messages."""

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.model_server.exchange import (
    Call,
    Heard,
    Question,
    Refusal,
    Reply,
    Say,
    Tool,
    ToolResult,
    Usage,
    UserText,
    pieces,
)
from tests.support.model_server.script import Fault

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_MESSAGES = {
    400: "messages: the request is not valid",
    401: "invalid x-api-key",
    429: "This request would exceed your account's rate limit. Please try again later.",
    529: "Overloaded",
}


def question(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Question:
    heard = [entry for message in body["messages"] for entry in _heard(message)]
    tools = [Tool(tool["name"], tool.get("input_schema") or {}) for tool in body.get("tools") or []]
    output_format = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    return Question(
        model=body["model"],
        stream=bool(body.get("stream")),
        conversation=headers.get("x-claude-code-session-id") or str(body.get("metadata") or ""),
        heard=tuple(heard),
        tools=tuple(tools),
        system=_text_of(body.get("system") or ""),
        wanted_schema=output_format.get("schema"),
    )


def _heard(message: Mapping[str, Any]) -> Iterator[Heard]:
    if message["role"] != "user":
        return
    content = message["content"]
    if isinstance(content, str):
        yield UserText(content)
        return
    for block in content:
        if block["type"] == "text":
            yield UserText(block["text"])
        elif block["type"] == "tool_result":
            yield ToolResult(_text_of(block.get("content") or ""))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)


def whole(question: Question, reply: Reply, usage: Usage) -> dict[str, Any]:
    return {
        **_empty_message(question),
        "content": [_block(reply)],
        "stop_reason": _stop_reason(reply),
        "usage": _usage(usage, reply),
    }


def events(question: Question, reply: Reply, usage: Usage) -> Iterator[bytes]:
    started = {**_empty_message(question), "usage": {**_usage(usage, reply), "output_tokens": 1}}
    yield _event("message_start", message=started)
    empty: dict[str, Any] = {"text": ""} if isinstance(reply, Say) else {"input": {}}
    yield _event("content_block_start", index=0, content_block={**_block(reply), **empty})
    yield _event("ping")
    match reply:
        case Say(text):
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces(text)]
        case Call(_, arguments):
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(json.dumps(arguments))]
    for delta in deltas:
        yield _event("content_block_delta", index=0, delta=delta)
    yield _event("content_block_stop", index=0)
    end = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=_usage(usage, reply))
    yield _event("message_stop")


def refusal(fault: Fault) -> Refusal:
    kind = _ERROR_TYPES.get(fault.status, "api_error")
    message = fault.message or _MESSAGES.get(fault.status, "Internal server error")
    request_id = f"req_{uuid.uuid4().hex[:24]}"
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}
    headers = {"request-id": request_id}
    if fault.retry_after is not None:
        headers["retry-after"] = str(fault.retry_after)
    if fault.status == 429 and fault.reset is not None:
        headers |= _used_up(fault.reset)
    return Refusal(fault.status, body, headers)


def _used_up(reset: int) -> dict[str, str]:
    """The headers of a subscription whose five hours are used up."""
    unified = "anthropic-ratelimit-unified"
    return {
        f"{unified}-status": "rejected",
        f"{unified}-reset": str(reset),
        f"{unified}-representative-claim": "five_hour",
        f"{unified}-5h-status": "rejected",
        f"{unified}-5h-reset": str(reset),
        f"{unified}-5h-utilization": "1.0",
        f"{unified}-7d-status": "allowed",
        f"{unified}-7d-reset": str(reset + 4 * 24 * 3600),
        f"{unified}-7d-utilization": "0.41",
        f"{unified}-overage-status": "rejected",
        f"{unified}-overage-disabled-reason": "org_level_disabled",
    }


def _empty_message(question: Question) -> dict[str, Any]:
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": question.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _block(reply: Reply) -> dict[str, Any]:
    match reply:
        case Say(text):
            return {"type": "text", "text": text}
        case Call(tool, arguments):
            return {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": tool, "input": arguments}


def _stop_reason(reply: Reply) -> str:
    return reply.stop or "end_turn" if isinstance(reply, Say) else "tool_use"


def _usage(usage: Usage, reply: Reply) -> dict[str, int]:
    if isinstance(reply, Say) and not reply.has_usage:
        return {}
    return {
        "input_tokens": usage.fresh_input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_input,
        "output_tokens": usage.output,
    }


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
