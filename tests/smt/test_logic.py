"""The connectives say the same of bools and of z3's formulas, mixed in any way."""

from itertools import product

import pytest
import z3
from grpocheck.proofs.smt.logic import choose, every, implies, negation, some

CASES = list(product((False, True), repeat=4))


def value(formula: object) -> bool:
    """The truth of a bool or of a formula without symbols."""
    return formula if isinstance(formula, bool) else z3.is_true(z3.simplify(formula))


@pytest.mark.parametrize(("a", "b", "left_symbolic", "right_symbolic"), CASES)
def test_connectives_agree_with_python(a: bool, b: bool, left_symbolic: bool, right_symbolic: bool) -> None:
    left = z3.BoolVal(a) if left_symbolic else a
    right = z3.BoolVal(b) if right_symbolic else b
    assert value(every(left, right)) is (a and b)
    assert value(some(left, right)) is (a or b)
    assert value(negation(left)) is (not a)
    assert value(implies(left, right)) is (b if a else True)
    chosen = choose(left, z3.IntVal(1), z3.IntVal(2)) if left_symbolic else choose(left, 1, 2)
    assert int(str(z3.simplify(chosen) if z3.is_expr(chosen) else chosen)) == (1 if a else 2)


def test_nothing_is_every_and_not_some() -> None:
    assert every() is True
    assert some() is False
