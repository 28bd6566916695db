"""z3's reals as the arithmetic that is supplied to core, so that core's own functions make the formulas.

Minimum and maximum are z3's if-then-else. A comparison that a function branches on is taken both ways, one path after
the other, each with the conditions under which it is taken. A square root is a fresh real, nonnegative, whose square is
the radicand; that the radicand is not negative, and that no divisor is 0, are claims of their own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import z3
from grpocheck.core.arithmetic.errors import NotExact
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.proofs.smt.logic import Truth

Result = TypeVar("Result")


@dataclass
class RealArithmetic:
    """Arithmetic on z3's reals along one path: the branches to take first, and what is known and needed on it."""

    branches: tuple[bool, ...] = ()
    taken: list[bool] = field(default_factory=list)
    known: list[Truth] = field(default_factory=list)
    """The conditions of the path, and what defines its square roots."""
    needed: list[Truth] = field(default_factory=list)
    """What has to hold for the operations of the path to be defined, given what is known."""

    name = "z3 reals"

    def number(self, value: Fraction) -> Scalar:
        """A rational as a real."""
        return z3.RealVal(value)

    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root of a nonnegative real."""
        root = z3.Real(f"root {len(self.needed) + 1}")
        self.needed.append(value >= 0)
        self.known += [root >= 0, root * root == value]
        return root

    def branch(self, condition: z3.BoolRef) -> bool:
        """Take a condition as the path has it."""
        answer = self.branches[len(self.taken)] if len(self.taken) < len(self.branches) else True
        self.taken.append(answer)
        self.known.append(condition if answer else z3.Not(condition))
        return answer

    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right: as the path has it."""
        return self.branch(left < right)

    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right: as the path has it."""
        return self.branch(left == right)

    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller of two reals."""
        return z3.If(right < left, right, left)

    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger of two reals."""
        return z3.If(left < right, right, left)

    def settle(self, value: Scalar) -> Scalar:
        """The same real."""
        return value

    def holds(self, value: object) -> bool:
        """Whether a value is a real or a rational."""
        return z3.is_real(value) or (isinstance(value, int | Fraction) and not isinstance(value, bool))

    def text(self, value: Scalar) -> str:
        """The term."""
        return str(value)

    def log(self, value: Scalar) -> Scalar:
        """Not among the operations that z3 decides."""
        raise NotExact("the theory of real numbers has no logarithm")

    def exp(self, value: Scalar) -> Scalar:
        """Not among the operations that z3 decides."""
        raise NotExact("the theory of real numbers has no exponential")


def paths(compute: Callable[[RealArithmetic], Result]) -> Iterator[tuple[RealArithmetic, Result]]:
    """Every path of a computation, with its result; together they cover every choice of its comparisons."""
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        branches = waiting.pop()
        arithmetic = RealArithmetic(branches)
        result = compute(arithmetic)
        yield arithmetic, result
        taken = arithmetic.taken
        waiting.extend((*taken[:place], not taken[place]) for place in range(len(branches), len(taken)))


def divisors(term: Any) -> list[z3.ArithRef]:
    """The terms that a term divides by, other than numerals."""
    found: dict[int, z3.ArithRef] = {}
    seen: set[int] = set()
    waiting = [term]
    while waiting:
        part = waiting.pop()
        if part.get_id() in seen:
            continue
        seen.add(part.get_id())
        if part.decl().kind() == z3.Z3_OP_DIV and not z3.is_rational_value(part.arg(1)):
            found[part.arg(1).get_id()] = part.arg(1)
        waiting.extend(part.children())
    return list(found.values())
