from math import gcd, isqrt, prod

from grpocheck.core.arithmetic.radicals import agree, coprime_base, refine, root_of_integer
from hypothesis import given
from hypothesis import strategies as st

# Products of a few primes on both sides of the split-off ones, so that gcds are often above 1.
integers = st.lists(st.sampled_from([2, 3, 97, 101, 103, 107, 10007]), max_size=6).map(prod)


def prime_factors(number):
    factors, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors


@given(integers)
def test_root_and_key_of_an_integer(number):
    root, key = root_of_integer(number)
    assert root * root * prod(key) == number
    assert all(radical >= 2 and isqrt(radical) ** 2 != radical for radical in key)
    assert all(gcd(a, b) == 1 for i, a in enumerate(key) for b in key[:i])


@given(st.lists(integers, max_size=5))
def test_a_coprime_base_generates_the_integers(numbers):
    base = coprime_base(numbers)
    assert all(b >= 2 for b in base)
    assert all(gcd(a, b) == 1 for i, a in enumerate(base) for b in base[:i])
    for number in numbers:
        for element in base:
            while number % element == 0:
                number //= element
        assert number == 1


@given(st.frozensets(integers.filter(lambda n: n > 1), max_size=4))
def test_refined_radicals_keep_their_square_roots(radicals):
    refined = refine(radicals)
    keys = {radical for _, key in refined.values() for radical in key}
    assert all(gcd(a, b) == 1 for a in keys for b in keys if a != b)
    for radical, (root, key) in refined.items():
        assert root * root * prod(key) == radical
        # The key is empty exactly for a square.
        assert (key == ()) == all(prime_factors(radical).count(p) % 2 == 0 for p in prime_factors(radical))


def test_radicals_that_share_a_prime_do_not_agree():
    assert agree(frozenset({2, 3}), frozenset({3, 5}))
    assert not agree(frozenset({101 * 103}), frozenset({103 * 107}))
