"""Section 1 once more, over all ordered draws, in Fractions: no count vector, no weight, no line of core.

For bernoulli (one theta, two responses) and simplex problems with beta = 0. A square root is exact where the variance
is the square of a rational, else the numbers are mpmath's at 60 digits from there on.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product
from math import isqrt

from mpmath.ctx_mp import MPContext

context = MPContext()
context.dps = 60
SAME = context.mpf(10) ** -40


@dataclass(frozen=True)
class Case:
    family: str
    rewards: tuple[tuple[int, ...], ...]
    theta: tuple[F, ...]
    group_size: int
    outer_iterations: int
    inner_steps: int
    step: F
    epsilon: F = F(1, 5)
    upper: F | None = None

    def mapping(self):
        found = {
            "group_size": self.group_size,
            "outer_iterations": self.outer_iterations,
            "inner_steps": self.inner_steps,
            "epsilon": str(self.epsilon),
            "beta": 0,
            "step_size": str(self.step),
            "theta": [str(entry) for entry in self.theta],
            "family": self.family,
            "prompts": [
                {
                    "name": f"q{place}",
                    "responses": [f"y{j}" for j in range(len(rewards))],
                    "rewards": list(rewards),
                    "reference": [str(F(1, len(rewards)))] * len(rewards),
                }
                for place, rewards in enumerate(self.rewards)
            ],
        }
        if self.upper is not None:
            size = len(self.theta)
            found["domain"] = {"kind": "open-box", "lower": ["-inf"] * size, "upper": [str(self.upper)] * size}
        return found


def root(value):
    if isinstance(value, F):
        top, bottom = isqrt(value.numerator), isqrt(value.denominator)
        if F(top, bottom) ** 2 == value:
            return F(top, bottom)
        value = context.mpf(value.numerator) / value.denominator
    return context.sqrt(value)


def times(left, right):
    """A product of a rational and a number of the context, which take no Fraction as they are."""
    if isinstance(left, F) and not isinstance(right, F):
        return left.numerator * right / left.denominator
    if isinstance(right, F) and not isinstance(left, F):
        return times(right, left)
    return left * right


def plus(left, right):
    if isinstance(left, F) and not isinstance(right, F):
        return context.mpf(left.numerator) / left.denominator + right
    if isinstance(right, F) and not isinstance(left, F):
        return plus(right, left)
    return left + right


def compare(left, right):
    difference = plus(left, times(F(-1), right))
    if isinstance(difference, F):
        return (difference > 0) - (difference < 0)
    return 0 if abs(difference) < SAME else 1 if difference > 0 else -1


def total(values):
    result = F(0)
    for value in values:
        result = plus(result, value)
    return result


def over(left, right):
    return times(left, 1 / right)


def policy(case, theta, place):
    """Masses of a prompt, and their gradients."""
    if case.family == "bernoulli":
        return [theta[0], plus(F(1), times(F(-1), theta[0]))], [[F(1)], [F(-1)]]
    start = sum(len(rewards) - 1 for rewards in case.rewards[:place])
    free = len(case.rewards[place]) - 1
    own = list(theta[start : start + free])
    rows = [[F(int(axis == start + j)) for axis in range(len(theta))] for j in range(free)]
    last = [F(-int(start <= axis < start + free)) for axis in range(len(theta))]
    return [*own, plus(F(1), times(F(-1), total(own)))], [*rows, last]


def inside(case, theta):
    masses = [mass for place in range(len(case.rewards)) for mass in policy(case, theta, place)[0]]
    below = case.upper is None or all(compare(entry, case.upper) < 0 for entry in theta)
    return below and all(compare(mass, F(0)) > 0 for mass in masses)


def frozen(case, theta_old, draws):
    """(prompt, position, advantage, old mass) of every draw."""
    data = []
    for place, group in enumerate(draws):
        rewards = [F(case.rewards[place][j]) for j in group]
        mean = sum(rewards) / len(rewards)
        deviation = root(sum((reward - mean) ** 2 for reward in rewards) / len(rewards))
        masses = policy(case, theta_old, place)[0]
        for j, reward in zip(group, rewards, strict=True):
            data.append((place, j, F(0) if deviation == 0 else over(reward - mean, deviation), masses[j]))
    return data


def gradient(case, data, theta):
    """The gradient of F, or None at a kink."""
    slopes = [F(0)] * len(theta)
    for place, j, advantage, old in data:
        sign = compare(advantage, F(0))
        if sign == 0:
            continue
        masses, rows = policy(case, theta, place)
        side = compare(over(masses[j], old), 1 + sign * case.epsilon)
        if side == 0:
            return None
        if side * sign < 0:
            scale = over(advantage, old)
            slopes = [plus(slope, times(scale, entry)) for slope, entry in zip(slopes, rows[j], strict=True)]
    return [times(F(1, len(data)), slope) for slope in slopes]


def objective(case, data, theta):
    value = F(0)
    for place, j, advantage, old in data:
        ratio = over(policy(case, theta, place)[0][j], old)
        held = ratio
        if compare(ratio, 1 - case.epsilon) < 0:
            held = 1 - case.epsilon
        elif compare(ratio, 1 + case.epsilon) > 0:
            held = 1 + case.epsilon
        plain, clipped = times(ratio, advantage), times(held, advantage)
        value = plus(value, plain if compare(plain, clipped) < 0 else clipped)
    return times(F(1, len(data)), value)


def true_objective(case, theta):
    values = []
    for place, rewards in enumerate(case.rewards):
        masses = policy(case, theta, place)[0]
        values.append(total(times(mass, F(reward)) for mass, reward in zip(masses, rewards, strict=True)))
    return times(F(1, len(values)), total(values))


def written(value):
    """A number as a key: 40 digits, and 0 where rounding alone has left something."""
    if value is None:
        return None
    if isinstance(value, F):
        value = context.mpf(value.numerator) / value.denominator
    return context.nstr(value if abs(value) > SAME else context.mpf(0), 40)


class OrderedLaw:
    """The law of a run, from every sequence of draws one by one."""

    def __init__(self, case):
        self.case = case
        self.statuses, self.thetas, self.objectives = Counter(), {}, {}
        self.calls = Counter()
        self.expected_true = F(0)
        self.first_gradient = [F(0)] * len(case.theta)
        self.sequences = 0
        self.follow(1, case.theta, F(1), None)

    def follow(self, t, theta_old, probability, last):
        case = self.case
        groups = [product(range(len(rewards)), repeat=case.group_size) for rewards in case.rewards]
        for draws in product(*groups):
            weight = probability
            for place, group in enumerate(draws):
                for j in group:
                    weight = times(weight, policy(case, theta_old, place)[0][j])
            self.iterate(t, theta_old, draws, weight, last)

    def iterate(self, t, theta, draws, weight, last):
        case = self.case
        data = frozen(case, theta, draws)
        self.count("outer_iterations_started", weight)
        self.count("draws", times(weight, F(len(data))))
        for k in range(case.inner_steps):
            self.count("gradient_attempts", weight)
            slope = gradient(case, data, theta)
            if slope is None:
                return self.end("undefined-gradient", theta, weight, last)
            if t == 1 and k == 0:
                self.first_gradient = [
                    plus(a, times(weight, b)) for a, b in zip(self.first_gradient, slope, strict=True)
                ]
            self.count("membership_calls", weight)
            proposal = [plus(a, times(case.step, b)) for a, b in zip(theta, slope, strict=True)]
            if not inside(case, proposal):
                return self.end("invalid-update", theta, weight, last)
            theta = proposal
            self.count("steps_applied", weight)
            last = objective(case, data, theta)
        if t == case.outer_iterations:
            return self.end("complete", theta, weight, last)
        return self.follow(t + 1, theta, weight, last)

    def count(self, line, amount):
        self.calls[line] = plus(self.calls.get(line, F(0)), amount)

    def end(self, status, theta, weight, last):
        self.sequences += 1
        self.statuses[status] = plus(self.statuses.get(status, F(0)), weight)
        key = (status, tuple(map(written, theta)))
        self.thetas[key] = plus(self.thetas.get(key, F(0)), weight)
        self.objectives[written(last)] = plus(self.objectives.get(written(last), F(0)), weight)
        self.expected_true = plus(self.expected_true, times(weight, true_objective(self.case, theta)))
