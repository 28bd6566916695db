"""The studio's server under requests of every shape, over real connections: it answers or ends them, and goes on."""

import http.client
import json
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from grpocheck.verifier.studio.server import Handler, Studio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


class Watched(Studio):
    """A studio that notes what its connections end in."""

    def __init__(self) -> None:
        super().__init__(0, None, "", "verify.json")
        self.ended: list[BaseException] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exception()
        assert error is not None
        self.ended.append(error)


@pytest.fixture(scope="module")
def studio() -> Iterator[Watched]:
    server = Watched()
    server.serve_in_background()
    yield server
    server.close()


def sent(studio: Studio, *pieces: bytes, wait: float = 0.0, whole: bool = True) -> bytes:
    """What comes back when these bytes are sent one after the other; the connection is cut off unless ``whole``."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as connection:
        for piece in pieces:
            with suppress(BrokenPipeError, ConnectionResetError):  # it was refused before all was sent
                connection.sendall(piece)
            time.sleep(wait)
        if not whole:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not an end
            return b""
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        received = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(1 << 16):
                received += piece
        return received


def is_there(studio: Studio) -> bool:
    """Whether the server answers a page that asks as it should."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=20)
    connection.request("GET", "/")
    reply = connection.getresponse()
    found = reply.status == 200 and b"grpocheck" in reply.read()
    connection.close()
    return found


METHODS = st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "TRACE", "get", "", "\x00"]) | st.text(max_size=5)
PATHS = st.sampled_from(["/", "/ask/opening", "/ask/cancel", "/ask/", "/ask/\ud800", "//", "*", "/%00"]) | st.text()
LENGTHS = st.sampled_from(["0", "2", "400", "400001", "-1", "1e9", "9" * 400, "٣", "", "2, 2"]) | st.none()
NESTED = '{"job": ' + "[" * 300 + "]" * 300 + "}"
BODIES = st.sampled_from(["{}", '{"job": "\\ud800"}', "[" * 1000, NESTED, "\x00", ""])
EXTRA = st.sampled_from(["", "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: keep-alive", ": x",
                         " y", "Content-Length: 7", "Host: x", "X: " + "x" * 70_000, "\r\n".join(["Y: y"] * 150)])


def request(studio: Studio, method: str, path: str, length: str | None, body: str, extra: str) -> bytes:
    """A request with the headers of the studio's own page."""
    own = f"127.0.0.1:{studio.port}"
    lines = [f"{method} {path} HTTP/1.1", f"Host: {own}", f"Origin: http://{own}", "Content-Type: application/json"]
    lines += [extra] if extra else []
    lines += [] if length is None else [f"Content-Length: {length}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode("utf-8", "surrogatepass")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(METHODS, PATHS, LENGTHS, BODIES, EXTRA, st.integers(0, 2000), st.booleans())
def test_a_request_is_answered_or_ended(
    studio: Watched, method: str, path: str, length: str | None, body: str, extra: str, cut: int, whole: bool
) -> None:
    asked = request(studio, method, path, length, body, extra)
    answered = sent(studio, asked[: len(asked) - cut] if cut < len(asked) else asked, whole=whole)
    assert studio.ended == []
    for head in answered.split(b"HTTP/1.1 ")[1:]:
        status = int(head[:3])
        assert status in (100, 200, 400, 403, 404, 411, 413, 414, 415, 421, 431, 501, 505), head[:200]


def test_a_question_with_half_a_character_is_answered(studio: Watched) -> None:
    body = json.dumps({"problem": "\ud800"})
    answered = sent(studio, request(studio, "POST", "/ask/run", str(len(body)), body, "Connection: close"))
    assert answered.startswith(b"HTTP/1.1 200 ")
    assert json.loads(answered.partition(b"\r\n\r\n")[2])["error"]["kind"] == "problem"


def test_a_slow_client_is_let_go_and_keeps_nobody_waiting(studio: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Handler, "timeout", 0.5)
    begun = request(studio, "POST", "/ask/run", "400", "{", "")
    with socket.create_connection(("127.0.0.1", studio.port), timeout=30) as slow:
        slow.sendall(begun)
        assert is_there(studio)
        assert slow.recv(1 << 16) == b""  # it is let go, without an answer
    assert studio.ended == []


def test_a_body_that_is_never_sent_is_not_waited_for(studio: Watched) -> None:
    stated = request(studio, "POST", "/ask/run", "99999999999", "", "")
    assert b" 413 " in sent(studio, stated).partition(b"\r\n")[0]
    assert is_there(studio)


def test_many_connections_at_once(studio: Watched) -> None:
    connections = [socket.create_connection(("127.0.0.1", studio.port), timeout=20) for _ in range(60)]
    assert is_there(studio)
    for connection in connections:
        connection.close()
    assert studio.ended == []
