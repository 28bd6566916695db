"""What a supplied oracle hands in, read with the built-in classes' own slots and methods, so that nothing of it runs.

A subclass of Fraction, int, str, tuple or list may redefine its comparisons, its length and its hash, and an object may
say by ``__class__`` that it is what it is not. So no method of a supplied value is called: its class is what ``type``
says, its parts are read past its own class, and what comes out is of exactly the built-in class, and new.
"""

from fractions import Fraction
from math import prod
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.arithmetic.surd import Surd, square_root_of_rational
from grpocheck.core.invalid import MOST_CHARACTERS, MOST_ENTRIES, shown
from mpmath.ctx_mp_python import _mpf

MOST_BITS = 1_600_000
"""The most bits of a supplied numerator or denominator: about 480 000 digits, so that a trace can be read back."""
MOST_OF_AN_ERROR = 300
"""The most characters that are told of an error's own text."""

CLASS_NAME: Any = type.__dict__["__name__"]
CLASS_BASES: Any = type.__dict__["__bases__"]
NUMERATOR: Any = vars(Fraction)["_numerator"]
DENOMINATOR: Any = vars(Fraction)["_denominator"]


@total("every object has a class, and the class a name")
@ensure(lambda result: 0 < len(result) <= MOST_CHARACTERS + 1, "a name that fits into a message")
def class_name(value: object) -> str:
    """The name of an object's class, whatever the object or a metaclass say."""
    return in_a_line(CLASS_NAME.__get__(type(value)), MOST_CHARACTERS) or "class"


@require(lambda most: most >= 1, "some characters are allowed")
@ensure(lambda most, result: len(result) <= most + 1, "cut to what is allowed")
@ensure(lambda result: "\n" not in result and "\x1b" not in result, "one line, and no commands to a terminal")
def in_a_line(text: str, most: int) -> str:
    """A text as one line of a message: cut, and without control characters or lone surrogates."""
    shorter = text if len(text) <= most else text[:most] + "…"
    return "".join(character if character.isprintable() else " " for character in shorter)


@total("every object is or is not an integer")
@ensure(lambda result: result is None or type(result) is int, "exactly an int")
def integer(value: object) -> int | None:
    """The integer that an int, or an object of a subclass, holds; None for a bool and for everything else."""
    kind = type(value)
    return int.__index__(value) if issubclass(kind, int) and kind is not bool else None  # type: ignore[arg-type]


@total("every object is or is not a rational")
@ensure(lambda result: result is None or type(result) is Fraction, "exactly a Fraction, in lowest terms")
def rational(value: object) -> Fraction | None:
    """The rational that an int or a Fraction, or an object of a subclass, holds; None for one beyond MOST_BITS."""
    above, below = integer(value), 1
    if issubclass(type(value), Fraction):
        try:
            above, found = integer(NUMERATOR.__get__(value)), integer(DENOMINATOR.__get__(value))
        except AttributeError:
            return None
        below = found or 0
    if above is None or below < 1 or max(above.bit_length(), below.bit_length()) > MOST_BITS:
        return None
    return Fraction(above, below)


@total("every object is or is not a sum of square roots")
@ensure(lambda result: result is None or type(result) in (Fraction, Surd), "exactly a Surd, or the rational that it is")
def surd(value: object) -> Fraction | Surd | None:
    """The number that a Surd's terms write, put together again; None for a subclass and for terms that are none."""
    if type(value) is not Surd or type(getattr(value, "terms", None)) is not dict:
        return None
    number: Fraction | Surd = Fraction(0)
    for key, coefficient in list(value.terms.items()):
        radicals, factor = entries(key), rational(coefficient)
        integers = [integer(radical) for radical in radicals or ()]
        if radicals is None or factor is None or not all(radical is not None and radical > 1 for radical in integers):
            return None
        number = number + factor * square_root_of_rational(Fraction(prod(map(int, filter(None, integers)))))
    return number


