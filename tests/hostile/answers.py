"""Answers that lie about what they are: subclasses with their own comparisons, disguises, values that raise."""

from fractions import Fraction as F

from grpocheck.core.arithmetic.surd import Surd


def says(value):
    """A method that gives a value, whatever it is called with."""

    def method(*_):
        return value

    return method


def fails(*_):
    """A method that raises."""
    raise ZeroDivisionError


class LyingFraction(F):
    """Equal to everything, below and above everything, 7 by its own property; what it holds is what it was made of."""

    numerator = property(says(7))  # type: ignore[assignment]
    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = says(True)  # type: ignore[assignment]
    __hash__ = says(1)  # type: ignore[assignment]
    __sub__ = __rsub__ = says(F(0))  # type: ignore[assignment]
    __add__ = __radd__ = says(F(1))  # type: ignore[assignment]
    __str__ = __repr__ = says("1")


class LyingInt(int):
    """An int whose parts raise and that equals everything."""

    numerator = property(fails)  # type: ignore[assignment]
    __eq__ = says(True)  # type: ignore[assignment]
    __hash__ = says(1)  # type: ignore[assignment]
    __index__ = __int__ = __abs__ = says(99)  # type: ignore[assignment]


class NotANumber(F):
    """As a NaN does, it equals nothing, not even itself."""

    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = says(False)  # type: ignore[assignment]
    __hash__ = says(1)  # type: ignore[assignment]


class LyingText(str):
    """A text that equals everything, and the response 'good' by its hash and by str()."""

    __eq__ = says(True)  # type: ignore[assignment]
    __ne__ = says(False)  # type: ignore[assignment]
    __hash__ = says(hash("good"))  # type: ignore[assignment]
    __str__ = says("good")


class LyingTuple(tuple):
    """A tuple of one length that says another, and gives other entries when it is gone through."""

    __len__ = says(1)  # type: ignore[assignment]
    __iter__ = says(iter([F(1), F(2), F(3)]))  # type: ignore[assignment]


class EndlessList(list):
    """A list of one entry that gives entries without end."""

    def __iter__(self):
        while True:
            yield F(1)


class LyingSurd(Surd):
    """sqrt(2) with an order of its own."""

    sign = says(1)  # type: ignore[assignment]
    order = says(0)  # type: ignore[assignment]


class Disguised:
    """An object that says it is a Fraction, and a number of any arithmetic."""

    __class__ = property(says(F))  # type: ignore[assignment]
    decided_sign = says(1)


class Nameless(type):
    """A class whose name raises."""

    __name__ = property(fails)  # type: ignore[assignment]


class Unspeakable(metaclass=Nameless):
    """An object that can neither be shown nor named, nor compared."""

    text = property(fails)
    __repr__ = __str__ = __eq__ = fails  # type: ignore[assignment]
    __hash__ = says(1)  # type: ignore[assignment]


class SilentError(Exception):
    """An error whose text cannot be had."""

    __str__ = fails  # type: ignore[assignment]


def sqrt_of_four():
    """2, written as if it were irrational."""
    forged = Surd.__new__(Surd)
    forged.terms, forged.radicals, forged._sign, forged._hash = {(4,): F(1)}, frozenset({4}), 0, None
    return forged


def malformed(numerator, denominator):
    """A Fraction with parts that no Fraction has."""
    made = F(1, 3)
    made._numerator, made._denominator = numerator, denominator
    return made
