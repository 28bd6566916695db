"""The second moment of the score with a vocabulary of v tokens and a logit for each: what section 3's bound becomes.

The parameter has v entries, the score of a response has the entries (count of the token) - H p, and |S|^2 has the
expectation H (1 - sum_j p_j^2): 1/2 H at v = 2, towards H as the vocabulary grows. (With the single logit of the
class I_H it is H p (1 - p), which is half as much at v = 2: two logits move with every choice.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from grpocheck.core.tic.methods import EPSILON
from grpocheck.verifier.counts import count_vectors, probability


@dataclass(frozen=True)
class Vocabulary:
    """H independent tokens of v, uniform under the current policy; the old one gives the first token 4/5 of that.

    At v = 2 these are p = 1/2 and q = 2/5.
    """

    tokens: int
    horizon: int

    @property
    def current(self) -> tuple[Fraction, ...]:
        """The current masses."""
        return (Fraction(1, self.tokens),) * self.tokens

    @property
    def old(self) -> tuple[Fraction, ...]:
        """The old masses."""
        first = Fraction(4, 5 * self.tokens)
        return (first, *((1 - first) / (self.tokens - 1),) * (self.tokens - 1))

    def kinds(self) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
        """Probability under the old policy, ratio, and |S|^2, for each vector of counts."""
        for counts in count_vectors(self.tokens, self.horizon):
            ratio = prod((p / q) ** n for p, q, n in zip(self.current, self.old, counts, strict=True))
            square = sum((n - self.horizon * p) ** 2 for n, p in zip(counts, self.current, strict=True))
            yield probability(counts, self.old), Fraction(ratio), Fraction(square)

    @property
    def on_policy(self) -> Fraction:
        """H (1 - sum_j p_j^2), which the change of measure has E_old[rho |S|^2] equal to."""
        return self.horizon * (1 - sum((p * p for p in self.current), start=Fraction(0)))

    def moments(self, epsilon: Fraction = EPSILON) -> tuple[Fraction, Fraction, Fraction]:
        """E_old of rho |S|^2, of min(rho, 1+epsilon)^2 |S|^2, and of rho^2 |S|^2."""
        every, zero = list(self.kinds()), Fraction(0)
        cap = 1 + epsilon
        return (
            sum((mass * ratio * square for mass, ratio, square in every), start=zero),
            sum((mass * min(ratio, cap) ** 2 * square for mass, ratio, square in every), start=zero),
            sum((mass * ratio**2 * square for mass, ratio, square in every), start=zero),
        )
