import operator
from fractions import Fraction

import pytest
from arithmetic_oracles import CONTEXT, RADICANDS, read
from grpocheck.core.arithmetic import EnclosureArithmetic, Real, Surd, UndecidedComparison, enclose
from grpocheck.core.arithmetic.engine import engine
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

leaves = st.one_of(
    st.fractions(-4, 4, max_denominator=9).map(lambda q: ("number", q)),
    st.sampled_from(RADICANDS[:5]).map(lambda q: ("root", q)),
)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner),
        st.tuples(st.sampled_from(["exp", "log", "sqrt"]), inner),
    ),
    max_leaves=9,
)
DEEP = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def evaluate(expression, arithmetic):
    """An expression as a scalar of the arithmetic and as an mpmath number of 120 digits, outside each other's sight."""
    operation, *operands = expression
    if operation == "number":
        return operands[0], read(operands[0])
    if operation == "root":
        return arithmetic.sqrt(operands[0]), CONTEXT.sqrt(read(operands[0]))
    pairs = [evaluate(operand, arithmetic) for operand in operands]
    scalars, numbers = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if operation in "+-*/":
        assume(operation != "/" or abs(numbers[1]) > CONTEXT.mpf(10) ** -20)
        function = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[operation]
        return function(*scalars), function(*numbers)
    assume(abs(numbers[0]) < 60)
    assume(operation == "exp" or numbers[0] > CONTEXT.mpf(10) ** -20)
    return getattr(arithmetic, operation)(scalars[0]), getattr(CONTEXT, operation)(numbers[0])


@DEEP
@given(expressions)
def test_enclosures_contain_the_value(expression):
    scalar, number = evaluate(expression, EnclosureArithmetic())
    lower, upper = (read(bound) for bound in enclose(scalar, 40))
    slack = CONTEXT.mpf(10) ** -85 * (1 + abs(number))
    assert lower - slack <= number <= upper + slack
    assert upper - lower <= CONTEXT.mpf(10) ** -40 * max(abs(number), 1) + slack


@DEEP
@given(expressions, expressions)
def test_comparisons_agree_with_a_hundred_digits(left, right):
    arithmetic = EnclosureArithmetic()
    x, u = evaluate(left, arithmetic)
    y, v = evaluate(right, arithmetic)
    if abs(u - v) > CONTEXT.mpf(10) ** -60:
        assert arithmetic.less(x, y) == (u < v)
        assert not arithmetic.equal(x, y)
        assert arithmetic.minimum(x, y) is (x if u < v else y)
        assert arithmetic.maximum(x, y) is (y if u < v else x)


@DEEP
@given(expressions)
def test_an_expression_is_equal_to_itself_made_twice(expression):
    arithmetic = EnclosureArithmetic()
    x, number = evaluate(expression, arithmetic)
    y, _ = evaluate(expression, arithmetic)
    assert x - y == 0
    assert type(x - y) is Fraction
    assert x == y
    assert (x + 1) * 2 - 2 * y == 2
    if abs(number) > CONTEXT.mpf(10) ** -20:
        assert type(x / y) is Fraction
        assert x / y == 1
        assert x * x / y == x
    if number > CONTEXT.mpf(10) ** -20:
        assert arithmetic.log(x / y) == 0
        assert arithmetic.log(x) - arithmetic.log(y) == 0
    if abs(number) < 60:
        assert arithmetic.exp(x) / arithmetic.exp(y) == 1
        assert arithmetic.exp(x) * arithmetic.exp(-y) == 1
        # exp(k log a) is written a**k, whose logarithm is not expanded.
        assert "log" in str(expression) or arithmetic.log(arithmetic.exp(x)) == x


def test_equalities_of_the_normal_form():
    a = EnclosureArithmetic()
    e = a.exp(1)
    assert a.log(1) == 0
    assert a.exp(0) == 1
    assert e / (2 * e) == Fraction(1, 2)
    assert a.exp(Fraction(1, 3)) * a.exp(Fraction(2, 3)) == e
    assert a.exp(Fraction(1, 2)) ** 2 == e
    assert a.exp(a.log(Fraction(3, 7))) == Fraction(3, 7)
    assert a.exp(-2 * a.log(3)) == Fraction(1, 9)
    assert a.log(Fraction(1, 2)) + a.log(2) == 0
    assert a.log(3 * e) == 1 + a.log(3)
    nested = a.sqrt(1 + a.sqrt(Fraction(2)))
    assert nested**2 == 1 + a.sqrt(Fraction(2))
    assert 1 / nested * nested == 1
    assert (e + 1) / (2 * e + 2) == Fraction(1, 2)
    assert (e + 1) * (e + 2) / (e + 1) == e + 2
    assert a.log(e + 1) - a.log(1 + e) == 0


