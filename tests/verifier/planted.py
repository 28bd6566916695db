"""Pieces of evidence that behave well and badly, for the tests of the ladder."""

import os
import time
from fractions import Fraction

from grpocheck.contracts.claims import Kind
from grpocheck.contracts.clauses import ensure
from grpocheck.contracts.comparisons import below, equal
from grpocheck.core.arithmetic.surd import square_root_of_rational
from grpocheck.proofs.evidence import Budget, Finding, evidence, held, not_run, refuted, undecided


@evidence("E2", kind=Kind.ENUMERATION, scope="two cases")
def holds(budget: Budget) -> Finding:
    """Held, with progress."""
    budget.step(2, 2)
    return held(cases=2)


@evidence("E1", "E2", kind=Kind.ENUMERATION, scope="one case")
def refutes_one_of_two(_budget: Budget) -> dict[str, Finding]:
    """Each claim has its own finding."""
    return {"E1": refuted("rho = 2, A = 1", cases=1), "E2": held(cases=1)}


@evidence("B1", kind=Kind.PROPERTY, scope="none")
def raises(_budget: Budget) -> Finding:
    """A check that fails itself."""
    raise ZeroDivisionError("by hand")


@evidence("B3", kind=Kind.PROPERTY, scope="none")
def exits(_budget: Budget) -> Finding:
    """A check whose process dies."""
    os._exit(9)


@evidence("B4", kind=Kind.PROPERTY, scope="for ever")
def never_ends(_budget: Budget) -> Finding:
    """A check that does not look at its budget."""
    time.sleep(600)
    return held(cases=1)


@evidence("B5", kind=Kind.PROPERTY, scope="for ever, in steps")
def steps_for_ever(budget: Budget) -> Finding:
    """A check that looks at its budget."""
    for done in range(10**9):
        budget.step(done, 10**9)
        time.sleep(0.01)
    return held(cases=1)


@ensure(lambda result: result == 0, "B2: advantages sum to 0")
def sum_of_advantages() -> int:
    """A wrong function."""
    return 1


@evidence("B1", "B2", kind=Kind.ENUMERATION, scope="one case")
def violates_a_contract(_budget: Budget) -> Finding:
    """A contract of the code under test fails, and names its claim."""
    return held(cases=sum_of_advantages())


@evidence("F1", kind=Kind.PROOF, scope="every size")
def needs_another_program(_budget: Budget) -> Finding:
    """Not run here."""
    return not_run("there is no prover", "make proofs-setup")


@evidence("G1", kind=Kind.SYMBOLIC, scope="n = 2")
def undecided_in_the_budget(_budget: Budget) -> Finding:
    """Honestly open."""
    return undecided("3 paths were not explored", paths=7)


@evidence("N1", kind=Kind.WITNESS, scope="one problem")
def witness(_budget: Budget) -> Finding:
    """A non-claim is refuted by its witness."""
    return refuted("F falls from 1/4 to 0", steps=1)


@ensure(lambda result: equal(result * result, 2), "B1, B2: the root of two squares to two")
def root_of_two() -> object:
    """Right."""
    return square_root_of_rational(Fraction(2))


@ensure(lambda value, result: below(result, root_of_two() + value), "a contract without a claim, which calls another")
def one_more(value: Fraction) -> Fraction:
    """Right."""
    return value + 1


@ensure(lambda result: equal(result, result + 0), "B4: consistent at best, for a number that is not decided")
def undecidable() -> object:
    """A number whose sign is never known."""
    return Unknown()


class Unknown:
    """A number whose enclosures always straddle 0."""

    def __add__(self, _other: object) -> "Unknown":
        """Unknown again."""
        return self

    def __sub__(self, _other: object) -> "Unknown":
        """Unknown again."""
        return self

    def decided_sign(self, _bits: int) -> None:
        """Never decided."""
