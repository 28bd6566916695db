"""Where F_t is differentiable, decided by claim F2, and its exact gradient there.

Seed [000]: the gradient oracle "returns the Euclidean gradient of F_t when that total derivative exists and returns
undefined-gradient otherwise". A sum of minima is differentiable exactly when every tie has equal gradients (F1), so the
only obstacle is a drawn response of nonzero advantage that sits on its active bound while its ratio moves.
"""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import decided_sign, equal
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.frozen import FrozenIteration, Group, draw_counts, first_draws
from grpocheck.core.objective import Masses, group_ratios
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Undefined
from grpocheck.core.ratio import active_bound

MassGradients = Sequence[Sequence[Scalar]]
Vector = tuple[Scalar, ...]


@require(lambda vectors: len({len(vector) for _, vector in vectors}) == 1, "vectors of one length, at least one")
@ensure(lambda vectors, result: len(result) == len(vectors[0][1]), "a combination has the length of its vectors")
def weighted_sum(vectors: Sequence[tuple[Scalar, Sequence[Scalar]]]) -> Vector:
    """sum of weight * vector over pairs (weight, vector)."""
    return tuple(sum(weight * vector[axis] for weight, vector in vectors) for axis in range(len(vectors[0][1])))


@require(lambda vector: len(vector) >= 1, "a gradient has at least one entry")
@ensure(
    lambda vector, result: not (result and any(decided_sign(entry) in (-1, 1) for entry in vector)),
    "a vector with an entry decided to be nonzero does not vanish",
)
def vanishes(vector: Sequence[Scalar], arithmetic: Arithmetic) -> bool:
    """Whether every entry is 0."""
    return all(arithmetic.equal(entry, 0) for entry in vector)


@require(lambda group, masses: len(masses) == len(group.prompt.responses), "one mass for each response of the support")
@require(lambda masses, mass_gradients: len(masses) == len(mass_gradients), "one gradient for each mass")
@ensure(
    lambda group, result: all(decided_sign(group.advantages[i]) != 0 for i in result),
    "F2: a response of advantage 0 makes no kink",
)
def kinked_draws(
    group: Group, masses: Masses, mass_gradients: MassGradients, epsilon: Scalar, arithmetic: Arithmetic
) -> tuple[int, ...]:
    """The draws (0-based) with A != 0, rho = b and grad rho != 0, where b is the active bound."""
    ratios = group_ratios(group, masses)
    kinked = [
        i
        for i in draw_counts(group)
        if not arithmetic.equal(group.advantages[i], 0)
        and arithmetic.equal(ratios[i], active_bound(group.advantages[i], epsilon, arithmetic))
        and not vanishes(mass_gradients[group.positions[i]], arithmetic)
    ]
    return tuple(i for i, first in enumerate(first_draws(group)) if first in kinked)


@require(lambda epsilon: 0 < epsilon < 1, "0 < epsilon < 1")
@ensure(
    lambda advantage, result: not result or decided_sign(advantage) != 0,
    "E1: a term of advantage 0 is 0 and carries no gradient",
)
def is_active(ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> bool:
    """Whether rho A < b A: the term is rho A near here, and its gradient is alive."""
    if arithmetic.equal(advantage, 0):
        return False
    bound = active_bound(advantage, epsilon, arithmetic)
    return arithmetic.less(ratio * advantage, bound * advantage)


@require(lambda group, masses: len(masses) == len(group.prompt.responses), "one mass for each response of the support")
@require(lambda masses, mass_gradients: len(masses) == len(mass_gradients), "one gradient for each mass")
@ensure(lambda mass_gradients, result: len(result) == len(mass_gradients[0]), "a gradient has d entries")
def group_surrogate_gradient(
    group: Group, masses: Masses, mass_gradients: MassGradients, epsilon: Scalar, arithmetic: Arithmetic
) -> Vector:
    """1/G sum over the active draws of A grad rho = A grad pi(y) / pi_old(y)."""
    zero = tuple(entry - entry for entry in mass_gradients[0])
    ratios = group_ratios(group, masses)
    active = [
        (count * group.advantages[i] / (group.old_masses[i] * len(ratios)), mass_gradients[group.positions[i]])
        for i, count in draw_counts(group).items()
        if is_active(ratios[i], group.advantages[i], epsilon, arithmetic)
    ]
    return weighted_sum(active) if active else zero


@require(lambda masses, reference: len(masses) == len(reference), "both are positive on exactly the same support")
@require(lambda masses, mass_gradients: len(masses) == len(mass_gradients), "one gradient for each mass")
@ensure(
    lambda masses, reference, result: any(decided_sign(a - b) != 0 for a, b in zip(masses, reference, strict=True))
    or all(equal(entry, 0) for entry in result),
    "B4: the divergence is least where the policy is the reference, so its gradient is 0 there",
)
def divergence_gradient(
    masses: Masses, reference: Masses, mass_gradients: MassGradients, arithmetic: Arithmetic
) -> Vector:
    """sum_j grad pi(b_j) log(pi(b_j)/pi_ref(b_j)); the +1 of the product rule drops out, since the masses sum to 1."""
    logs = [arithmetic.log(mass / base) for mass, base in zip(masses, reference, strict=True)]
    return weighted_sum(list(zip(logs, mass_gradients, strict=True)))


@require(lambda frozen, masses: len(masses) == len(frozen.groups), "one mass function for each prompt")
@require(lambda masses, mass_gradients: len(masses) == len(mass_gradients), "gradients of the masses of each prompt")
@ensure(
    lambda mass_gradients, result: isinstance(result, Undefined) or len(result) == len(mass_gradients[0][0]),
    "F2: undefined, or a gradient of d entries",
)
def objective_gradient(
    frozen: FrozenIteration,
    masses: Sequence[Masses],
    mass_gradients: Sequence[MassGradients],
    arithmetic: Arithmetic,
) -> Vector | Undefined:
    """The Euclidean gradient of F_t where it exists, UNDEFINED_GRADIENT where it does not.

    masses and mass_gradients are those of the parameter in question, prompt by prompt; the result has d entries. Raises
    UndecidedComparison where a ratio is not told from its bound, and NotExact where a penalty needs a logarithm that
    exact arithmetic does not have.
    """
    prompts = list(zip(frozen.groups, masses, mass_gradients, strict=True))
    if any(kinked_draws(*prompt, frozen.epsilon, arithmetic) for prompt in prompts):
        return UNDEFINED_GRADIENT
    share = arithmetic.number(Fraction(1, len(prompts)))
    penalised = arithmetic.less(0, frozen.beta)
    parts: list[tuple[Scalar, Vector]] = []
    for group, prompt_masses, rows in prompts:
        parts.append((share, group_surrogate_gradient(group, prompt_masses, rows, frozen.epsilon, arithmetic)))
        if penalised:
            divergence = divergence_gradient(prompt_masses, group.prompt.reference, rows, arithmetic)
            parts.append((-frozen.beta * share, divergence))
    return weighted_sum(parts)
