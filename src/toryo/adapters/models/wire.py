"""One exchange over HTTP: a question in JSON, an answer as a stream or whole, and every way in which it can fail."""

import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from toryo import __version__
from toryo.adapters.models.serverevents import payloads
from toryo.domain.calls import CallFailed
from toryo.domain.report import Trouble
from toryo.rules.callfailures import failure, failure_of

if TYPE_CHECKING:
    import httpx

CONNECT_TIME = 10.0
MOST_TEXT = 2_000_000
"""Characters of a reply; no plan is that long."""
_MOST_BYTES = 64_000_000
"""Of an answer with everything around the text: some servers send 300 bytes for each word."""
_MOST_COMPLAINT = 64_000


class Wire:
    """The connection to one endpoint, made when it is first needed and kept from call to call."""

    def __init__(self, url: str, headers: Mapping[str, str], secret: str, timeout: float) -> None:
        self._url = url
        self._headers = {**headers, "user-agent": f"toryo/{__version__}"}
        self._secret = secret
        self._timeout = timeout
        self._client: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def ask(self, body: Mapping[str, Any]) -> AsyncIterator["Answer"]:
        """Sends the question; the connection is closed as soon as nobody listens any more."""
        import httpx

        try:
            content, kind = _as_json(body), {"content-type": "application/json"}
            async with self._connected().stream("POST", self._url, content=content, headers=kind) as response:
                answer = Answer(response, self._secret)
                if response.status_code != 200:
                    raise await answer.refusal()
                yield answer
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise failure(Trouble.OTHER, f"{self._url}: {error}") from None
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise failure(Trouble.API, f"{self._url}: {self._words(error)}") from None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _connected(self) -> "httpx.AsyncClient":
        import httpx

        if self._client is None:
            limits = httpx.Timeout(self._timeout, connect=CONNECT_TIME, pool=CONNECT_TIME)
            try:
                self._client = httpx.AsyncClient(headers=self._headers, timeout=limits)
            except (ValueError, ImportError) as error:  # a proxy or a key that cannot be used as it is written
                raise failure(Trouble.OTHER, f"{self._url}: {error}") from None
        return self._client

    def _words(self, error: Exception) -> str:
        import httpx

        match error:
            case httpx.ConnectTimeout():
                return f"no connection within {CONNECT_TIME:g} seconds"
            case httpx.TimeoutException():
                return f"nothing was heard for {self._timeout:g} seconds"
            case _:
                return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class Answer:
    """What came back, to be read once. Some servers repeat the key they refuse: it is taken out of everything."""

    def __init__(self, response: "httpx.Response", secret: str) -> None:
        self._response = response
        self._secret = secret
        self.said_done = False
        """The stream ended as it should."""

    @property
    def is_stream(self) -> bool:
        """Some servers answer whole though a stream was asked for."""
        return "json" not in self._response.headers.get("content-type", "").lower()

    async def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """The JSON objects of the stream; `[DONE]` ends it."""
        async for payload in payloads(self._bytes()):
            if payload.strip() == "[DONE]":
                self.said_done = True
                return
            yield _object(self._clean(payload))

    async def whole(self) -> Mapping[str, Any]:
        content = b"".join([chunk async for chunk in self._bytes()])
        return _object(self._clean(content.decode("utf-8", errors="replace")))

    async def refusal(self) -> CallFailed:
        body = b""
        async for chunk in self._response.aiter_bytes():
            body += chunk
            if len(body) > _MOST_COMPLAINT:
                break
        text = self._clean(body.decode("utf-8", errors="replace"))[:_MOST_COMPLAINT]
        return failure_of(self._response.status_code, self._response.headers, text, time.time())

    def _clean(self, text: str) -> str:
        return text.replace(self._secret, "[MASKED:KEY]") if self._secret else text

    async def _bytes(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._response.aiter_bytes():
            size += len(chunk)
            if size > _MOST_BYTES:
                raise failure(Trouble.OTHER, f"the answer is longer than {_MOST_BYTES // 1_000_000} MB")
            yield chunk


def _as_json(body: Mapping[str, Any]) -> bytes:
    """Halves of characters, which a person's terminal or a model may have said, are no UTF-8."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise failure(Trouble.API, f"the server sent something that is no JSON: {text[:80]}") from None
    if not isinstance(found, dict):
        raise failure(Trouble.API, f"the server sent something that is no object: {text[:80]}")
    return found
