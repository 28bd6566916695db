"""Comparisons that contracts make: decided on exact numbers, careful on enclosures, not made without certified error.

On exact numbers a comparison is decided. On a number that carries certified enclosures (one with a method
``decided_sign``) it is False only when the enclosures, at a modest precision, exclude it; where they cannot tell it is
True and counted as consistent, which is no evidence. On mpmath numbers it is not evaluated: True, and counted so.

>>> with tally() as counts:
...     equal(1, 1), at_most(2, 1)
(True, False)
>>> counts.decided, counts.consistent, counts.not_evaluated
(2, 0, 0)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

ENCLOSURE_BITS = 128
"""The precision to which a contract refines an enclosure at most."""


@dataclass
class Tally:
    """How many comparisons were decided, only consistent, and not evaluated."""

    decided: int = 0
    consistent: int = 0
    not_evaluated: int = 0


_current: ContextVar[Tally | None] = ContextVar("comparison_tally", default=None)


@contextmanager
def tally() -> Iterator[Tally]:
    """Count the comparisons that contracts make inside the block; an inner block counts for itself."""
    counts = Tally()
    token = _current.set(counts)
    try:
        yield counts
    finally:
        _current.reset(token)


def decided_sign(value: Any) -> int | None:
    """-1, 0 or 1 where the sign is known; None where enclosures cannot tell, or the error is not certified."""
    counts = _current.get()
    if hasattr(value, "_mpf_"):
        if counts is not None:
            counts.not_evaluated += 1
        return None
    if hasattr(value, "decided_sign"):
        sign: int | None = value.decided_sign(ENCLOSURE_BITS)
        if counts is not None:
            if sign is None:
                counts.consistent += 1
            else:
                counts.decided += 1
        return sign
    if counts is not None:
        counts.decided += 1
    return 1 if value > 0 else -1 if value < 0 else 0


def decided_order(left: Any, right: Any) -> int | None:
    """The sign of left - right where it is known: from the first enclosures of the two where these lie apart."""
    carrier, other, turn = (left, right, 1) if hasattr(left, "apart") else (right, left, -1)
    if hasattr(carrier, "apart"):
        sign: int | None = carrier.apart(other)
        if sign is not None:
            counts = _current.get()
            if counts is not None:
                counts.decided += 1
            return turn * sign
    return decided_sign(left - right)


def equal(left: Any, right: Any) -> bool:
    """left = right, as far as can be told."""
    return decided_order(left, right) in (0, None)


def at_most(left: Any, right: Any) -> bool:
    """left <= right, as far as can be told."""
    return decided_order(left, right) != 1


def below(left: Any, right: Any) -> bool:
    """left < right, as far as can be told."""
    return decided_order(left, right) in (-1, None)
