"""Square roots of integers over pairwise coprime radicands, found by gcds and perfect-square tests, never by factoring.

A *key* is a sorted tuple of pairwise coprime non-square integers >= 2, its *radicals*; it stands for the square root
of their product. Small primes are split off first, which keeps the common radicands readable (sqrt(8) is 2*sqrt(2)).
"""

from collections.abc import Collection
from math import gcd, isqrt, prod

from grpocheck.contracts.clauses import ensure, require

Key = tuple[int, ...]

SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)


@require(lambda number: number >= 1, "a positive integer has a real square root")
@ensure(lambda number, result: result[0] ** 2 * prod(result[1]) == number, "root^2 times the radicals is the integer")
def root_of_integer(number: int) -> tuple[int, Key]:
    """``(root, key)`` with sqrt(number) = root * sqrt(key)."""
    root, radicals = 1, list[int]()
    for prime in SMALL_PRIMES:
        if number == 1:
            break
        exponent = 0
        while number % prime == 0:
            number //= prime
            exponent += 1
        root *= prime ** (exponent // 2)
        if exponent % 2:
            radicals.append(prime)
    rest = isqrt(number)
    if rest * rest == number:
        root *= rest
    else:
        radicals.append(number)
    return root, tuple(sorted(radicals))


@require(lambda numbers: all(number >= 1 for number in numbers), "positive integers")
@ensure(lambda numbers, result: all(gcd(result[i], result[j]) == 1 for i in range(len(result)) for j in range(i)),
        "the base is pairwise coprime")
@ensure(lambda numbers, result: all(pow(prod(result), number.bit_length(), number) == 0 for number in numbers),
        "every prime of the integers divides the base")
def coprime_base(numbers: Collection[int]) -> tuple[int, ...]:
    """Pairwise coprime integers >= 2 of which each given integer is a product of powers.

    A pair a, b with g = gcd(a, b) > 1 becomes a/g, b/g, g; the product of all falls by g, so this ends.
    """
    base: list[int] = []
    waiting = list(numbers)
    while waiting:
        number = waiting.pop()
        if number == 1:
            continue
        for position, other in enumerate(base):
            common = gcd(number, other)
            if common > 1:
                del base[position]
                waiting += [number // common, other // common, common]
                break
        else:
            base.append(number)
    return tuple(sorted(base))


@require(lambda radicals: all(radical >= 2 for radical in radicals), "radicals are at least 2")
@ensure(lambda radicals, result: all(root**2 * prod(key) == radical for radical, (root, key) in result.items()),
        "root^2 times the radicals of the key is the old radical")
def refine(radicals: frozenset[int]) -> dict[int, tuple[int, Key]]:
    """Each radical as ``(root, key)`` over one coprime base of them all."""
    base = coprime_base(radicals)
    refined = {}
    for radical in radicals:
        rest, root, key = radical, 1, list[int]()
        for element in base:
            exponent = 0
            while rest % element == 0:
                rest //= element
                exponent += 1
            half = isqrt(element)
            if half * half == element:
                root *= half**exponent
            else:
                root *= element ** (exponent // 2)
                if exponent % 2:
                    key.append(element)
        refined[radical] = root, tuple(key)
    return refined


@require(lambda left, right: left and right, "both sides have radicals")
@ensure(lambda left, right, result: result or left != right, "a set of radicals agrees with itself")
def agree(left: frozenset[int], right: frozenset[int]) -> bool:
    """Whether two sets of pairwise coprime radicals are pairwise coprime together."""
    return left == right or all(gcd(new, old) == 1 for new in right - left for old in left)
