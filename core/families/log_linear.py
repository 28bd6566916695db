"""The log-linear family: mass proportional to exp(theta . features), with rational features of prompt and response."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.contracts.predicates import is_mass_function, sums_to_zero_vector
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.domains import Domain, WholeSpace
from grpocheck.core.families.family import Family
from grpocheck.core.families.softmax import softmax
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import Prompt
from grpocheck.core.values import entries, rationals


@invariant(lambda self: len(self.features) >= 1, "there is a prompt")
@dataclass(frozen=True)
class LogLinear(Family):
    """pi_theta(b_j | q) proportional to exp(theta . f_j); ``features`` is [prompt][response][parameter]."""

    features: tuple[tuple[tuple[Fraction, ...], ...], ...]

    name: ClassVar[str] = "log-linear"
    exact: ClassVar[bool] = False

    @ensure(lambda self: {len(row) for rows in self.features for row in rows} == {self.dimension}, "features in R^d")
    def __post_init__(self) -> None:
        """Read the features; refuse rows of different lengths."""
        listed = entries("features", self.features, "features of each prompt and response")
        if not listed:
            raise InvalidProblem("features", listed, "features for at least one prompt")
        features = tuple(feature_rows(f"prompts[{place}].features", rows) for place, rows in enumerate(listed))
        dimension = len(features[0][0])
        for place, rows in enumerate(features):
            for j, row in enumerate(rows):
                if len(row) != dimension:
                    key = f"prompts[{place}].features[{j}]"
                    raise InvalidProblem(key, row, f"{dimension} features, as prompts[0].features[0] has")
        object.__setattr__(self, "features", features)

    @property
    @ensure(lambda self, result: all(len(row) == result for row in self.features[-1]), "d features a response")
    def dimension(self) -> int:
        """The number d of features, which is that of parameters."""
        return len(self.features[0][0])

    @ensure(lambda self, result: result.dimension == self.dimension, "the whole of R^d")
    def natural_domain(self) -> Domain:
        """R^d."""
        return WholeSpace(self.dimension)

    @total("prompts that do not fit raise InvalidProblem")
    @ensure(lambda self, prompts: all(self.serves(prompt) for prompt in prompts), "features for every response")
    def fit(self, prompts: Sequence[Prompt]) -> None:
        """Refuse prompts with other numbers of responses than there are features for."""
        if len(prompts) != len(self.features):
            raise InvalidProblem(
                "prompts", f"{len(prompts)} prompts", f"{len(self.features)}, as there are features for"
            )
        for prompt, rows in zip(prompts, self.features, strict=True):
            if len(prompt.responses) != len(rows):
                key = f"prompts[{prompt.position}].features"
                raise InvalidProblem(key, rows, f"{len(prompt.responses)} rows, one for each response")

    @require(lambda prompt: prompt.position >= 0, "the position of a prompt")
    @ensure(lambda self, prompt, result: not result or prompt.position < len(self.features), "a prompt of the family")
    def serves(self, prompt: Prompt) -> bool:
        """Whether there are features for every response of the prompt."""
        return prompt.position < len(self.features) and len(prompt.responses) == len(self.features[prompt.position])

    @require(lambda self, prompt: self.serves(prompt), "a prompt of the family")
    @ensure(lambda result, prompt: len(result) == len(prompt.responses) - 1, "one row for each later response")
    def feature_differences(self, prompt: Prompt) -> tuple[tuple[Fraction, ...], ...]:
        """f_j - f_1 for every response after the first: all that the masses depend on."""
        first, *later = self.features[prompt.position]
        return tuple(tuple(a - b for a, b in zip(row, first, strict=True)) for row in later)

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda prompt, result: len(result) == len(prompt.responses), "one mass for each response of the support")
    @ensure(lambda result: is_mass_function(result), "A3: the masses are positive and sum to 1")
    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The softmax of the scores theta . f_j."""
        zero = arithmetic.number(Fraction(0))
        return softmax(
            [
                sum((entry * coordinate for entry, coordinate in zip(row, theta, strict=True) if entry), zero)
                for row in self.feature_differences(prompt)
            ],
            arithmetic,
        )

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda result: sums_to_zero_vector(result), "A3: the mass gradients sum to 0, as the masses sum to 1")
    @ensure(lambda prompt, result: len(result) == len(prompt.responses), "one row for each response of the support")
    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """grad pi(b_j) = pi(b_j) (f_j - sum_k pi(b_k) f_k), with the features taken relative to f_1."""
        zero = arithmetic.number(Fraction(0))
        masses = self.masses(theta, prompt, arithmetic)
        rows = ((Fraction(0),) * self.dimension, *self.feature_differences(prompt))
        mean = [
            sum((mass * row[i] for mass, row in zip(masses, rows, strict=True) if row[i]), zero)
            for i in range(self.dimension)
        ]
        return tuple(
            tuple(mass * (entry - average) for entry, average in zip(row, mean, strict=True))
            for mass, row in zip(masses, rows, strict=True)
        )


@total("bad input raises InvalidProblem")
@ensure(lambda result: len(result) >= 1 and len(result[0]) >= 1, "features of at least one response")
def feature_rows(key: str, rows: object) -> tuple[tuple[Fraction, ...], ...]:
    """The features of one prompt: a row of numbers for each response."""
    listed = entries(key, rows, "a list of features for each response")
    read = tuple(rationals(f"{key}[{j}]", row) for j, row in enumerate(listed))
    if not read or not read[0]:
        raise InvalidProblem(key, rows, "at least one row of at least one feature")
    return read
