"""What a lesson's page is made of: a list of blocks that say nothing about where they are shown.

The terminal, JSON and a web page render the same blocks. Every number of a block was computed when the page was made.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from grpocheck.core.values import rational
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.lessons.numbers import closed_form, decimals, has_short_decimals

SHORT = 9
"""Characters of a fraction that is shown beside decimals that say it in full."""

@dataclass(frozen=True)
class Heading:
    """A heading inside a lesson."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of prose."""

    text: str


@dataclass(frozen=True)
class Fact:
    """A numbered fact: a number exactly and in decimals, or a word that was found (then ``decimals`` is None).

    ``exact`` is None for a number whose closed form is too long or that is not certified. ``certainty`` is ``exact``,
    ``enclosure``, ``rounded`` or ``word``; ``in_full`` says that the decimals are the whole number. ``value`` is the
    number itself, for tests and plots.
    """

    number: int
    name: str
    label: str
    exact: str | None
    decimals: str | None
    in_full: bool
    certainty: str
    value: Any = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """The fact's value as a reader sees it: ``12/5 = 2.4``, ``1/3, about 0.33333333`` or the word."""
        if self.decimals is None:
            return self.exact or ""
        if self.in_full:
            short = self.exact is not None and self.exact != self.decimals and len(self.exact) <= SHORT
            return f"{self.exact} = {self.decimals}" if short else self.decimals
        about = f"about {self.decimals}"
        return about if self.exact is None else f"{self.exact}, {about}"


@dataclass(frozen=True)
class Table:
    """A table of texts; the columns whose numbers are in ``right`` hold numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]


@dataclass(frozen=True)
class Series:
    """One line of a plot, for drawing only: the exact numbers are in the facts."""

    label: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


@dataclass(frozen=True)
class Plot:
    """A plot of lines; ``name`` is unique in its lesson and names the file."""

    name: str
    title: str
    across: str
    upward: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Command:
    """A command for the reader to try next."""

    text: str


@dataclass(frozen=True)
class Exercise:
    """A question with one right answer: one of ``choices``, or a number.

    A number is right when it is exactly the answer or, with ``places``, within one unit of its own last decimal, of
    which there are to be at least ``places``.
    """

    number: int
    question: str
    answer: Any
    explanation: str
    choices: tuple[str, ...] = ()
    places: int | None = None

    @property
    def answer_text(self) -> str:
        """The right answer as it is printed; where an exact number is asked for, one that is exact."""
        if self.choices:
            return str(self.answer)
        exact = closed_form(self.answer) if self.places is None and not has_short_decimals(self.answer) else None
        return decimals(self.answer) if exact is None else f"{exact}, about {decimals(self.answer)}"

    @property
    def expected(self) -> str:
        """What an answer is to look like."""
        if self.choices:
            return " or ".join(self.choices)
        return "an exact number" if self.places is None else f"a number with at least {self.places} decimals"

    def is_right(self, text: str) -> bool:
        """Whether a text is the right answer; raises BadOption or InvalidProblem for one that is no answer at all."""
        given = text.strip().replace("\N{MINUS SIGN}", "-")
        if self.choices:
            word = given.casefold()
            if word not in self.choices:
                raise BadOption("--answer", given, "not one of the answers", self.expected)
            return word == str(self.answer)
        number = rational("--answer", given)
        is_rational = isinstance(self.answer, int | Fraction)
        if is_rational and number == self.answer:
            return True
        if self.places is None or ("/" in given and is_rational):
            return False
        if "/" in given:
            raise BadOption("--answer", given, "the answer is no fraction", self.expected)
        _, _, shown = given.partition(".")
        if len(shown) < self.places or not shown.isdecimal():
            raise BadOption("--answer", given, "too few decimals to tell", self.expected)
        return bool(abs(self.answer - number) < Fraction(1, 10 ** len(shown)))


Block: TypeAlias = Heading | Paragraph | Fact | Table | Plot | Command | Exercise
