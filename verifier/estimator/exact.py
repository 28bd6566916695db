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


class UncertifiedNumbers(ArithmeticError):  # noqa: N818 - named for what they are
    """Numbers without a certified error: nothing is found equal or different with them."""


class Verdict(Enum):
    """What a comparison of the expected gradient with the true one came to."""

    UNBIASED = "unbiased"
    BIASED = "biased"
    UNDEFINED = "undefined"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Estimation:
    """A variant on a problem: its moments beside the true gradient and objective."""

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

    Raises TooManyCases before it begins where there are more than ``most_cases``; ``advance`` is told of every case.
    Raises UncertifiedNumbers where an equality has to be decided and the numbers are mp's.
    """
    moments = moments_of(variant, update, group_size, arithmetic, most_cases, advance)
    share = arithmetic.number(Fraction(1, len(update.prompts)))
    parts = [p.gradient_of(p.true_coefficients(update.beta, arithmetic)) for p in update.prompts]
    truth = tuple(share * sum(column) for column in zip(*parts, strict=True))
    objective = share * sum(p.true_objective(update.beta, arithmetic) for p in update.prompts)
    bias, verdict, undecided = None, Verdict.UNDEFINED, ""
    if moments.expected is not None:
        bias = tuple(a - b for a, b in zip(moments.expected, truth, strict=True))
        try:
            if arithmetic.name == MpArithmetic.name:
                raise UncertifiedNumbers("numbers of mp are rounded, and no error is certified")
            same = all(arithmetic.equal(entry, 0) for entry in bias)
            verdict = Verdict.UNBIASED if same else Verdict.BIASED
        except (UndecidedComparison, UncertifiedNumbers) as error:
            verdict, undecided = Verdict.UNDECIDED, str(error)
    return Estimation(
        variant, group_size, moments, truth, tuple(parts), objective, bias, verdict, undecided
    )


def multiple_of_truth(expected: Vector, truth: Vector, arithmetic: Arithmetic) -> Scalar | None:
    """c with expected = c * truth, where the two are on one line and the truth is not 0; else None."""
    pivot = next((axis for axis, entry in enumerate(truth) if not arithmetic.equal(entry, 0)), None)
    if pivot is None:
        return None
    factor = expected[pivot] / truth[pivot]
    on_line = all(arithmetic.equal(a, factor * b) for a, b in zip(expected, truth, strict=True))
    return factor if on_line else None
