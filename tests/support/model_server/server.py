"""The HTTP side: routes, streaming, broken connections."""

import json
import select
import socket
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol

from tests.support.model_server import anthropic, chat, gemini, responses
from tests.support.model_server.bodies import read_body
from tests.support.model_server.director import Cut, Director
from tests.support.model_server.exchange import BadRequest, Call, Question, Refusal, Reply, Say, ToolResult, Usage
from tests.support.model_server.records import Record, Records
from tests.support.model_server.script import BadScript, Fault


class Dialect(Protocol):
    """A provider's protocol; each is a module."""

    def question(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Question: ...
    def whole(self, question: Question, reply: Reply, usage: Usage) -> dict[str, Any]: ...
    def events(self, question: Question, reply: Reply, usage: Usage) -> Iterator[bytes]: ...
    def refusal(self, fault: Fault) -> Refusal: ...


def dialect_of(path: str) -> Dialect | None:
    match path.rsplit("/v1", 1)[-1]:
        case "/messages":
            return anthropic
        case "/responses":
            return responses
        case "/chat/completions":
            return chat
        case tail if tail.endswith((":generateContent", ":streamGenerateContent")):
            return gemini
        case _:
            return None


class HungUp(Exception):
    """The client did not wait for the answer."""


class ModelServer(ThreadingHTTPServer):
    """A scripted model; `with ModelServer() as server: ... server.url`."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int = 0, director: Director | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.records = Records()
        self.director = director or Director()
        self._open: set[socket.socket] = set()
        self._open_changed = threading.Condition()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def prompts(self) -> dict[str, int]:
        return self.records.prompts()

    def requests(self) -> tuple[Record, ...]:
        return self.records.all()

    def wait_until_idle(self, timeout: float = 10) -> bool:
        """Waits until nobody is connected any more."""
        with self._open_changed:
            return self._open_changed.wait_for(lambda: not self._open, timeout)

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self._thread.join()
        with self._open_changed:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_changed:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_changed:
            self._open.discard(request)
            self._open_changed.notify_all()
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients come and go as they like; that is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 120
    server: ModelServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is http.server's
        """Silent: tests read the records."""

    def do_HEAD(self) -> None:
        self._note(None)
        self._send_json(200, {})

    def do_GET(self) -> None:
        self._note(None)
        if self._path.endswith("/models"):
            listed = [{"id": "scripted", "object": "model", "created": 0, "owned_by": "tests"}]
            self._send_json(200, {"object": "list", "data": listed})
        else:
            self._send_json(404, {"error": {"message": "not found", "type": "not_found_error", "code": 404}})

    def do_POST(self) -> None:
        dialect = dialect_of(self._path)
        try:
            self._post(dialect)
        except (BadRequest, BadScript, KeyError, TypeError, ValueError, AttributeError) as error:
            self.close_connection = True
            fault = Fault(400, message=f"bad request: {type(error).__name__}: {error}")
            self._refuse((dialect or chat).refusal(fault))
        except (HungUp, OSError):
            self.close_connection = True

    def _post(self, dialect: Dialect | None) -> None:
        body = read_body(self.rfile, self.headers)
        if dialect is None:
            self._note(body)
            self._send_small_answer(body)
            return
        question = dialect.question(self._path, _lower(self.headers), body)
        self._note(body, question)
        deed = self.server.director.decide(question, self._pause, body)
        if isinstance(deed, Fault):
            refusal = dialect.refusal(deed)
            self._send_json(refusal.status, deed.body or refusal.body, {**refusal.headers, **deed.headers})
            return
        cut = deed if isinstance(deed, Cut) else None
        reply = Say(cut.text) if cut else deed
        assert not isinstance(reply, Cut)
        usage = _usage_of(body, question, reply)
        if isinstance(reply, Say) and reply.raw is not None:
            self._send_raw(reply.raw, reply.raw_type)
        elif question.stream and not (isinstance(reply, Say) and reply.is_whole):
            self._stream(list(dialect.events(question, reply, usage)), cut)
        else:
            self._send_json(200, dialect.whole(question, reply, usage), cut=cut is not None)

    @property
    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _note(self, body: Any, question: Question | None = None) -> None:
        self.server.records.add(Record(self.command, self.path, _lower(self.headers), body, question))

    def _pause(self, seconds: float) -> None:
        """Waits; a client that hangs up, or the end of the server, ends it at once."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise HungUp

    def _send_small_answer(self, body: Any) -> None:
        tokens = _tokens(body)
        if self._path.endswith("/count_tokens"):
            self._send_json(200, {"input_tokens": tokens})
        elif self._path.endswith(":countTokens"):
            self._send_json(200, {"totalTokens": tokens})
        else:
            self._send_json(404, {"error": {"message": "not found", "type": "not_found_error", "code": 404}})

    def _refuse(self, refusal: Refusal) -> None:
        self._send_json(refusal.status, refusal.body, refusal.headers)

    def _send_json(
        self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None, *, cut: bool = False
    ) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = self.close_connection or cut

    def _send_raw(self, content: bytes, kind: str) -> None:
        """Ends with the connection, as some servers do."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, events: list[bytes], cut: Cut | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("request-id", f"req_{uuid.uuid4().hex[:24]}")
        self.end_headers()
        for event in events[: len(events) // 2] if cut else events:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
            self.wfile.flush()
        if cut:
            self._pause(cut.pause)
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _tokens(thing: Any) -> int:
    return max(1, len(json.dumps(thing, ensure_ascii=False)) // 4)


def _usage_of(body: Any, question: Question, reply: Reply) -> Usage:
    """About what a real model would count; what was sent before comes from the cache."""
    tokens = _tokens(body)
    cached = tokens * 3 // 4 if any(isinstance(entry, ToolResult) for entry in question.heard) else 0
    output = reply.text if isinstance(reply, Say) else dict(reply.arguments)
    return Usage(tokens - cached, cached, _tokens(output) + (12 if isinstance(reply, Call) else 0))
