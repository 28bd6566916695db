"""The empirical objective F_t of one outer iteration, a function of the current masses.

Seed [000], "The empirical objective is F_t(theta)". In advantage units; beta converts nats of divergence into them.
"""

from collections.abc import Sequence

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import at_most, equal
from grpocheck.contracts.predicates import is_bounded_objective, is_mass_function
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.frozen import FrozenIteration, Group, draw_counts, first_draws
from grpocheck.core.ratio import clipped_term, importance_ratio

Masses = Sequence[Scalar]


@require(lambda group, masses: len(masses) == len(group.prompt.responses), "one mass for each response of the support")
@require(lambda masses: is_mass_function(masses), "A3: the current masses are positive with sum 1")
@ensure(lambda group, result: len(result) == len(group.positions), "B3: one ratio for each draw")
def group_ratios(group: Group, masses: Masses) -> tuple[Scalar, ...]:
    """rho_i(theta) of each draw of a group."""
    firsts = first_draws(group)
    ratios = {i: importance_ratio(masses[group.positions[i]], group.old_masses[i]) for i in set(firsts)}
    return tuple(ratios[first] for first in firsts)


@require(lambda group, masses: len(masses) == len(group.prompt.responses), "one mass for each response of the support")
@ensure(lambda group, result: len(draw_counts(group)) > 1 or equal(result, 0), "B2: 0 of one response alone, as its A")
def unclipped(group: Group, masses: Masses) -> Scalar:
    """1/G sum_i rho_i A_i: what the surrogate is without clipping."""
    ratios = group_ratios(group, masses)
    return sum(count * ratios[i] * group.advantages[i] for i, count in draw_counts(group).items()) / len(ratios)


@require(lambda group, masses: len(masses) == len(group.prompt.responses), "one mass for each response of the support")
@ensure(
    lambda group, masses, result: at_most(result, unclipped(group, masses)),
    "E2: the clipped terms sum to at most the sum of rho A",
)
def group_surrogate(group: Group, masses: Masses, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
    """1/G sum_i min(rho_i A_i, clip(rho_i) A_i)."""
    ratios = group_ratios(group, masses)
    terms = [
        count * clipped_term(ratios[i], group.advantages[i], epsilon, arithmetic)
        for i, count in draw_counts(group).items()
    ]
    return sum(terms) / len(ratios)


@require(lambda frozen, masses: len(masses) == len(frozen.groups), "one mass function for each prompt")
@ensure(
    lambda frozen, masses, result: is_bounded_objective(result, frozen, masses),
    "B5: F_t is finite on U: within sqrt(G-1) max(1+eps, 1/(least old mass drawn)) and beta times the chi-square bound",
)
@ensure(
    lambda frozen, masses, result: at_most(
        result * len(frozen.groups),
        sum(unclipped(group, now) for group, now in zip(frozen.groups, masses, strict=True)),
    ),
    "E2, B4: F_t is at most the mean of rho A: clipping and the penalty only take away",
)
def objective(frozen: FrozenIteration, masses: Sequence[Masses], arithmetic: Arithmetic) -> Scalar:
    """F_t = 1/M sum_l [ group surrogate - beta KL_l ]; with beta = 0 no divergence is evaluated.

    ``masses`` are those of the parameter in question, prompt by prompt. Raises UndecidedComparison where a clip is not
    decided, and NotExact where a penalty needs a logarithm that exact arithmetic does not have.
    """
    penalised = arithmetic.less(0, frozen.beta)
    total: Scalar = 0
    for group, prompt_masses in zip(frozen.groups, masses, strict=True):
        total = total + group_surrogate(group, prompt_masses, frozen.epsilon, arithmetic)
        if penalised:
            total = total - frozen.beta * kl_divergence(prompt_masses, group.prompt.reference, arithmetic)
    return total / len(frozen.groups)
