"""Confidence intervals for a probability from independent draws: Clopper and Pearson's, rounded outward.

After k successes in n draws the interval holds the probability with at least the stated confidence, whatever it is
(Clopper and Pearson, Biometrika 26, 1934): its lower end is the p at which k successes or more have probability
(1 - confidence)/2, its upper end the p at which k or fewer do. Both are found by bisection over dyadic p, with the tail
summed in integers that are rounded down and up, so that an end is only ever outside.
"""

from fractions import Fraction
from math import comb

from grpocheck.contracts.clauses import ensure, require

PLACES = 24
"""Binary places of an end, beside those of the number of draws."""
GUARD_BITS = 64


@require(lambda successes, draws: 0 <= successes <= draws and draws >= 1, "successes of at least one draw")
@require(lambda confidence: 0 < confidence < 1, "a confidence between 0 and 1")
@ensure(
    lambda successes, draws, result: 0 <= result[0] <= Fraction(successes, draws) <= result[1] <= 1,
    "the share that was drawn lies in the interval",
)
def clopper_pearson(successes: int, draws: int, confidence: Fraction) -> tuple[Fraction, Fraction]:
    """The interval, each end at most 2^-24/draws outside Clopper and Pearson's and never inside it.

    >>> lower, upper = clopper_pearson(5, 10, Fraction(19, 20))
    >>> f"{float(lower):.4f} {float(upper):.4f}"
    '0.1871 0.8129'
    """
    share = (1 - confidence) / 2
    lower = Fraction(0) if successes == 0 else largest_below(successes, draws, share)
    upper = Fraction(1) if successes == draws else 1 - largest_below(draws - successes, draws, share)
    return lower, upper


@require(lambda successes, draws: 1 <= successes <= draws, "a tail from at least one success")
@ensure(
    lambda successes, draws, share, result: result == 0 or exact_tail(successes, min(draws, 60), result) <= share,
    "there the tail is at most the share (of so many successes in 60 of the draws, too)",
)
def largest_below(successes: int, draws: int, share: Fraction) -> Fraction:
    """The largest p, in steps of a binary place, at which P(at least so many successes) <= share for certain.

    The tail grows with p, so that bisection finds it; P(at most k) at p is P(at least n - k) at 1 - p.
    """
    places = PLACES + draws.bit_length()
    below, above = 0, 1 << places
    while above - below > 1:
        middle = (below + above) // 2
        if tail_bounds(successes, draws, middle, places, share)[1] <= share:
            below = middle
        else:
            above = middle
    return Fraction(below, 1 << places)


def exact_tail(successes: int, draws: int, p: Fraction) -> Fraction:
    """P(at least so many successes), exactly."""
    return sum(
        (comb(draws, j) * p**j * (1 - p) ** (draws - j) for j in range(successes, draws + 1)), start=Fraction(0)
    )


@require(lambda successes, draws: 0 <= successes <= draws, "a tail of the binomial law")
@require(lambda numerator, places: 0 < numerator < 1 << places, "a probability strictly between 0 and 1")
@ensure(
    lambda successes, draws, numerator, places, result: draws > 20
    or result[0] <= exact_tail(successes, draws, Fraction(numerator, 1 << places)) <= result[1],
    "the tail lies between its bounds",
)
def tail_bounds(
    successes: int, draws: int, numerator: int, places: int, share: Fraction
) -> tuple[Fraction, Fraction]:
    """Bounds of P(at least so many successes) = sum_(j >= k) C(n, j) p^j (1-p)^(n-j) for p = numerator / 2^places.

    They are as fine as telling the tail from ``share`` asks for.
    """
    bits = GUARD_BITS + draws.bit_length() + share.denominator.bit_length()
    a, b = numerator, (1 << places) - numerator
    first = comb(draws, successes) * a**successes * b ** (draws - successes) << bits
    lower = first >> places * draws
    upper = lower + 1
    total_lower, total_upper = lower, upper
    for j in range(successes, draws):
        lower = lower * (draws - j) * a // ((j + 1) * b)
        upper = -(-upper * (draws - j) * a // ((j + 1) * b))
        total_lower += lower
        total_upper += upper
        if upper <= 1 and (j + 1) * b > (draws - j) * a:
            total_upper += draws - j  # the terms fall from here on, each below 2^-bits
            break
    return Fraction(total_lower, 1 << bits), Fraction(total_upper, 1 << bits)
