"""Autoregressive families: the mass of a response is the product of its conditional token masses.

Section 1 of the specification, "Generation protocol": the masses sum to 1 over the truncated response set (claim G2).
There is one parameter for each prefix and token allowed after it (with masses: all but the last allowed token),
prefixes in shortlex order, tokens in the vocabulary's order. The parameters are shared by all prompts.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.contracts.predicates import is_mass_function, sums_to_zero_vector
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.domains import Domain, OpenSimplices, WholeSpace
from grpocheck.core.families.family import Family
from grpocheck.core.families.simplex import completed, simplex_jacobian
from grpocheck.core.families.softmax import softmax, softmax_jacobian
from grpocheck.core.generation import Generation, Tokens, key_of
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import Prompt


@dataclass(frozen=True)
class Autoregressive(Family):
    """Conditional token masses after every prefix, parameterised by a subclass."""

    generation: Generation

    name: ClassVar[str] = "autoregressive"
    parameterisation: ClassVar[str]
    spared: ClassVar[int]
    """How many of the tokens allowed after a prefix have no parameter of their own."""

    @property
    @ensure(lambda self, result: result == sum(map(len, self.blocks.values())), "the blocks fill R^d")
    def dimension(self) -> int:
        """The number d of parameters, over all prefixes."""
        return self.blocks[self.generation.prefixes[-1]].stop

    @cached_property
    @ensure(
        lambda self, result: tuple(result) == self.generation.prefixes, "a block for each prefix, in shortlex order"
    )
    def blocks(self) -> Mapping[Tokens, range]:
        """Which parameters belong to a prefix."""
        prefixes = self.generation.prefixes
        stops = list(accumulate(len(self.generation.allowed(prefix)) - self.spared for prefix in prefixes))
        return {prefix: range(a, b) for prefix, a, b in zip(prefixes, [0, *stops], stops, strict=False)}

    @cached_property
    @ensure(lambda self, result: len(set(result)) == len(self.generation.support), "the keys tell responses apart")
    def support_keys(self) -> tuple[str, ...]:
        """The support B_q as the texts of a problem file."""
        return tuple(key_of(response) for response in self.generation.support)

    @cached_property
    @ensure(lambda self, result: set(self.support_keys) <= set(result), "the support B_q lies inside Y_q")
    def response_keys(self) -> tuple[str, ...]:
        """The truncated response set Y_q as the texts of a problem file."""
        return tuple(key_of(response) for response in self.generation.response_set)

    @total("prompts that do not fit raise InvalidProblem")
    @ensure(lambda self, prompts: all(self.serves(prompt) for prompt in prompts), "every support is the generated one")
    def fit(self, prompts: Sequence[Prompt]) -> None:
        """Refuse prompts whose support and response set are not the generated ones."""
        for prompt in prompts:
            key = f"prompts[{prompt.position}]"
            if prompt.responses != self.support_keys:
                raise InvalidProblem(f"{key}.responses", prompt.responses, "the generated support in shortlex order")
            if prompt.response_set != self.response_keys:
                raise InvalidProblem(f"{key}.response_set", prompt.response_set, "the generated response set")

    @require(lambda prompt: len(prompt.responses) >= 1, "a support with a response")
    @ensure(lambda self, prompt, result: not result or len(prompt.responses) == len(self.support_keys), "as generated")
    def serves(self, prompt: Prompt) -> bool:
        """Whether a prompt has the generated support."""
        return prompt.responses == self.support_keys

    @abstractmethod
    def conditional_masses(self, theta: Sequence[Scalar], prefix: Tokens, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The masses of the tokens allowed after a prefix, in their order."""

    @abstractmethod
    def conditional_gradients(
        self, conditional: Sequence[Scalar], arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """For each token allowed after a prefix, the derivatives of its mass by the parameters of the prefix."""

    @require(lambda self, theta: len(theta) == self.dimension, "theta is a point of R^d")
    @ensure(lambda self, result: tuple(result) == self.generation.prefixes, "conditional masses after every prefix")
    def conditionals(self, theta: Sequence[Scalar], arithmetic: Arithmetic) -> Mapping[Tokens, tuple[Scalar, ...]]:
        """The conditional masses after every prefix."""
        return {prefix: self.conditional_masses(theta, prefix, arithmetic) for prefix in self.generation.prefixes}

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda prompt, result: len(result) == len(prompt.responses), "one mass for each response of the support")
    @ensure(lambda result: is_mass_function(result), "G2: the truncated response masses are positive and sum to 1")
    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The products of conditional token masses."""
        conditionals = self.conditionals(theta, arithmetic)
        reached: dict[Tokens, Scalar] = {(): arithmetic.number(Fraction(1))}
        for prefix in self.generation.prefixes:
            for token, mass in zip(self.generation.allowed(prefix), conditionals[prefix], strict=True):
                reached[(*prefix, token)] = reached[prefix] * mass
        return tuple(reached[response] for response in self.generation.support)

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda prompt, result: len(result) == len(prompt.responses), "one row for each response of the support")
    @ensure(lambda result: sums_to_zero_vector(result), "G2: the mass gradients sum to 0, as the masses sum to 1")
    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """The product rule: in the block of each prefix of the response, the other factors times that factor's own."""
        zero, one = arithmetic.number(Fraction(0)), arithmetic.number(Fraction(1))
        conditionals = self.conditionals(theta, arithmetic)
        slopes = {prefix: self.conditional_gradients(masses, arithmetic) for prefix, masses in conditionals.items()}
        places = {
            prefix: {token: place for place, token in enumerate(self.generation.allowed(prefix))}
            for prefix in self.generation.prefixes
        }
        rows = []
        for response in self.generation.support:
            steps = [(response[:h], places[response[:h]][token]) for h, token in enumerate(response)]
            factors = [conditionals[prefix][place] for prefix, place in steps]
            before = list(accumulate(factors[:-1], mul, initial=one))
            after = list(accumulate(factors[:0:-1], mul, initial=one))[::-1]
            row = [zero] * self.dimension
            for (prefix, place), earlier, later in zip(steps, before, after, strict=True):
                for index, slope in zip(self.blocks[prefix], slopes[prefix][place], strict=True):
                    row[index] = earlier * later * slope
            rows.append(tuple(row))
        return tuple(rows)


