"""The searches for the witnesses of N6; task_search runs them.

Cases are looked at in the order of their shape (responses n, then draws G) and then of their height (the sum of
|numerator| + denominator over masses, qualities and confidence), and judged by a second reading of the definition in
a few lines of exact rational arithmetic; what is found is then run through core, over every group. Responses are
listed by falling quality, the least 0: any other order is the same case.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from typing import NamedTuple

from grpocheck.core.training_free.oracles import NamesTheBetter, TabledAnswers
from grpocheck.core.training_free.responses import Response, ResponseTable
from grpocheck.core.training_free.reward import Weights
from grpocheck.core.training_free.task import Task
from grpocheck.proofs.non_claims.grid import listed, orders
from grpocheck.proofs.non_claims.n6_refutations import novelty_falls
from grpocheck.proofs.non_claims.shapes import height, mass_functions
from grpocheck.proofs.non_claims.task_files import FoundTask

Masses = tuple[Fraction, ...]

EXTERNAL_ONLY = Weights(external=Fraction(1), epistemic=Fraction(0))
QUALITIES = tuple(map(Fraction, ("0", "1/8", "1/4", "1/2", "3/4", "1")))
CONFIDENCES = (Fraction(3, 4), Fraction(1))
NAMES = "xyz"
GROUP_SIZE = 2


class Case(NamedTuple):
    """A small task: masses, qualities in falling order, the confidence of every pattern (kappa is 1)."""

    height: int
    masses: Masses
    qualities: Masses
    confidence: Fraction


def cases(responses: int, denominator: int, qualities: Masses) -> list[Case]:
    """Every case with so many responses, the least height first."""
    found = []
    for masses in mass_functions(responses, denominator):
        for chosen in combinations_with_replacement(sorted(qualities, reverse=True), responses):
            if chosen[-1] == 0 < chosen[0]:
                found += [
                    Case(height((*masses, *chosen, confidence)), masses, chosen, confidence)
                    for confidence in CONFIDENCES
                ]
    return sorted(found)


def drawn_groups(responses: int) -> list[tuple[int, ...]]:
    """Every group up to the order of its draws."""
    return list(combinations_with_replacement(range(responses), GROUP_SIZE))


def expected_best(masses: Masses, qualities: Masses) -> Fraction:
    """E[max quality] of a group of G independent draws."""
    return sum(
        (
            orders(group) * prod(masses[j] for j in group) * max(qualities[j] for j in group)
            for group in drawn_groups(len(masses))
        ),
        start=Fraction(0),
    )


def expected(masses: Masses, qualities: Masses) -> Fraction:
    """E[quality] of one draw."""
    return sum((mass * quality for mass, quality in zip(masses, qualities, strict=True)), start=Fraction(0))


def after_group(case: Case, group: tuple[int, ...]) -> Masses:
    """The masses once the better response of a group is named; the same where the group's qualities are equal."""
    ranked = sorted(group, key=lambda j: case.qualities[j])
    if case.qualities[ranked[0]] == case.qualities[ranked[-1]]:
        return case.masses
    factor = 1 + max(Fraction(0), 2 * case.confidence - 1)
    weights = [mass * (factor if j == ranked[-1] else 1) for j, mass in enumerate(case.masses)]
    return tuple(weight / sum(weights) for weight in weights)


def falls_after(case: Case, group: tuple[int, ...]) -> bool:
    """Whether the expected best falls after a group while the mean rises."""
    after = after_group(case, group)
    return expected_best(after, case.qualities) < expected_best(case.masses, case.qualities) and (
        expected(after, case.qualities) > expected(case.masses, case.qualities)
    )


def falls_on_average(case: Case) -> bool:
    """Whether the expected best falls on average over the first group while the mean rises."""
    best, mean = Fraction(0), Fraction(0)
    for group in drawn_groups(len(case.masses)):
        probability = orders(group) * prod(case.masses[j] for j in group)
        after = after_group(case, group)
        best += probability * expected_best(after, case.qualities)
        mean += probability * expected(after, case.qualities)
    return best < expected_best(case.masses, case.qualities) and mean > expected(case.masses, case.qualities)


def task_of(case: Case, weights: Weights, first: tuple[int, ...] | None = None) -> Task:
    """The case as a task that can run: no test ever passes, so r_ext is w3 times the quality in every iteration."""
    names = NAMES[: len(case.masses)]
    responses = tuple(Response((name,), name) for name in names)
    group = None if first is None else tuple(names[j] for j in first)
    return Task(
        prompt="any",
        tests=("t",),
        group_size=GROUP_SIZE,
        iterations=2,
        failing=("t",),
        model=ResponseTable(tuple(zip(responses, case.masses, strict=True))),
        weights=weights,
        answers=TabledAnswers(dict.fromkeys(names, ()), dict(zip(names, case.qualities, strict=True))),
        introspection=NamesTheBetter(case.confidence),
        recorded=None if group is None else (group, group),
        seed=1 if group is None else None,
    )


def in_order(denominator: int, qualities: Masses) -> Iterator[Case]:
    """The cases of two responses, then those of three."""
    for responses in (2, 3):
        yield from cases(responses, denominator, qualities)


def smallest(
    denominator: int, qualities: Masses, refuting: Callable[[Case], Task | None], looked_at: str
) -> FoundTask:
    """The first case, in order, for which a task is found."""
    for number, case in enumerate(in_order(denominator, qualities)):
        task = refuting(case)
        if task is not None:
            return FoundTask(task, smallness(case, number, denominator, qualities, looked_at), number)
    raise LookupError(f"nothing found in the grid: {looked_at}")


def smallness(case: Case, before: int, denominator: int, qualities: Masses, looked_at: str) -> tuple[str, ...]:
    """In which sense a case is the smallest."""
    responses = len(case.masses)
    return (
        f"The smallest of its grid: n={responses}, G={GROUP_SIZE}, height {case.height}. Small means: first the number "
        "of responses, then the height, the sum of |numerator| + denominator over masses, qualities and confidence, "
        f"then their order. Looked at before it, and refuting nothing: {before} cases"
        + (", among them every case of two responses." if responses == 3 else "."),
        f"The grid: masses over denominators up to {denominator}; qualities {listed(qualities)}, falling, the least 0; "
        f"confidence {listed(CONFIDENCES)} for every pattern; kappa 1; {looked_at}.",
    )


def search_novelty() -> FoundTask:
    """The smallest task whose expected best reward falls, the whole reward counted."""
    def refuting(case: Case) -> Task | None:
        task = task_of(case, Weights())
        return task if novelty_falls(task) is not None else None

    return smallest(3, (Fraction(0), Fraction(1)), refuting, "the weights of the paper")


def search_given_group() -> FoundTask:
    """The smallest task and first group after which the expected best external reward falls."""

    def refuting(case: Case) -> Task | None:
        for group in drawn_groups(len(case.masses)):
            if falls_after(case, group):
                return task_of(case, EXTERNAL_ONLY, group)
        return None

    return smallest(8, QUALITIES, refuting, "alpha 1, beta 0; every first group")


def search_averaged() -> FoundTask:
    """The smallest task whose expected best external reward falls on average over the first group."""

    def refuting(case: Case) -> Task | None:
        return task_of(case, EXTERNAL_ONLY) if falls_on_average(case) else None

    return smallest(12, QUALITIES, refuting, "alpha 1, beta 0; averaged over the first group")
