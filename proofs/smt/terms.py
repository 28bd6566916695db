"""E1, E2, and B1, B2 at small group sizes, of the formulas that core's own functions make of z3's reals.

To be run with contracts off: the contracts compare numbers, and z3's terms are none.
"""

from collections.abc import Iterator

import z3
from grpocheck.contracts.clauses import ENABLED
from grpocheck.core.advantage import mean, population_standard_deviation, standardised
from grpocheck.core.ratio import clip, clipped_term
from grpocheck.proofs.smt.logic import Truth, every, implies
from grpocheck.proofs.smt.obligations import Obligation
from grpocheck.proofs.smt.reals import RealArithmetic, divisors, paths

GROUP_SIZES = (2, 3, 4)
"""The group sizes at which the formulas are proved as they stand; folds has every size."""


def require_contracts_off() -> None:
    """Refuse to run with contracts on."""
    if ENABLED:
        raise RuntimeError("the contracts of core are on: expected a process with GRPOCHECK_CONTRACTS=off")


def term_obligations() -> Iterator[Obligation]:
    """E1 and E2, and that the clip is one, for every rho > 0, A and 0 < epsilon < 1."""
    require_contracts_off()
    rho, advantage, epsilon = z3.Reals("rho A epsilon")
    assumed = (rho > 0, epsilon > 0, epsilon < 1)
    upper = z3.If(rho < 1 + epsilon, rho, 1 + epsilon)
    lower = z3.If(rho > 1 - epsilon, rho, 1 - epsilon)
    for number, (arithmetic, term) in enumerate(
        paths(lambda arithmetic: clipped_term(rho, advantage, epsilon, arithmetic)), start=1
    ):
        on_path = (*assumed, *arithmetic.known)
        expected = {
            "A > 0: term = min(rho, 1 + epsilon) A": implies(advantage > 0, term == upper * advantage),
            "A < 0: term = max(rho, 1 - epsilon) A": implies(advantage < 0, term == lower * advantage),
            "A = 0: term = 0": implies(advantage == 0, term == 0),
        }
        for statement, conclusion in expected.items():
            yield Obligation("E1", f"E1, {statement} (path {number})", on_path, conclusion)
        yield Obligation("E2", f"E2, term <= rho A (path {number})", on_path, term <= rho * advantage)
    for number, (arithmetic, clipped) in enumerate(paths(lambda arithmetic: clip(rho, epsilon, arithmetic)), start=1):
        limits = every(1 - epsilon <= clipped, clipped <= 1 + epsilon)
        inside = every(1 - epsilon <= rho, rho <= 1 + epsilon)
        on_path = (*assumed, *arithmetic.known)
        yield Obligation("E1", f"E1, the clip lies in [1-epsilon, 1+epsilon] (path {number})", on_path, limits)
        unchanged = implies(inside, clipped == rho)
        yield Obligation("E1", f"E1, the clip keeps a ratio inside (path {number})", on_path, unchanged)


def group_paths(
    rewards: list[z3.ArithRef],
) -> Iterator[tuple[RealArithmetic, tuple[z3.ArithRef, tuple[z3.ArithRef, ...]]]]:
    """The deviation and the advantages of a group, as core/update.py computes them, on every path."""

    def compute(arithmetic: RealArithmetic) -> tuple[z3.ArithRef, tuple[z3.ArithRef, ...]]:
        deviation = population_standard_deviation(rewards, arithmetic)
        return deviation, standardised(rewards, mean(rewards), deviation, arithmetic)

    return paths(compute)


def group_obligations() -> Iterator[Obligation]:
    """B1 and B2 at the small group sizes, for all real rewards."""
    require_contracts_off()
    for size in GROUP_SIZES:
        rewards = [z3.Real(f"R_{i}") for i in range(1, size + 1)]
        for number, (arithmetic, (deviation, advantages)) in enumerate(group_paths(rewards), start=1):
            where = f"(G = {size}, path {number})"
            known = tuple(arithmetic.known)
            for needed in arithmetic.needed:
                yield Obligation("B1", f"B1, a root is taken of a nonnegative number {where}", (), needed)
            for divisor in {d.get_id(): d for a in advantages for d in divisors(a)}.values():
                yield Obligation("B2", f"B2, no division by 0 {where}", known, divisor != 0)
            alike: Truth = every(*(reward == rewards[0] for reward in rewards[1:]))
            squares = z3.Sum([advantage * advantage for advantage in advantages])
            expected = {
                "B1": {
                    "s >= 0": deviation >= 0,
                    "s = 0 exactly when all rewards are equal": (deviation == 0) == alike,
                },
                "B2": {
                    "s > 0: sum A = 0": implies(deviation > 0, z3.Sum(advantages) == 0),
                    "s > 0: mean A^2 = 1": implies(deviation > 0, squares == size),
                    "s = 0: every A = 0": implies(deviation == 0, every(*(advantage == 0 for advantage in advantages))),
                },
            }
            for claim, statements in expected.items():
                for statement, conclusion in statements.items():
                    yield Obligation(claim, f"{claim}, {statement} {where}", known, conclusion)
        yield from bound_obligations(size)


def bound_obligations(size: int) -> Iterator[Obligation]:
    """That each of G numbers with sum 0 and mean square 1, as the advantages were shown to be, has square <= G - 1."""
    numbers = [z3.Real(f"A_{i}") for i in range(1, size + 1)]
    standardised_numbers = (z3.Sum(numbers) == 0, z3.Sum([a * a for a in numbers]) == size)
    for i, number in enumerate(numbers, start=1):
        name = f"B2, sum A = 0 and mean A^2 = 1 give A_{i}^2 <= G - 1 (G = {size})"
        yield Obligation("B2", name, standardised_numbers, number * number <= size - 1)
