"""What a provider's refusals mean."""

import json

import pytest

from toryo.domain.report import Trouble
from toryo.rules.callfailures import MOST_WORDS, failure, failure_in_stream, failure_of, seconds_in

NOW = 1_800_000_000.0
QUOTA, API, LOGIN, OTHER = Trouble.QUOTA, Trouble.API, Trouble.LOGIN, Trouble.OTHER


def _openai(message: str, kind: str = "invalid_request_error", code: object = None) -> str:
    return json.dumps({"error": {"message": message, "type": kind, "code": code}})


@pytest.mark.covers("G27")
@pytest.mark.parametrize(
    ("status", "headers", "body", "trouble", "wait"),
    [
        (401, {}, _openai("Incorrect API key"), LOGIN, None),
        (403, {}, "", LOGIN, None),
        (404, {}, _openai("The model does not exist"), OTHER, None),
        (400, {}, _openai("bad value"), OTHER, None),
        (413, {}, "", OTHER, None),
        (301, {}, "", OTHER, None),
        (402, {"retry-after": "9"}, "", QUOTA, None),
        (429, {"retry-after": "9"}, _openai("no money", "insufficient_quota"), QUOTA, None),
        (400, {}, '{"error": {"message": "Your credit balance is too low to access the API"}}', QUOTA, None),
        (429, {}, "", QUOTA, None),
        (429, {"Retry-After": "7"}, "", QUOTA, 7.0),
        (429, {"retry-after-ms": "1500", "retry-after": "9"}, "", QUOTA, 1.5),
        (429, {"retry-after": "Fri, 15 Jan 2027 08:01:00 GMT"}, "", QUOTA, 60.0),
        (429, {"x-ratelimit-reset-requests": "1m30s", "x-ratelimit-reset-tokens": "20ms"}, "", QUOTA, 0.02),
        (
            429,
            {
                "x-ratelimit-reset-requests": "1m30s",
                "x-ratelimit-reset-tokens": "20ms",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-remaining-tokens": "5",
            },
            "",
            QUOTA,
            90.0,
        ),
        (429, {"x-ratelimit-reset": str(int((NOW + 5) * 1000))}, "", QUOTA, 5.0),
        (
            429,
            {
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:30Z",
                "anthropic-ratelimit-tokens-reset": "2027-01-15T08:00:10Z",
                "anthropic-ratelimit-requests-remaining": "0",
            },
            "",
            QUOTA,
            30.0,
        ),
        (429, {"anthropic-ratelimit-unified-reset": str(int(NOW) + 600)}, "", QUOTA, 600.0),
        (408, {}, "", API, None),
        (409, {}, "", API, None),
        (500, {}, "<html>oops</html>", API, None),
        (503, {"retry-after": "3"}, "", API, 3.0),
        (529, {}, _openai("Overloaded", "overloaded_error"), API, None),
    ],
)
def test_each_status_has_its_meaning(
    status: int, headers: dict[str, str], body: str, trouble: Trouble, wait: float | None
) -> None:
    failed = failure_of(status, headers, body, NOW)
    assert failed.trouble is trouble
    assert failed.retry_after == (pytest.approx(wait) if wait is not None else None)
    assert failed.message.startswith(f"HTTP {status}: ")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (_openai("The model `m` does not exist"), "HTTP 404: The model `m` does not exist"),
        ('{"detail": [{"msg": "extra field"}]}', "HTTP 404: extra field"),
        ('{"message": "gone"}', "HTTP 404: gone"),
        ("plain words\n on lines", "HTTP 404: plain words on lines"),
        ("<html><body>Not Found</body></html>", "HTTP 404: no message"),
        ("", "HTTP 404: no message"),
        ("[" * 100_000, "HTTP 404: [[["),
    ],
)
def test_the_providers_own_words_are_told(body: str, words: str) -> None:
    assert failure_of(404, {}, body, NOW).message.startswith(words)


@pytest.mark.covers("P47")
def test_messages_are_masked_and_bounded() -> None:
    told = failure_of(401, {}, _openai(f"Incorrect API key provided: sk-{'a1' * 20}. " + "x" * 5000), NOW).message
    assert "a1a1" not in told
    assert "[MASKED:OPENAI_KEY]" in told
    assert len(told) == MOST_WORDS
    assert failure(OTHER, "short").message == "short"


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, API),
        ({"type": "rate_limit_error", "message": "slow down"}, QUOTA),
        ({"type": "authentication_error", "message": "no"}, LOGIN),
        ({"type": "invalid_request_error", "message": "no"}, OTHER),
        ({"code": 429, "message": "slow down"}, QUOTA),
        ({"code": 502, "message": "upstream"}, API),
        ({"code": "context_length_exceeded", "type": "invalid_request_error", "message": "too long"}, OTHER),
        ({"type": "insufficient_quota", "message": "no money"}, QUOTA),
        ("just words", API),
        (None, API),
    ],
)
def test_an_error_within_a_stream_has_its_meaning(error: object, trouble: Trouble) -> None:
    assert failure_in_stream(error).trouble is trouble


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("", None), ("soon", None), ("nan", None), ("-5", 0.0), ("1e99", 31 * 24 * 3600.0), ("2h", 7200.0), ("6m0s", 360)],
)
def test_odd_times_are_not_believed(value: str, seconds: float | None) -> None:
    assert seconds_in(value, NOW) == seconds
