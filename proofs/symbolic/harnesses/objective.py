"""The empirical objective F_t (claims B3, B5, E2).

The contracts are icontract's own: see grpocheck.proofs.symbolic.harness.
"""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.advantage import mean, population_standard_deviation, standardised
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.objective import objective
from grpocheck.core.prompt import Prompt
from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.proofs.symbolic.harness import harness
from icontract import ensure, require

EXACT = SymbolicArithmetic()

Two = tuple[Fraction, Fraction]
Three = tuple[Fraction, Fraction, Fraction]
NAMES = ("a", "b", "c")


def both(probability: Fraction) -> Two:
    """The masses of two responses."""
    return probability, 1 - probability


def drawn(
    position: int,
    positions: tuple[int, ...],
    rewards: tuple[Fraction, ...],
    old: Sequence[Fraction],
    reference: Sequence[Fraction],
) -> Group:
    """The group of these draws with these rewards, its advantages by core."""
    prompt = Prompt(position, f"q{position}", NAMES[: len(old)], (Fraction(0),) * len(old), tuple(reference))
    average = mean(rewards)
    deviation = population_standard_deviation(rewards, EXACT)
    advantages = standardised(rewards, average, deviation, EXACT)
    return Group(prompt, positions, rewards, average, deviation, advantages, tuple(old[j] for j in positions))


def value(groups: Sequence[Group], masses: Sequence[Sequence[Fraction]], epsilon: Fraction, beta: Fraction) -> Fraction:
    """F_t at the masses."""
    frozen = FrozenIteration(1, (Fraction(0),), tuple(groups), epsilon, beta)
    result: Fraction = objective(frozen, masses, EXACT)
    return result


def divergence(masses: Sequence[Fraction], reference: Sequence[Fraction]) -> Fraction:
    """KL of the masses, by core."""
    result: Fraction = kl_divergence(masses, reference, EXACT)
    return result


def unclipped(group: Group, masses: Sequence[Fraction]) -> Fraction:
    """The mean of rho A over a group."""
    draws = zip(group.positions, group.old_masses, group.advantages, strict=True)
    total = sum((masses[j] / old * advantage for j, old, advantage in draws), Fraction(0))
    return total / len(group.positions)


@harness(size="M = 1, n = 2, G = 2, any draws, rewards, masses, epsilon and beta")
@require(lambda new, old, ref: 0 < new < 1 and 0 < old < 1 and 0 < ref < 1)
@require(lambda epsilon, beta: 0 < epsilon < 1 and beta >= 0)
@require(lambda first, second: 0 <= first <= 1 and 0 <= second <= 1)
@ensure(
    lambda new, old, ref, first, second, rewards, beta, result: (
        result + beta * divergence(both(new), both(ref))
        <= unclipped(drawn(0, (first, second), rewards, both(old), both(ref)), both(new))
    ),
    "E2: F_t + beta KL is at most the mean of rho A",
)
@ensure(
    lambda new, old, ref, beta, result: new != old or result == -beta * divergence(both(new), both(ref)),
    "B3: at theta_old every ratio is 1, so F_t = -beta KL",
)
def objective_of_two_draws(
    new: Fraction,
    old: Fraction,
    ref: Fraction,
    first: int,
    second: int,
    rewards: Two,
    epsilon: Fraction,
    beta: Fraction,
) -> Fraction:
    """F_t of one prompt with two responses."""
    group = drawn(0, (first, second), rewards, both(old), both(ref))
    return value([group], [both(new)], epsilon, beta)


@harness(size="M = 1, n = 2, G = 3, any draws, rewards, masses, epsilon and beta")
@require(lambda new, old, ref: 0 < new < 1 and 0 < old < 1 and 0 < ref < 1)
@require(lambda epsilon, beta: 0 < epsilon < 1 and beta >= 0)
@require(lambda first, second, third: 0 <= first <= 1 and 0 <= second <= 1 and 0 <= third <= 1)
@ensure(
    lambda new, old, ref, beta, result: new != old or result == -beta * divergence(both(new), both(ref)),
    "B3: at theta_old every ratio is 1, so F_t = -beta KL",
)
def objective_of_three_draws(
    new: Fraction,
    old: Fraction,
    ref: Fraction,
    first: int,
    second: int,
    third: int,
    rewards: Three,
    epsilon: Fraction,
    beta: Fraction,
) -> Fraction:
    """F_t of one prompt with two responses and three draws."""
    group = drawn(0, (first, second, third), rewards, both(old), both(ref))
    return value([group], [both(new)], epsilon, beta)


@harness(size="M = 2, n = 2, G = 2, both responses drawn, any rewards, masses, epsilon and beta")
@require(lambda a, b: all(0 < x < 1 for x in a) and all(0 < x < 1 for x in b))
@require(lambda epsilon, beta: 0 < epsilon < 1 and beta >= 0)
@ensure(
    lambda a, b, beta, result: (
        a[0] != a[1]
        or b[0] != b[1]
        or result == -beta * (divergence(both(a[0]), both(a[2])) + divergence(both(b[0]), both(b[2]))) / 2
    ),
    "B3: at theta_old every ratio is 1, so F_t = -beta mean KL",
)
def objective_of_two_prompts(
    a: Three, b: Three, rewards: Two, others: Two, epsilon: Fraction, beta: Fraction
) -> Fraction:
    """F_t of two prompts; a and b hold their new, old and reference probabilities of the first response."""
    groups = [
        drawn(0, (0, 1), rewards, both(a[1]), both(a[2])),
        drawn(1, (0, 1), others, both(b[1]), both(b[2])),
    ]
    return value(groups, [both(a[0]), both(b[0])], epsilon, beta)


@harness(size="M = 1, n = 2, G = 2, beta = 0, any draws, rewards, masses and epsilon")
@require(lambda new, old: 0 < new < 1 and 0 < old < 1)
@require(lambda epsilon, first, second: 0 < epsilon < 1 and 0 <= first <= 1 and 0 <= second <= 1)
@ensure(
    lambda old, first, second, epsilon, result: (
        abs(result) <= max(1 + epsilon, 1 / both(old)[first], 1 / both(old)[second])
    ),
    "B5: abs(F_t) <= sqrt(G-1) max(1+eps, 1/(least old mass drawn))",
)
def bounded_surrogate(
    new: Fraction, old: Fraction, first: int, second: int, rewards: Two, epsilon: Fraction
) -> Fraction:
    """F_t without a penalty."""
    group = drawn(0, (first, second), rewards, both(old), both(Fraction(1, 2)))
    return value([group], [both(new)], epsilon, Fraction(0))


@harness(size="n = 2, any two mass functions")
@require(lambda p, q: 0 < p < 1 and 0 < q < 1)
@ensure(
    lambda q, result: any(result <= -EXACT.log(mass) for mass in both(q)),
    "B5: KL is at most log(1/(least reference mass))",
)
def bounded_divergence(p: Fraction, q: Fraction) -> Fraction:
    """The penalty of F_t, before beta."""
    return divergence(both(p), both(q))
