"""The language of formulas: values worked out by hand, derivatives, means over draws, and binary formats."""

import math
import struct
from fractions import Fraction as F

import pytest
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.formulas import evaluator
from grpocheck.verifier.disputes.numbers import FORMATS, Kink, Rounded
from grpocheck.verifier.disputes.values import supplied
from hypothesis import given
from hypothesis import strategies as st

NAMES = {"pi": [F(1, 2), F(1, 3), F(1, 6)], "r": [F(1), F(0), F(0)], "w": [F(1, 2), F(5)], "v": [F(3), F(1), F(2)]}


def value(formula, **names):
    return evaluator({**NAMES, **names}, supplied()).evaluate(formula)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("1/3 + 0.2", F(8, 15)),
        ("-v[0] ** 2", -9),
        ("v - mean(v)", [1, -1, 0]),
        ("var(v)", F(2, 3)),
        ("std([1, 0, 0, 0], 1)", F(1, 2)),
        ("others(v)", [F(3, 2), F(5, 2), 2]),
        ("without(v)", [[1, 2], [3, 2], [3, 1]]),
        ("to_go(v)", [6, 3, 2]),
        ("best_of(v, 2)", F(8, 3)),
        ("best_of([1, 1, 0, 0], 2)", F(5, 6)),
        ("best_of(v, 3)", 3),
        ("prod(v)", 6),
        ("max(v)", 3),
        ("min(v, 2)", [2, 1, 2]),
        ("clip(v, 3/2, 5/2)", [F(5, 2), F(3, 2), 2]),
        ("abs([0 - 1, 2])", [1, 2]),
        ("where(v > 1, v, 0)", [3, 0, 2]),
        ("where(1 > 2, v, 0)", [0, 0, 0]),
        ("v[[2, 0]]", [2, 3]),
        ("v[-1]", 2),
        ("[a * b for a, b in zip(v, [1, 2, 3])]", [3, 2, 6]),
        ("parted(v, 2)", [[3, 1], [2]]),
        ("flat([[1], [2, [3]]])", [1, 2, 3]),
        ("repeat([5, 6], [1, 2])", [[5], [6, 6]]),
        ("top_k(pi, 2)", [F(3, 5), F(2, 5), 0]),
        ("top_p(pi, 1/2)", [1, 0, 0]),
        ("tempered([4/5, 1/5], 1/2)", [F(16, 17), F(1, 17)]),
        ("score(pi)[0]", [F(1, 2), F(-1, 3), F(-1, 6)]),
        ("8 ** (1/3)", 2),
        ("exp(log(2) + log(3))", 6),
        ("exp(log(2)/2)**2", 2),
        ("exp(log(2/3) - 2 * log(5))", F(2, 75)),
        ("sum([[1, 2], [3, 4]])", [4, 6]),
        # E of a product of independent draws, and the variance of a coin's mean
        ("expected(pi, 2, r[y][0] * r[y][1])", F(1, 4)),
        ("variance([1/2, 1/2], 2, mean([1, 0][y]))", F(1, 8)),
        # p (r - E r) by softmax logits
        ("gradient(sum(pi * r))", [F(1, 4), F(-1, 6), F(-1, 12)]),
        ("gradient(sg(pi)[0] * 2)", [0, 0, 0]),
        # the min of PPO for A = -1: no slope below 4/5, slope -1 above
        ("derivative(sum(min(0 - w, 0 - clip(w, 4/5, 6/5))), w)", [0, -1]),
        ("derivative(w[0] / w[1], w)", [F(1, 5), F(-1, 50)]),
        ("derivative(w[0] ** 3, w)", [F(3, 4), 0]),
        ("derivative(exp(log(w[1])), w)", [0, 1]),
    ],
)
def test_a_formula_has_the_value_worked_out_by_hand(formula, expected):
    arithmetic = supplied()

    def same(found, wanted):
        if isinstance(wanted, list):
            return len(found) == len(wanted) and all(map(same, found, wanted))
        return arithmetic.equal(found, F(wanted))

    assert same(value(formula), expected), value(formula)


def test_what_ieee_makes_of_zeros_and_infinities():
    assert value("1 / 0") == math.inf
    assert value("(0 - 1) / 0") == -math.inf
    assert value("log(0)") == -math.inf
    assert all(math.isnan(value(f)) for f in ("0 / 0", "0 * (1 / 0)", "sqrt(0 - 1)", "min(0 / 0, 1)", "std([1], 1)"))
    assert value("1 / (1 / 0)") == 0
    assert value("exp(0 - 1 / 0)") == 0


