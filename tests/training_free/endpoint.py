"""A local server that speaks the chat protocol, with its failures: each request is answered by the next of a list."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """Answers a request."""

    server: "Server"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(Asked(self.path, dict(self.headers), json.loads(body)))
        self.server.answers.pop(0)(self)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answer = Callable[[Handler], None]


@dataclass
class Server(ThreadingHTTPServer):
    """The server; ``asked`` are the requests so far."""

    answers: list[Answer]
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what is tested."""


@contextmanager
def endpoint(*answers: Answer) -> Iterator[Server]:
    """A server that gives these answers, one a request."""
    server = Server(list(answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def raw(status: int, body: bytes, **headers: str) -> Answer:
    """Any status and body."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def says(content: Any) -> Answer:
    """A chat completion with this content."""
    return raw(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode())


def finds(*patterns: dict[str, Any]) -> Answer:
    """A chat completion with these patterns."""
    return says(json.dumps({"patterns": list(patterns)}))


def drips(handler: Handler) -> None:
    """A status line, and then a header letter by letter, for ever."""
    try:
        handler.connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while True:
            handler.connection.sendall(b".")
            time.sleep(0.02)
    except OSError:
        return


def silent(handler: Handler) -> None:
    """Nothing, until the client goes away."""
    handler.connection.settimeout(5)
    handler.connection.recv(1)


def resets(handler: Handler) -> None:
    """The connection is reset."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def cut_short(handler: Handler) -> None:
    """Less of a body than was announced."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices"')