@pytest.mark.parametrize("n", [2, 5, 16])
def test_softmax_masses_sum_to_exactly_one(n):
    a = EnclosureArithmetic()
    weights = [a.exp(Fraction(i * i, 7)) for i in range(n)]
    masses = [weight / sum(weights) for weight in weights]
    assert all(isinstance(mass, Real) for mass in masses)
    assert type(sum(masses)) is Fraction
    assert sum(masses) == 1
    assert sum(2 * mass for mass in reversed(masses)) == 2
    # Sums that are not the whole are not taken for it.
    numbers = [CONTEXT.exp(CONTEXT.mpf(i * i) / 7) for i in range(n)]
    for factors in ([*range(1, n + 1)], [n, *range(1, n)], [0, *range(1, n)], [*range(1, n), 0]):
        scalar = sum(mass * factor for mass, factor in zip(masses, factors, strict=True))
        number = sum(w * factor for w, factor in zip(numbers, factors, strict=True)) / sum(numbers)
        lower, upper = (read(bound) for bound in enclose(scalar, 40))
        assert lower < number < upper
    assert sum([masses[0], *weights[1:]]) != 1


def test_equal_logits_are_a_rational_mass():
    a = EnclosureArithmetic()
    weights = [a.exp(Fraction(3, 10)) for _ in range(4)]
    assert [weight / sum(weights) for weight in weights] == [Fraction(1, 4)] * 4


def test_a_ratio_is_one_at_depth_three_thousand():
    a = EnclosureArithmetic()
    x = y = a.exp(Fraction(1, 3))
    for _ in range(3000):
        x, y = 1 / (1 + x), 1 / (1 + y)
    assert x / y == 1
    assert x - y == 0
    # 1/(1 + x) contracts to the golden section from any start.
    golden = (a.sqrt(Fraction(5)) - 1) / 2
    assert abs(x - golden) < Fraction(1, 10**30)
    assert len(str(x)) < 1000


def test_a_comparison_refines_as_far_as_it_needs():
    # The logistic map doubles errors: after 400 steps 64 bits say nothing.
    a = EnclosureArithmetic()
    x, number = a.exp(-1), CONTEXT.exp(-1)
    with CONTEXT.workdps(300):
        number = CONTEXT.exp(-1)
        for _ in range(400):
            x, number = 4 * x * (1 - x), 4 * number * (1 - number)
        assert a.less(x, Fraction(1, 2)) == (number < 0.5)
        lower, upper = enclose(x, 30)
        assert CONTEXT.mpf(lower) <= number <= CONTEXT.mpf(upper)


def test_an_enclosure_refines_as_far_as_it_needs():
    x, number = EnclosureArithmetic().exp(-1), CONTEXT.exp(-1)
    for _ in range(100):
        x, number = 4 * x * (1 - x), 4 * number * (1 - number)
    lower, upper = (read(bound) for bound in enclose(x, 30))
    assert lower <= number <= upper
    assert x.bits > 4 * 32


def test_an_undecided_comparison_names_both_expressions():
    a = EnclosureArithmetic(max_bits=512)
    with pytest.raises(UndecidedComparison) as undecided:
        a.equal(a.log(6), a.log(2) + a.log(3))
    message = str(undecided.value)
    assert "512 bits" in message
    assert {undecided.value.left, undecided.value.right} == {"log(6)", "log(2) + log(3)"}
    for enclosure in undecided.value.enclosures:
        lower, upper = (Fraction(bound) for bound in enclosure.strip("[]").split(", "))
        # log 6 = 1.7917594692280550008124773583...
        assert lower < Fraction("1.79175946922805500081247735") < upper
        assert upper - lower < Fraction(1, 10**18)
    with pytest.raises(UndecidedComparison):
        a.less(a.log(6), a.log(2) + a.log(3))
    with pytest.raises(UndecidedComparison):
        1 / (a.log(6) - a.log(2) - a.log(3))
    with pytest.raises(UndecidedComparison):
        a.log(a.log(6) - a.log(2) - a.log(3))


def test_the_stated_precision_is_what_decides():
    # exp(10**-60) - 1 is 10**-60 and a little: within 199 bits of 0.
    tiny = Fraction(1, 10**60)
    with pytest.raises(UndecidedComparison):
        EnclosureArithmetic(max_bits=128).less(1, EnclosureArithmetic(max_bits=128).exp(tiny))
    a = EnclosureArithmetic(max_bits=512)
    assert a.less(1, a.exp(tiny))
    assert a.less(1 + tiny, a.exp(tiny))
    fresh = EnclosureArithmetic(max_bits=512)
    assert (fresh.exp(tiny) - 1).decided_sign(128) is None
    assert (fresh.exp(tiny) - 1).decided_sign(256) == 1


