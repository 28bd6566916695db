"""Where F_t is differentiable, and its gradient there (claim F2).

The gradient is pinned by its meaning and not by its formula: along a line of masses m + h g, whose rows g sum to 0, the
surrogate's slope is the gradient's on any one branch of the clip, and the divergence stays above its tangent by at most
a multiple of h squared. Any differentiable family has such a line as its tangent. The advantages are any numbers.
The contracts are icontract's own: see grpocheck.proofs.symbolic.harness.
"""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.divergence import kl_divergence
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.gradient import divergence_gradient, group_surrogate_gradient, objective_gradient
from grpocheck.core.objective import group_surrogate
from grpocheck.core.oracles import Undefined
from grpocheck.core.prompt import Prompt
from grpocheck.proofs.symbolic.arithmetic import BranchingArithmetic
from grpocheck.proofs.symbolic.harness import harness
from icontract import ensure, require

EXACT = BranchingArithmetic()

Two = tuple[Fraction, Fraction]
EVEN = (Fraction(1, 2), Fraction(1, 2))


def both(probability: Fraction) -> Two:
    """The masses of two responses."""
    return probability, 1 - probability


def drawn(place: int, advantages: Two, old: Two, reference: Two) -> Group:
    """Both responses drawn, with these advantages; rewards, mean and deviation play no part in the gradient."""
    nothing = Fraction(0)
    prompt = Prompt(place, f"q{place}", ("a", "b"), (nothing, nothing), reference)
    return Group(prompt, (0, 1), (nothing, nothing), nothing, nothing, advantages, old)


def on_one_branch(old: Two, masses: Sequence[Fraction], other: Sequence[Fraction], epsilon: Fraction) -> bool:
    """No ratio is at a bound of the clip at either end, or on two sides of one."""
    for before, first, second in zip(old, masses, other, strict=True):
        for bound in (1 - epsilon, 1 + epsilon):
            if not (first - bound * before) * (second - bound * before) > 0:
                return False
    return True


@harness(size="n = 2, G = 2, both responses drawn; any masses, direction, advantages and epsilon off the clip's bounds")
@require(lambda new, old, h: 0 < new < 1 and 0 < old < 1 and 0 < new + h < 1)
@require(lambda epsilon: 0 < epsilon < 1)
@require(lambda new, old, h, epsilon: on_one_branch(both(old), both(new), both(new + h), epsilon))
@ensure(lambda result: result[0] == result[1], "F2: on one branch the surrogate moves by its gradient")
def surrogate_slope(new: Fraction, old: Fraction, h: Fraction, advantages: Two, epsilon: Fraction) -> Two:
    """What the surrogate gains over a step h, and h times its derivative."""
    group = drawn(0, advantages, both(old), EVEN)
    rows = ((Fraction(1),), (Fraction(-1),))
    gain = group_surrogate(group, both(new + h), epsilon, EXACT) - group_surrogate(group, both(new), epsilon, EXACT)
    (slope,) = group_surrogate_gradient(group, both(new), rows, epsilon, EXACT)
    return gain, h * slope


@harness(size="n = 2, any masses, reference and step")
@require(lambda new, ref, h: 0 < new < 1 and 0 < ref < 1 and 0 < new + h < 1)
@ensure(lambda result: result >= 0, "F2: the divergence stays above its tangent")
@ensure(
    lambda new, h, result: result <= h * h / (new * (1 - new)), "F2: the divergence stays within h^2/(p(1-p)) of it"
)
def divergence_slope_of_two(new: Fraction, ref: Fraction, h: Fraction) -> Fraction:
    """How far KL at p + h is above the tangent at p."""
    (slope,) = divergence_gradient(both(new), both(ref), ((Fraction(1),), (Fraction(-1),)), EXACT)
    gain = kl_divergence(both(new + h), both(ref), EXACT) - kl_divergence(both(new), both(ref), EXACT)
    result: Fraction = gain - h * slope
    return result


@harness(size="n = 2, G = 2, both responses drawn; any masses, mass gradient, advantages and epsilon")
@require(lambda new, old: 0 < new < 1 and 0 < old < 1)
@require(lambda epsilon: 0 < epsilon < 1)
@ensure(
    lambda new, old, slope, advantages, epsilon, result: (
        result
        == any(
            advantage != 0 and slope != 0 and mass == (1 + epsilon if advantage > 0 else 1 - epsilon) * before
            for mass, before, advantage in zip(both(new), both(old), advantages, strict=True)
        )
    ),
    "F2: undefined exactly where a drawn response with A != 0 has rho = b and grad rho != 0",
)
def undefined(new: Fraction, old: Fraction, slope: Fraction, advantages: Two, epsilon: Fraction) -> bool:
    """Whether the gradient oracle says undefined."""
    group = drawn(0, advantages, both(old), EVEN)
    frozen = FrozenIteration(1, (new,), (group,), epsilon, Fraction(0))
    answer = objective_gradient(frozen, (both(new),), (((slope,), (-slope,)),), EXACT)
    return isinstance(answer, Undefined)


@harness(size="M = 2, n = 2, G = 2, d = 2, advantages 1 and -1; any masses, mass gradients, epsilon and beta")
@require(lambda new, old, ref: all(0 < p < 1 for p in new + old + ref))
@require(lambda epsilon, beta: 0 < epsilon < 1 and beta >= 0)
@ensure(lambda result: result is None or result[0] == result[1], "F2: the gradient is the prompts' mean of the parts")
def gradient_of_two_prompts(
    new: Two, old: Two, ref: Two, slopes: Two, epsilon: Fraction, beta: Fraction
) -> tuple[Two, Two] | None:
    """The gradient of F_t where it is defined, and 1/M sum (surrogate's gradient - beta divergence's gradient)."""
    advantages = (Fraction(1), Fraction(-1))
    groups = [drawn(i, advantages, both(old[i]), both(ref[i])) for i in range(2)]
    masses = [both(new[0]), both(new[1])]
    rows = [((slopes[i], Fraction(i)), (-slopes[i], Fraction(-i))) for i in range(2)]
    frozen = FrozenIteration(1, (Fraction(0), Fraction(0)), tuple(groups), epsilon, beta)
    answer = objective_gradient(frozen, masses, rows, EXACT)
    if isinstance(answer, Undefined):
        return None
    total = [Fraction(0), Fraction(0)]
    for group, at, row in zip(groups, masses, rows, strict=True):
        surrogate = group_surrogate_gradient(group, at, row, epsilon, EXACT)
        divergence = divergence_gradient(at, group.prompt.reference, row, EXACT)
        total = [total[axis] + (surrogate[axis] - beta * divergence[axis]) / 2 for axis in range(2)]
    return (answer[0], answer[1]), (total[0], total[1])