@dataclass(frozen=True)
class AutoregressiveLogits(Autoregressive):
    """After every prefix a softmax of one logit for each allowed token; U is the whole of R^d."""

    parameterisation: ClassVar[str] = "logits"
    exact: ClassVar[bool] = False
    spared: ClassVar[int] = 0

    @ensure(lambda self, result: result.dimension == self.dimension, "the whole of R^d")
    def natural_domain(self) -> Domain:
        """R^d."""
        return WholeSpace(self.dimension)

    @require(
        lambda self, theta, prefix: len(theta) == self.dimension and prefix in self.blocks, "theta in R^d, a prefix"
    )
    @ensure(lambda self, prefix, result: len(result) == len(self.generation.allowed(prefix)), "one mass a token")
    def conditional_masses(self, theta: Sequence[Scalar], prefix: Tokens, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The softmax of the prefix's logits."""
        logits = [theta[i] for i in self.blocks[prefix]]
        return softmax([logit - logits[0] for logit in logits[1:]], arithmetic)

    @require(lambda conditional: len(conditional) >= 1, "after every prefix some token is allowed")
    @ensure(lambda conditional, result: len(result) == len(conditional), "one row for each allowed token")
    def conditional_gradients(
        self, conditional: Sequence[Scalar], arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """p_j ([j = k] - p_k)."""
        return softmax_jacobian(conditional)


@dataclass(frozen=True)
class AutoregressiveMasses(Autoregressive):
    """After every prefix the masses themselves, of all but the last allowed token."""

    parameterisation: ClassVar[str] = "masses"
    exact: ClassVar[bool] = True
    spared: ClassVar[int] = 1

    @require(lambda self: self.dimension >= 1, "there is a parameter: after some prefix two tokens are allowed")
    @ensure(lambda self, result: result.dimension == self.dimension, "d is the dimension of U")
    def natural_domain(self) -> Domain:
        """Every conditional mass above 0."""
        return OpenSimplices(tuple(len(block) for block in self.blocks.values()))

    @require(
        lambda self, theta, prefix: len(theta) == self.dimension and prefix in self.blocks, "theta in R^d, a prefix"
    )
    @ensure(lambda self, prefix, result: len(result) == len(self.generation.allowed(prefix)), "one mass a token")
    def conditional_masses(self, theta: Sequence[Scalar], prefix: Tokens, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The prefix's coordinates of theta, and what is left to 1."""
        return completed([theta[i] for i in self.blocks[prefix]], arithmetic)

    @require(lambda conditional: len(conditional) >= 1, "after every prefix some token is allowed")
    @ensure(lambda conditional, result: len(result) == len(conditional), "one row for each allowed token")
    def conditional_gradients(
        self, conditional: Sequence[Scalar], arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """Unit vectors for the free masses, and minus their sum for the last."""
        return simplex_jacobian(len(conditional) - 1, arithmetic)
