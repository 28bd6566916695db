"""The symbolic stand-in for fractions.Fraction: an exact real, written as a quotient of polynomials."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3
from crosshair import smt
from crosshair.core import realize
from crosshair.libimpl.builtinslib import (
    AtomicSymbolicValue,
    SymbolicBool,
    SymbolicInt,
    SymbolicObject,
    typeable_value,
)
from crosshair.statespace import SnapshotRef
from crosshair.tracers import NoTracing
from grpocheck.contracts.exact_reals import polynomials as poly
from grpocheck.contracts.exact_reals.atoms import AtomRegistry, Term, number, registry
from grpocheck.contracts.exact_reals.rational_functions import RationalFunction, add, divide, multiply, of_atom
from grpocheck.contracts.exact_reals.realization import realize_value
from grpocheck.contracts.exact_reals.signs import Comparison, compare_with_zero, decide

Operation = Callable[[AtomRegistry, RationalFunction, RationalFunction], RationalFunction]


def value_of(atoms: AtomRegistry, operand: Any) -> RationalFunction | None:
    """The exact real that an operand stands for, or None when it is no rational number."""
    if isinstance(operand, SymbolicFraction):
        return operand.value
    if isinstance(operand, (int, Fraction)):
        return RationalFunction(poly.constant(operand))
    if isinstance(operand, SymbolicInt):
        term = z3.simplify(z3.ToReal(operand.var))
        if z3.is_rational_value(term):
            return RationalFunction(poly.constant(term.as_fraction()))
        return of_atom(atoms.atom(term))
    if isinstance(operand, SymbolicBool):
        return of_atom(atoms.atom(z3.If(operand.var, number(1), number(0))))
    if isinstance(operand, SymbolicObject):
        return value_of(atoms, typeable_value(operand))
    return None


def _arithmetic(operation: Operation, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: "SymbolicFraction", other: Any) -> Any:
        with NoTracing():
            atoms = registry()
            operand = value_of(atoms, other)
            if operand is None:
                return NotImplemented
            left, right = (operand, self.value) if reflected else (self.value, operand)
            return SymbolicFraction(operation(atoms, left, right))

    return method


def _comparison(comparison: Comparison) -> Callable[[Any, Any], Any]:
    def method(self: "SymbolicFraction", other: Any) -> Any:
        with NoTracing():
            atoms = registry()
            operand = value_of(atoms, other)
            if operand is None:
                return NotImplemented
            holds = compare_with_zero(atoms, add(atoms, self.value, operand, -1).numerator, comparison)
            return holds if isinstance(holds, bool) else SymbolicBool(holds)

    return method


def _subtract(atoms: AtomRegistry, left: RationalFunction, right: RationalFunction) -> RationalFunction:
    return add(atoms, left, right, -1)


class SymbolicFraction(AtomicSymbolicValue, Fraction):
    """An exact real that CrossHair shows to the checked code as a Fraction.

    It derives from Fraction so that Python asks its reflected method first where a concrete Fraction is on the left;
    Fraction's own methods would read numerator and denominator, and so fix the value.
    """

    def __new__(cls, *_arguments: object) -> "SymbolicFraction":
        """Make the object; Fraction's own constructor would compute a numerator."""
        return object.__new__(cls)

    def __init__(self, value: RationalFunction | str | Term, typ: type = Fraction) -> None:
        """A value, the name of a new unconstrained real, or an SMT real (CrossHair's choice by a symbolic index)."""
        self.snapshot = SnapshotRef(-1)
        self.python_type = Fraction
        if isinstance(value, RationalFunction):
            self.value = value
        elif isinstance(value, str):
            self.value = of_atom(registry().atom(smt.const(value, smt.real_sort)))
        else:
            self.value = of_atom(registry().derive(value))

    @property
    def var(self) -> Any:
        """The SMT real, which CrossHair's own code asks for."""
        atoms = registry()
        return atoms.term(self.value.numerator) / atoms.product(self.value.denominator)

    @classmethod
    def _ch_smt_sort(cls) -> Any:
        return smt.real_sort

    @classmethod
    def _pytype(cls) -> type:
        return Fraction

    @classmethod
    def _smt_promote_literal(cls, literal: object) -> Term | None:
        if isinstance(literal, SymbolicFraction) or not isinstance(literal, (int, Fraction)):
            return None
        return number(literal)

    def _smt_for_unification(self, other_value: Any) -> Any:
        with NoTracing():
            atoms = registry()
            operand = value_of(atoms, other_value)
            if operand is None:
                return None
            equal = compare_with_zero(atoms, add(atoms, self.value, operand, -1).numerator, "==")
            return smt.bool_val(equal) if isinstance(equal, bool) else equal

    def __deepcopy__(self, memo: object) -> "SymbolicFraction":
        """Itself: it never changes."""
        return self

    def __copy__(self) -> "SymbolicFraction":
        """Itself: it never changes."""
        return self

    def __ch_realize__(self) -> Fraction:
        """A concrete value that the path allows, to which the path is then fixed."""
        with NoTracing():
            return realize_value(self.value)

    def __bool__(self) -> bool:
        """Whether it is not 0."""
        with NoTracing():
            return decide(compare_with_zero(registry(), self.value.numerator, "!="))

    def __hash__(self) -> int:  # type: ignore[override]
        """The hash of a concrete value: see __ch_realize__."""
        return hash(realize(self))

    def __repr__(self) -> str:
        """The text of a concrete value: see __ch_realize__."""
        return repr(realize(self))

    def __str__(self) -> str:
        """The text of a concrete value: see __ch_realize__."""
        return str(realize(self))

    def __format__(self, specification: str) -> str:
        """The text of a concrete value: see __ch_realize__."""
        return format(realize(self), specification)

    __add__ = _arithmetic(add)
    __radd__ = _arithmetic(add, reflected=True)
    __sub__ = _arithmetic(_subtract)
    __rsub__ = _arithmetic(_subtract, reflected=True)
    __mul__ = _arithmetic(multiply)
    __rmul__ = _arithmetic(multiply, reflected=True)
    __truediv__ = _arithmetic(divide)
    __rtruediv__ = _arithmetic(divide, reflected=True)
    __lt__ = _comparison("<")
    __le__ = _comparison("<=")
    __gt__ = _comparison(">")
    __ge__ = _comparison(">=")
    __eq__ = _comparison("==")
    __ne__ = _comparison("!=")

    def __neg__(self) -> Any:
        """The negative."""
        return self * -1

    def __pos__(self) -> Any:
        """Itself."""
        return self

    def __abs__(self) -> Any:
        """The absolute value; the path splits on the sign."""
        return -self if self < 0 else self

    def __pow__(self, exponent: Any, modulus: None = None) -> Any:
        """A whole power."""
        exponent = realize(exponent)
        if not isinstance(exponent, int):
            return NotImplemented
        result: Any = Fraction(1)
        for _ in range(abs(exponent)):
            result = result * self
        return result if exponent >= 0 else 1 / result

    def __rpow__(self, base: Any) -> Any:
        """A power with a concrete exponent: see __ch_realize__."""
        return base ** realize(self)

    def __floordiv__(self, other: Any) -> Any:
        """The floor of a concrete quotient: see __ch_realize__."""
        return realize(self) // realize(other)

    def __rfloordiv__(self, other: Any) -> Any:
        """The floor of a concrete quotient: see __ch_realize__."""
        return realize(other) // realize(self)

    def __mod__(self, other: Any) -> Any:
        """A concrete remainder: see __ch_realize__."""
        return realize(self) % realize(other)

    def __rmod__(self, other: Any) -> Any:
        """A concrete remainder: see __ch_realize__."""
        return realize(other) % realize(self)

    def __float__(self) -> float:
        """A concrete value: see __ch_realize__."""
        return float(realize(self))

    @property
    def numerator(self) -> Any:
        """The numerator of a concrete value: see __ch_realize__."""
        return realize(self).numerator

    @property
    def denominator(self) -> Any:
        """The denominator of a concrete value: see __ch_realize__."""
        return realize(self).denominator
