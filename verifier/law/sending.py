"""Numbers of a law as JSON and back: to another process, or to a file.

An exact number is its text. An enclosed one is written as the expression that it is, a sum of products of functions of
numbers, and made again by the same operations in the reader's arithmetic: the same number, whatever was met there
before. A list of numbers says each part once, after what it is made of.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeAlias

from grpocheck.core.arithmetic import Arithmetic, Real, Scalar, Surd, exact_text
from grpocheck.core.arithmetic.decimals import read_rational
from grpocheck.core.arithmetic.nodes import Atom, Kind
from grpocheck.verifier.law.branches import balanced_sum

Line: TypeAlias = Any
"""A text for a rational, {"roots": [[coefficient, radical, ...], ...]} for a sum of square roots of products of
radicals; [kind, number] for a function of a number; [[coefficient, [function, power], ...], ...] for a sum of them."""
SHORT, SHORT_BITS = 4000, 6000
"""Digits of a text, and bits of an integer, that Python itself reads and writes."""


class Writer:
    """A list of numbers in the making."""

    def __init__(self) -> None:
        """No number yet."""
        self.lines: list[Line] = []
        self.places: dict[int, int] = {}
        self.written: list[Any] = []
        """What has a place, so that its id stays its own."""

    def put(self, value: Scalar) -> int:
        """The place of a number in the list; without recursion, since nests are deep."""
        place = self.places.get(id(value))
        if place is not None:
            return place
        waiting: list[Any] = [value]
        while waiting:
            current = waiting[-1]
            pending = [part for part in parts_of(current) if id(part) not in self.places]
            if pending and id(current) not in self.places:
                waiting += pending
                continue
            waiting.pop()
            if id(current) not in self.places:
                self.places[id(current)] = len(self.lines)
                self.written.append(current)
                self.lines.append(self.line(current))
        return self.places[id(value)]

    def put_all(self, values: Iterable[Scalar]) -> list[int]:
        """The places of several numbers."""
        return [self.put(value) for value in values]

    def line(self, value: Any) -> Line:
        """A number, or a function of one, whose parts are in the list."""
        if isinstance(value, Atom):
            return [value.kind.value, self.places[id(value.argument)]]
        if isinstance(value, Real):
            return [
                [exact_line(coefficient), *([self.places[id(atom)], power] for atom, power in factors)]
                for factors, coefficient in value.terms.items()
            ]
        return exact_line(value)


def exact_line(value: Fraction | Surd) -> Line:
    """An exact number as JSON."""
    if isinstance(value, Surd):
        return {"roots": [[exact_line(coefficient), *radicals] for radicals, coefficient in value.terms.items()]}
    if value.numerator.bit_length() < SHORT_BITS > value.denominator.bit_length():
        return f"{value.numerator}/{value.denominator}"
    return exact_text(value)


def exact_number(line: Line) -> Fraction | Surd:
    """The exact number that was written."""
    if isinstance(line, dict):
        return Surd({tuple(radicals): exact_rational(text) for text, *radicals in line["roots"]})
    return exact_rational(line)


def exact_rational(text: str) -> Fraction:
    """The rational that was written."""
    if len(text) > SHORT:
        return read_rational(text)
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator or 1))


def parts_of(value: Any) -> list[Any]:
    """What a number, or a function of one, is made of."""
    return [value.argument] if isinstance(value, Atom) else value.parts if isinstance(value, Real) else []


def read_numbers(lines: Iterable[Line], arithmetic: Arithmetic) -> list[Scalar]:
    """The numbers of a list, in an arithmetic; in the place of a function of a number stands its value."""
    numbers: list[Scalar] = []
    functions = {Kind.EXP: arithmetic.exp, Kind.LOG: arithmetic.log, Kind.SQRT: arithmetic.sqrt}
    powers: dict[tuple[int, int], Scalar] = {}

    def power_of(place: int, power: int) -> Scalar:
        if (place, power) not in powers:
            powers[place, power] = numbers[place] ** power
        return powers[place, power]

    for line in lines:
        if isinstance(line, str | dict):
            numbers.append(exact_number(line))
        elif isinstance(line[0], str):
            kind, argument = Kind(line[0]), numbers[line[1]]
            made = arithmetic.settle(argument) if kind is Kind.EXACT else argument
            numbers.append(functions[kind](argument) if kind in functions else made)
        else:
            terms = []
            for coefficient, *factors in line:
                term: Scalar = exact_number(coefficient)
                for place, power in factors:
                    term = power_of(place, power) * term
                terms.append(term)
            numbers.append(balanced_sum(terms))
    return numbers
