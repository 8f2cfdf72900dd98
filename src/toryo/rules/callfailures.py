"""What an answer other than a reply means: whose turn it is, and how long to wait."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from toryo.domain.calls import CallFailed
from toryo.domain.report import Trouble
from toryo.rules.masking import mask

MOST_WORDS = 500
"""Characters of a provider's message that are kept."""
_LONGEST_WAIT = 31 * 24 * 3600.0
_NO_MONEY = ("insufficient_quota", "billing_error", "billing_hard_limit_reached", "credit balance is too low")
"""What providers call an account that is empty: no waiting helps."""
_OVERLOADED = ("overloaded_error", "api_error", "timeout_error", "server_error")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_RESET = re.compile(r"(?:x-ratelimit|anthropic-ratelimit)(-[a-z0-9-]+)?-reset(-[a-z]+)?")


def failure_of(status: int, headers: Mapping[str, str], body: str, now: float) -> CallFailed:
    """What an HTTP answer with an error means; header names in any case."""
    named = {name.lower(): value.strip() for name, value in headers.items()}
    words = f"HTTP {status}: {worded(body) or 'no message'}"
    if status == 402 or (status in (400, 403, 429) and any(name in body for name in _NO_MONEY)):
        return failure(Trouble.QUOTA, words)
    match status:
        case 401 | 403:
            return failure(Trouble.LOGIN, words)
        case 429:
            return failure(Trouble.QUOTA, words, _asked_to_wait(named, now) or _until_reset(named, now))
        case 408 | 409 | 425:
            return failure(Trouble.API, words, _asked_to_wait(named, now))
        case _ if status >= 500:
            return failure(Trouble.API, words, _asked_to_wait(named, now))
        case _:
            return failure(Trouble.OTHER, words)


def failure_in_stream(error: object) -> CallFailed:
    """What an error means that came where the reply should have gone on."""
    body = json.dumps({"error": error}, ensure_ascii=False)
    fields = error if isinstance(error, dict) else {}
    code = fields.get("code") or fields.get("status")
    kind = str(fields.get("type") or "")
    words = f"the reply broke off: {worded(body) or kind or 'no message'}"
    if any(name in body for name in _NO_MONEY) or kind == "rate_limit_error":
        return failure(Trouble.QUOTA, words)
    if kind in ("authentication_error", "permission_error"):
        return failure(Trouble.LOGIN, words)
    if isinstance(code, int) and 400 <= code < 600 and kind not in _OVERLOADED:
        return failure(failure_of(code, {}, body, 0.0).trouble, words)
    return failure(Trouble.OTHER if kind in ("invalid_request_error", "not_found_error") else Trouble.API, words)


def failure(trouble: Trouble, words: str, retry_after: float | None = None) -> CallFailed:
    """A failure whose words are fit to be shown and kept."""
    plain = " ".join(mask(words).split())
    short = plain if len(plain) <= MOST_WORDS else plain[: MOST_WORDS - 1] + "…"
    return CallFailed(trouble, short, retry_after=retry_after)


def worded(body: str) -> str:
    """What the provider said, without the JSON around it."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip().startswith("<") else body.strip()
    return next(_messages(answer), "") or ("" if answer in ({}, [], None) else body.strip())


def _messages(answer: Any) -> Iterator[str]:
    if isinstance(answer, str):
        yield answer
    elif isinstance(answer, list):
        for item in answer[:3]:
            yield from _messages(item)
    elif isinstance(answer, dict):
        for name in ("error", "message", "detail", "msg"):
            if name in answer:
                yield from _messages(answer[name])


# ── how long to wait ─────────────────────────────────────────────────────────


def _asked_to_wait(headers: Mapping[str, str], now: float) -> float | None:
    if (wait := _number(headers.get("retry-after-ms", ""))) is not None:
        return _bounded(wait / 1000)
    return seconds_in(headers.get("retry-after", ""), now)


def _until_reset(headers: Mapping[str, str], now: float) -> float | None:
    """Of several limits the one that is used up; where that is not said, the first to be over."""
    resets: dict[str, float] = {}
    for name, value in headers.items():
        if (found := _RESET.fullmatch(name)) and (wait := seconds_in(value, now)) is not None:
            resets[(found[1] or "") + (found[2] or "")] = wait
    if "-unified" in resets:
        return resets["-unified"]
    spent = [wait for limit, wait in resets.items() if _is_spent(limit, headers)]
    return max(spent) if spent else min(resets.values(), default=None)


def _is_spent(limit: str, headers: Mapping[str, str]) -> bool:
    names = (f"x-ratelimit-remaining{limit}", f"anthropic-ratelimit{limit}-remaining")
    return any(headers.get(name) == "0" for name in names)


def seconds_in(value: str, now: float) -> float | None:
    """The seconds from now that a header means: seconds, `1m30s`, a moment since 1970, or a date."""
    if not value:
        return None
    if (number := _number(value)) is not None:
        if number > 1e11:
            number /= 1000  # a moment in milliseconds
        return _bounded(number - now if number > 1e9 else number)
    if found := _DURATION.fullmatch(value):
        hours, minutes, seconds, thousandths = (float(part or 0) for part in found.groups())
        return _bounded(hours * 3600 + minutes * 60 + seconds + thousandths / 1000)
    moment = _date(value)
    return None if moment is None else _bounded(moment - now)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _date(value: str) -> float | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return None


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_WAIT)
