"""The importance ratio of a sampled response: token by token, of the whole sequence, or its geometric mean.

Token level: w_h = pi_theta(a_h|s_h) / pi_old(a_h|s_h) (PPO, DeepSeekMath). Sequence level: the product of the w_h,
section 1's ratio of whole responses (claim G5). Geometric mean: the product to the power 1/L for L active tokens
(GSPO, arXiv 2507.18071). Only the product changes the measure (claim G1): E_old[rho f] = E_theta[f].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import prod

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import below, equal
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.ratio import importance_ratio
from grpocheck.core.variants.batch import SampledResponse, SampledToken


class Level(Enum):
    """Which ratio a token's term is made with."""

    TOKEN = "token"
    SEQUENCE = "sequence"
    GEOMETRIC = "geometric-mean"


class Denominator(Enum):
    """Which policy the ratio divides by: the old one, or one of two faults.

    Trainers have had the reference in its place. And an old policy that is not held fixed is the current one: a ratio
    that is 1 as a function has no gradient, while the right one is 1 at the first step and moves.
    """

    OLD = "old"
    REFERENCE = "reference"
    CURRENT = "current"


@dataclass(frozen=True)
class RatioRule:
    """A level and a denominator."""

    level: Level = Level.TOKEN
    denominator: Denominator = Denominator.OLD


@require(lambda value: below(0, value), "B3: a ratio is positive")
@require(lambda degree: degree >= 1, "a root of a degree from 1")
@ensure(lambda result: below(0, result), "B3: a root of a ratio is positive")
@ensure(lambda value, degree, result: degree > 8 or equal(result**degree, value), "the root to its degree is the value")
def root(value: Scalar, degree: int, arithmetic: Arithmetic) -> Scalar:
    """The positive root of a degree, exact where it is rational or made of square roots of rationals.

    >>> from grpocheck.core.arithmetic import ExactArithmetic
    >>> root(Fraction(27, 8), 3, ExactArithmetic())
    Fraction(3, 2)
    """
    if degree == 1:
        return value
    if isinstance(value, int | Fraction):
        exact = rational_root(Fraction(value), degree)
        if exact is not None:
            return arithmetic.number(exact)
    if degree % 2 == 0:
        return arithmetic.sqrt(root(value, degree // 2, arithmetic))
    return arithmetic.exp(arithmetic.log(value) / degree)


@require(lambda value, degree: value > 0 and degree >= 1, "a root of a positive rational")
@ensure(lambda value, degree, result: result is None or result**degree == value, "the root to its degree is the value")
def rational_root(value: Fraction, degree: int) -> Fraction | None:
    """The root of a rational where it is rational."""
    numerator, denominator = integer_root(value.numerator, degree), integer_root(value.denominator, degree)
    exact = Fraction(numerator, denominator)
    return exact if exact**degree == value else None


@require(lambda value, degree: value >= 1 and degree >= 1, "a root of a positive integer")
@ensure(lambda value, degree, result: result**degree <= value < (result + 1) ** degree, "the integer part of the root")
def integer_root(value: int, degree: int) -> int:
    """The largest integer whose power of a degree is at most the value, bit by bit."""
    found = 0
    for bit in range(value.bit_length() // degree, -1, -1):
        if (found | 1 << bit) ** degree <= value:
            found |= 1 << bit
    return found


@require(lambda token: token.active, "a ratio is one of a token that counts")
@ensure(lambda result: below(0, result), "B3: every ratio is positive")
def token_ratio(token: SampledToken, denominator: Denominator) -> Scalar:
    """w_h = pi_theta(a_h|s_h) / pi_old(a_h|s_h), or over pi_ref; InvalidProblem where there is no reference mass."""
    if denominator is not Denominator.REFERENCE:
        return importance_ratio(token.current, token.old if denominator is Denominator.OLD else token.current)
    if token.reference is None:
        raise InvalidProblem("reference", None, "reference masses: the ratio divides by them")
    return importance_ratio(token.current, token.reference)


@require(lambda response: response.length >= 1, "a response with an active token")
@ensure(lambda response, result: len(result) == response.length, "one ratio for each active token")
@ensure(
    lambda response, rule, result: rule.level is not Level.SEQUENCE
    or rule.denominator is not Denominator.OLD
    or equal(
        result[0] * prod(token.old for token in response.tokens if token.active),
        prod(token.current for token in response.tokens if token.active),
    ),
    "G5: the sequence ratio is the product of the token ratios",
)
def ratios(response: SampledResponse, rule: RatioRule, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
    """The ratio that each active token's term is made with; one and the same number at the two sequence levels."""
    own = [token_ratio(token, rule.denominator) for token in response.tokens if token.active]
    if rule.level is Level.TOKEN:
        return tuple(own)
    product = prod(own[1:], start=own[0])
    if rule.level is Level.SEQUENCE:
        return (product,) * len(own)
    return (root(product, len(own), arithmetic),) * len(own)


@require(lambda place, length: 0 <= place < length, "one of the active tokens")
@ensure(lambda length, result: len(result) == length, "an entry for each active token")
@ensure(
    lambda rule, length, result: sum(result)
    == (0 if rule.denominator is Denominator.CURRENT else length if rule.level is Level.SEQUENCE else 1),
    "G5: a common factor of all masses moves a product of L ratios by its power L, the others by itself",
)
def sensitivities(rule: RatioRule, place: int, length: int) -> Sequence[Fraction]:
    """d log(ratio at one place) / d log(mass of each active token)."""
    if rule.denominator is Denominator.CURRENT:
        return [Fraction(0)] * length
    if rule.level is Level.TOKEN:
        return [Fraction(int(h == place)) for h in range(length)]
    return [Fraction(1) if rule.level is Level.SEQUENCE else Fraction(1, length)] * length
