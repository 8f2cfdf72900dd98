"""Reads the JSON body of a request, however it was sent."""

import gzip
import json
from collections.abc import Iterator
from typing import Any, Protocol

from tests.support.model_server.exchange import BadRequest

_MOST = 64 * 1024 * 1024


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def readline(self, size: int, /) -> bytes: ...


class Headers(Protocol):
    def get(self, name: str, default: str, /) -> str: ...


def read_body(stream: Stream, headers: Headers) -> Any:
    raw = _read_raw(stream, headers)
    encoding = headers.get("Content-Encoding", "identity").lower()
    try:
        if encoding == "gzip":
            raw = gzip.decompress(raw)
        elif encoding != "identity":
            raise BadRequest(f"unknown content encoding: {encoding}")
        return json.loads(raw)
    except (OSError, ValueError) as error:
        raise BadRequest(str(error)) from error


def _read_raw(stream: Stream, headers: Headers) -> bytes:
    if headers.get("Transfer-Encoding", "").lower() == "chunked":
        return b"".join(_chunks(stream))
    length = int(headers.get("Content-Length", "0"))
    if not 0 <= length <= _MOST:
        raise BadRequest(f"a body of {length} bytes")
    return stream.read(length)


def _chunks(stream: Stream) -> Iterator[bytes]:
    while size := int(stream.readline(64).partition(b";")[0], 16):
        yield stream.read(size)
        stream.readline(8)
    stream.readline(8)
