"""Which arithmetic a run uses, by name and settings, and the settings of one, for the start of a trace."""

from collections.abc import Mapping

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.enclosure import MAX_BITS, EnclosureArithmetic
from grpocheck.core.arithmetic.exact import MAX_DIGITS, ExactArithmetic
from grpocheck.core.arithmetic.mp import MpArithmetic
from grpocheck.core.arithmetic.supply import Arithmetic
from grpocheck.core.invalid import InvalidProblem

NAMES = ("auto", "exact", "enclosure", "mp")
DIGITS = 30
"""Decimal digits shown of an enclosure, or carried by mp."""

Settings = Mapping[str, str | int]


@require(lambda digits, max_digits, max_bits: min(digits, max_digits, max_bits) >= 1, "settings are positive counts")
@ensure(lambda name, result: result.name == ("exact" if name == "auto" else name), "auto begins exact")
def arithmetic_named(
    name: str, *, digits: int = DIGITS, max_digits: int = MAX_DIGITS, max_bits: int = MAX_BITS
) -> Arithmetic:
    """The arithmetic of a name. Raises InvalidProblem for a name that is none of NAMES.

    ``digits`` are shown of an enclosure (carried, in mp); ``max_digits`` is the budget of an exact number; ``max_bits``
    the highest precision at which a comparison is tried before it is undecided.

    >>> from fractions import Fraction
    >>> arithmetic_named("exact").sqrt(Fraction(2))
    Surd('sqrt(2)')
    >>> enclosure = arithmetic_named("enclosure", digits=4)
    >>> enclosure.text(enclosure.log(Fraction(2)))
    ['0.693147', '0.693148']
    """
    if name == "mp":
        return MpArithmetic(digits)
    enclosure = EnclosureArithmetic(max_digits=max_digits, max_bits=max_bits, digits=digits)
    if name == "enclosure":
        return enclosure
    if name == "exact":
        return ExactArithmetic(max_digits)
    if name == "auto":
        return AutomaticArithmetic(ExactArithmetic(max_digits), enclosure)
    raise InvalidProblem("arithmetic", name, f"one of {', '.join(NAMES)}")


@total("a user's own arithmetic has settings too: its name")
@ensure(lambda result: "name" in result, "settings name the arithmetic")
def settings_of(arithmetic: Arithmetic) -> dict[str, str | int]:
    """The settings from which arithmetic_of makes the same arithmetic; the name alone for one that is supplied."""
    if isinstance(arithmetic, AutomaticArithmetic):
        return {**settings_of(arithmetic.enclosure), "name": "auto"}
    if isinstance(arithmetic, EnclosureArithmetic):
        return {
            "name": "enclosure",
            "digits": arithmetic.digits,
            "max_digits": arithmetic.max_digits,
            "max_bits": arithmetic.max_bits,
        }
    if isinstance(arithmetic, ExactArithmetic):
        return {"name": "exact", "max_digits": arithmetic.max_digits}
    if isinstance(arithmetic, MpArithmetic):
        return {"name": "mp", "digits": arithmetic.digits}
    return {"name": arithmetic.name}


@total("settings that are none raise InvalidProblem")
@ensure(lambda settings, result: settings_of(result) == dict(settings), "the settings are kept")
def arithmetic_of(settings: Settings) -> Arithmetic:
    """The arithmetic with these settings, as a trace records them: all those of its kind, and no others."""
    if not isinstance(settings, Mapping):
        raise InvalidProblem("arithmetic", settings, "a table of settings")
    counts = {key: value for key, value in settings.items() if key != "name"}
    for key, value in counts.items():
        if key not in ("digits", "max_digits", "max_bits") or isinstance(value, bool) or not isinstance(value, int):
            raise InvalidProblem(f"arithmetic.{key}", value, "digits, max_digits or max_bits, and a count")
        if not 1 <= value <= 10**7:
            raise InvalidProblem(f"arithmetic.{key}", value, "a count from 1 to 10000000")
    made = arithmetic_named(str(settings.get("name")), **counts)  # type: ignore[arg-type]
    if settings_of(made) != settings:
        raise InvalidProblem("arithmetic", settings, f"the settings {', '.join(settings_of(made))}")
    return made
