"""Frames over a socket: a length of eight bytes, then JSON; read with a deadline, and never more than a stated size."""

import json
import select
import socket
import time
from typing import Any

LARGEST = 64 * 2**20
"""The most bytes of a frame that are read."""
HEAD = 8


class Late(Exception):  # noqa: N818 - what the answer is
    """No whole frame came, or was taken, in time."""


class Gone(Exception):  # noqa: N818 - what the other end is
    """The other end is closed, or sends what is no frame; ``is_silent`` where it sent nothing at all."""

    is_silent = False


def send(end: socket.socket, message: Any) -> None:
    """Send a message. Raises Gone where nobody is there to read it, and Late past the timeout of the socket."""
    body = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    try:
        end.sendall(len(body).to_bytes(HEAD, "big") + body)
    except TimeoutError as error:
        raise Late from error
    except OSError as error:
        raise Gone("its process does not read") from error


def receive(end: socket.socket, deadline: float | None = None) -> Any:
    """The next message. Raises Late past a deadline of the monotonic clock, and Gone."""
    size = int.from_bytes(exactly(end, HEAD, deadline), "big")
    if size > LARGEST:
        raise Gone(f"its process announced {size} bytes, more than {LARGEST}")
    body = exactly(end, size, deadline)
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Gone("its process sent what is no message") from error


def exactly(end: socket.socket, size: int, deadline: float | None) -> bytes:
    """So many bytes."""
    read = bytearray()
    while len(read) < size:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([end], [], [], left)[0]:
                raise Late
        try:
            piece = end.recv(min(size - len(read), 2**20))
        except OSError as error:
            raise Gone("its process cannot be heard") from error
        if not piece:
            gone = Gone("its process ended")
            gone.is_silent = True
            raise gone
        read += piece
    return bytes(read)