@total("every object is or is not a number of an arithmetic")
@ensure(lambda arithmetic, result: result is None or arithmetic.holds(result), "a scalar of the arithmetic")
def number(value: object, arithmetic: Arithmetic, own_scalars: bool) -> Scalar | None:
    """A supplied number as a scalar of an arithmetic, of exactly the arithmetic's own class; None where it is none.

    An arithmetic that is supplied with ``own_scalars`` says itself what they are.
    """
    exact = rational(value)
    if exact is not None:
        return arithmetic.number(exact)
    kind = type(value)
    if issubclass(kind, Surd):
        written = surd(value)
        return written if written is not None and arithmetic.holds(written) else None
    built_in = kind is Real or bases_of(kind) == (_mpf,)
    if issubclass(kind, Real | int | Fraction | float | complex) and not built_in:
        return None
    return value if (built_in or own_scalars) and arithmetic.holds(value) else None


@total("every class has bases")
@ensure(lambda kind, result: (result == ()) == (kind is object), "object alone has none")
def bases_of(kind: type) -> tuple[type, ...]:
    """The bases of a class, whatever a metaclass says."""
    bases: tuple[type, ...] = CLASS_BASES.__get__(kind)
    return bases


@total("every object is or is not a text")
@ensure(lambda result: result is None or type(result) is str, "exactly a str")
def text(value: object) -> str | None:
    """The text that a str, or an object of a subclass, holds."""
    return str.__str__(value) if issubclass(type(value), str) else None


@total("every object is or is not a list or tuple")
@ensure(lambda result: result is None or type(result) is tuple, "exactly a tuple")
def entries(value: object) -> tuple[object, ...] | None:
    """The entries that a tuple or list, or an object of a subclass, holds, in their order."""
    kind = type(value)
    if issubclass(kind, tuple):
        return tuple(tuple.__iter__(value))  # type: ignore[arg-type]
    return tuple(list.__iter__(value)) if issubclass(kind, list) else None  # type: ignore[arg-type]


@total("whatever an oracle answers has to be shown to its owner")
@ensure(lambda result: 0 < len(result) < 40 * MOST_CHARACTERS, "a shown value fits on a few lines")
def described(value: object, depth: int = 2) -> str:
    """A supplied value in a message, shown without a method of its own."""
    kind, spoken, exact, listed = type(value), text(value), rational(value), entries(value)
    if value is None or kind is bool:
        return repr(value)
    if spoken is not None:
        return shown(in_a_line(spoken, MOST_CHARACTERS))
    if exact is not None:
        return shown(exact)
    if issubclass(kind, float):
        return float.__repr__(value)
    if listed is not None:
        if depth == 0 and listed:
            return "[…]"
        few = ", ".join(described(entry, depth - 1) for entry in listed[:MOST_ENTRIES])
        return "[" + few + (", …" if len(listed) > MOST_ENTRIES else "") + "]"
    if issubclass(kind, int | Fraction):
        return "a number that is malformed or of too many digits"
    if kind is Surd:
        return "a malformed sum of square roots" if surd(value) is None else in_a_line(str(value), MOST_CHARACTERS)
    if kind is Real:
        try:
            return in_a_line(str(value), MOST_CHARACTERS)
        except Exception:
            return "a malformed enclosed number"
    return f"a {class_name(value)}"


@total("whatever an oracle raises has to be told to its owner")
@ensure(lambda error, result: result.startswith(class_name(error)), "the class of the error is named")
def error_in_words(error: BaseException) -> str:
    """The class and the text of an error, where its text can be had at all."""
    try:
        said = text(str(error)) or ""
    except KeyboardInterrupt:
        raise
    except BaseException as second:
        said = f"its text cannot be had, asking for it raised {class_name(second)}"
    return f"{class_name(error)}: {in_a_line(said, MOST_OF_AN_ERROR)}" if said else class_name(error)
