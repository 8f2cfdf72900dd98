"""Gemini: /v1beta/models/MODEL:generateContent and :streamGenerateContent."""

import json
import re
import time
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

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
_MESSAGES = {
    400: "API key not valid. Please pass a valid API key.",
    401: "Request had invalid authentication credentials.",
    429: "You exceeded your current quota, please check your plan and billing details.",
    503: "The model is overloaded. Please try again later.",
}
_PROJECT = re.compile(r"temporary directory is: (.+)")
_TYPE = "type.googleapis.com/google.rpc"
_METRIC = "generativelanguage.googleapis.com/generate_content_free_tier_requests"


def question(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Question:
    model, _, method = path.rpartition("/")[2].partition(":")
    declared = [d for tool in body.get("tools") or [] for d in tool.get("functionDeclarations") or []]
    wanted = body.get("generationConfig") or {}
    system = (body.get("systemInstruction") or {}).get("parts") or []
    heard = tuple(entry for content in body["contents"] for entry in _heard(content))
    return Question(
        model=model,
        stream=method == "streamGenerateContent",
        conversation=_project_in(heard),
        heard=heard,
        tools=tuple(Tool(d["name"], d.get("parametersJsonSchema") or d.get("parameters") or {}) for d in declared),
        system="\n".join(part.get("text", "") for part in system),
        wanted_schema=wanted.get("responseJsonSchema") or wanted.get("responseSchema"),
    )


def _project_in(heard: tuple[Heard, ...]) -> str:
    """Gemini sends no name of the conversation; the folder that it keeps for the project comes nearest."""
    found = _PROJECT.search(heard[0].text) if heard else None
    return found[1] if found else ""


def _heard(content: Mapping[str, Any]) -> Iterator[Heard]:
    if content.get("role", "user") != "user":
        return
    for part in content["parts"]:
        if "text" in part:
            yield UserText(part["text"])
        elif "functionResponse" in part:
            yield ToolResult(json.dumps(part["functionResponse"].get("response")))


def whole(question: Question, reply: Reply, usage: Usage) -> dict[str, Any]:
    return _answer(question, _part(reply), usage, finish="STOP")


def events(question: Question, reply: Reply, usage: Usage) -> Iterator[bytes]:
    match reply:
        case Say(text):
            *first, last = [{"text": piece} for piece in pieces(text)]
        case Call():
            first, last = [], _part(reply)
    for part in first:
        yield _event(_answer(question, part, usage))
    yield _event(_answer(question, last, usage, finish="STOP"))


def refusal(fault: Fault) -> Refusal:
    error: dict[str, Any] = {
        "code": fault.status,
        "message": fault.message or _MESSAGES.get(fault.status, "An internal error has occurred."),
        "status": _STATUSES.get(fault.status, "INTERNAL"),
    }
    if fault.status == 429 and (fault.reset is not None or fault.retry_after is not None):
        error["details"] = _quota(fault)
    return Refusal(fault.status, {"error": error}, {})


def _quota(fault: Fault) -> list[dict[str, Any]]:
    """With a reset time the quota of the day is used up, else that of the minute."""
    window = "Minute" if fault.reset is None else "Day"
    delay = fault.retry_after if fault.reset is None else max(1, fault.reset - int(time.time()))
    violation = {
        "quotaMetric": _METRIC,
        "quotaId": f"GenerateRequestsPer{window}PerProjectPerModel-FreeTier",
        "quotaDimensions": {"location": "global", "model": "scripted"},
        "quotaValue": "10",
    }
    return [
        {"@type": f"{_TYPE}.QuotaFailure", "violations": [violation]},
        {"@type": f"{_TYPE}.RetryInfo", "retryDelay": f"{delay}s"},
    ]


def _answer(question: Question, part: Mapping[str, Any], usage: Usage, finish: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [part]}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "usageMetadata": _usage(usage), "modelVersion": question.model}


def _part(reply: Reply) -> dict[str, Any]:
    match reply:
        case Say(text):
            return {"text": text}
        case Call(tool, arguments):
            return {"functionCall": {"name": tool, "args": arguments}}


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "promptTokenCount": usage.input,
        "cachedContentTokenCount": usage.cached_input,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.total,
    }


def _event(body: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\r\n\r\n".encode()
