"""The studio's server: three files and questions in JSON, on 127.0.0.1 alone; the lanes compute, it only passes on."""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any

from grpocheck.verifier.studio.lanes import Lane, failure
from grpocheck.verifier.studio.security import (
    ADDRESS,
    HEADERS,
    MOST_DROPPED,
    MOST_SECONDS,
    Refusal,
    body_length,
    check_request,
    stated_length,
)

FILES: Mapping[str, tuple[str, str]] = {
    "/": ("studio.html", "text/html; charset=utf-8"),
    "/studio.css": ("studio.css", "text/css; charset=utf-8"),
    **{
        f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8")
        for name in ("studio", "page", "stepper", "change", "properties", "oracle", "compare", "evidence", "lessons")
    },
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
IN_LANE: Mapping[str, str] = {
    "contracts": "contracts",
    "check": "checks",
    **dict.fromkeys(("evidence", "source", "lessons", "lesson", "exercise"), "texts"),
}
"""The questions that have a lane of their own; every other one is answered in the lane ``page``."""
PATIENCE = 30
"""Seconds that a connection may stay silent."""


class Studio(ThreadingHTTPServer):
    """A server with its lanes."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port: int, text: str | None, name: str, report: str) -> None:
        """Listen on a port of this machine (0: any free one); raises OSError where it is taken.

        ``text`` is the problem that the page opens with, None for the first example; ``report`` the path of
        verify.json.
        """
        super().__init__((ADDRESS, port), Handler)
        self.text, self.name, self.report = text, name, report
        self.lanes = {
            "page": Lane("page", 30.0, contracts=False),
            "contracts": Lane("contracts", 60.0, contracts=True),
            "checks": Lane("checks", MOST_SECONDS, contracts=False),
            "texts": Lane("texts", 60.0, contracts=False),
        }
        self.lanes["page"].start()  # the others at their first question: what is seen first comes first

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{ADDRESS}:{self.port}/"

    def serve_in_background(self) -> threading.Thread:
        """Serve from a thread of its own, until ``close``."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        return thread

    def close(self) -> None:
        """Stop serving and end every process."""
        for lane in self.lanes.values():
            lane.close()
        self.shutdown()
        self.server_close()

    def answer(self, question: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a question of the page."""
        if question == "opening":
            return {"name": self.name, "text": self.text, "seconds": MOST_SECONDS}
        if question == "cancel":
            job = str(body.get("job", ""))
            return {"cancelled": any(lane.cancel(job) for lane in self.lanes.values())}
        if question == "evidence":
            body = {**body, "report": self.report}
        lane = self.lanes[IN_LANE.get(question, "page")]
        return lane.answer(question, body, str(body.get("job", "")))


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Studio
    protocol_version = "HTTP/1.1"
    server_version = "grpocheck-studio"
    sys_version = ""
    timeout = PATIENCE

    def handle(self) -> None:
        """Answer until the connection ends; a client that cuts it off is no error."""
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing: what a person asks is not written anywhere."""

    def do_GET(self) -> None:
        """A file of the page."""
        try:
            self.checked()
            path = self.path.partition("?")[0]
            if path not in FILES:
                raise Refusal(404, "there is no such page")
            name, kind = FILES[path]
            content = resources.files("grpocheck.verifier.studio").joinpath("static", name).read_bytes()
            self.reply(200, kind, content)
        except Refusal as refusal:
            self.refuse(refusal)

    def do_POST(self) -> None:
        """A question."""
        unread = True
        try:
            headers = self.checked()
            if not self.path.startswith("/ask/"):
                raise Refusal(404, "there is no such question")
            content, unread = self.rfile.read(body_length(headers)), False
            try:
                body = json.loads(content)
            except (ValueError, RecursionError):
                raise Refusal(400, "the request: expected JSON") from None
            if not isinstance(body, dict):
                raise Refusal(400, "the request: expected a JSON object")
            try:
                answer = self.server.answer(self.path.removeprefix("/ask/"), body)
            except RecursionError:  # deep enough to be read here, and too deep to be passed on
                raise Refusal(400, "the request: expected less nesting") from None
            self.reply(200, "application/json", json.dumps(answer).encode())
        except Refusal as refusal:
            self.refuse(refusal)
            if unread:
                self.drop_body()

    def checked(self) -> dict[str, str]:
        """The headers of a request that may be answered."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        check_request(self.command, headers, self.server.port)
        return headers

    def refuse(self, refusal: Refusal) -> None:
        """Say why a request is not answered; the connection ends."""
        self.close_connection = True
        body = json.dumps(failure("refused", refusal.why)).encode()
        self.reply(refusal.status, "application/json", body)

    def drop_body(self) -> None:
        """Read what a refused question still sends: a connection that is closed on it takes the answer with it."""
        left = min(stated_length(self.headers.get("Content-Length", "")) or 0, MOST_DROPPED)
        while left > 0 and (chunk := self.rfile.read(min(left, 1 << 16))):
            left -= len(chunk)

    def reply(self, status: int, kind: str, content: bytes) -> None:
        """Send an answer with the headers of security.py."""
        try:
            self.send_response(status)
            for name, value in HEADERS.items():
                self.send_header(name, value)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
