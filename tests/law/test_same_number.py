"""The normal form in which mirror images are found equal: identities by hand, and no two different numbers as one."""

from fractions import Fraction as F
from itertools import combinations

from grpocheck.core.arithmetic import EnclosureArithmetic, enclose
from grpocheck.verifier.law import same_number
from grpocheck.verifier.law.same_number import Forms
from grpocheck.verifier.prime_logs import PrimeLogs


def normalisers(arithmetic):
    """1 + exp(u) + exp(v), and the same divided by exp(u), written by its own exponents."""
    u, v = arithmetic.log(F(3)) / 7, arithmetic.exp(F(1, 2)) / 5
    return u, 1 + arithmetic.exp(u) + arithmetic.exp(v), 1 + arithmetic.exp(-u) + arithmetic.exp(v - u)


def test_masses_and_their_logarithms_are_equal_from_either_response():
    """softmax from the first score on, and from the second one on: 1/S = exp(-u)/S', and log of it."""
    arithmetic = PrimeLogs(EnclosureArithmetic())
    u, whole, other = normalisers(arithmetic)
    mass, same = 1 / whole, arithmetic.exp(-u) / other
    forms = Forms()
    assert mass.terms != same.terms
    for one, two in (
        (mass, same),
        (1 - mass, 1 - same),
        (arithmetic.log(6 * mass), arithmetic.log(6 * same)),
        (arithmetic.exp(mass / 3) + mass * (1 - mass), arithmetic.exp(same / 3) + same * (1 - same)),
    ):
        assert forms.key(one) == forms.key(two)


def test_numbers_of_one_form_are_one_number():
    """Whatever of all that is made here has one key has the same 60 digits; and there are several such pairs."""
    arithmetic = PrimeLogs(EnclosureArithmetic())
    u, whole, other = normalisers(arithmetic)
    e = arithmetic.exp(u)
    made = [
        whole, other, e * other, whole / e, 1 / whole, 1 / (e * other), 2 * whole, whole * whole, whole * other,
        whole * whole / e, e * whole, e / whole, 1 / other, 1 - whole, whole - 1, e - 1, 1 - e,
        arithmetic.log(whole), u + arithmetic.log(other), arithmetic.log(2 * whole), arithmetic.log(F(2)),
        arithmetic.log((e - 1) * (e - 1)), 2 * arithmetic.log(e - 1), arithmetic.log(2 - e + e * e),
        arithmetic.sqrt(whole), arithmetic.sqrt(other), arithmetic.sqrt(F(2)) * whole, F(1), F(-1), u, -u,
        u + F(1, 10**45), arithmetic.log(6 * whole), arithmetic.log(whole / 6), arithmetic.log(F(6)),
        arithmetic.log((1 - e) * (1 - e)), arithmetic.log(e * e - e), u + arithmetic.log(e - 1),
    ]  # fmt: skip
    forms = Forms()
    found = [(forms.key(number), enclose(number, 60)) for number in made]
    equal = [(one, two) for (key, one), (other_key, two) in combinations(found, 2) if key == other_key]
    assert all(one == two for one, two in equal)
    assert len(equal) >= 6
    assert sum(one == two for (_, one), (_, two) in combinations(found, 2)) >= len(equal)


def test_the_logarithm_of_a_sum_is_not_that_of_the_number_it_is_known_by():
    """Sums are numbered as they come; log 2, log 3, ... are logarithms of numbers, too, and must be others."""
    arithmetic = PrimeLogs(EnclosureArithmetic())
    e, forms = arithmetic.exp(F(1)), Forms()
    sums = [forms.key(arithmetic.log(1 + k / e)) for k in range(1, 20)]
    numbers = [forms.key(arithmetic.log(F(prime))) for prime in (2, 3, 5, 7, 11, 13)]
    assert len(set(sums + numbers)) == 25


def test_what_would_take_too_long_has_no_form(monkeypatch):
    monkeypatch.setattr(same_number, "MOST_PRODUCTS", 3)
    _, whole, other = normalisers(EnclosureArithmetic())
    assert Forms().key(whole * other) is None
