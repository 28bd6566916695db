"""Put the model of exact reals into CrossHair: the type, the functions on it, and the search's own two hooks."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import crosshair.core_and_libs  # noqa: F401 - makes CrossHair's own registrations first
from crosshair import core
from crosshair.core import realize, register_patch, register_type
from crosshair.libimpl import builtinslib
from crosshair.libimpl.builtinslib import SymbolicBool, SymbolicInt, typeable_value
from crosshair.statespace import StateSpace, optional_context_statespace
from crosshair.tracers import NoTracing
from crosshair.util import NotDeterministic, PathTimeout, UnknownSatisfiability
from grpocheck.contracts.exact_reals import solver
from grpocheck.contracts.exact_reals.atoms import AtomRegistry, registry
from grpocheck.contracts.exact_reals.elementary import exponential, extreme, logarithm, square_root
from grpocheck.contracts.exact_reals.rational_functions import RationalFunction, divide
from grpocheck.contracts.exact_reals.refutation import agree_with_logarithm
from grpocheck.contracts.exact_reals.symbolic_fraction import SymbolicFraction, value_of

_SYMBOLIC = (SymbolicFraction, SymbolicInt, SymbolicBool)

_detach_path = StateSpace.detach_path


def _real_function(
    concrete: Callable[[Any], Any], symbolic: Callable[[AtomRegistry, RationalFunction], RationalFunction]
) -> Callable[[Any], Any]:
    """A function of math, exact on symbolic numbers and on concrete Fractions within a path."""

    def patched(argument: Any) -> Any:
        with NoTracing():
            argument = typeable_value(argument)
            if isinstance(argument, (Fraction, SymbolicInt)) and optional_context_statespace() is not None:
                atoms = registry()
                value = value_of(atoms, argument)
                assert value is not None
                return SymbolicFraction(symbolic(atoms, value))
        return concrete(realize(argument))

    return patched


def _construct(numerator: Any = 0, denominator: Any = None, **internal: Any) -> Any:
    """The constructor of Fraction, exact on symbolic numbers."""
    with NoTracing():
        numerator, denominator = typeable_value(numerator), typeable_value(denominator)
        if isinstance(numerator, _SYMBOLIC) or isinstance(denominator, _SYMBOLIC):
            atoms = registry()
            top, bottom = value_of(atoms, numerator), value_of(atoms, 1 if denominator is None else denominator)
            if top is not None and bottom is not None:
                return SymbolicFraction(divide(atoms, top, bottom))
        return Fraction(realize(numerator), realize(denominator), **internal)


def _extreme(concrete: Callable[..., Any], largest: bool) -> Callable[..., Any]:
    """Min or max, as one new real when numbers are given of which one is symbolic."""

    def patched(*arguments: Any, **options: Any) -> Any:
        with NoTracing():
            if len(arguments) > 1 and not options and any(isinstance(a, SymbolicFraction) for a in arguments):
                atoms = registry()
                values = [value_of(atoms, argument) for argument in arguments]
                known = [value for value in values if value is not None]
                if len(known) == len(values):
                    return SymbolicFraction(extreme(atoms, known, largest))
        return concrete(*arguments, **options)

    return patched


def _detach_agreeing(space: StateSpace, currently_handling: BaseException | None = None) -> None:
    """End the search on a path that will be reported, its logarithms made real first."""
    already = space.is_detached
    _detach_path(space, currently_handling)
    if not already and not isinstance(currently_handling, (NotDeterministic, UnknownSatisfiability, PathTimeout)):
        with NoTracing():
            agree_with_logarithm(space)


def _is_possible(space: StateSpace, condition: Any) -> bool:
    with NoTracing():
        return solver.is_possible(space, condition)


def _replace_patch(function: Callable[..., Any], replacement: Callable[..., Any]) -> None:
    core._PATCH_REGISTRATIONS.pop(function, None)
    register_patch(function, replacement)


def install() -> None:
    """Register everything; CrossHair calls it once, through the entry point."""
    core._SIMPLE_PROXIES.pop(Fraction, None)
    register_type(Fraction, lambda factory: SymbolicFraction(factory.varname))
    builtinslib._PYTYPE_TO_WRAPPER_TYPE[Fraction] = ((SymbolicFraction, 1.0),)
    _replace_patch(Fraction, _construct)
    _replace_patch(math.sqrt, _real_function(math.sqrt, square_root))
    _replace_patch(math.log, _real_function(math.log, logarithm))
    _replace_patch(math.exp, _real_function(math.exp, exponential))
    _replace_patch(min, _extreme(min, largest=False))
    _replace_patch(max, _extreme(max, largest=True))
    hooks = {"detach_path": _detach_agreeing, "witness": solver.witness, "is_possible": _is_possible}
    for name, hook in hooks.items():
        setattr(StateSpace, name, hook)