def test_a_kink_has_no_derivative():
    with pytest.raises(Kink):
        value("derivative(min(w[0], 1/2), w)")
    assert value("derivative(min(w[0], w[0]), w)") == [1, 0]


@pytest.mark.parametrize("test", ["w[0] > 1/2", "w[0] <= 1/2", "1/2 == w[0]"])
def test_nor_has_a_choice_that_changes_just_there(test):
    """abs(w[0] - 1/2), and a mask of it, written with a comparison: of either side one slope would be told."""
    with pytest.raises(Kink):
        value(f"derivative(where({test}, w[0] - 1/2, 1/2 - w[0]), w)")
    assert value(f"derivative(where({test.replace('w[0]', 'sg(w[0])')}, w[1], w[1]), w)") == [0, 1]
    assert value("derivative(where(w[0] > 2/5, w[0], 2/5), w)") == [1, 0]


def test_powers_that_are_no_whole_ones_of_0_and_of_negative_numbers():
    assert value("0 ** (1/2)") == 0
    assert value("0 ** (0 - 1/2)") == math.inf
    assert math.isnan(value("(0 - 8) ** (1/3)"))
    assert value("0 ** 0") == 1


@pytest.mark.parametrize(
    "formula",
    ["", "v +", "import os", "__import__('os')", "v.__class__", "lambda: 1", "nothing", "wobble(1)", "mean(v, v)",
     "mean([])", "v[7]", "v[1/2]", "v + [1]", "2 ** 100000", "expected(v, 2, 1)", "expected(pi, 99, 1)",
     "gradient(1, 2)", "'text'", "in_format('float8', 1)", "[a for a in v if a]", "True",
     "1 < 2 < 3", "zip(v, w)", "9" * 5000, "-" * 3000 + "1", "range(10**9)", "(9**9999)**9999", "1e999999999", "1j",
     "0x10", "v + dtype", "log(dtype)", "var([v, v])", "sum(3)", "expected([1, 1], 2, 1)", "clip(v, w, 1)", "v < [v]",
     "std(v, v)", "softmax(3)", "top_k(pi, 1/2)", "score(score(pi))", "gradient(gradient(sum(pi)))", "exp(1e300)",
     "exp(0 - 10**20)"],
)  # fmt: skip
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(InvalidProblem):
        value(formula, dtype="float16")


def test_numbers_are_what_is_written():
    assert value("0.12345678901234567890123") == F(12345678901234567890123, 10**23)
    assert value("abs(2 ** 1e-300 - 1) < 1e-200") == 1  # and no root of a degree of 300 digits is looked for
    assert value("1_000 + 1e-3") == 1000 + F(1, 1000)


def test_draws_without_their_order_count_for_all_their_orders():
    for kind in ("expected", "variance"):
        whole = f"{kind}(pi, 3, sum((r[y] - mean(r[y])) * score(pi)[y]))"
        assert value(whole) == value(whole.replace(kind, f"{kind}_unordered"))
    # the first draw's reward depends on the order: only the sum over orders may be taken
    assert value("expected(pi, 2, r[y][0] * (1 - r[y][1]))") == F(1, 4)


def test_the_formats_round_as_the_machine_does():
    assert value("in_format('float32', exp(100))") == math.inf
    assert value("in_format('float32', exp(0 - 200))") == 0
    assert value("in_format('bf16', 0.1)") == F(205, 2048)
    assert value("in_format('float16', 2048 + 1)") == 2048
    assert value("in_format('float16', 65520)") == math.inf
    assert value("in_format('float64', 0.1 + 0.2)") == F(0.1 + 0.2)
    assert value("in_format(dtype, 1/3)", dtype="torch.float32") == F(struct.unpack("f", struct.pack("f", 1 / 3))[0])


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_sums_and_products_in_float64_are_the_machines(a, b):
    numbers = Rounded(supplied(), FORMATS["float64"])
    for sign, machine in (("+", a + b), ("*", a * b)):
        found = numbers.combined(sign, F(a), F(b))
        assert found == (machine if math.isinf(machine) else F(machine))


@given(st.fractions(max_denominator=10**6, min_value=-(10**40), max_value=10**40))
def test_float32_is_the_machines(number):
    nearest = struct.unpack("f", struct.pack("f", float(number)))[0] if abs(number) < 2**127 else None
    found = FORMATS["float32"].rounded(F(float(number)))
    assert nearest is None or found == F(nearest)
