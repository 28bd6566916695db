"""Random programs, run on the model of exact reals and on 60-digit numbers, and every difference between the two.

A script of its own, since importing CrossHair switches icontract off in the process:
``python -m tests.symbolic.differential {algebraic|transcendental} SEED COUNT`` prints how many programs were compared,
how many the solver left open, and the mismatches, as JSON. The arguments are symbolic and equated with rationals; the
model must then have the value, the sign and the divisions by zero that the numbers have. Its facts do not determine a
logarithm or an exponential: each is held to its true value as soon as it is defined, and the facts must allow that.
"""

import json
import math
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3
from crosshair.core import standalone_statespace
from crosshair.statespace import StateSpace, context_statespace
from crosshair.tracers import NoTracing
from crosshair.util import UnknownSatisfiability
from grpocheck.contracts.exact_reals import elementary
from grpocheck.contracts.exact_reals.atoms import AtomRegistry, number
from grpocheck.contracts.exact_reals.polynomials import Polynomial, single_atom
from grpocheck.contracts.exact_reals.rational_functions import RationalFunction
from grpocheck.contracts.exact_reals.realization import rational_value
from grpocheck.contracts.exact_reals.symbolic_fraction import SymbolicFraction
from grpocheck.proofs.symbolic import reals

NAMES = ("x", "y", "z")
DEPTH = 4
SOLVER_MILLISECONDS = 2000
PLACES = 20
SLACK = Fraction(1, 10**PLACES)
ALGEBRAIC = ("add", "subtract", "multiply", "divide", "minimum", "maximum", "root", "root_of_rest", "magnitude")
TRANSCENDENTAL = ("add", "subtract", "multiply", "divide", "logarithm", "logarithm_of_root", "exponential")

Program = Any


def operations(functions: Any) -> dict[str, Callable[..., Any]]:
    """What the programs compute with, over math (which the model reads as real functions) or over reals."""
    return {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": lambda a, b: a / b,
        "minimum": lambda a, b: min(a, b),
        "maximum": lambda a, b: max(a, b),
        "root": lambda a: functions.sqrt(a * a + 1),
        "root_of_rest": lambda a: functions.sqrt(9 - a),
        "magnitude": lambda a: abs(a),
        "logarithm": lambda a: functions.log(a * a + 1),
        "logarithm_of_root": lambda a: functions.log(functions.sqrt(a + 5)),
        "exponential": lambda a: functions.exp(a / 4),
    }


def random_program(source: random.Random, names: tuple[str, ...], depth: int) -> Program:
    """A name, a number, or an operation and its operands."""
    if depth == 0 or source.random() < 0.15:
        return source.choice([*NAMES, Fraction(source.randint(-3, 3), source.randint(1, 3))])
    name = source.choice(names)
    operands = operations(math)[name].__code__.co_argcount
    return (name, *(random_program(source, names, depth - 1) for _ in range(operands)))


def run(program: Program, arguments: dict[str, Any], available: dict[str, Callable[..., Any]]) -> Any:
    """The value of a program."""
    if isinstance(program, tuple):
        return available[program[0]](*(run(operand, arguments, available) for operand in program[1:]))
    return arguments.get(program, program) if isinstance(program, str) else program


def ending(compute: Callable[[], Any]) -> Any:
    """The value of a computation, or the name of the error that ends it."""
    try:
        return compute()
    except (ZeroDivisionError, ValueError) as error:
        return type(error).__name__


def sign_of(value: Any) -> tuple[bool, bool, bool]:
    """How a value compares with 0."""
    return bool(value < 0), bool(value == 0), bool(value > 0)


