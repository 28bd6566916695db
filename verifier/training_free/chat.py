"""One request to an OpenAI-compatible chat endpoint: a hard deadline, a size limit, and what may be tried again.

No redirect is followed and the key goes nowhere but to the configured host.
"""

import http.client
import json
import socket
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

MOST_BYTES = 1_000_000
"""The most bytes of an answer."""

LATER = (408, 409, 425, 429, 500, 502, 503, 504)
"""Statuses after which the same request may succeed."""


class ChatFailure(Exception):  # noqa: N818 - named for what it says
    """A request without a usable answer; ``again`` says whether trying again makes sense, ``after`` in how many
    seconds the server wants it."""

    def __init__(self, reason: str, again: bool, after: float = 0.0) -> None:
        """The reason, and whether and when to try again."""
        super().__init__(reason)
        self.again = again
        self.after = after


@dataclass(frozen=True)
class Endpoint:
    """Where the model answers; ``seconds`` bound a whole request, however slowly the server sends."""

    base_url: str
    model: str
    key: str | None
    seconds: float

    def ask(self, messages: list[dict[str, str]]) -> str:
        """The text that the model answers with. Raises ChatFailure."""
        body = json.dumps({"model": self.model, "messages": messages, "temperature": 0}).encode("utf-8")
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        status, after, content = self.exchanged(body, headers)
        if status != 200:
            raise ChatFailure(f"HTTP status {status}", status in LATER, after)
        return content_of(content)

    def exchanged(self, body: bytes, headers: dict[str, str]) -> tuple[int, float, bytes]:
        """The status, the wish to be asked later in seconds, and the body of the answer, within the deadline."""
        parts = urlsplit(self.base_url)
        assert parts.hostname is not None
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=self.seconds)
        expired = threading.Event()
        began = time.monotonic()
        timer: threading.Timer | None = None
        try:
            connection.connect()
            timer = threading.Timer(max(0.0, began + self.seconds - time.monotonic()), cut, (connection, expired))
            timer.daemon = True
            timer.start()
            connection.request("POST", f"{parts.path.rstrip('/')}/chat/completions", body, headers)
            response = connection.getresponse()
            content = response.read(MOST_BYTES + 1)
            if expired.is_set():
                raise TimeoutError
        except (OSError, http.client.HTTPException) as error:
            if expired.is_set() or isinstance(error, TimeoutError):
                raise ChatFailure(f"no whole answer within {self.seconds:g} s", True) from None
            raise ChatFailure(f"{type(error).__name__}: {error}", True) from None
        finally:
            if timer is not None:
                timer.cancel()
            connection.close()
        if len(content) > MOST_BYTES:
            raise ChatFailure(f"an answer of more than {MOST_BYTES} bytes", False)
        return response.status, seconds_of(response.getheader("Retry-After")), content


def cut(connection: http.client.HTTPConnection, expired: threading.Event) -> None:
    """End a request whose time is over: every read of it ends at once."""
    expired.set()
    if connection.sock is not None:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # closed in the meantime


def seconds_of(header: str | None) -> float:
    """The seconds of a Retry-After header; 0 where there are none (a date counts as none)."""
    return float(header) if header is not None and header.isascii() and header.isdigit() else 0.0


def content_of(body: bytes) -> str:
    """The first choice's text of a chat completion. Raises ChatFailure for any other body."""
    try:
        found: Any = json.loads(body.decode("utf-8"))
        content = found["choices"][0]["message"]["content"]
    except (ValueError, RecursionError) as error:
        raise ChatFailure(f"the body is no JSON: {type(error).__name__}", True) from None
    except (LookupError, TypeError):
        raise ChatFailure("the body is no chat completion: expected choices[0].message.content", True) from None
    if not isinstance(content, str):
        raise ChatFailure(f"choices[0].message.content: {type(content).__name__}: expected a text", True)
    return content
