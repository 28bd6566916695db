"""Whether draws have the law that they are said to have: a test with a bounded false alarm, looked at as one likes.

By claim G3 a draw Y has, whatever came before it, the masses p of the frozen policy. So for weights w > 0 that depend
on nothing but what came before, the factor w(Y) / sum_y p(y) w(y) has expectation 1, and the product of the factors of
successive draws, from 1 on, is a nonnegative martingale; so is the average of several of them. By Ville's inequality
(Ville, Etude critique de la notion de collectif, 1939) it reaches 1/alpha at any time with probability at most alpha:
draws that do so are rejected, and lawful draws are with probability at most alpha, however many there are and however
often one looks. The inverse of its greatest value so far bounds the p-value.

Each suspicion is a way to choose weights: (observed + 1)/(expected + 1) of a response, counted over all draws of its
prompt, or apart for each value of what the draw might depend on; or a power of the masses, for a temperature.
Nothing is rounded in favour of a rejection: masses are taken at their upper bounds, products are rounded down.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import isqrt

from grpocheck.contracts.clauses import ensure, invariant, require

MASS_BITS, COUNT_BITS, CAPITAL_BITS = 64, 32, 256
WHOLE, ONCE, UNIT = 1 << MASS_BITS, 1 << COUNT_BITS, 1 << CAPITAL_BITS
"""A mass of 1, a count of 1 and a capital of 1, as they are held."""
ALPHA = Fraction(1, 10**6)
"""The error probability of a rejection, where none is said."""


class Verdict(StrEnum):
    """What the draws show."""

    CONSISTENT = "consistent"
    REJECTED = "rejected"
    NOT_ENOUGH = "not-enough-draws"


@invariant(lambda self: 0 <= self.position < len(self.upper) == len(self.lower), "one of the support's responses")
@invariant(lambda self: sum(self.lower) <= WHOLE <= sum(self.upper), "the bounds hold masses that sum to 1")
@dataclass(frozen=True)
class Draw:
    """A drawn response: its place in the run, and the bounds of the masses of its law, in units of 2^-64.

    ``outer_iteration`` and ``number`` (the draw of its group) count from 1; ``position`` is the response's in the
    support, from 0; ``lower`` and ``upper`` have an entry for each response of the support.
    """

    prompt: str
    outer_iteration: int
    number: int
    position: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]


@dataclass
class Memory:
    """What a draw might depend on: the draws before it."""

    before: Draw | None = None
    latest: dict[tuple[str, int], Draw] = field(default_factory=dict)
    by_number: dict[int, Draw] = field(default_factory=dict)

    def add(self, draw: Draw) -> None:
        """Keep a draw that was seen."""
        self.before = self.latest[draw.prompt, draw.number] = self.by_number[draw.number] = draw


def of_the_group(draw: Draw, memory: Memory) -> object:
    """The response drawn just before in the same group."""
    before = memory.before
    same = before is not None and (before.prompt, before.outer_iteration) == (draw.prompt, draw.outer_iteration)
    return before.position if before is not None and same else None


def of_the_iteration_before(draw: Draw, memory: Memory) -> object:
    """The response drawn for the same prompt, as the same one of the group, in the outer iteration before."""
    known = memory.latest.get((draw.prompt, draw.number))
    return None if known is None or known.outer_iteration == draw.outer_iteration else known.position


def of_the_prompt_before(draw: Draw, memory: Memory) -> object:
    """The response drawn as the same one of the group for the prompt before."""
    known = memory.by_number.get(draw.number)
    return None if known is None or known.outer_iteration != draw.outer_iteration else (known.prompt, known.position)


CONTEXTS: Mapping[str, Callable[[Draw, Memory], object]] = {
    "how often each response comes": lambda draw, memory: (),
    "its place in the group": lambda draw, memory: draw.number,
    "the draw before it": of_the_group,
    "the same draw of the outer iteration before": of_the_iteration_before,
    "the same draw of the prompt before": of_the_prompt_before,
}
TILTS: Mapping[str, Callable[[int], int]] = {
    "a temperature below 1": lambda mass: isqrt(mass) + 1,
    "a temperature above 1": lambda mass: WHOLE // (isqrt(mass) + 1) + 1,
}
SUSPICIONS = (*CONTEXTS, *TILTS)
"""What the draws are tested for; a rejection names the one that speaks most against them."""


@dataclass
class Counts:
    """How often each response of a support came, and how often it was to be expected, in units of 2^-32."""

    observed: list[int]
    expected: list[int]

    def weights(self) -> list[int]:
        """(observed + 1)/(expected + 1) of every response, in units of 2^-32, rounded down."""
        pairs = zip(self.observed, self.expected, strict=True)
        return [(came + 1) * ONCE * ONCE // (due + ONCE) for came, due in pairs]

    def add(self, draw: Draw) -> None:
        """Count a draw."""
        self.observed[draw.position] += 1
        self.expected = [due + (mass >> COUNT_BITS) for due, mass in zip(self.expected, draw.upper, strict=True)]


@invariant(lambda self: 0 < self.alpha < 1, "an error probability between 0 and 1")
@dataclass
class LawTest:
    """The test, fed with one draw after another; ``capital`` of each suspicion is a lower bound of its martingale.

    ``alpha`` bounds the probability with which lawful draws are ever rejected; ``draws`` have been seen, and
    ``rejected_after`` so many they were rejected (None: they are not). ``greatest`` is the largest sum of capitals so
    far and ``rarest`` a lower bound of the probability of the least probable draws of that number, in units of 2^-256.
    """

    alpha: Fraction = ALPHA
    draws: int = 0
    greatest: int = UNIT * len(SUSPICIONS)
    rarest: int = UNIT
    rejected_after: int | None = None
    capital: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SUSPICIONS, UNIT))
    counts: dict[tuple[str, str, int, object], Counts] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)

    @require(lambda draw: draw.number >= 1 and draw.outer_iteration >= 1, "draws are counted from 1")
    @ensure(lambda self: self.greatest >= sum(self.capital.values()), "the greatest value so far is kept")
    def see(self, draw: Draw) -> None:
        """Take one more draw into account."""
        self.draws += 1
        for name, context in CONTEXTS.items():
            size = len(draw.upper)  # prompts of one name in two problems may have supports of two sizes
            key = (name, draw.prompt, size, context(draw, self.memory))
            counts = self.counts.setdefault(key, Counts([0] * size, [0] * size))
            self.wager(name, draw, counts.weights())
            counts.add(draw)
        for name, tilt in TILTS.items():
            self.wager(name, draw, [tilt(mass) for mass in draw.upper])
        self.memory.add(draw)
        self.rarest = self.rarest * min(draw.lower) >> MASS_BITS
        self.greatest = max(self.greatest, sum(self.capital.values()))
        if self.rejected_after is None and self.p_value <= self.alpha:
            self.rejected_after = self.draws

    @require(lambda weights: min(weights) > 0, "weights are positive")
    @ensure(lambda self, name: self.capital[name] >= 0, "a martingale that is not negative")
    def wager(self, name: str, draw: Draw, weights: Sequence[int]) -> None:
        """Multiply one capital by w(Y) / sum p w, rounded down."""
        expected = sum(mass * weight for mass, weight in zip(draw.upper, weights, strict=True))
        self.capital[name] = (self.capital[name] * weights[draw.position] << MASS_BITS) // expected

    @property
    @ensure(lambda result: 0 < result <= 1, "a probability")
    def p_value(self) -> Fraction:
        """An upper bound of the p-value: lawful draws bring it to x or below, at any time, with probability <= x."""
        return Fraction(UNIT * len(SUSPICIONS), self.greatest)

    @property
    @ensure(lambda self, result: (result is Verdict.REJECTED) == (self.p_value <= self.alpha), "rejected at alpha")
    def verdict(self) -> Verdict:
        """Rejected, consistent, or too few draws for any test.

        They are too few where each sequence of so many draws has a probability above alpha: a test that rejects one
        of them raises a false alarm with more than alpha.
        """
        if self.p_value <= self.alpha:
            return Verdict.REJECTED
        return Verdict.NOT_ENOUGH if self.rarest > self.alpha * UNIT else Verdict.CONSISTENT

    @property
    @ensure(lambda result: result in SUSPICIONS, "one of them")
    def suspicion(self) -> str:
        """What speaks most against the draws."""
        return max(SUSPICIONS, key=lambda name: self.capital[name])


@require(lambda alpha: 0 < alpha < 1, "an error probability between 0 and 1")
@ensure(lambda alpha, result: result.alpha == alpha, "at the stated level")
def law_of(draws: Iterable[Draw], alpha: Fraction = ALPHA) -> LawTest:
    """The test of a sequence of draws (claim G3); it stops where they are rejected.

    >>> half = (WHOLE // 2, WHOLE // 2)
    >>> always_the_first = (Draw("q", t, 1, 0, half, half) for t in range(1, 100))
    >>> test = law_of(always_the_first)
    >>> test.verdict.value, test.p_value <= ALPHA
    ('rejected', True)
    """
    test = LawTest(alpha)
    for draw in draws:
        test.see(draw)
        if test.rejected_after is not None:
            break
    return test
