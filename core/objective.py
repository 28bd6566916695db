"""The empirical objective F_t of one outer iteration, a function of the current masses.

Seed [000], "The empirical objective is F_t(theta)". In advantage units; beta converts nats of divergence into them.
"""

from collections.abc import Sequence

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import at_most
from grpocheck.contracts.predicates import is_bounded_objective, is_mass_function
from grpocheck.core.advantage import mean
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.ratio import clipped_term, importance_ratio

Masses = Sequence[Scalar]


@require(lambda group, masses: len(masses) == len(group.prompt.responses), "one mass for each response of the support")
@require(lambda masses: is_mass_function(masses), "A3: the current masses are positive with sum 1")
@ensure(lambda group, result: len(result) == len(group.positions), "B3: one ratio for each draw")
def group_ratios(group: Group, masses: Masses) -> tuple[Scalar, ...]:
    """rho_i(theta) of each draw of a group."""
    return tuple(
        importance_ratio(masses[position], old_mass)
        for position, old_mass in zip(group.positions, group.old_masses, strict=True)
    )


@require(lambda group, masses: len(masses) == len(group.prompt.responses), "one mass for each response of the support")
@ensure(
    lambda group, masses, result: at_most(
        result * len(group.positions),
        sum(rho * a for rho, a in zip(group_ratios(group, masses), group.advantages, strict=True)),
    ),
    "E2: the clipped terms sum to at most the sum of rho A",
)
def group_surrogate(group: Group, masses: Masses, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
    """1/G sum_i min(rho_i A_i, clip(rho_i) A_i)."""
    ratios = group_ratios(group, masses)
    terms = [
        clipped_term(ratio, advantage, epsilon, arithmetic)
        for ratio, advantage in zip(ratios, group.advantages, strict=True)
    ]
    return sum(terms) / len(terms)


@require(lambda frozen, masses: len(masses) == len(frozen.groups), "one mass function for each prompt")
@ensure(
    lambda frozen, masses, result: is_bounded_objective(result, frozen, masses),
    "B5: F_t is finite on U: within sqrt(G-1) max(1+eps, 1/(least old mass drawn)) and beta times the chi-square bound",
)
@ensure(
    lambda frozen, masses, result: at_most(
        result * len(frozen.groups),
        sum(
            mean([rho * a for rho, a in zip(group_ratios(group, now), group.advantages, strict=True)])
            for group, now in zip(frozen.groups, masses, strict=True)
        ),
    ),
    "E2, B4: F_t is at most the mean of rho A: clipping and the penalty only take away",
)
def objective(frozen: FrozenIteration, masses: Sequence[Masses], arithmetic: Arithmetic) -> Scalar:
    """F_t = 1/M sum_l [ group surrogate - beta KL_l ]; with beta = 0 no divergence is evaluated."""
    penalised = arithmetic.less(0, frozen.beta)
    total: Scalar = 0
    for group, prompt_masses in zip(frozen.groups, masses, strict=True):
        total = total + group_surrogate(group, prompt_masses, frozen.epsilon, arithmetic)
        if penalised:
            total = total - frozen.beta * kl_divergence(prompt_masses, group.prompt.reference, arithmetic)
    return total / len(frozen.groups)
