"""Before a path is reported as a counterexample: make it agree with the real logarithm.

The facts asserted on logarithms leave the solver free to choose values that no logarithm has. Here the arguments of the
checked function are fixed to small rationals and tangents are added at the points that the solver proposes, until its
choice agrees with the real function or no real argument follows the path.
"""

from fractions import Fraction
from typing import Any

import mpmath
import z3
from crosshair import smt
from crosshair.statespace import StateSpace
from crosshair.util import IgnoreAttempt, UnknownSatisfiability
from grpocheck.contracts.exact_reals.atoms import AtomRegistry, number
from grpocheck.contracts.exact_reals.realization import rational_value

_ROUNDS = 10
_ROUNDS_PER_POINT = 3
_DENOMINATORS = (2, 4, 8, 32, 1000, 10**6)
_POINT_DENOMINATOR = 10**9
_LOG_DIGITS = 30


class ImpossiblePath(IgnoreAttempt):
    """True facts about the logarithm contradict the path, so no real argument follows it."""


def agree_with_logarithm(space: StateSpace) -> None:
    """Fix the path's arguments to rationals on which the solver's logarithms are the real ones."""
    atoms: AtomRegistry = space.extra(AtomRegistry)
    if not atoms.logarithms:
        return
    arguments = [term for index, term in enumerate(atoms.terms) if index not in atoms.defined]
    for _ in range(_ROUNDS):
        model = space.witness()
        if model is None:
            raise ImpossiblePath
        proposed = [rational_value(model.eval(term, model_completion=True)) for term in arguments]
        rounded = [tuple(_round(value, bottom) for value in proposed) for bottom in _DENOMINATORS]
        for values in dict.fromkeys(rounded):
            equations = [term == number(value) for term, value in zip(arguments, values, strict=True)]
            if _can_be(space, atoms, equations):
                for equation in equations:
                    space._assert(equation)
                return
        _add_tangents(space, atoms, model)
    raise UnknownSatisfiability


def _can_be(space: StateSpace, atoms: AtomRegistry, equations: list[Any]) -> bool:
    try:
        for _ in range(_ROUNDS_PER_POINT):
            model = space.witness(*equations)
            if model is None or not _add_tangents(space, atoms, model):
                return model is not None
    except UnknownSatisfiability:
        pass
    return False


def _round(value: Fraction, bottom: int) -> Fraction:
    """The nearest fraction with a small denominator; an integer only when the value is one."""
    rounded = value.limit_denominator(bottom)
    if rounded.denominator == 1 and value.denominator != 1:
        rounded += Fraction(1, bottom) if value > rounded else -Fraction(1, bottom)
    return rounded


def _add_tangents(space: StateSpace, atoms: AtomRegistry, model: z3.ModelRef) -> bool:
    """Assert, where the model's logarithm is off, its bounds from the point that the model chose; whether any was."""
    added = False
    for argument, index in atoms.logarithms.values():
        x, log_x = atoms.term(argument), atoms.terms[index]
        chosen = rational_value(model.eval(x, model_completion=True))
        point = chosen.limit_denominator(_POINT_DENOMINATOR)
        if point <= 0 or (index, point) in atoms.tangents:
            continue
        low, high = _logarithm_bounds(point)
        if point == chosen and low <= rational_value(model.eval(log_x, model_completion=True)) <= high:
            continue
        atoms.tangents.add((index, point))
        added = True
        c, log_low, log_high = number(point), number(low), number(high)
        space.add(smt.not_(c * (log_x - log_high) > x - c))  # log x <= log c + (x - c)/c
        space.add(smt.not_(x * (log_x - log_low) < x - c))  # log x >= log c + (x - c)/x
    return added


def _logarithm_bounds(value: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above the logarithm of a positive rational."""
    precise: Any = mpmath.mp.clone()
    precise.dps = 2 * _LOG_DIGITS
    logarithm = precise.log(precise.mpf(value.numerator) / value.denominator)
    units = int(precise.floor(logarithm * 10**_LOG_DIGITS))
    return Fraction(units - 1, 10**_LOG_DIGITS), Fraction(units + 2, 10**_LOG_DIGITS)
