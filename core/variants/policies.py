"""A prompt under three policies: what turns draws into a batch, and slopes of sampled tokens into a gradient.

A gradient is kept as coefficients c on the mass gradients of the support, sum_y c_y grad pi(y), which suits every
family and every choice of coordinates; since the mass gradients sum to 0, c counts up to a constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.gradient import Vector, weighted_sum
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Undefined
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.differentiability import Jump, kinks_cancel
from grpocheck.core.variants.evaluation import Kink, Slopes, slopes_of
from grpocheck.core.variants.frozen_batch import Frozen, freeze_batch
from grpocheck.core.variants.penalties import Divergence
from grpocheck.core.variants.support import TokenSupport
from grpocheck.core.variants.variant import Variant

Positions = tuple[int, ...]
"""The places in the support of the G draws of a group."""


@invariant(
    lambda self: len(self.support.responses) == len(self.current) == len(self.old) == len(self.reference)
    == len(self.rewards) == len(self.rows),
    "masses, rewards and mass gradients for each response of the support",
)
@invariant(
    lambda self: is_mass_function(self.current) and is_mass_function(self.old) and is_mass_function(self.reference),
    "A3: masses are positive with sum 1",
)
@dataclass(frozen=True)
class PromptPolicies:
    """One prompt: current, old and reference masses of its support, rewards, and the rows grad pi_theta(b_j)."""

    support: TokenSupport
    rewards: tuple[Scalar, ...]
    current: tuple[Scalar, ...]
    old: tuple[Scalar, ...]
    reference: tuple[Scalar, ...]
    rows: tuple[Vector, ...]

    @cached_property
    @ensure(lambda self, result: len(result) == len(self.rewards), "every response of the support can be drawn")
    def responses(self) -> tuple[SampledResponse, ...]:
        """Each response of the support as it is when drawn."""
        current = self.support.token_masses(self.current)
        masses = zip(
            current,
            current if self.old is self.current else self.support.token_masses(self.old),
            self.support.token_masses(self.reference),
            self.rewards,
            strict=True,
        )
        return tuple(
            SampledResponse(tuple(SampledToken(*token) for token in zip(*rows, strict=True)), (reward,))
            for *rows, reward in masses
        )

    @cached_property
    @ensure(
        lambda self, result: [len(rows) for rows in result] == [len(row) for row in self.support.tokens],
        "a score for each token of each response",
    )
    def scores(self) -> tuple[tuple[Vector, ...], ...]:
        """grad log pi_theta(a_h|s_h) of each token of each response, as coefficients."""
        return tuple(
            tuple(self.support.score(place, h, self.current) for h in range(len(tokens)))
            for place, tokens in enumerate(self.support.tokens)
        )

    @require(lambda self, place: 0 <= place < len(self.rewards), "a response of the support")
    @ensure(lambda self, place, result: result.rewards == (self.rewards[place],), "the same response")
    def with_entropies(self, place: int, arithmetic: Arithmetic) -> SampledResponse:
        """A response of the support with the entropy at each of its tokens."""
        response = self.responses[place]
        tokens = (
            replace(token, entropy=self.support.entropy(place, h, self.current, arithmetic))
            for h, token in enumerate(response.tokens)
        )
        return replace(response, tokens=tuple(tokens))

    @require(lambda self, positions: all(0 <= j < len(self.rewards) for j in positions), "G3: draws of the support")
    @ensure(lambda positions, result: len(result.responses) == len(positions), "one response for each draw")
    def group(self, positions: Positions, variant: Variant, arithmetic: Arithmetic) -> SampledGroup:
        """The group of these draws, with the entropies of its tokens where the variant needs them."""
        if variant.needs_entropies:
            drawn = tuple(self.with_entropies(j, arithmetic) for j in positions)
        else:
            drawn = tuple(self.responses[j] for j in positions)
        return SampledGroup(drawn)

    @require(lambda self, coefficients: len(coefficients) == len(self.rows), "a coefficient for each mass gradient")
    @ensure(lambda self, result: len(result) == len(self.rows[0]), "a gradient has d entries")
    def gradient_of(self, coefficients: Sequence[Scalar]) -> Vector:
        """sum_y c_y grad pi(y)."""
        return weighted_sum(list(zip(coefficients, self.rows, strict=True)))

    @require(lambda beta: at_most(0, beta), "beta >= 0")
    @ensure(lambda self, result: len(result) == len(self.rewards), "a coefficient for each response")
    def true_coefficients(self, beta: Scalar, arithmetic: Arithmetic) -> Vector:
        """Those of the gradient of E[R] - beta KL(pi_theta || pi_ref): r(y) - beta log(pi_theta(y) / pi_ref(y))."""
        if not arithmetic.less(0, beta):
            return self.rewards
        logs = (arithmetic.log(mass / base) for mass, base in zip(self.current, self.reference, strict=True))
        return tuple(reward - beta * log for reward, log in zip(self.rewards, logs, strict=True))

    @require(lambda beta: at_most(0, beta), "beta >= 0")
    @ensure(
        lambda self, result: any(at_most(result, reward) for reward in self.rewards),
        "B4: KL >= 0, so E[R] - beta KL is at most the best reward",
    )
    def true_objective(self, beta: Scalar, arithmetic: Arithmetic) -> Scalar:
        """E[R] - beta KL(pi_theta || pi_ref) under the current masses."""
        coefficients = self.true_coefficients(beta, arithmetic)
        return sum(mass * c for mass, c in zip(self.current, coefficients, strict=True))


@invariant(lambda self: len(self.prompts) >= 1, "M >= 1")
@invariant(
    lambda self: all(p.support.longest <= self.maximum_length for p in self.prompts),
    "no response is longer than the maximum length H",
)
@dataclass(frozen=True)
class Update:
    """All that an update is a function of beside its draws: the prompts under their policies, epsilon, beta and H."""

    prompts: tuple[PromptPolicies, ...]
    epsilon: Scalar
    beta: Scalar
    maximum_length: int

    @require(lambda self, draws: len(draws) == len(self.prompts), "a group for each prompt")
    @ensure(lambda self, result: len(result.groups) == len(self.prompts), "a group for each prompt")
    def batch(self, draws: Sequence[Positions], variant: Variant, arithmetic: Arithmetic) -> Batch:
        """The batch of these draws, with the exact divergences where the variant's objective has them."""
        groups = [
            prompt.group(positions, variant, arithmetic)
            for prompt, positions in zip(self.prompts, draws, strict=True)
        ]
        if variant.kl.divergence is Divergence.EXACT and arithmetic.less(0, self.beta):
            groups = [
                replace(group, divergence=kl_divergence(prompt.current, prompt.reference, arithmetic))
                for group, prompt in zip(groups, self.prompts, strict=True)
            ]
        return Batch(tuple(groups), self.epsilon, self.beta, self.maximum_length)

    @require(lambda self, draws: len(draws) == len(self.prompts), "a group for each prompt")
    @ensure(
        lambda self, result: isinstance(result, Undefined)
        or [len(row) for row in result] == [len(prompt.rewards) for prompt in self.prompts],
        "F2: undefined, or coefficients for each prompt",
    )
    def coefficients(
        self, draws: Sequence[Positions], variant: Variant, arithmetic: Arithmetic
    ) -> tuple[Vector, ...] | Undefined:
        """The gradient of the variant on these draws, prompt by prompt; UNDEFINED_GRADIENT where there is none."""
        frozen = freeze_batch(variant, self.batch(draws, variant, arithmetic), arithmetic)
        return self.coefficients_of(frozen, draws, arithmetic)

    @require(lambda self, draws: len(draws) == len(self.prompts), "a group for each prompt")
    @ensure(lambda result: isinstance(result, Undefined) or len(result) >= 1, "F2: undefined, or coefficients")
    def coefficients_of(
        self, frozen: Frozen, draws: Sequence[Positions], arithmetic: Arithmetic
    ) -> tuple[Vector, ...] | Undefined:
        """The same for a batch of these draws that is frozen already."""
        found = slopes_of(frozen, arithmetic)
        if found.kinks and not kinks_cancel([self.jump(kink, draws) for kink in found.kinks], arithmetic):
            return UNDEFINED_GRADIENT
        return tuple(self.of_prompt(place, draws[place], found, arithmetic) for place in range(len(self.prompts)))

    @require(lambda self, kink, draws: kink.response < len(draws[kink.group]), "a drawn response")
    @ensure(lambda kink, result: result[0] is kink.jump, "the jump of the kink")
    def jump(self, kink: Kink, draws: Sequence[Positions]) -> Jump:
        """A kink as a jump along a vector of R^d."""
        prompt = self.prompts[kink.group]
        scores = prompt.scores[draws[kink.group][kink.response]]
        parts = [(part, score) for part, score in zip(kink.direction, scores, strict=True) if part]
        return kink.jump, prompt.gradient_of(weighted_sum(parts))

    @require(lambda self, place, positions: all(j < len(self.prompts[place].rewards) for j in positions), "G3: draws")
    @ensure(lambda self, place, result: len(result) == len(self.prompts[place].rewards), "one for each response")
    def of_prompt(self, place: int, positions: Positions, found: Slopes, arithmetic: Arithmetic) -> Vector:
        """The coefficients at one prompt: slopes times scores, and what entropies and the exact divergence add."""
        prompt = self.prompts[place]
        zero = arithmetic.number(Fraction(0))
        parts: list[tuple[Scalar, Vector]] = [(zero, prompt.rewards)]
        slopes_at: dict[int, list[Scalar]] = {}
        for j, row, marks in zip(positions, found.log_masses[place], found.marked[place], strict=True):
            slopes_at[j] = [a + b for a, b in zip(slopes_at.get(j, [zero] * len(row)), row, strict=True)]
            if any(marks) and not arithmetic.equal(found.entropy, 0):
                parts += [
                    (found.entropy, prompt.support.entropy_gradient(j, h, prompt.current, arithmetic))
                    for h, mark in enumerate(marks)
                    if mark
                ]
        for j, whole in slopes_at.items():
            parts += zip(whole, prompt.scores[j], strict=True)
        if place in found.groups and not arithmetic.equal(found.divergence, 0):
            logs = [arithmetic.log(mass / base) for mass, base in zip(prompt.current, prompt.reference, strict=True)]
            parts.append((found.divergence, tuple(logs)))
        return weighted_sum(parts)

