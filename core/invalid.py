"""What is said of bad input: the key, the value, and what was expected there."""

from collections.abc import Mapping
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total

MOST_CHARACTERS = 60
MOST_ENTRIES = 4
MOST_DIGITS_SHOWN = 40
MISSING = "a value: the key is missing"
"""What is expected of a key that is not there; as it has no value, none is shown."""


class InvalidProblem(ValueError):  # noqa: N818 - the noun is what the input is
    """A problem that is none: names the key, shows the value (shortened) and says what was expected there."""

    @require(lambda key, expected: bool(key) and bool(expected), "an error names its key and what was expected")
    @ensure(
        lambda self, key, expected: self.args[0] == key and self.args[2] == expected, "the error keeps what it names"
    )
    def __init__(self, key: str, value: object, expected: str) -> None:
        """Keep the key, the value as it was found, and what was expected."""
        self.key = key
        self.value = value
        self.expected = expected
        super().__init__(key, value, expected)

    @ensure(lambda self, result: result.startswith(self.key) and self.expected in result, "the message names both")
    def __str__(self) -> str:
        """One sentence for the person who wrote the value."""
        found = "" if self.expected.startswith(MISSING) else f"{shown(self.value)}: "
        return f"{self.key}: {found}expected {self.expected}"


@total("whatever somebody wrote has to be shown to them")
@ensure(lambda result: 0 < len(result) < 40 * MOST_CHARACTERS, "a shown value fits on a few lines")
def shown(value: object, depth: int = 2) -> str:
    """A value in a message, shortened: long texts, long numbers, long lists and deep nesting are cut."""
    if isinstance(value, str):
        return repr(shortened(value))
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int | Fraction):
        return shown_number(Fraction(value))
    if isinstance(value, Mapping):
        keys = [shown(key, 0) for key in list(value)[:MOST_ENTRIES]]
        return "a table with " + (", ".join(keys) if keys else "no keys") + (", …" if len(value) > MOST_ENTRIES else "")
    if isinstance(value, list | tuple):
        if depth == 0 and value:
            return "[…]"
        entries = [shown(entry, depth - 1) for entry in value[:MOST_ENTRIES]]
        return "[" + ", ".join(entries) + (", …" if len(value) > MOST_ENTRIES else "") + "]"
    literal = getattr(value, "text", None)
    if isinstance(literal, str):
        return shortened(literal)
    return f"a {type(value).__name__}"


@total("every rational can be shown")
@ensure(lambda value, result: result.startswith("a number of ") or Fraction(result) == value, "small ones in full")
def shown_number(value: Fraction) -> str:
    """A rational in full, or how large it is where it would fill the screen."""
    if max(abs(value.numerator), value.denominator) < 10**MOST_DIGITS_SHOWN:
        return str(value)
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return f"a number of {bits} bits"


@total("every text can be shown")
@ensure(lambda text, result: text.startswith(result.removesuffix("…")), "a shortened text begins as the text does")
@ensure(lambda result: len(result) <= MOST_CHARACTERS + 1, "a shortened text is short")
def shortened(text: str) -> str:
    """A text, cut where it would fill the screen."""
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"
