"""The reward: an external part from tests and quality, an epistemic part from entropy and novelty.

Seed [003]: r = alpha r_ext + beta r_epi. r_ext = w1 passed/total + w2 newly passing/previously failing + w3 quality,
where the second term is 0 when nothing was failing. A test was previously failing when no response of an earlier
iteration has passed it, so that a whole group is measured against the same tests. r_epi = entropy of the distribution
that the group was drawn from, in nats, + 1 for a response that was not generated before.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, equal
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import rational, rational_text


@invariant(lambda self: min(vars(self).values()) >= 0, "no weight is negative, so that no part counts against itself")
@dataclass(frozen=True)
class Weights:
    """alpha (external) and beta (epistemic), w1 (passed), w2 (new) and w3 (quality); 0 leaves a part out."""

    external: Fraction = Fraction(7, 10)
    epistemic: Fraction = Fraction(3, 10)
    passed: Fraction = Fraction(5, 10)
    new: Fraction = Fraction(3, 10)
    quality: Fraction = Fraction(2, 10)

    def __post_init__(self) -> None:
        """Read the numbers exactly and refuse negative ones."""
        for field in fields(self):
            value = rational(f"weights.{field.name}", getattr(self, field.name))
            if value < 0:
                raise InvalidProblem(f"weights.{field.name}", value, "a number of at least 0")
            object.__setattr__(self, field.name, value)

    @property
    @ensure(lambda self, result: result >= max(self.passed, self.new, self.quality), "each share is at most 1")
    def most_external(self) -> Fraction:
        """The largest external reward: everything passes, everything that failed is new, quality 1."""
        return self.passed + self.new + self.quality

    @ensure(lambda self, result: Weights(**result) == self, "what is written is read back")
    def to_mapping(self) -> dict[str, str]:
        """The weights as a task file writes them."""
        return {field.name: rational_text(getattr(self, field.name)) for field in fields(self)}


@require(lambda passed: len(passed) >= 1, "a task has tests")
@require(lambda passed, failing: set(failing) <= set(passed), "a test that was failing is a test of the task")
@require(lambda quality: 0 <= quality <= 1, "quality lies in [0, 1]")
@ensure(lambda weights, result: 0 <= result <= weights.most_external, "0 <= r_ext <= w1 + w2 + w3")
@ensure(
    lambda passed, failing, quality, weights, result: bool(failing)
    or result <= weights.passed + weights.quality * quality,
    "nothing previously failing: no reward for new passes",
)
def external_reward(
    passed: Mapping[str, bool], failing: Collection[str], quality: Fraction, weights: Weights
) -> Fraction:
    """r_ext of one response: ``passed`` says of every test whether it passes, ``failing`` which failed before."""
    share = Fraction(sum(passed.values()), len(passed))
    new = Fraction(sum(passed[test] for test in failing), len(failing)) if failing else Fraction(0)
    return weights.passed * share + weights.new * new + weights.quality * quality


@require(lambda entropy: at_most(0, entropy), "an entropy is at least 0")
@ensure(lambda entropy, novel, result: equal(result - entropy, int(novel)), "one more for a novel response")
def epistemic_reward(entropy: Scalar, novel: bool) -> Scalar:
    """r_epi = H + 1 for a response that was not generated before, H for any other."""
    return entropy + (1 if novel else 0)


@require(lambda external, epistemic: at_most(0, external) and at_most(0, epistemic), "both parts are at least 0")
@ensure(lambda result, external, weights: at_most(weights.external * external, result), "r >= alpha r_ext")
def reward(external: Fraction, epistemic: Scalar, weights: Weights) -> Scalar:
    """r = alpha r_ext + beta r_epi."""
    return weights.external * external + weights.epistemic * epistemic
