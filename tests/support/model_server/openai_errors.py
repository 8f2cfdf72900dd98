"""The error shapes that OpenAI's two protocols share."""

import time

from tests.support.model_server.exchange import Refusal
from tests.support.model_server.script import Fault

_KINDS = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    429: ("requests", "rate_limit_exceeded"),
}
_MESSAGES = {
    400: "Invalid value.",
    401: "Incorrect API key provided.",
    429: "Rate limit reached for requests. Please try again later.",
}


def refusal(fault: Fault) -> Refusal:
    headers = {} if fault.retry_after is None else {"retry-after": str(fault.retry_after)}
    if fault.status == 429 and fault.reset is not None:
        return _used_up(fault.reset, headers, fault.message)
    kind, code = _KINDS.get(fault.status, ("server_error", None))
    message = fault.message or _MESSAGES.get(fault.status, "The server had an error while processing your request.")
    return Refusal(fault.status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, headers)


def _used_up(reset: int, headers: dict[str, str], message: str | None) -> Refusal:
    """The answer to a subscription whose five hours are used up."""
    error = {
        "type": "usage_limit_reached",
        "message": message or "The usage limit has been reached",
        "plan_type": "plus",
        "resets_at": reset,
        "resets_in_seconds": max(0, reset - int(time.time())),
    }
    windows = {
        "x-codex-primary-used-percent": "100.0",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": str(reset),
        "x-codex-secondary-used-percent": "41.0",
        "x-codex-secondary-window-minutes": "10080",
        "x-codex-secondary-reset-at": str(reset + 4 * 24 * 3600),
    }
    return Refusal(429, {"error": error}, {**headers, **windows})
