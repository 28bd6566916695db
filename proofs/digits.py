"""A third reading of section 1, of whole problems, in mpmath at 80 digits: what the property evidence compares with.

It shares no code with core: masses, advantages, objective and gradient are written out again from the problem's data,
in floating point with so many digits that a tie is recognised as a difference below 1e-50.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grpocheck.core import Problem, Prompt
from mpmath.ctx_mp import MPContext

Float = Any
"""An mpmath number of the context below."""

context = MPContext()
context.dps = 80
TIE = context.mpf(10) ** -50
ZERO, ONE = context.mpf(0), context.mpf(1)


def number(value: Fraction | str) -> Float:
    """A rational, rounded to 80 digits."""
    exact = Fraction(value)
    return context.mpf(exact.numerator) / exact.denominator


def value_of(text: str) -> Float:
    """The value of an exact number of an outcome, "p + q*sqrt(n)" with any number of terms, or of a decimal."""
    total = ZERO
    for term in text.replace(" - ", " + -").split(" + "):
        factor, _, radicand = term.partition("sqrt(")
        scale = {"": "1", "-": "-1"}.get(factor.rstrip("*"), factor.rstrip("*"))
        total += number(scale) * (context.sqrt(int(radicand.rstrip(")"))) if radicand else ONE)
    return total


def enclosed(text: str | list[str], value: Float, slack: Float) -> bool:
    """Whether a number of an outcome, exact or [lower, upper], is this one to within a slack."""
    lower, upper = map(value_of, text if isinstance(text, list) else [text, text])
    return bool(lower - slack <= value <= upper + slack)


@dataclass(frozen=True)
class Ending:
    """How a run ends: its status, theta, F after each applied step, and the numbers of calls."""

    status: str
    theta: list[Float]
    objectives: list[Float]
    attempts: int
    memberships: int


class Reading:
    """Section 1 for one problem with recorded draws."""

    def __init__(self, problem: Problem) -> None:
        """Read the problem's numbers."""
        self.problem = problem
        self.name = problem.family.name
        self.sizes = [len(prompt.responses) for prompt in problem.prompts]

    def logits(self, theta: Sequence[Float], prompt: Prompt) -> list[tuple[Float, list[Float]]]:
        """Score and score gradient of each response; masses are proportional to the exponentials of the scores."""
        dimension, family = len(theta), self.problem.family
        rows: list[list[Float]] = []
        if self.name == "softmax":
            start = sum(self.sizes[: prompt.position])
            rows = [[ONE * (axis == start + j) for axis in range(dimension)] for j in range(len(prompt.responses))]
        elif self.name == "log-linear":
            rows = [[number(x) for x in row] for row in family.features[prompt.position]]  # type: ignore[union-attr]
        return [(sum((a * b for a, b in zip(row, theta, strict=True)), ZERO), row) for row in rows]

    def policy(self, theta: Sequence[Float], prompt: Prompt) -> tuple[list[Float], list[list[Float]]]:
        """Masses of the support and their gradients."""
        dimension = len(theta)
        if self.name == "bernoulli":
            return [theta[0], 1 - theta[0]], [[ONE], [-ONE]]
        if self.name == "simplex":
            start = sum(self.sizes[: prompt.position]) - prompt.position
            free = len(prompt.responses) - 1
            own = list(theta[start : start + free])
            rows = [[ONE * (axis == start + j) for axis in range(dimension)] for j in range(free)]
            last = [-ONE * (start <= axis < start + free) for axis in range(dimension)]
            return [*own, 1 - sum(own)], [*rows, last]
        if self.name == "autoregressive":
            return self.generated(theta, prompt)
        scores = self.logits(theta, prompt)
        weights = [context.exp(score) for score, _ in scores]
        masses = [weight / sum(weights) for weight in weights]
        mean = [sum(m * row[axis] for m, (_, row) in zip(masses, scores, strict=True)) for axis in range(dimension)]
        return masses, [
            [m * (row[axis] - mean[axis]) for axis in range(dimension)]
            for m, (_, row) in zip(masses, scores, strict=True)
        ]

    def generated(self, theta: Sequence[Float], prompt: Prompt) -> tuple[list[Float], list[list[Float]]]:
        """Products of conditional masses and, by differences of 40 digits, their gradients."""

        def masses(point: Sequence[Float]) -> list[Float]:
            tables, at = {}, 0
            for prefix in self.problem.family.generation.prefixes:  # type: ignore[union-attr]
                allowed = self.problem.family.generation.allowed(prefix)  # type: ignore[union-attr]
                if self.problem.family.parameterisation == "masses":  # type: ignore[union-attr]
                    own = list(point[at : at + len(allowed) - 1])
                    at += len(own)
                    own.append(1 - sum(own))
                else:
                    weights = [context.exp(x) for x in point[at : at + len(allowed)]]
                    at += len(allowed)
                    own = [weight / sum(weights) for weight in weights]
                tables[prefix] = dict(zip(allowed, own, strict=True))
            found = []
            for response in prompt.responses:
                tokens, mass = tuple(response.split()), ONE
                for place, token in enumerate(tokens):
                    mass *= tables[tokens[:place]][token]
                found.append(mass)
            return found

        step = context.mpf(10) ** -30
        here = masses(theta)
        columns = []
        for axis in range(len(theta)):
            above = masses([x + step * (i == axis) for i, x in enumerate(theta)])
            below = masses([x - step * (i == axis) for i, x in enumerate(theta)])
            columns.append([(a - b) / (2 * step) for a, b in zip(above, below, strict=True)])
        return here, [[column[j] for column in columns] for j in range(len(here))]

    def advantages(self, rewards: Sequence[Float]) -> list[Float]:
        """Centred, divided by the population deviation; exactly 0 for a reward that is the mean, however it rounds."""
        mean = sum(rewards) / len(rewards)
        variance = sum((reward - mean) ** 2 for reward in rewards) / len(rewards)
        return [(reward - mean) / context.sqrt(variance) if abs(reward - mean) > TIE else ZERO for reward in rewards]

    def frozen(self, iteration: int, theta_old: Sequence[Float]) -> list[tuple[Prompt, list[tuple[int, Float, Float]]]]:
        """For each prompt the draws as (position, advantage, old mass)."""
        assert self.problem.recorded is not None
        data = []
        for prompt, names in zip(self.problem.prompts, self.problem.recorded[iteration], strict=True):
            positions = [prompt.responses.index(name) for name in names]
            advantages = self.advantages([number(prompt.rewards[j]) for j in positions])
            old = self.policy(theta_old, prompt)[0]
            data.append((prompt, [(j, a, old[j]) for j, a in zip(positions, advantages, strict=True)]))
        return data

    def objective(self, data: Sequence[tuple[Prompt, list[tuple[int, Float, Float]]]], theta: Sequence[Float]) -> Float:
        """F_t."""
        epsilon, beta, total = number(self.problem.epsilon), number(self.problem.beta), ZERO
        for prompt, draws in data:
            masses = self.policy(theta, prompt)[0]
            for j, advantage, old in draws:
                rho = masses[j] / old
                clipped = min(1 + epsilon, max(1 - epsilon, rho))
                total += min(rho * advantage, clipped * advantage) / len(draws)
            for mass, base in zip(masses, prompt.reference, strict=True):
                total -= beta * mass * context.log(mass / number(base))
        return total / len(data)

    def gradient(
        self, data: Sequence[tuple[Prompt, list[tuple[int, Float, Float]]]], theta: Sequence[Float]
    ) -> list[Float] | None:
        """grad F_t; None where a drawn response of nonzero advantage is on its active bound and its ratio moves."""
        epsilon, beta = number(self.problem.epsilon), number(self.problem.beta)
        total = [ZERO] * len(theta)
        for prompt, draws in data:
            masses, rows = self.policy(theta, prompt)
            for j, advantage, old in draws:
                bound = 1 + epsilon if advantage > 0 else 1 - epsilon
                gap = masses[j] / old - bound
                if advantage != 0 and abs(gap) < TIE and any(abs(x) > TIE for x in rows[j]):
                    return None
                if gap * advantage < -TIE:
                    total = [x + advantage * y / old / len(draws) for x, y in zip(total, rows[j], strict=True)]
            for mass, base, row in zip(masses, prompt.reference, rows, strict=True):
                weight = beta * context.log(mass / number(base))
                total = [x - weight * y for x, y in zip(total, row, strict=True)]
        return [x / len(data) for x in total]

    def run(self) -> Ending:
        """The whole procedure, U being the family's natural domain; a proposal on its boundary is outside."""
        theta = [number(entry) for entry in self.problem.theta]
        objectives: list[Float] = []
        attempts = memberships = 0
        for t, row in enumerate(self.problem.step_sizes):
            data = self.frozen(t, theta)
            for step_size in row:
                attempts += 1
                slope = self.gradient(data, theta)
                if slope is None:
                    return Ending("undefined-gradient", theta, objectives, attempts, memberships)
                memberships += 1
                proposal = [x + number(step_size) * y for x, y in zip(theta, slope, strict=True)]
                if any(mass <= TIE for prompt in self.problem.prompts for mass in self.policy(proposal, prompt)[0]):
                    return Ending("invalid-update", theta, objectives, attempts, memberships)
                theta = proposal
                objectives.append(self.objective(data, theta))
        return Ending("complete", theta, objectives, attempts, memberships)
