"""Harnesses that must not be believed: each holds a trap in which CrossHair has been seen to confirm a wrong function.

Some are right, so that a runner which never confirms anything is seen too.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.proofs.symbolic.harness import Harness, harness
from icontract import ensure, require

EXACT = SymbolicArithmetic()

COUNTER = 0
CACHE: dict[str, Fraction] = {}


def unchecked_by_decorator(function: Any) -> Harness:
    """A harness that the decorator would have refused, to see the worker refuse it as well."""
    return Harness(__name__, function.__name__, "any x", ("E1: planted",))


@harness(size="any x")
@ensure(lambda x, result: result == x + x, "E1: right")
def right(x: Fraction) -> Fraction:
    """Holds."""
    return 2 * x


# State that is carried from path to path


@harness(size="any x")
@ensure(lambda result: result == 1, "E1: wrong at the second call")
def counter_of_module(x: Fraction) -> int:
    """Each path runs in the same process."""
    global COUNTER
    COUNTER += 1
    return COUNTER


@harness(size="any x")
@ensure(lambda x, result: result == x * x, "E1: wrong for a second argument")
def cache_of_module(x: Fraction) -> Fraction:
    """The first argument's square, for ever."""
    if "square" not in CACHE:
        CACHE["square"] = x * x
    return CACHE["square"]


@harness(size="any x")
@ensure(lambda x, result: result == x, "E1: wrong for a second argument")
def cache_of_function(x: Fraction) -> Fraction:
    """The first argument, kept on the function itself."""
    kept: dict[str, Fraction] = vars(cache_of_function)
    return kept.setdefault("first", x)


def remembering(x: Fraction, seen: list[Fraction] = []) -> Fraction:  # noqa: B006 - the mistake that is planted
    """The first argument, kept in a default."""
    seen.append(x)
    return seen[0]


@harness(size="any x")
@ensure(lambda x, result: result == x, "E1: wrong for a second argument")
def cache_in_a_default(x: Fraction) -> Fraction:
    """Calls a function with memory."""
    return remembering(x)


# Callees with contracts of their own


@harness(size="any x")
@ensure(lambda result: result >= 0, "E1: wrong below 0")
def wrong_callee(x: Fraction) -> Fraction:
    """Its contract is wrong for negative numbers."""
    return x


@harness(size="any x")
@ensure(lambda result: result >= 0, "E1: wrong below 0, where the callee breaks its contract")
def caller_of_wrong(x: Fraction) -> Fraction:
    """CrossHair leaves out the paths on which the callee breaks its contract, and confirms this one."""
    return wrong_callee(x)


@harness(size="any x")
@ensure(lambda x, result: result == 2 * x + 1, "E1: right")
def caller_of_right(x: Fraction) -> Fraction:
    """Rests on a callee that is confirmed."""
    return right(x) + 1


@ensure(lambda x, result: result == x)
def no_harness(x: Fraction) -> Fraction:
    """A function with a contract that no run checks."""
    return x


@harness(size="any x")
@ensure(lambda x, result: result == x, "E1: right, as far as anyone can tell")
def caller_of_unchecked(x: Fraction) -> Fraction:
    """Rests on a callee that nothing checks."""
    return no_harness(x)


# Preconditions


@harness(size="no x")
@require(lambda x: x * x < 0)
@ensure(lambda x, result: result == x + 1, "E1: wrong, were there an argument")
def never_called(x: Fraction) -> Fraction:
    """No real number has a negative square."""
    return x


@harness(size="any x, y")
@require(lambda x, y: x / y > 1)
@ensure(lambda result: result, "E1: holds wherever the precondition does")
def raising_precondition(x: Fraction, y: Fraction) -> bool:
    """The precondition divides by 0 for y = 0."""
    return y != 0


# What cannot be exhausted


@harness(size="any x")
@ensure(lambda result: result == 1, "E1: right, but a hash has to know the number")
def hashed(x: Fraction) -> int:
    """A set of one number."""
    return len({x})


@harness(size="any n, x")
@ensure(lambda n, x, result: n < 0 or result == n * x, "E1: right, but no number of paths is enough")
def unbounded(n: int, x: Fraction) -> Fraction:
    """A loop without a bound."""
    total = Fraction(0)
    for _ in range(n):
        total += x
    return total


# Exceptions


@ensure(lambda x, result: result == x, "E1: planted")
def raises_in_docstring(x: Fraction) -> Fraction:
    """:raises ValueError: always."""
    raise ValueError


@ensure(lambda x, result: result == x, "E1: planted")
def without_annotation(x) -> Fraction:  # type: ignore[no-untyped-def]
    """CrossHair would try any object."""
    found: Fraction = x
    return found


@ensure(lambda f, result: result, "E1: planted")
def with_a_callable(f: Callable[[Fraction], Fraction]) -> bool:
    """A symbolic callable may answer differently the second time."""
    return f(Fraction(1)) == f(Fraction(1))


