"""What a variant estimates: expectation, bias, covariance and second moment of its gradient, exactly.

The draws come from the old policy, the gradient is taken at the current one, and its expectation is compared with the
gradient of E[R] - beta KL(pi_theta || pi_ref) there.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from grpocheck.core.arithmetic import Arithmetic, MpArithmetic, Scalar, UndecidedComparison
from grpocheck.core.gradient import Vector
from grpocheck.core.variants.policies import Update
from grpocheck.core.variants.variant import Variant
from grpocheck.verifier.estimator.moments import MOST_CASES, Advance, Moments, moments_of


class Verdict(Enum):
    """What a comparison of the expected gradient with the true one came to."""

    UNBIASED = "unbiased"
    BIASED = "biased"
    UNDEFINED = "undefined"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Estimation:
    """A variant on a problem: its moments beside the true gradient and objective.

    ``true_gradient`` is that of E[R] - beta KL(pi_theta || pi_ref), the mean over prompts; ``true_by_prompt`` are the
    prompts' own. ``bias`` is the expected gradient less the true one, None where some draws leave a kink; ``undecided``
    says why a verdict is.
    """

    variant: Variant
    group_size: int
    moments: Moments
    true_gradient: Vector
    true_by_prompt: tuple[Vector, ...]
    true_objective: Scalar
    bias: Vector | None
    verdict: Verdict
    undecided: str = ""


def estimate(
    variant: Variant,
    update: Update,
    group_size: int,
    arithmetic: Arithmetic,
    most_cases: int = MOST_CASES,
    advance: Advance = lambda cases: None,
) -> Estimation:
    """The moments of a variant's gradient with groups of a size, and whether it is unbiased on this problem.

    Gradients have the coordinates of the update, in reward units by coordinate. Raises TooManyCases before it begins
    where there are more than ``most_cases``; ``advance`` is told of every case. Raises InvalidProblem where a variant
    that draws until rewards differ can never stop. With numbers of mp, which are rounded, the verdict is undecided.

    >>> from grpocheck.core import arithmetic_named, read_problem
    >>> from grpocheck.core.variants.registry import named
    >>> from grpocheck.verifier.estimator.problems import update_of
    >>> exact = arithmetic_named("exact")
    >>> update = update_of(read_problem("examples/undefined_gradient.toml"), exact)
    >>> found = estimate(named("reinforce-mean"), update, 2, exact)
    >>> found.verdict.value, str(found.moments.expected[0]), str(found.true_gradient[0])
    ('biased', '1/2', '1')
    """
    moments = moments_of(variant, update, group_size, arithmetic, most_cases, advance)
    share = arithmetic.number(Fraction(1, len(update.prompts)))
    parts = [p.gradient_of(p.true_coefficients(update.beta, arithmetic)) for p in update.prompts]
    truth = tuple(share * sum(column) for column in zip(*parts, strict=True))
    objective = share * sum(p.true_objective(update.beta, arithmetic) for p in update.prompts)
    bias, verdict, undecided = None, Verdict.UNDEFINED, ""
    if moments.expected is not None:
        bias = tuple(a - b for a, b in zip(moments.expected, truth, strict=True))
        verdict, undecided = compared_with_zero(bias, arithmetic)
    return Estimation(
        variant, group_size, moments, truth, tuple(parts), objective, bias, verdict, undecided
    )


def compared_with_zero(bias: Vector, arithmetic: Arithmetic) -> tuple[Verdict, str]:
    """Whether a bias is 0, and why that is not decided where it is not. One entry that is not 0 decides."""
    if arithmetic.name == MpArithmetic.name:
        return Verdict.UNDECIDED, "numbers of mp are rounded, and no error is certified"
    undecided = ""
    for entry in bias:
        try:
            if not arithmetic.equal(entry, 0):
                return Verdict.BIASED, ""
        except UndecidedComparison as error:
            undecided = undecided or str(error)
    return (Verdict.UNDECIDED, undecided) if undecided else (Verdict.UNBIASED, "")


def multiple_of_truth(expected: Vector, truth: Vector, arithmetic: Arithmetic) -> Scalar | None:
    """c with expected = c * truth, where the two are on one line and the truth is not 0; else None."""
    pivot = next((axis for axis, entry in enumerate(truth) if not arithmetic.equal(entry, 0)), None)
    if pivot is None:
        return None
    factor = expected[pivot] / truth[pivot]
    on_line = all(arithmetic.equal(a, factor * b) for a, b in zip(expected, truth, strict=True))
    return factor if on_line else None
