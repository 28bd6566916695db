"""What a part refuses, said as bad input: the key, the value and what was expected."""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, total
from grpocheck.core.invalid import InvalidProblem


@total("a value that is not allowed raises InvalidProblem")
@ensure(lambda allowed: allowed, "whoever comes back had an allowed value")
def check(key: str, value: object, allowed: bool, expected: str) -> None:
    """Refuse a value that is not allowed."""
    if not allowed:
        raise InvalidProblem(key, value, expected)


@total("a value that is no positive number raises InvalidProblem")
@ensure(lambda value: value is None or value > 0, "a number that is stated is positive")
def check_positive(key: str, value: Fraction | int | None) -> None:
    """Refuse a number that is stated and not above 0."""
    check(key, value, value is None or value > 0, "a number above 0")
