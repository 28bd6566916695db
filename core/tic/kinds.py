"""Responses of independent tokens up to the order of their tokens, counted by dynamic programming over prefixes.

The tokens are one, zero and, where it is in play, the end token. A response that has the end token has it last; one
without it has length H (section 1's generation protocol).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import NamedTuple

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.predicates import is_mass_function

RESPONSES_KEPT = 256
"""For so many horizons the kinds of responses are kept once they are counted."""


class Kind(NamedTuple):
    """What responses share that have the same tokens, in whatever order: how many ones, how many zeros, and an end."""

    ones: int
    zeros: int
    ended: bool

    @property
    @ensure(lambda self, result: result == self.ones + self.zeros + self.ended, "every token counts, the end included")
    def length(self) -> int:
        """The number of tokens."""
        return self.ones + self.zeros + self.ended


@dataclass(frozen=True)
class TokenMasses:
    """The masses of the tokens one, zero and end at every position of a response; ``end`` 0 keeps it out of play."""

    one: Fraction
    zero: Fraction
    end: Fraction = Fraction(0)

    @ensure(
        lambda self: is_mass_function([mass for mass in (self.one, self.zero, self.end) if mass or mass is self.one]),
        "A3: the masses of the tokens in play are positive with sum 1",
    )
    def __post_init__(self) -> None:
        """State what a policy of independent tokens has to be."""

    @require(lambda kind: kind.length >= 1, "a response has a token")
    @ensure(lambda self, kind, result: (result > 0) == (self.end > 0 or not kind.ended), "A3: positive on the support")
    def of(self, kind: Kind) -> Fraction:
        """The mass of one response of a kind."""
        ending = self.end if kind.ended else Fraction(1)
        return self.one**kind.ones * self.zero**kind.zeros * ending


@lru_cache(RESPONSES_KEPT)
@require(lambda horizon: horizon >= 1, "H >= 1")
@ensure(
    lambda horizon, ending, result: sum(result.values()) == (2 ** (horizon + 1) - 1 if ending else 2**horizon),
    "every truncated response is of one kind",
)
@ensure(
    lambda horizon, result: all(
        number == comb(kind.ones + kind.zeros, kind.ones) for kind, number in result.items()
    ),
    "as many responses as there are orders of the ones and zeros",
)
def responses_by_kind(horizon: int, ending: bool) -> dict[Kind, int]:
    """How many truncated responses there are of each kind: prefixes extended token by token, like ones taken together.

    >>> [(kind.ones, number) for kind, number in responses_by_kind(3, False).items()]
    [(3, 1), (2, 3), (1, 3), (0, 1)]
    """
    whole: dict[Kind, int] = {}
    prefixes = {Kind(0, 0, False): 1}
    for _ in range(horizon):
        longer: dict[Kind, int] = {}
        for (ones, zeros, _ended), number in prefixes.items():
            if ending:
                whole[Kind(ones, zeros, True)] = number
            for extended in (Kind(ones + 1, zeros, False), Kind(ones, zeros + 1, False)):
                longer[extended] = longer.get(extended, 0) + number
        prefixes = longer
    return {**whole, **prefixes}


@invariant(lambda self: self.horizon >= 1, "H >= 1")
@invariant(lambda self: (self.current.end > 0) == (self.old.end > 0), "A3: both policies are positive on one support")
@dataclass(frozen=True)
class IndependentTokens:
    """Responses of up to H independent tokens under the current and the old policy."""

    horizon: int
    current: TokenMasses
    old: TokenMasses

    @property
    @ensure(lambda self, result: len(result) >= self.horizon + 1, "with every number of ones up to H")
    def kinds(self) -> dict[Kind, int]:
        """The kinds of the responses of the support, with how many there are of each."""
        return responses_by_kind(self.horizon, self.old.end > 0)

    @require(lambda kind: kind.length >= 1, "a response has a token")
    @ensure(
        lambda self, kind, result: result * self.old.of(kind) == self.current.of(kind),
        "G5: the trajectory ratio is the product of the token ratios",
    )
    def ratio(self, kind: Kind) -> Fraction:
        """rho = pi_theta(y) / pi_old(y) of a response of a kind."""
        ending = self.current.end / self.old.end if kind.ended else Fraction(1)
        ones, zeros = self.current.one / self.old.one, self.current.zero / self.old.zero
        return ones**kind.ones * zeros**kind.zeros * ending

    @require(lambda self, value: value(next(iter(self.kinds))) is not None, "a number for each kind of response")
    @ensure(
        lambda self, result: sum(number * self.old.of(kind) for kind, number in self.kinds.items()) == 1,
        "G2: the masses of the truncated responses sum to 1",
    )
    def expectation(self, value: Callable[[Kind], Fraction]) -> Fraction:
        """E_old of a number that depends on the kind of the response."""
        return sum(
            (number * self.old.of(kind) * value(kind) for kind, number in self.kinds.items()), start=Fraction(0)
        )


@require(lambda horizon: horizon >= 1, "H >= 1")
@require(lambda current, old: 0 < current < 1 and 0 < old < 1, "A3: the masses of both tokens are positive")
@ensure(lambda horizon, result: len(result.kinds) == horizon + 1, "one kind for each number of ones")
def independent_bits(horizon: int, current: Fraction, old: Fraction) -> IndependentTokens:
    """The H binary tokens of the class I_H: old mass q and current mass p of the token one, and no end token."""
    return IndependentTokens(horizon, TokenMasses(current, 1 - current), TokenMasses(old, 1 - old))