@harness(size="any x")
@ensure(lambda result: result >= 0, "E1: the square root of a negative number raises")
def raising(x: Fraction) -> Fraction:
    """Raises ValueError below 0."""
    root: Fraction = EXACT.sqrt(x)
    return root


@harness(size="any x")
@ensure(lambda x, result: 2 * result == 2 * x + 1, "E1: right for some x, but a float is no exact number")
def through_a_float(x: Fraction) -> Fraction:
    """A division of integers gives a float, with which the model does not calculate."""
    return x + 1 / 2  # type: ignore[return-value]


# Logarithms, of which the solver knows only true facts


@harness(size="x = 2")
@require(lambda x: x == 2)
@ensure(lambda result: Fraction(69, 100) < result < Fraction(7, 10), "E1: right: log 2 = 0.693...")
def logarithm_of_two(x: Fraction) -> Fraction:
    """The facts that are asserted at first allow other values."""
    result: Fraction = EXACT.log(x)
    return result


@harness(size="x > 0")
@require(lambda x: x > 0)
@ensure(lambda result: 3 * result <= 2, "E1: wrong from x = 1.948 on")
def logarithm_too_small(x: Fraction) -> Fraction:
    """log x is above 2/3 for x above exp(2/3)."""
    result: Fraction = EXACT.log(x)
    return result


# Mistakes that people make, each against the claim that it breaks

Three = tuple[Fraction, Fraction, Fraction]
Two = tuple[Fraction, Fraction]


def clip(x: Fraction, epsilon: Fraction) -> Fraction:
    """min(1 + epsilon, max(1 - epsilon, x))."""
    return min(1 + epsilon, max(1 - epsilon, x))


def standardised(rewards: Sequence[Fraction], divisor: int, added: Fraction) -> list[Fraction]:
    """Advantages with another divisor in the variance, or with something added to the deviation."""
    mean = sum(rewards, Fraction(0)) / len(rewards)
    variance = sum(((r - mean) * (r - mean) for r in rewards), Fraction(0)) / divisor
    deviation = EXACT.sqrt(variance)
    return [(r - mean) / (deviation + added) if deviation > 0 else Fraction(0) for r in rewards]


def square_sum(values: Sequence[Fraction]) -> Fraction:
    """The sum of the squares."""
    return sum((value * value for value in values), Fraction(0))


@harness(size="G = 3")
@ensure(
    lambda rewards, result: rewards[0] == rewards[1] == rewards[2] or square_sum(result) == 3,
    "B2: s > 0: the mean of A^2 is 1",
)
def sample_deviation(rewards: Three) -> list[Fraction]:
    """The sample deviation in place of the population's."""
    return standardised(rewards, 2, Fraction(0))


@harness(size="G = 3")
@ensure(
    lambda rewards, result: rewards[0] == rewards[1] == rewards[2] or square_sum(result) == 3,
    "B2: s > 0: the mean of A^2 is 1",
)
def padded_deviation(rewards: Three) -> list[Fraction]:
    """1e-4 added to the deviation."""
    return standardised(rewards, 3, Fraction(1, 10**4))


@harness(size="any rho > 0, A and epsilon")
@require(lambda rho, epsilon: rho > 0 and 0 < epsilon < 1)
@ensure(lambda rho, advantage, result: result <= rho * advantage, "E2: the term is at most rho A")
def clip_without_minimum(rho: Fraction, advantage: Fraction, epsilon: Fraction) -> Fraction:
    """The clipped product alone."""
    return clip(rho, epsilon) * advantage


@harness(size="any rho > 0, A and epsilon")
@require(lambda rho, epsilon: rho > 0 and 0 < epsilon < 1)
@ensure(lambda rho, advantage, result: result <= rho * advantage, "E2: the term is at most rho A")
def minimum_on_the_wrong_side(rho: Fraction, advantage: Fraction, epsilon: Fraction) -> Fraction:
    """The larger product for a negative advantage."""
    products = rho * advantage, clip(rho, epsilon) * advantage
    return min(*products) if advantage > 0 else max(*products)


@harness(size="n = 2")
@require(lambda p, q: 0 < p < 1 and 0 < q < 1)
@ensure(
    lambda p, q, result: result == p * (EXACT.log(p) - EXACT.log(q)) + (1 - p) * (EXACT.log(1 - p) - EXACT.log(1 - q)),
    "B4: the expectation is under pi_theta",
)
def reversed_divergence(p: Fraction, q: Fraction) -> Fraction:
    """KL with its arguments exchanged."""
    result: Fraction = q * (EXACT.log(q) - EXACT.log(p)) + (1 - q) * (EXACT.log(1 - q) - EXACT.log(1 - p))
    return result


@harness(size="n = 2")
@require(lambda p, q: 0 < p < 1 and 0 < q < 1)
@ensure(lambda result: result >= 0, "B4: KL >= 0")
def sampled_divergence(p: Fraction, q: Fraction) -> Fraction:
    """A single log ratio in place of the whole sum."""
    result: Fraction = EXACT.log(p) - EXACT.log(q)
    return result
