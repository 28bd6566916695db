"""What the studio's server lets in: its own page, asking it by its own name, in requests of a bounded size.

The server listens on 127.0.0.1 alone. A page of another site that is open in the same browser can still send requests
there, or have its own name resolve there; so every request has to name this host (Host), to come from this page or from
none (Origin, Sec-Fetch-Site), and a question has to be JSON, which no form of another site can send unasked.
"""

from collections.abc import Mapping
from dataclasses import dataclass

ADDRESS = "127.0.0.1"
HTTP = 80
"""The port of http itself, which browsers leave out of Host and Origin."""
MOST_BODY = 400_000
"""Bytes of a request: a problem and a property, with room to spare."""
MOST_DROPPED = 100_000_000
"""Bytes of a refused request that are still taken from the line."""
MOST_PROBLEM = 200_000
"""Characters of a problem file in the studio."""
MOST_PROPERTY = 4_000
CHECK_SECONDS = 50.0
"""The budget of the check of a property, which looks at it between one operation and the next."""
MOST_SECONDS = 60.0
"""When a check is given up from outside, whatever it does: its process is killed, and the answer is undecided."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Refusal(Exception):  # noqa: N818 - named for what it is
    """A request that is not answered: the HTTP status and why."""

    status: int
    why: str


def check_request(method: str, headers: Mapping[str, str], port: int) -> None:
    """Raise Refusal unless a request names this server and comes from its own page.

    ``headers`` has lower-case names.
    """
    own = {f"{ADDRESS}:{port}", f"localhost:{port}"}
    if port == HTTP:
        own |= {ADDRESS, "localhost"}
    host = headers.get("host", "")
    if host not in own:
        raise Refusal(421, f"Host: {host[:80]!r}: expected {ADDRESS}:{port}")
    origin = headers.get("origin")
    if origin is not None and origin not in {f"http://{name}" for name in own}:
        raise Refusal(403, f"Origin: {origin[:80]!r}: expected this page itself")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise Refusal(403, "Sec-Fetch-Site: a page of another site asked")
    if method == "POST":
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refusal(415, f"Content-Type: {kind[:80]!r}: expected application/json")
        if origin is None:
            raise Refusal(403, "Origin: missing: expected this page itself")


def stated_length(stated: str) -> int | None:
    """The length that a Content-Length states, None where it states none."""
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 12 else None


def body_length(headers: Mapping[str, str]) -> int:
    """The length that a request states; Refusal where it states none or one beyond the limit."""
    length = stated_length(headers.get("content-length", ""))
    if length is None:
        raise Refusal(411, "Content-Length: expected the length of the request")
    if length > MOST_BODY:
        raise Refusal(413, f"a request of {length} bytes: expected at most {MOST_BODY}")
    return length