class Evaluation:
    """The true values of the atoms of a path whose arguments are known."""

    def __init__(self, atoms: AtomRegistry, model: z3.ModelRef) -> None:
        """From the solver's model, which determines the arguments, the minima and the maxima."""
        self.atoms = atoms
        self.model = model
        self.values: dict[int, Any] = {}
        self.logarithms = {index: argument for argument, index in atoms.logarithms.values()}
        self.exponentials = {index: (top, bottom) for top, bottom, index in atoms.exponentials.values()}

    def atom(self, index: int) -> Any:
        """The value of an atom."""
        if index not in self.values:
            if index in self.atoms.squares:
                self.values[index] = reals.sqrt(self.polynomial(self.atoms.squares[index]))
            elif index in self.logarithms:
                self.values[index] = reals.log(self.polynomial(self.logarithms[index]))
            elif index in self.exponentials:
                self.values[index] = reals.exp(self.quotient(RationalFunction(*self.exponentials[index])))
            else:
                self.values[index] = rational_value(self.model.eval(self.atoms.terms[index], model_completion=True))
        return self.values[index]

    def polynomial(self, polynomial: Polynomial) -> Any:
        """The value of a polynomial."""
        total: Any = Fraction(0)
        for monomial, coefficient in polynomial.items():
            product: Any = coefficient
            for index, exponent in monomial:
                for _ in range(exponent):
                    product = product * self.atom(index)
            total = total + product
        return total

    def quotient(self, value: RationalFunction) -> Any:
        """The value of a rational function, whose denominator the normal form promises to be positive."""
        result = self.polynomial(value.numerator)
        for base, exponent in value.denominator.values():
            divisor = self.polynomial(base)
            if not divisor > 0:
                raise AssertionError(f"a denominator of the normal form is {divisor}")
            for _ in range(exponent):
                result = result / divisor
        return result


def held_to_its_value(define: Callable[[AtomRegistry, Polynomial], int]) -> Callable[[AtomRegistry, Polynomial], int]:
    """The definition of a logarithm, followed by bounds of its true value, and of an exponential that it undoes."""

    def define_and_hold(atoms: AtomRegistry, argument: Polynomial) -> int:
        known = len(atoms.logarithms)
        index = define(atoms, argument)
        if len(atoms.logarithms) > known:
            space = context_statespace()
            model = space.witness()
            if model is None:
                raise AssertionError("the facts contradict one another")
            evaluation = Evaluation(atoms, model)
            undone = single_atom(argument)
            for held in [index] + [undone] * (undone in evaluation.exponentials):
                value, term = evaluation.atom(held), atoms.terms[held]
                units = int((value if isinstance(value, Fraction) else value.digits) * 10**PLACES)
                space.add(term >= number((units - 1) * SLACK))
                space.add(term <= number((units + 1) * SLACK))
        return index

    return define_and_hold


def close(left: Any, right: Any) -> bool:
    """Whether two values agree, up to the digits that the solver's model was read with."""
    return bool(abs(left - right) <= Fraction(1, 10**15) * (1 + abs(right)))


def mismatch(space: StateSpace, program: Program, arguments: dict[str, Fraction]) -> str | None:
    """What the model gets wrong about a program, or None; called while CrossHair is tracing."""
    expected = ending(lambda: run(program, arguments, operations(reals)))
    with NoTracing():
        symbolic = {name: SymbolicFraction(name) for name in NAMES}
        for name, argument in symbolic.items():
            space.add(argument.var == number(arguments[name]))
    found = ending(lambda: run(program, symbolic, operations(math)))
    if isinstance(expected, str) or isinstance(found, str):
        return None if expected == found else f"{found} where {expected} is right"
    signs = sign_of(found)
    with NoTracing():
        model = space.witness()
        if model is None:
            return "the facts exclude the true values"
        evaluation = Evaluation(space.extra(AtomRegistry), model)
        value = evaluation.quotient(found.value) if isinstance(found, SymbolicFraction) else found
        if not close(value, expected):
            return f"{value} where {expected} is right"
        return None if signs == sign_of(expected) else f"signs {signs} of {expected}"


def main(kind: str, seed: str, count: str) -> None:
    """Run programs until so many have been compared."""
    elementary._logarithm_atom = held_to_its_value(elementary._logarithm_atom)
    source = random.Random(f"{kind} {seed}")
    names = ALGEBRAIC if kind == "algebraic" else TRANSCENDENTAL
    compared = unknown = 0
    mismatches = []
    while compared < int(count):
        program = random_program(source, names, DEPTH)
        arguments = {name: Fraction(source.randint(-4, 4), source.randint(1, 4)) for name in NAMES}
        try:
            with standalone_statespace as space:
                space.smt_timeout = SOLVER_MILLISECONDS
                found = mismatch(space, program, arguments)
        except UnknownSatisfiability:
            unknown += 1
            continue
        compared += 1
        if found is not None:
            mismatches.append({"program": str(program), "arguments": str(arguments), "found": found})
    print(json.dumps({"compared": compared, "unknown": unknown, "mismatches": mismatches}))


if __name__ == "__main__":
    main(*sys.argv[1:])
