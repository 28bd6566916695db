"""What goes between a run and an oracle's process: JSON that states values, never pickles, which could state code.

A value is a list of a tag and its parts. Integers are hexadecimal, of any length. An enclosed number is sent as the
expression that it is, atom by atom, and put together again by the operations of the receiver's own arithmetic.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.nodes import Atom, Expression, Kind
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.arithmetic.supply import Arithmetic
from grpocheck.core.arithmetic.surd import Surd, square_root_of_rational
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.oracles import UNDEFINED_GRADIENT
from grpocheck.core.prompt import Prompt
from grpocheck.core.received import MOST_BITS, class_name, entries, integer, rational, surd, text

LARGEST_POWER = 1_000_000
LARGEST_EXACT_POWER = 64
"""The largest power of an atom, of an enclosed and of an exact number, that is read."""
DEEPEST = 50


class NotSent(Exception):  # noqa: N818 - what happened to the value
    """A value that has no writing here, or a writing that states no value."""


@dataclass
class Wire:
    """One end: the prompts that went over already, and the arithmetic with which enclosed numbers are read.

    Nothing is read beyond ``until``, a time of the monotonic clock: a short writing can state a long computation.
    """

    arithmetic: Arithmetic = field(default_factory=EnclosureArithmetic)
    prompts: dict[int, Prompt] = field(default_factory=dict)
    until: float | None = None

    def written(self, value: object, depth: int = 0) -> list[Any]:
        """A value as JSON; of an object that is none of the model's values, its class's name. Raises NotSent."""
        if depth > DEEPEST:
            raise NotSent(f"values nested deeper than {DEEPEST}")
        kind, exact, spoken, listed = type(value), rational(value), text(value), entries(value)
        if value is None or kind is bool:
            return ["constant", value]
        if value is UNDEFINED_GRADIENT:
            return ["undefined"]
        if exact is not None and issubclass(kind, int):
            return ["integer", f"{exact.numerator:x}"]
        if exact is not None:
            return ["rational", f"{exact.numerator:x}", f"{exact.denominator:x}"]
        if spoken is not None:
            return ["text", spoken.encode("utf-8", "backslashreplace").decode()]
        if issubclass(kind, float):
            return ["float", float.__repr__(value)]
        if listed is not None:
            return ["tuple" if issubclass(kind, tuple) else "list", [self.written(each, depth + 1) for each in listed]]
        if kind is Surd and surd(value) is not None:
            return ["surd", surd_written(value)]  # type: ignore[arg-type]
        if kind is Real:
            return ["real", *expression_written(value)]  # type: ignore[arg-type]
        if kind is Prompt:
            return self.prompt_written(value)  # type: ignore[arg-type]
        if kind in (Group, FrozenIteration):
            return [class_name(value), {name: self.written(part, depth + 1) for name, part in vars(value).items()}]
        return ["other", class_name(value)]

    def prompt_written(self, prompt: Prompt) -> list[Any]:
        """A prompt, in full the first time and by its position from then on."""
        known = self.prompts.get(prompt.position)
        if known is prompt or known == prompt:
            return ["prompt", prompt.position, None]
        self.prompts[prompt.position] = prompt
        return ["prompt", prompt.position, {name: self.written(part) for name, part in vars(prompt).items()}]

    def read(self, stated: Any, depth: int = 0) -> Any:
        """The value that JSON states. Raises NotSent for what states none."""
        if not isinstance(stated, list) or not stated or depth > DEEPEST:
            raise NotSent("no value")
        tag, *parts = stated
        readers: Mapping[str, Callable[..., Any]] = {
            "constant": self.read_constant,
            "undefined": lambda: UNDEFINED_GRADIENT,
            "integer": lambda whole: int(read_rational(whole, "1")),
            "rational": read_rational,
            "text": read_text,
            "float": lambda spoken: float(read_text(spoken)),
            "tuple": lambda listed: tuple(self.read(each, depth + 1) for each in read_list(listed)),
            "list": lambda listed: [self.read(each, depth + 1) for each in read_list(listed)],
            "surd": self.read_surd,
            "real": self.read_real,
            "prompt": self.read_prompt,
            "Group": lambda fields: self.read_dataclass(Group, fields),
            "FrozenIteration": lambda fields: self.read_dataclass(FrozenIteration, fields),
            "other": lambda name: type(read_text(name), (), {})(),
        }
        if not isinstance(tag, str) or tag not in readers:
            raise NotSent("no value")
        try:
            return readers[tag](*parts)
        except (TypeError, ValueError, AttributeError, LookupError, ZeroDivisionError, OverflowError) as error:
            raise NotSent(f"no {tag}") from error

    def read_constant(self, value: Any) -> bool | None:
        """None, True or False."""
        if value is not None and not isinstance(value, bool):
            raise NotSent("no constant")
        return value

    def read_prompt(self, position: int, fields: Mapping[str, Any] | None) -> Prompt:
        """A prompt that is stated, or was before."""
        if fields is not None:
            self.prompts[position] = self.read_dataclass(Prompt, fields)
        return self.prompts[position]

    def read_dataclass(self, kind: Any, fields: Mapping[str, Any]) -> Any:
        """A dataclass of the model with these fields; its own checks are not run again."""
        made = object.__new__(kind)
        vars(made).update({name: self.read(part) for name, part in fields.items()})
        return made

    def read_real(self, atoms: Any, terms: Any) -> Any:
        """The number of an expression, by the operations of the arithmetic."""
        known: list[Any] = []
        for kind, argument in read_list(atoms):
            inner = self.read(argument) if kind == Kind.EXACT.value else self.read_terms(argument, known)
            known.append(self.atom(kind, inner))
        return self.read_terms(terms, known)

    def atom(self, kind: str, argument: Any) -> Any:
        """The number that an atom is."""
        if kind in (Kind.EXP.value, Kind.LOG.value, Kind.SQRT.value):
            return getattr(self.arithmetic, kind)(argument)
        if kind not in (Kind.SUM.value, Kind.EXACT.value):
            raise NotSent("no atom")
        return argument

    def read_terms(self, terms: Any, known: list[Any]) -> Any:
        """A sum of terms: a coefficient times atoms to their powers."""
        number: Any = Fraction(0)
        for factors, coefficient in read_list(terms):
            self.look_at_the_clock()
            product = self.read(coefficient)
            if not isinstance(product, Fraction | Surd):
                raise NotSent("no coefficient")
            for place, power in read_list(factors):
                most = LARGEST_POWER if isinstance(known[place], Real) else LARGEST_EXACT_POWER
                if type(place) is not int or type(power) is not int or place < 0 or abs(power) > most:
                    raise NotSent("no factor")
                self.look_at_the_clock()
                if abs(power) * bits_of(known[place]) > MOST_BITS:
                    raise NotSent("a number of too many digits")
                product = of_a_fair_size(product * known[place] ** power)
            number = number + product
        return of_a_fair_size(number)

    def read_surd(self, terms: Any) -> Any:
        """A sum of square roots of integers above 1."""
        number: Any = Fraction(0)
        for key, above, below in read_list(terms):
            product = 1
            for radical in read_list(key):
                self.look_at_the_clock()
                product *= int(read_text(radical), 16)
                if not 1 <= product < 1 << MOST_BITS:
                    raise NotSent("no radicand")
            number = number + read_rational(above, below) * square_root_of_rational(Fraction(product))
        return number

    def look_at_the_clock(self) -> None:
        """Raise NotSent where the time to read is over."""
        if self.until is not None and time.monotonic() > self.until:
            raise NotSent("a value that cannot be read in time")


def of_a_fair_size(number: Any) -> Any:
    """The number, unless it is exact and one that no oracle may answer with; then NotSent.

    Looked at after each operation: a few powers of one another state a number that nobody could write down.
    """
    if bits_of(number) > MOST_BITS:
        raise NotSent("a number of too many digits")
    return number


def bits_of(number: Any) -> int:
    """The bits of the longest integer that an exact number is written with; 0 of an enclosed one."""
    parts = [number] if isinstance(number, Fraction) else number.terms.values() if isinstance(number, Surd) else ()
    return max((max(part.numerator.bit_length(), part.denominator.bit_length()) for part in parts), default=0)


def surd_written(value: Surd) -> list[Any]:
    """The terms of a sum of square roots."""
    return [
        [[f"{radical:x}" for radical in key], f"{coefficient.numerator:x}", f"{coefficient.denominator:x}"]
        for key, coefficient in value.terms.items()
    ]


def expression_written(value: Expression) -> tuple[list[Any], list[Any]]:
    """The atoms of an expression, each after those in its argument, and its terms."""
    places: dict[int, int] = {}
    atoms: list[Any] = []
    seen: set[int] = set()
    waiting: list[tuple[Any, bool]] = [(value, False)]
    while waiting:
        node, parts_are_done = waiting.pop()
        if parts_are_done:
            if isinstance(node, Atom):
                places[id(node)] = len(atoms)
                atoms.append([node.kind.value, argument_written(node, places)])
        elif id(node) not in seen:
            seen.add(id(node))
            waiting.append((node, True))
            waiting += [(part, False) for part in node.parts]
    return atoms, terms_written(value, places)


def argument_written(atom: Atom, places: Mapping[int, int]) -> list[Any]:
    """What an atom is a function of: an exact number by itself where it is EXACT, terms everywhere else."""
    argument = atom.argument
    if isinstance(argument, Expression):
        return terms_written(argument, places)
    return exact_written(argument) if atom.kind is Kind.EXACT else [[[], exact_written(argument)]]


def exact_written(value: Any) -> list[Any]:
    """An exact number."""
    if isinstance(value, Surd):
        return ["surd", surd_written(value)]
    exact = Fraction(value)
    return ["rational", f"{exact.numerator:x}", f"{exact.denominator:x}"]


def terms_written(expression: Expression, places: Mapping[int, int]) -> list[Any]:
    """The terms of an expression whose atoms have places."""
    return [
        [[[places[id(atom)], power] for atom, power in factors], exact_written(coefficient)]
        for factors, coefficient in expression.terms.items()
    ]


def read_list(stated: Any) -> list[Any]:
    """A list. Raises NotSent for anything else."""
    if not isinstance(stated, list):
        raise NotSent("no list")
    return stated


def read_text(stated: Any) -> str:
    """A text. Raises NotSent for anything else."""
    if not isinstance(stated, str):
        raise NotSent("no text")
    return stated


def read_rational(above: Any, below: Any) -> Fraction:
    """A rational of two hexadecimal integers. Raises NotSent for one beyond the size of a supplied number."""
    found = rational(Fraction(int(read_text(above), 16), int(read_text(below), 16)))
    if found is None:
        raise NotSent("a number of too many digits")
    return found


def read_count(stated: Any) -> int:
    """A count. Raises NotSent for anything else."""
    found = integer(stated)
    if found is None or not 0 <= found < 10**12:
        raise NotSent("no count")
    return found


