"""The model of exact reals against 60-digit numbers, and its arrival by installation alone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def run_python(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True).stdout


def compared(kind: str, seed: int, count: int) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(run_python("-m", "tests.symbolic.differential", kind, str(seed), str(count)))
    assert report["compared"] == count
    return report


@pytest.mark.parametrize(("kind", "count"), [("algebraic", 400), ("transcendental", 60)])
def test_random_programs_have_the_value_and_sign_of_the_numbers(kind: str, count: int) -> None:
    report = compared(kind, 1, count)
    assert report["mismatches"] == []
    assert report["unknown"] <= count // 10


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("algebraic", 3000), ("transcendental", 1500)])
@pytest.mark.parametrize("seed", [2, 3])
def test_thousands_of_random_programs(kind: str, count: int, seed: int) -> None:
    assert compared(kind, seed, count)["mismatches"] == []


NESTED = """
from fractions import Fraction
from math import prod

from grpocheck.contracts.exact_reals import polynomials as poly
from grpocheck.contracts.exact_reals.atoms import AtomRegistry
from grpocheck.contracts.exact_reals.rational_functions import RationalFunction, multiply

atoms, s, r, x = AtomRegistry(), poly.atom(0), poly.atom(1), poly.atom(2)
atoms.squares = {0: r, 1: x}
values = {0: 2, 1: 4, 2: 16}

def one_over(*powers):
    return RationalFunction(poly.constant(1), {poly.key(base): (base, power) for base, power in powers})

def value(polynomial):
    return sum(c * prod(Fraction(values[index]) ** e for index, e in monomial) for monomial, c in polynomial.items())

for left, right in ((((s, 1),), ((s, 1), (r, 2))), (((s, 1),), ((r, 2), (s, 1))), (((s, 3), (r, 1)), ((s, 3),))):
    found = multiply(atoms, one_over(*left), one_over(*right))
    print(value(found.numerator) / prod(value(base) ** power for base, power in found.denominator.values()))
"""


def test_a_root_of_a_root_below_a_fraction_stays_there() -> None:
    # x = 16, r = 4 its root, s = 2 the root of r: 1/s * 1/(s r^2) = 1/64, twice; 1/(s^3 r) * 1/s^3 = 1/256
    assert run_python("-c", NESTED).split() == ["1/64", "1/64", "1/256"]


def test_installing_registers_the_model_with_crosshair() -> None:
    script = (
        "import crosshair.core_and_libs as libs\n"
        "from fractions import Fraction\n"
        "from crosshair.core import proxy_for_type, standalone_statespace\n"
        "from crosshair.tracers import NoTracing\n"
        "with standalone_statespace, NoTracing():\n"
        "    print(libs.installed_plugins, type(proxy_for_type(Fraction, 'x')).__name__)\n"
    )
    assert run_python("-c", script).strip() == "['grpocheck'] SymbolicFraction"


@pytest.mark.parametrize("package", ["core", "contracts.predicates", "proofs.symbolic.runner", "verifier.cli"])
def test_nothing_at_run_time_imports_crosshair(package: str) -> None:
    script = (
        "import importlib, pkgutil, sys\n"
        f"root = importlib.import_module('grpocheck.{package}')\n"
        "for found in pkgutil.walk_packages(getattr(root, '__path__', []), root.__name__ + '.'):\n"
        "    importlib.import_module(found.name)\n"
        "print('crosshair' in sys.modules)\n"
    )
    assert run_python("-c", script).strip() == "False"


PLAIN = """
from fractions import Fraction
from icontract import ensure, require

@require(lambda x: x > 0)
@ensure(lambda x, result: result * x == 1)
def inverse(x: Fraction) -> Fraction:
    return 1 / x

@ensure(lambda x, result: result > 0)
def square(x: Fraction) -> Fraction:
    return x * x
"""


def test_crosshairs_own_command_checks_fractions(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    command = [sys.executable, "-m", "crosshair", "check", "plain.py", "--analysis_kind=icontract", "--report_all"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    assert [line.partition(": ")[2] for line in printed] == [
        "info: Confirmed over all paths.",
        "error: false when calling square(Fraction(0, 1)) (which returns Fraction(0, 1))",
    ]


STARVED = """
import json
from time import process_time
from types import SimpleNamespace

import z3
from crosshair.util import UnknownSatisfiability
from grpocheck.contracts.exact_reals.solver import witness

f = z3.Function("f", z3.RealSort(), z3.RealSort())
x = z3.Real("x")


class Starved:
    '''A solver that decides within a second by the clock only, and of less has so much processor time or none.'''

    def __init__(self, spends, reason="timeout", needs=1000):
        self.solver, self.spends, self.reason, self.needs, self.asked = z3.SimpleSolver(), spends, reason, needs, []
        self.solver.add(f(x) * f(x) == 2, x > 0)

    def set(self, name, milliseconds):
        self.asked.append(milliseconds)

    def check(self, *conditions):
        self.known = self.asked[-1] >= self.needs
        end = process_time() + self.spends
        while not self.known and process_time() < end:
            pass
        return self.solver.check(*conditions) if self.known else z3.unknown

    def reason_unknown(self):
        return self.reason

    def assertions(self):
        return self.solver.assertions()

    def model(self):
        return self.solver.model()


def found(solver, *conditions):
    space = SimpleNamespace(
        solver=solver, smt_timeout=5000, _known_model=lambda: None, _remember_model=lambda model: None
    )
    try:
        answer = "none" if witness(space, *conditions) is None else "a model"
    except UnknownSatisfiability:
        answer = "unknown"
    return [answer, len(solver.asked), solver.asked[-1]]


print(json.dumps([
    found(Starved(0)),
    found(Starved(0), f(x) != f(x)),
    found(Starved(0.15)),
    found(Starved(0.15, needs=6000)),
    found(Starved(0, reason="incomplete")),
]))
"""


def test_a_solver_that_got_no_processor_time_is_asked_for_longer_and_one_that_does_not_know_is_not() -> None:
    starved, refuting, slow, unknowing, incomplete = json.loads(run_python("-c", STARVED))
    assert (starved[0], refuting[0]) == ("a model", "none")
    assert starved[1:] == [4, 1600]
    assert slow == ["a model", 2, 5000]
    assert unknowing == ["unknown", 2, 5000]
    assert incomplete == ["unknown", 1, 200]
