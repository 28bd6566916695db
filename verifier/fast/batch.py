"""The frozen data of one outer iteration for the softmax family, each drawn response held once with its count."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core import Problem
from grpocheck.core.advantage import group_advantages
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.arithmetic.notation import Exact
from grpocheck.core.invalid import InvalidProblem

Rows = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Batch:
    """One row for each prompt, one entry for each response of its support; everything exact.

    A response's advantage is that of each of its draws, and 0 where it was not drawn. ``counts`` say how often each was
    drawn, ``reference`` its probability there; ``beta`` is in reward units per nat.
    """

    logits_old: Rows
    counts: tuple[tuple[int, ...], ...]
    advantages: tuple[tuple[Exact, ...], ...]
    reference: Rows
    group_size: int
    epsilon: Fraction
    beta: Fraction


def batch_of(problem: Problem, iteration: int = 1, logits_old: Sequence[Sequence[Fraction]] | None = None) -> Batch:
    """The frozen data of an outer iteration (from 1) with the problem's recorded draws.

    ``logits_old`` are those of the problem unless said, one row for each prompt. Raises InvalidProblem for another
    family than softmax, for draws that are not recorded, and for an outer iteration that there is none of.
    """
    if problem.family.name != "softmax":
        raise InvalidProblem("family", problem.family.name, "softmax, the one that has fast values")
    if problem.recorded is None:
        raise InvalidProblem("draws", None, "recorded draws: [draws] recorded = ...")
    if not 1 <= iteration <= len(problem.recorded):
        raise InvalidProblem("iteration", iteration, f"an outer iteration from 1 to {len(problem.recorded)}")
    counts, advantages = [], []
    for prompt, drawn in zip(problem.prompts, problem.recorded[iteration - 1], strict=True):
        places = [prompt.responses.index(response) for response in drawn]
        own = group_advantages([prompt.rewards[place] for place in places], ExactArithmetic())
        made = Counter(places)
        counts.append(tuple(made[place] for place in range(len(prompt.responses))))
        of = dict(zip(places, own, strict=True))
        advantages.append(tuple(of.get(place, Fraction(0)) for place in range(len(prompt.responses))))
    sizes = [len(prompt.responses) for prompt in problem.prompts]
    old = [list(row) for row in logits_old] if logits_old is not None else rows_of(problem.theta, sizes)
    return Batch(
        tuple(map(tuple, old)),
        tuple(counts),
        tuple(advantages),
        tuple(prompt.reference for prompt in problem.prompts),
        problem.group_size,
        problem.epsilon,
        problem.beta,
    )


def rows_of(theta: Sequence[Fraction], sizes: Sequence[int]) -> list[list[Fraction]]:
    """A parameter cut into the logits of each prompt."""
    entries = iter(theta)
    return [[next(entries) for _ in range(size)] for size in sizes]
