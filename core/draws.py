"""Exact draws: uniform bits are compared with the cumulative masses, and more bits are asked for until that decides.

Seed [000], "Draws return supported responses with the specified independent law" (claim G3). No mass is rounded: the
response is decided by the first bits that leave one choice, so its law is the policy's own. Such a sampler ends with
probability 1. The bits are those of SHA-256 over "seed/t/prompt/i/block" (the generator named below), so a draw depends
on nothing but its seed and its place, and the same seed gives the same draws in every arithmetic.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.contracts.comparisons import decided_sign
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.prompt import Prompt

GENERATOR = "sha256-counter/1"


@require(lambda place: all(part >= 0 for part in place), "a place in a run is counted from 0 or 1")
@ensure(lambda result: iter(result) is result, "G3: bits come one by one, as they are asked for")
def uniform_bits(seed: int, place: tuple[int, ...]) -> Iterator[int]:
    """The independent fair bits of one draw: SHA-256 of "seed/place.../block" for block = 0, 1, ..., high bit first."""
    key = "/".join(map(str, (seed, *place)))
    for block in count():
        digest = hashlib.sha256(f"{key}/{block}".encode("ascii")).digest()
        yield from (byte >> shift & 1 for byte in digest for shift in range(7, -1, -1))


@total("the order of the reals is total")
@ensure(lambda left, right, result: not result or decided_sign(left - right) in (0, -1, None), "at most means at most")
def is_decidedly_at_most(left: Scalar, right: Scalar, arithmetic: Arithmetic) -> bool:
    """Whether left <= right is decided and true; what cannot be decided waits for more bits instead."""
    try:
        return not arithmetic.less(right, left)
    except UndecidedComparison:
        return False


@require(lambda masses: is_mass_function(masses), "A3: masses of a distribution, positive with sum 1")
@ensure(lambda masses, result: 0 <= result < len(masses), "G3: a draw returns a supported response")
def decided_position(masses: Sequence[Scalar], bits: Iterator[int], arithmetic: Arithmetic) -> int:
    """The position j (0-based) whose cell [c_j, c_(j+1)) of cumulative masses holds the uniform number of these bits.

    After b bits that number lies in a dyadic cell of width 2^-b; bits are taken until one position is left.
    """
    edges = list(accumulate(masses[:-1]))
    first, last = 0, len(edges)
    numerator, denominator = 0, 1
    while first < last:
        numerator, denominator = 2 * numerator + next(bits), 2 * denominator
        lower = arithmetic.number(Fraction(numerator, denominator))
        upper = arithmetic.number(Fraction(numerator + 1, denominator))
        while first < last and is_decidedly_at_most(edges[first], lower, arithmetic):
            first += 1
        while first < last and is_decidedly_at_most(upper, edges[last - 1], arithmetic):
            last -= 1
    return first


@invariant(lambda self: self.seed >= 0, "a seed is a nonnegative integer")
@dataclass(frozen=True)
class SeededDraws:
    """Draws from a seed, with exactly the law of the masses they are given."""

    seed: int
    arithmetic: Arithmetic

    @require(lambda prompt, masses: len(masses) == len(prompt.responses), "one mass for each response of the support")
    @ensure(lambda prompt, result: result in prompt.responses, "G3: a draw returns a supported response")
    def __call__(self, masses: Sequence[Scalar], prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """The response drawn for a prompt in an outer iteration."""
        bits = uniform_bits(self.seed, (outer_iteration, prompt.position, draw))
        return prompt.responses[decided_position(masses, bits, self.arithmetic)]


@invariant(lambda self: len(self.recorded) >= 1, "recorded draws cover at least one outer iteration")
@dataclass(frozen=True)
class RecordedDraws:
    """Draws read off a record [outer iteration][prompt][i]; their law is whatever made the record."""

    recorded: tuple[tuple[tuple[str, ...], ...], ...]

    @require(
        lambda self, prompt, outer_iteration, draw: (
            1 <= outer_iteration <= len(self.recorded)
            and 1 <= draw <= len(self.recorded[outer_iteration - 1][prompt.position])
        ),
        "the record has this draw",
    )
    @ensure(lambda prompt, result: result in prompt.responses, "G3: a draw returns a supported response")
    def __call__(self, masses: Sequence[Scalar], prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """The recorded response."""
        return self.recorded[outer_iteration - 1][prompt.position][draw - 1]
