from fractions import Fraction

from grpocheck.contracts.comparisons import at_most, below, decided_sign, equal, tally
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, MpArithmetic


def test_exact_comparisons_are_decided():
    r2 = ExactArithmetic().sqrt(2)
    with tally() as counts:
        assert equal(r2 * r2, 2)
        assert not equal(r2, Fraction(3, 2))
        assert below(r2, Fraction(3, 2))
        assert not below(r2, r2)
        assert at_most(r2, r2)
        assert not at_most(Fraction(3, 2), r2)
        assert [decided_sign(x) for x in (r2, -r2, 0, Fraction(1, 2))] == [1, -1, 0, 1]
    assert (counts.decided, counts.consistent, counts.not_evaluated) == (10, 0, 0)


def test_enclosures_refute_or_are_consistent():
    a = EnclosureArithmetic()
    hidden_zero = a.log(6) - a.log(2) - a.log(3)
    with tally() as counts:
        assert equal(hidden_zero, 0)
        assert at_most(hidden_zero, 0)
        assert at_most(0, hidden_zero)
        assert below(hidden_zero, 0)
        assert decided_sign(hidden_zero) is None
    assert (counts.decided, counts.consistent, counts.not_evaluated) == (0, 5, 0)
    with tally() as counts:
        assert not equal(a.exp(1), Fraction(27, 10))
        assert not at_most(a.exp(1), Fraction(27, 10))
        assert not below(a.exp(1), Fraction(27, 10))
        assert below(Fraction(27, 10), a.exp(1))
        assert equal(a.exp(1) / a.exp(1), 1)
    assert (counts.decided, counts.consistent, counts.not_evaluated) == (5, 0, 0)


def test_a_contract_refines_modestly():
    a = EnclosureArithmetic()
    tiny = a.exp(Fraction(1, 10**60)) - 1
    assert decided_sign(tiny) is None
    assert tiny.bits == 128
    assert tiny > 0
    assert decided_sign(tiny) == 1


def test_uncertified_numbers_are_not_evaluated():
    mp = MpArithmetic(30)
    one, two = mp.number(Fraction(1)), mp.number(Fraction(2))
    with tally() as counts:
        assert equal(one, two)
        assert at_most(two, one)
        assert below(two, one)
        assert decided_sign(one) is None
    assert (counts.decided, counts.consistent, counts.not_evaluated) == (0, 0, 4)


def test_blocks_count_for_themselves_and_nothing_is_counted_outside():
    with tally() as outer:
        equal(1, 1)
        with tally() as inner:
            equal(1, 2)
            equal(1, 2)
        equal(1, 1)
    equal(1, 1)
    assert (outer.decided, inner.decided) == (2, 2)
