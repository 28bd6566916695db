"""Whether a sum with kinks is differentiable: the signed rule, for terms that are minima and maxima.

Claim F1 is about sums of minima, whose kinks never cancel. A variant with a maximum (an upper cap with A < 0, dual
clip) lies outside it. A term that is piecewise smooth in one number r and stands at a kink adds jump/2 |<u, v>| to the
derivative along v, beside a linear part, with u = grad log r and jump the right slope minus the left one, so that a
minimum has a negative jump and a maximum a positive one. Functions |<u_k, v>| of vectors on different lines are
independent modulo linear functions; hence the sum is differentiable exactly when, on each line, the sum of jump times
length of u is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import decided_sign, equal
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.gradient import vanishes

Jump = tuple[Scalar, Sequence[Scalar]]
"""A jump of the slope, and the gradient u of the number along which it jumps."""


@dataclass
class Line:
    """A line through 0: a vector on it and the signed sum of jump times length, in lengths of that vector."""

    vector: Sequence[Scalar]
    balance: Scalar


@require(lambda vector, other: len(vector) == len(other), "vectors of one length")
@require(lambda vector: any(decided_sign(entry) != 0 for entry in vector), "a vector that is not 0")
@ensure(
    lambda vector, other, result: result is None
    or all(equal(entry, result * base) for entry, base in zip(other, vector, strict=True)),
    "the other vector is this multiple",
)
def multiple_of(vector: Sequence[Scalar], other: Sequence[Scalar], arithmetic: Arithmetic) -> Scalar | None:
    """c with other = c * vector, where the two are on one line; else None."""
    pivot = next(axis for axis, entry in enumerate(vector) if not arithmetic.equal(entry, 0))
    factor = other[pivot] / vector[pivot]
    on_line = all(arithmetic.equal(entry, factor * base) for entry, base in zip(other, vector, strict=True))
    return factor if on_line else None


@require(lambda jumps: len({len(vector) for _, vector in jumps}) <= 1, "vectors of one length")
@ensure(lambda jumps, result: bool(jumps) or result, "F1: a sum without a kink is differentiable")
@ensure(
    lambda jumps, result: not result
    or len(jumps) != 1
    or all(decided_sign(entry) in (0, None) for entry in jumps[0][1]),
    "F2: a single kink is no obstacle only where its ratio does not move",
)
def kinks_cancel(jumps: Sequence[Jump], arithmetic: Arithmetic) -> bool:
    """Whether on each line the signed sum of jump times length vanishes."""
    lines: list[Line] = []
    for jump, vector in jumps:
        if vanishes(vector, arithmetic):
            continue
        for line in lines:
            factor = multiple_of(line.vector, vector, arithmetic)
            if factor is not None:
                line.balance = line.balance + jump * (-factor if arithmetic.less(factor, 0) else factor)
                break
        else:
            lines.append(Line(vector, jump))
    return all(arithmetic.equal(line.balance, 0) for line in lines)
