"""From the text of a property to its words: a lexer of its own, for ASCII alone."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from grpocheck.verifier.properties.errors import PropertyError

MOST_CHARACTERS = 2_000
MOST_DIGITS = 60
"""A number literal has at most so many digits."""
LARGEST_EXPONENT = 60
"""The power of ten of a literal such as 1e-8 is at most this."""

HYPHENED = ("undefined-gradient", "invalid-update")
"""The status names that hold a hyphen: they are one word, and no difference."""

SYMBOLS = ("<=", ">=", "!=", "==", "+", "-", "*", "/", "^", "<", ">", "=", "(", ")", "[", "]", ",", ":")

INSTEAD = {
    ".": "a property has no attributes: its quantities are the names that docs/properties.md lists",
    '"': "a property holds no text",
    "'": "a property holds no text",
    "`": "a property holds no text",
    "_": "a name begins with a letter",
    "&": "write and",
    "|": "write or, or abs(x) for an absolute value",
    "!": "write not, or != between numbers",
    "~": "write not",
    "%": "there is no remainder",
    "{": "write ( and )",
    "}": "write ( and )",
    ";": "one property at a time: join two with and",
    "\\": "a property is plain text",
    "#": "a property holds no comment",
    "$": "names have no sign before them",
    "@": "a property calls nothing",
    "?": "write implies",
}
"""What to write in place of characters that people try."""

WORDS_FOR = {
    "≤": "<=", "≥": ">=", "≠": "!=", "∧": "and", "∨": "or", "¬": "not", "∀": "all", "∃": "any", "→": "implies",  # noqa: RUF001 - what people write
    "⇒": "implies", "⇔": "iff", "↔": "iff", "×": "*", "·": "*", "÷": "/", "−": "-", "√": "sqrt", "ε": "epsilon",  # noqa: RUF001 - what people write
    "β": "beta", "θ": "theta", "ρ": "ratio", "π": "mass", "Σ": "sum", "∑": "sum", "²": "^2",  # noqa: RUF001 - what people write
}  # fmt: skip


class Kind(StrEnum):
    """The kinds of words."""

    NUMBER = "number"
    NAME = "name"
    SYMBOL = "symbol"
    END = "end"


@dataclass(frozen=True)
class Token:
    """A word, its kind, and the column (from 1) where it begins."""

    kind: Kind
    text: str
    column: int

    def __str__(self) -> str:
        """As a message names it."""
        return "the end" if self.kind is Kind.END else repr(self.text)


def tokens(text: str) -> list[Token]:
    """The words of a property, the end included. Raises PropertyError."""
    if len(text) > MOST_CHARACTERS:
        raise PropertyError(
            text, MOST_CHARACTERS + 1, f"{len(text)} characters; a property has at most {MOST_CHARACTERS}"
        )
    found: list[Token] = []
    place = 0
    while place < len(text):
        character = text[place]
        if character in " \t\r\n":
            place += 1
            continue
        token = number_at(text, place) or name_at(text, place) or symbol_at(text, place)
        if token is None:
            raise PropertyError(text, place + 1, refused(character))
        found.append(token)
        place += len(token.text)
    return [*found, Token(Kind.END, "", len(text) + 1)]


def refused(character: str) -> str:
    """What is said of a character that no word begins with."""
    if character in INSTEAD:
        return f"{character!r}: {INSTEAD[character]}"
    if character in WORDS_FOR:
        return f"U+{ord(character):04X} ({unicodedata.name(character)}): write {WORDS_FOR[character]}"
    return f"U+{ord(character):04X} ({unicodedata.name(character, 'no character')}): a property is written in ASCII"


def is_digit(character: str) -> bool:
    """Whether a character is one of 0 to 9 (and no digit of another script)."""
    return "0" <= character <= "9"


def is_letter(character: str) -> bool:
    """Whether a character can begin a name."""
    return "a" <= character <= "z" or "A" <= character <= "Z"


def end_of_digits(text: str, place: int) -> int:
    """The place after the digits that begin at a place."""
    while place < len(text) and is_digit(text[place]):
        place += 1
    return place


def number_at(text: str, place: int) -> Token | None:
    """The literal that begins at a place: 12, 0.2 or 1e-8."""
    if not is_digit(text[place]):
        return None
    end = end_of_digits(text, place)
    if text[end : end + 1] == "." and end_of_digits(text, end + 1) > end + 1:
        end = end_of_digits(text, end + 1)
    if end - place > MOST_DIGITS:
        raise PropertyError(text, place + 1, f"a number of {end - place} digits; a literal has at most {MOST_DIGITS}")
    if text[end : end + 1] in ("e", "E"):
        sign = 1 if text[end + 1 : end + 2] in ("+", "-") else 0
        last = end_of_digits(text, end + 1 + sign)
        if last > end + 1 + sign:
            exponent = text[end + 1 + sign : last]
            if len(exponent) > 4 or int(exponent) > LARGEST_EXPONENT:
                raise PropertyError(text, end + 1, f"a power of ten beyond {LARGEST_EXPONENT}")
            end = last
    if end < len(text) and (is_letter(text[end]) or text[end] in "_."):
        message = f"{text[place : end + 1]!r} is no number; write * between a number and a name"
        if text[end] == ".":
            message = f"{text[place : end + 1]!r} is no number; write digits on both sides of the point, as in 0.5"
        raise PropertyError(text, end + 1, message)
    return Token(Kind.NUMBER, text[place:end], place + 1)


def name_at(text: str, place: int) -> Token | None:
    """The name that begins at a place."""
    if not is_letter(text[place]):
        return None
    for word in HYPHENED:
        after = text[place + len(word) : place + len(word) + 1]
        if text.startswith(word, place) and not (after and (is_letter(after) or is_digit(after) or after == "_")):
            return Token(Kind.NAME, word, place + 1)
    end = place
    while end < len(text) and (is_letter(text[end]) or is_digit(text[end]) or text[end] == "_"):
        end += 1
    return Token(Kind.NAME, text[place:end], place + 1)


def symbol_at(text: str, place: int) -> Token | None:
    """The symbol that begins at a place, the longest one."""
    for symbol in SYMBOLS:
        if text.startswith(symbol, place):
            return Token(Kind.SYMBOL, symbol, place + 1)
    return None
