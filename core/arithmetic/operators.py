"""The operators of an exact number, written once: what a class has to bring is the sum, product and reciprocal.

A rational operand may stand on either side. A float never enters: the operator answers NotImplemented and Python
raises TypeError.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

from grpocheck.contracts.clauses import ensure, total

OTHERS = "an operand of another kind is left to its own class; a float is refused"
EXACT_ONLY = "an answer is given exactly to the operands of the class"


class NumberOperators(ABC):
    """A number that is not a plain rational: + - * / ** and the order, from six operations of the class.

    Not hashable unless the class says how equal numbers come by equal hashes.
    """

    __slots__ = ()

    operands: ClassVar[tuple[Any, ...]]
    """What may stand on the other side of an operator."""

    @abstractmethod
    def plus(self, other: Any) -> Any:
        """The sum with an operand."""

    @abstractmethod
    def times(self, other: Any) -> Any:
        """The product with an operand."""

    @abstractmethod
    def reciprocal(self) -> Any:
        """One over this number."""

    @abstractmethod
    def sign(self) -> int:
        """-1, 0 or 1."""

    @abstractmethod
    def equals(self, other: Any) -> bool:
        """Whether an operand is the same number."""

    @abstractmethod
    def order(self, other: Any) -> int:
        """The sign of this number minus an operand."""

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __add__(self, other: Any) -> Any:
        """self + other."""
        return self.plus(other) if isinstance(other, self.operands) else NotImplemented

    __radd__ = __add__

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __sub__(self, other: Any) -> Any:
        """self - other."""
        return self.plus(-other) if isinstance(other, self.operands) else NotImplemented

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __rsub__(self, other: Any) -> Any:
        """other - self."""
        return self.times(-1).plus(other) if isinstance(other, self.operands) else NotImplemented

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __mul__(self, other: Any) -> Any:
        """self * other."""
        return self.times(other) if isinstance(other, self.operands) else NotImplemented

    __rmul__ = __mul__

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __truediv__(self, other: Any) -> Any:
        """self / other; raises ZeroDivisionError when other is 0."""
        if not isinstance(other, self.operands):
            return NotImplemented
        return self.times(other.reciprocal() if isinstance(other, NumberOperators) else Fraction(1, other))

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __rtruediv__(self, other: Any) -> Any:
        """other / self; raises ZeroDivisionError when self is 0."""
        return other * self.reciprocal() if isinstance(other, self.operands) else NotImplemented

    @ensure(lambda self, result: self.plus(result) == 0, "x + (-x) is 0, found without an evaluation")
    def __neg__(self) -> Any:
        """-self."""
        return self.times(-1)

    @ensure(lambda self, result: result is self, "+x is x")
    def __pos__(self) -> Any:
        """+self."""
        return self

    @ensure(lambda self, result: result.sign() >= 0, "an absolute value is not negative")
    def __abs__(self) -> Any:
        """The absolute value."""
        return self if self.sign() >= 0 else self.times(-1)

    @total("an exponent that is no integer gets NotImplemented")
    @ensure(lambda exponent, result: exponent != 0 or result == 1, "the empty product is 1")
    def __pow__(self, exponent: Any) -> Any:
        """An integer power, by squaring."""
        if not isinstance(exponent, int) or isinstance(exponent, bool):
            return NotImplemented
        base, result = self if exponent >= 0 else self.reciprocal(), Fraction(1)
        for bit in bin(abs(exponent))[2:] if exponent else "":
            result = result * result * base if bit == "1" else result * result
        return result

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __eq__(self, other: object) -> Any:
        """Equality of numbers, not of their writing."""
        return self.equals(other) if isinstance(other, self.operands) else NotImplemented

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __lt__(self, other: Any) -> Any:
        """self < other."""
        return self.order(other) < 0 if isinstance(other, self.operands) else NotImplemented

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __le__(self, other: Any) -> Any:
        """self <= other."""
        return self.order(other) <= 0 if isinstance(other, self.operands) else NotImplemented

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __gt__(self, other: Any) -> Any:
        """self > other."""
        return self.order(other) > 0 if isinstance(other, self.operands) else NotImplemented

    @total(OTHERS)
    @ensure(lambda self, other, result: (result is NotImplemented) != isinstance(other, self.operands), EXACT_ONLY)
    def __ge__(self, other: Any) -> Any:
        """self >= other."""
        return self.order(other) >= 0 if isinstance(other, self.operands) else NotImplemented
