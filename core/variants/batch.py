"""What an objective is a function of: a finite batch of sampled responses, token by token.

Section 1 of the specification, "Generation protocol": the mass of a response is the product of its conditional token
masses. A response that is not generated token by token is one token. Rewards are in reward units, masses are
probabilities, entropies and divergences in nats.
"""

from dataclasses import dataclass

from grpocheck.contracts.clauses import ensure, invariant
from grpocheck.contracts.comparisons import at_most, below
from grpocheck.core.arithmetic.supply import Scalar


@invariant(lambda self: below(0, self.current) and below(0, self.old), "A3: a sampled token has positive mass")
@dataclass(frozen=True)
class SampledToken:
    """One sampled token: its conditional masses, after its prefix, under the policies in question.

    ``old`` is the frozen policy that the ratio divides by. ``sampler`` is the policy that really drew, where a trainer
    knows it to be another one (None: the old policy). ``entropy`` is that of the current conditional masses. A token
    that is not ``active`` (padding, a tool's answer, a truncated response that is left out) counts nowhere.
    """

    current: Scalar
    old: Scalar
    reference: Scalar | None = None
    sampler: Scalar | None = None
    entropy: Scalar | None = None
    active: bool = True


@invariant(lambda self: len(self.tokens) >= 1, "a response has a token")
@invariant(lambda self: len(self.rewards) >= 1, "a response has a reward, or a place where it is missing")
@dataclass(frozen=True)
class SampledResponse:
    """A response with one reward for each reward function; None where a reward is missing."""

    tokens: tuple[SampledToken, ...]
    rewards: tuple[Scalar | None, ...]

    @property
    @ensure(lambda self, result: 0 <= result <= len(self.tokens), "a length counts tokens")
    def length(self) -> int:
        """The number of active tokens, written as an o between bars in the papers."""
        return sum(token.active for token in self.tokens)


@invariant(lambda self: len(self.responses) >= 1, "a group has a response")
@invariant(
    lambda self: len({len(response.rewards) for response in self.responses}) == 1,
    "every response of a group has the same reward functions",
)
@dataclass(frozen=True)
class SampledGroup:
    """The responses to one prompt; ``divergence`` is the exact KL(pi_theta || pi_ref) there, for terms that use it."""

    responses: tuple[SampledResponse, ...]
    divergence: Scalar | None = None


@invariant(lambda self: below(0, self.epsilon) and below(self.epsilon, 1), "0 < epsilon < 1")
@invariant(lambda self: at_most(0, self.beta), "beta >= 0")
@invariant(
    lambda self: all(r.length <= self.maximum_length for group in self.groups for r in group.responses),
    "no response is longer than the maximum length H",
)
@dataclass(frozen=True)
class Batch:
    """The groups of one update, a group for each prompt, with the numbers that a variant may leave to the problem.

    ``epsilon`` is the clip width where the variant states none, ``beta`` weighs its KL term (reward units per nat).
    """

    groups: tuple[SampledGroup, ...]
    epsilon: Scalar
    beta: Scalar
    maximum_length: int
