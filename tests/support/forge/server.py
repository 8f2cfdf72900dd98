"""The forge as a server: HTTPS behind a proxy's CONNECT, so that it can have a host name of its own and any port."""

import gzip
import json
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from tests.support.forge import answers
from tests.support.forge.state import Hub, Refused

TOKEN = "the-token-of-the-tests"


@dataclass
class Fault:
    """How the forge misbehaves at what it is asked."""

    at: str
    """Part of the address or of the query."""
    status: int = 0
    body: bytes = b'{"message": "the forge is unwell"}'
    closes: bool = False
    times: int = 1_000_000


class Forge:
    """The running server; tests look at and change what it holds directly."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hub = Hub(folder)
        self.faults: list[Fault] = []
        self.asked: list[str] = []
        self.is_gone = False
        self.port = 0

    @property
    def url(self) -> str:
        return f"https://{self.hub.host}/{self.hub.name}.git"

    def environ(self, gh: Path) -> dict[str, str]:
        """What leads `gh` and git here, as a person who is logged in has it."""
        certificate = str(self.folder / "certificate.pem")
        path = os.pathsep.join((str(gh.parent), os.environ.get("PATH", "")))
        return {
            "PATH": path,
            "GH_HOST": self.hub.host,
            "GH_ENTERPRISE_TOKEN": TOKEN,
            "HTTPS_PROXY": f"http://127.0.0.1:{self.port}",
            "SSL_CERT_FILE": certificate,
            "GIT_SSL_CAINFO": certificate,
        }

    def answer(self, method: str, path: str, body: bytes, token: str) -> tuple[int, bytes]:
        asked = json.loads(body) if path.endswith("/graphql") else {}
        said = f"{method} {path} {asked.get('query', '')}"
        self.asked.append(said)
        for fault in self.faults:
            if fault.at in said and fault.times > 0:
                fault.times -= 1
                if fault.closes:
                    raise ConnectionResetError
                return fault.status, fault.body
        if TOKEN not in token:
            return 401, b'{"message": "Bad credentials"}'
        try:
            if asked:
                return 200, _json({"data": answers.graphql(self.hub, asked["query"], asked.get("variables") or {})})
            found = answers.rest(self.hub, method, path, json.loads(body or b"{}"))
            return (404, b'{"message": "Not Found"}') if found is None else (200, _json(found))
        except Refused as refused:
            return 200, _json({"data": None, "errors": [{"type": "UNPROCESSABLE", "message": str(refused)}]})


def _json(found: Any) -> bytes:
    return json.dumps(found).encode()


class _Conversation(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    forge: ClassVar[Forge]
    secrecy: ClassVar[ssl.SSLContext]

    def do_CONNECT(self) -> None:
        if self.forge.is_gone:
            self.close_connection = True
            return
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self.connection = self.request = self.secrecy.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", 0)
        self.close_connection = False

    def _reply(self) -> None:
        body = self._body()
        if "/acme/app.git/" in self.path:
            self._git(body)
            return
        try:
            status, content = self.forge.answer(self.command, self.path, body, self.headers.get("Authorization", ""))
        except ConnectionResetError:
            self.close_connection = True
            return
        self._send(status, {"Content-Type": "application/json", "X-OAuth-Scopes": "repo, read:org"}, content)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _reply

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            body = b"".join(pieces)
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _git(self, body: bytes) -> None:
        """Git's own server program."""
        said = f"{self.command} {self.path}"
        self.forge.asked.append(said)
        for fault in self.forge.faults:
            if fault.at in said and fault.times > 0:
                fault.times -= 1
                self._send(fault.status, {"WWW-Authenticate": 'Basic realm="forge"'}, fault.body)
                return
        path, _, query = self.path.partition("?")
        env = {
            **os.environ,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_PROJECT_ROOT": str(self.forge.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "mika",
        }
        out = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False).stdout
        head, _, content = out.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
        status = int(headers.pop("Status", "200").split()[0])
        self._send(status, headers, content)

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()
        self.connection.close()

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Somebody left in the middle; that happens to forges."""


@contextmanager
def running(folder: Path) -> Iterator[Forge]:
    folder.mkdir(parents=True)
    forge = Forge(folder)
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=forge.test", "-addext",
               f"subjectAltName=DNS:{forge.hub.host}"]  # fmt: skip
    subprocess.run(command, capture_output=True, check=True)
    secrecy = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secrecy.load_cert_chain(certificate, key)
    conversation = type("_Ours", (_Conversation,), {"forge": forge, "secrecy": secrecy})
    server = _Server(("127.0.0.1", 0), conversation)
    forge.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield forge
    finally:
        server.shutdown()
        with suppress(OSError):
            server.server_close()
        thread.join(5)