def test_large_and_small_magnitudes():
    a = EnclosureArithmetic()
    huge, small = a.exp(10**4), a.exp(-(10**4))
    assert huge * small == 1
    assert huge > 10**4342
    assert huge < 10**4343
    assert 1 / (1 + small) < 1
    mass = Fraction(1, 10**30)
    assert a.log(mass) < -69
    assert a.log(mass) > -70
    assert a.log(1 + mass) < mass
    assert a.log(1 + mass) > mass - mass * mass
    beyond = a.exp(10**12) / (a.exp(10**12) + 1)
    assert beyond < 1


def test_denominators_are_cleared_where_enclosures_do_not_tell():
    # A mass within exp(-10**6) of 1 differs from it by a sum of positive terms over the same denominator.
    a = EnclosureArithmetic(max_bits=64)
    weights = [a.exp(10**6), a.exp(1), a.exp(Fraction(1, 2))]
    masses = [weight / sum(weights) for weight in weights]
    assert a.less(masses[0], 1)
    assert a.less(1 - masses[0] - masses[1], 2 * masses[2])
    assert a.less(1 - masses[0], masses[1] + 2 * masses[2])
    assert a.equal(1 - masses[0], masses[1] + masses[2])
    assert a.equal(masses[0] - masses[1], 1 - 2 * masses[1] - masses[2])
    assert (masses[0] - 1 + masses[1] + masses[2]).decided_sign(64) == 0
    # Over a negative sum the order turns, over its square it does not.
    small, negative = a.exp(-1000), 1 - a.exp(1)
    assert a.less((negative + small) / negative, 1)
    assert a.less(1 / negative**2, (1 + small) / negative**2)
    assert a.less(1 / negative + (1 + small) / negative**2, 1 / negative + (1 + 2 * small) / negative**2)
    with pytest.raises(ZeroDivisionError):
        1 / (masses[0] - 1 + masses[1] + masses[2])
    with pytest.raises(ValueError, match="expected a positive number"):
        a.log(masses[0] - 1 + masses[1] + masses[2])
    assert a.sqrt(masses[0] - 1 + masses[1] + masses[2]) == 0


def test_exponents_beyond_the_range_stay_certified():
    a = EnclosureArithmetic()
    towering = a.exp(a.exp(100))
    assert towering > 10**1000
    assert a.exp(-a.exp(100)) < Fraction(1, 10**1000)
    with pytest.raises(ArithmeticError, match="no enclosure to 30 digits"):
        a.text(towering)
    try:
        assert a.less(towering, a.exp(a.exp(101)))
    except UndecidedComparison:
        assert engine.name == "mpmath"  # whose exponential is bounded on one side only out there


def test_operands_on_either_side():
    a = EnclosureArithmetic()
    e, r2 = a.exp(1), a.sqrt(Fraction(2))
    assert isinstance(r2, Surd)
    for other in (2, Fraction(1, 3), r2):
        assert other + e == e + other
        assert other - e == -(e - other)
        assert other * e == e * other
        assert other / e * e == other
        assert (other < e) == (not e < other)
        assert (other <= e) == (e >= other)
    assert e * 0 == 0
    assert abs(-e) == e
    assert +e is e
    with pytest.raises(ZeroDivisionError):
        e / 0
    with pytest.raises(ZeroDivisionError):
        1 / (e - e)


def test_floats_are_refused_by_reals():
    e = EnclosureArithmetic().exp(1)
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.ge):
        with pytest.raises(TypeError):
            operation(e, 0.5)
        with pytest.raises(TypeError):
            operation(0.5, e)


def test_reals_are_not_hashed():
    # 1 - m and the other masses are found equal without having the same terms.
    with pytest.raises(TypeError, match="unhashable"):
        hash(EnclosureArithmetic().exp(1))


def test_reals_of_two_arithmetics_mix():
    e, same = EnclosureArithmetic().exp(1), EnclosureArithmetic(max_bits=256).exp(1)
    assert same + 1 > e
    with pytest.raises(UndecidedComparison):
        bool(e == same)


def test_a_long_number_becomes_one_atom_and_keeps_its_value():
    a = EnclosureArithmetic(max_digits=50)
    long = Fraction(3**200, 2**300) + a.sqrt(Fraction(7))
    settled = a.settle(long)
    assert isinstance(settled, Real)
    assert a.settle(settled) is settled
    assert settled == long
    assert settled - a.settle(long) == 0
    assert settled / a.settle(long) == 1
    assert not settled < long
    assert settled + Fraction(1, 10**900) > long
    assert settled - Fraction(1, 10**900) < long
    lower, upper = (Fraction(bound) for bound in enclose(settled, 600))
    assert lower <= long <= upper
