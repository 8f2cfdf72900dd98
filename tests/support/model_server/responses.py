"""OpenAI Responses: /v1/responses."""

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
_RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


def question(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Question:
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    tools = [Tool(tool.get("name") or tool["type"], tool.get("parameters") or {}) for tool in body.get("tools") or []]
    return Question(
        model=body["model"],
        stream=bool(body.get("stream")),
        conversation=body.get("prompt_cache_key") or headers.get("session_id") or "",
        heard=tuple(entry for item in items for entry in _heard(item)),
        tools=tuple(tools),
        system=body.get("instructions") or "",
        wanted_schema=((body.get("text") or {}).get("format") or {}).get("schema"),
    )


def _heard(item: Mapping[str, Any]) -> Iterator[Heard]:
    if item.get("type") in _RESULTS:
        output = item.get("output")
        yield ToolResult(output if isinstance(output, str) else json.dumps(output))
    elif item.get("role") == "user":
        content = item["content"]
        if isinstance(content, str):
            yield UserText(content)
            return
        for part in content:
            if part["type"] == "input_text":
                yield UserText(part["text"])


def whole(question: Question, reply: Reply, usage: Usage) -> dict[str, Any]:
    return {**_response(question), "status": "completed", "output": [_item(reply)], "usage": _usage(usage)}


def events(question: Question, reply: Reply, usage: Usage) -> Iterator[bytes]:
    response = _response(question)
    item = _item(reply)
    bodies: list[dict[str, Any]] = [
        {"type": "response.created", "response": response},
        {"type": "response.in_progress", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, **_empty(reply)}},
        *(_text_events(item, reply.text) if isinstance(reply, Say) else _call_events(item)),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": [item], "usage": _usage(usage)},
        },
    ]
    for number, body in enumerate(bodies):
        yield f"event: {body['type']}\ndata: {json.dumps({**body, 'sequence_number': number})}\n\n".encode()


def _text_events(item: Mapping[str, Any], text: str) -> Iterator[dict[str, Any]]:
    where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    part = item["content"][0]
    yield {"type": "response.content_part.added", **where, "part": {**part, "text": ""}}
    for piece in pieces(text):
        yield {"type": "response.output_text.delta", **where, "delta": piece}
    yield {"type": "response.output_text.done", **where, "text": text}
    yield {"type": "response.content_part.done", **where, "part": part}


def _call_events(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    where = {"item_id": item["id"], "output_index": 0}
    for piece in pieces(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **where, "delta": piece}
    yield {"type": "response.function_call_arguments.done", **where, "arguments": item["arguments"]}


def _response(question: Question) -> dict[str, Any]:
    return {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "in_progress",
        "model": question.model,
        "output": [],
        "error": None,
        "incomplete_details": None,
        "usage": None,
    }


def _item(reply: Reply) -> dict[str, Any]:
    match reply:
        case Say(text):
            content = [{"type": "output_text", "text": text, "annotations": []}]
            name = f"msg_{uuid.uuid4().hex}"
            return {"type": "message", "id": name, "status": "completed", "role": "assistant", "content": content}
        case Call(tool, arguments):
            return {
                "type": "function_call",
                "id": f"fc_{uuid.uuid4().hex}",
                "status": "completed",
                "call_id": f"call_{uuid.uuid4().hex[:24]}",
                "name": tool,
                "arguments": json.dumps(arguments),
            }


def _empty(reply: Reply) -> dict[str, Any]:
    return {"status": "in_progress", **({"content": []} if isinstance(reply, Say) else {"arguments": ""})}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached_input},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total,
    }
