"""N8 refuted: whitening with the sample deviation plus 1e-8 does not give unit variance at every reward scale.

Exactly, the mean square of the advantages is (G-1)/G (s/(s + 1e-8))^2 where s > 0 is the sample deviation: at G = 2
below 1/2 at every scale and near it for large rewards; near 0 for tiny ones, where the sample variance vanishes too.
"""

from dataclasses import replace
from fractions import Fraction

from grpocheck.contracts.claims import Kind
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.reward import Weights
from grpocheck.core.training_free.task import Task
from grpocheck.proofs.evidence import Budget, Finding, evidence
from grpocheck.proofs.non_claims.n6_search import Case, task_of
from grpocheck.proofs.non_claims.refutations import shown
from grpocheck.proofs.non_claims.task_files import Facts, FoundTask, TaskWitness, replayed

HALF = Fraction(1, 2)
NEAR = Fraction(1, 10**9)
"""How near to 1/2 the mean square comes at large rewards."""
TINY = Fraction(1, 1000)
"""Below which share of 1 the sample variance falls at tiny ones."""
MOST_TENS = 12


def squares(task: Task) -> tuple[Scalar, Scalar, Facts]:
    """The mean square and the sample variance of the advantages of the first group, and the facts that lead there."""
    outcome = run(task)
    first = outcome.iterations[0]
    size = len(first.members)
    whole: Scalar = sum((member.advantage * member.advantage for member in first.members), start=Fraction(0))
    rewards = ", ".join(str(task.weights.external * member.external) for member in first.members)
    deviation = shown(first.deviation, outcome.arithmetic)
    return whole / Fraction(size), whole / Fraction(size - 1), (f"rewards {rewards}; sample deviation {deviation}",)


def is_half(task: Task) -> Facts | None:
    """At G = 2 the mean square is below 1/2, and within 1e-9 of it: half of unit variance."""
    mean_square, _, facts = squares(task)
    if not (HALF - NEAR < mean_square < HALF):
        return None
    return (*facts, "mean square of the advantages: between 1/2 - 1e-9 and 1/2, not 1", f"exactly: {mean_square}")


def vanishes(task: Task) -> Facts | None:
    """The sample variance, whatever it is divided by, is below 1/1000."""
    _, variance, facts = squares(task)
    if not 0 < variance < TINY:
        return None
    return (*facts, "sample variance of the advantages: between 0 and 1/1000, not 1", f"exactly: {variance}")


def scaled(exponent: int) -> Task:
    """Two responses of quality 1 and 0, drawn once each; the external reward weighed by a power of ten."""
    case = Case(0, (HALF, HALF), (Fraction(1), Fraction(0)), Fraction(1))
    weights = replace(Weights(epistemic=Fraction(0)), external=Fraction(10) ** exponent)
    return replace(task_of(case, weights, (0, 1)), iterations=1, recorded=(("x", "y"),))


def search_scale(sign: int) -> FoundTask:
    """The first power of ten, from 1 on, at which the variance is as far from 1 as is stated."""
    refute = is_half if sign > 0 else vanishes
    for number in range(MOST_TENS + 1):
        task = scaled(sign * number)
        if refute(task) is not None:
            wording = (
                "The smallest of its kind: two responses, one group of two, and the power of ten nearest to 1 at which "
                f"this holds, {number} others having been looked at before it.",
            )
            return FoundTask(task, wording, number)
    raise LookupError(f"no power of ten up to {MOST_TENS}")


WITNESSES = (
    TaskWitness(
        "n8_half_at_large_rewards",
        "N8",
        (
            "However large the rewards are, the mean square of two whitened advantages stays below 1/2, since the "
            "deviation is the sample's, which divides by G - 1 = 1, and the mean square divides by G = 2.",
        ),
        is_half,
        lambda: search_scale(1),
    ),
    TaskWitness(
        "n8_vanishing_at_tiny_rewards",
        "N8",
        (
            "For tiny rewards the 1e-8 in the denominator is the larger part of it: the advantages go to 0 with the "
            "reward scale, and with them every variance, however it is divided.",
        ),
        vanishes,
        lambda: search_scale(-1),
    ),
)


@evidence(
    "N8",
    kind=Kind.WITNESS,
    scope="a mean square of 1/2 for large rewards at G = 2, and of almost 0 for tiny ones",
    files=("examples/non_claims/n8*.toml",),
)
def whitened_advantages_have_no_unit_variance(budget: Budget) -> Finding:
    """N8."""
    return replayed(WITNESSES, budget)
