"""What refutes each non-claim: functions that run a problem and return what it violates, exactly, or None.

Every number comes from the procedure itself: the run, its frozen groups and its family's own masses and gradients. A
run that stops refutes nothing: it raises Stopped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from grpocheck.core import Arithmetic, Outcome, Problem
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.gradient import Vector, weighted_sum
from grpocheck.core.objective import group_ratios
from grpocheck.core.oracles import Undefined
from grpocheck.proofs.non_claims.truth import completed, law, masses_at, true_gradient, true_objective

EXACT = ExactArithmetic()


@dataclass(frozen=True)
class Refutation:
    """What a problem shows: the violated inequality with its exact numbers, one fact a line."""

    facts: tuple[str, ...]


Refute = Callable[[Problem], Refutation | None]


def shown(value: Scalar, arithmetic: Arithmetic) -> str:
    """An exact number, or the certified bounds of one."""
    text = arithmetic.text(value)
    return text if isinstance(text, str) else f"[{', '.join(text)}]"


def point(values: Sequence[Scalar], arithmetic: Arithmetic) -> str:
    """A number, or the entries of a vector in brackets."""
    entries = [shown(value, arithmetic) for value in values]
    return entries[0] if len(entries) == 1 else f"({', '.join(entries)})"


def fall(name: str, before: Scalar, after: Scalar, arithmetic: Arithmetic) -> Refutation | None:
    """The fact that a quantity fell, None where it did not."""
    if not arithmetic.less(after, before):
        return None
    numbers = [shown(value, arithmetic) for value in (before, after, after - before)]
    return Refutation(("{}: before {}, after {}; difference {} < 0".format(name, *numbers),))


def objective_falls(problem: Problem) -> Refutation | None:
    """N1: F_t falls over an applied step."""
    outcome = completed(problem)
    for iteration in outcome.iterations:
        before = iteration.objective
        for step in iteration.steps:
            name = f"F_{iteration.frozen.outer_iteration} over applied step {step.number}"
            found = fall(name, before, step.objective, outcome.arithmetic)
            if found is not None:
                return found
            before = step.objective
    return None


def return_falls(problem: Problem) -> Refutation | None:
    """N2: E[R] - beta KL falls over an outer iteration that completes."""
    outcome = completed(problem)
    before, after = (true_objective(problem, theta, outcome.arithmetic) for theta in (problem.theta, outcome.theta))
    return fall("E[R] over the outer iteration", before, after, outcome.arithmetic)


def expected_return_falls(problem: Problem) -> Refutation | None:
    """N2: the expectation over all draws of E[R] after an outer iteration, completed by each, is below E[R] before."""
    after: Scalar = 0
    for probability, outcome in law(problem):
        after = after + probability * true_objective(problem, outcome.theta, outcome.arithmetic)
    before = true_objective(problem, problem.theta, EXACT)
    return fall("E[R] over the outer iteration, in expectation over all draws", before, after, EXACT)


def expected_gradient(problem: Problem) -> Vector:
    """E grad F_1(theta_0) over all draws, each of which completes the iteration."""
    parts: list[tuple[Scalar, Vector]] = []
    for probability, outcome in law(problem):
        gradient = outcome.iterations[0].steps[0].gradient
        assert not isinstance(gradient, Undefined)
        parts.append((probability, gradient))
    return weighted_sum(parts)


def gradients(expected: Vector, true: Vector) -> str:
    """Both gradients in a sentence."""
    return f"E grad F_1 = {point(expected, EXACT)}, grad E[R] = {point(true, EXACT)}"


def gradient_is_biased(problem: Problem) -> Refutation | None:
    """N3: the expected gradient of the group objective is a positive multiple of the true one, and not the true one."""
    expected, true = expected_gradient(problem), true_gradient(problem, problem.theta, EXACT)
    if expected == true or not are_positively_parallel(expected, true):
        return None
    factor = next(left / right for left, right in zip(expected, true, strict=True) if right != 0)
    return Refutation((gradients(expected, true), f"factor {shown(factor, EXACT)}, not 1"))


def direction_is_wrong(problem: Problem) -> Refutation | None:
    """N3: the expected gradient and the true one are both nonzero and point in different directions."""
    expected, true = expected_gradient(problem), true_gradient(problem, problem.theta, EXACT)
    if not any(expected) or not any(true) or are_positively_parallel(expected, true):
        return None
    cross = [shown(area, EXACT) for area in areas(expected, true) if area != 0]
    inner = shown(dot(expected, true), EXACT)
    fact = f"area of the parallelogram that they span: {cross[0]}, not 0" if cross else f"inner product {inner} < 0"
    return Refutation((gradients(expected, true), fact))


def areas(left: Vector, right: Vector) -> list[Scalar]:
    """left_a right_b - left_b right_a over the pairs of axes; all 0 for parallel vectors."""
    pairs = combinations(range(len(left)), 2)
    return [left[a] * right[b] - left[b] * right[a] for a, b in pairs]


def dot(left: Vector, right: Vector) -> Scalar:
    """The inner product."""
    return sum(a * b for a, b in zip(left, right, strict=True))


def are_positively_parallel(left: Vector, right: Vector) -> bool:
    """Whether left = c right for a c > 0 and right is not 0."""
    return not any(areas(left, right)) and bool(dot(left, right) > 0)


def ratio_leaves_the_clip(problem: Problem) -> Refutation | None:
    """N4 (a): after an applied step the ratio of a drawn response is outside [1-epsilon, 1+epsilon]."""
    outcome = completed(problem)
    arithmetic = outcome.arithmetic
    frozen = outcome.iterations[-1].frozen
    lower, upper = 1 - problem.epsilon, 1 + problem.epsilon
    for group, masses in zip(frozen.groups, masses_at(problem, outcome.theta, arithmetic), strict=True):
        for position, ratio in zip(group.positions, group_ratios(group, masses), strict=True):
            below, above = arithmetic.less(ratio, lower), arithmetic.less(upper, ratio)
            if below or above:
                response = f"rho of the drawn response {group.prompt.responses[position]!r}"
                bound = f"< 1 - epsilon = {lower}" if below else f"> 1 + epsilon = {upper}"
                return Refutation((f"{response} after the step: {shown(ratio, arithmetic)} {bound}",))
    return None


def divergence_exceeds(bound: int) -> Refute:
    """N4 (b): one applied step takes KL(old to new) of a prompt above a bound in nats."""

    def refute(problem: Problem) -> Refutation | None:
        """The divergence of the first prompt that is above the bound."""
        outcome = completed(problem)
        if outcome.ledger.steps_applied != 1:
            return None
        arithmetic = outcome.arithmetic
        before, after = (masses_at(problem, theta, arithmetic) for theta in (problem.theta, outcome.theta))
        for prompt, old, new in zip(problem.prompts, before, after, strict=True):
            if arithmetic.less(bound, divergence := kl_divergence(old, new, arithmetic)):
                size = shown(divergence, arithmetic)
                return Refutation((f"KL(old to new) of {prompt.name!r} after one step: {size} > {bound} nats",))
        return None

    return refute


def log_ratios(outcome: Outcome) -> list[tuple[Scalar, ...]]:
    """log(pi_theta(y) / pi_ref(y)) of every draw of the first iteration at theta_0, prompt by prompt, in nats."""
    return [
        tuple(
            outcome.arithmetic.log(mass / group.prompt.reference[position])
            for position, mass in zip(group.positions, group.old_masses, strict=True)
        )
        for group in outcome.iterations[0].frozen.groups
    ]


def log_ratio_is_negative(problem: Problem) -> Refutation | None:
    """N5 (a): the log ratio of a single drawn response is negative."""
    outcome = completed(problem)
    arithmetic = outcome.arithmetic
    for group, logs in zip(outcome.iterations[0].frozen.groups, log_ratios(outcome), strict=True):
        for position, mass, log_ratio in zip(group.positions, group.old_masses, logs, strict=True):
            if arithmetic.less(log_ratio, 0):
                quotient = f"{shown(mass, arithmetic)} / {group.prompt.reference[position]}"
                return Refutation((f"log({quotient}) = {shown(log_ratio, arithmetic)} < 0",))
    return None


def sample_divergence_is_negative(problem: Problem) -> Refutation | None:
    """N5 (b): the mean log ratio of a group that holds every response of the support is negative; the exact KL is not.

    A group of one response alone would say no more than its single log ratio.
    """
    outcome = completed(problem)
    arithmetic = outcome.arithmetic
    groups = outcome.iterations[0].frozen.groups
    masses = masses_at(problem, problem.theta, arithmetic)
    for group, logs, current in zip(groups, log_ratios(outcome), masses, strict=True):
        average = sum(logs) / len(logs)
        if set(group.positions) == set(range(len(current))) and arithmetic.less(average, 0):
            exact = kl_divergence(current, group.prompt.reference, arithmetic)
            return Refutation(
                (
                    f"mean of the log ratios of the group: {shown(average, arithmetic)} < 0",
                    f"exact KL(pi_theta || pi_ref): {shown(exact, arithmetic)}",
                )
            )
    return None


def theta_cycles(problem: Problem) -> Refutation | None:
    """N7: every step moves theta, theta_T is theta_0, and no point on the way is stationary for E[R]."""
    outcome = completed(problem)
    arithmetic = outcome.arithmetic
    path = [problem.theta, *(step.theta for iteration in outcome.iterations for step in iteration.steps)]
    if path[-1] != path[0]:
        return None
    slopes = [true_gradient(problem, theta, arithmetic) for theta in path[:-1]]
    if not all(map(any, slopes)) or any(left == right for left, right in pairwise(path)):
        return None
    return Refutation(
        (
            f"theta: {' -> '.join(point(theta, arithmetic) for theta in path)}",
            f"grad E[R] on the way: {', '.join(point(slope, arithmetic) for slope in slopes)}, never 0",
        )
    )
