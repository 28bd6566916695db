"""A lesson, and the page on which it is told.

A module of a lesson holds a function that tells it, and the lesson itself::

    def tell(page: Page) -> None:
        page.say("What is the mean of two fair coins?")
        page.fact("mean", "the mean", mean([Fraction(1), Fraction(0)]))
        page.exercise("And of two heads?", Fraction(1), "Both are 1.")

    LESSON = Lesson("coins", "Two coins", 1, tell)
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, EnclosureArithmetic
from grpocheck.verifier.lessons.blocks import (
    Block,
    Command,
    Exercise,
    Fact,
    Heading,
    Paragraph,
    Plot,
    Series,
    Table,
)
from grpocheck.verifier.lessons.numbers import (
    PLACES,
    bounds_of,
    certainty,
    closed_form,
    decimals,
    has_short_decimals,
)
from grpocheck.verifier.prime_logs import PrimeLogs

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A progress bar: given a label and a total, a context in which a function moves it on."""

LONGEST_LESSON = 10
"""Minutes that a lesson takes a reader at most."""


def no_bar(label: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """A progress bar that nobody sees."""
    return nullcontext(lambda amount: None)


class Page:
    """Collects the blocks of one telling of a lesson, in order.

    ``arithmetic`` is certified: rationals and square roots exactly, logarithms and exponentials in enclosures, and sums
    of logarithms of rationals in a form in which equal ones are found equal.
    """

    def __init__(self, progress: Bar = no_bar) -> None:
        """An empty page; ``progress`` shows how far a long computation is."""
        self.arithmetic: Arithmetic = PrimeLogs(EnclosureArithmetic())
        self.progress = progress
        self.blocks: list[Block] = []

    def heading(self, text: str) -> None:
        """Begin a part."""
        self.blocks.append(Heading(text))

    def say(self, text: str) -> None:
        """A paragraph; line breaks and indentation in the source do not count."""
        self.blocks.append(Paragraph(" ".join(text.split())))

    def fact(self, name: str, label: str, value: Any, places: int = PLACES) -> Fact:
        """A numbered fact that is a number: printed exactly where it has a short form, and to ``places`` decimals.

        ``name`` is a word in lower case, unique on the page: programs find the fact by it.
        """
        kind = certainty(value)
        return self._state(
            name, label, closed_form(value), decimals(value, places), has_short_decimals(value, places), kind, value
        )

    def finding(self, name: str, label: str, word: str | bool) -> Fact:
        """A numbered fact that is a word: yes or no, a status, a digest, the text of an error."""
        text = ("yes" if word else "no") if isinstance(word, bool) else word
        return self._state(name, label, text, None, True, "word", word)

    def _state(
        self, name: str, label: str, exact: str | None, digits: str | None, in_full: bool, kind: str, value: Any
    ) -> Fact:
        """Number a fact and put it on the page."""
        if any(fact.name == name for fact in self.facts):
            raise ValueError(f"{name!r}: the page has a fact of this name already")
        stated = Fact(len(self.facts) + 1, name, label, exact, digits, in_full, kind, value)
        self.blocks.append(stated)
        return stated

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts so far."""
        return tuple(block for block in self.blocks if isinstance(block, Fact))

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """The exercises so far."""
        return tuple(block for block in self.blocks if isinstance(block, Exercise))

    def table(
        self, columns: Sequence[str], rows: Iterable[Sequence[Any]], right: Iterable[str] = (), places: int = PLACES
    ) -> None:
        """A table; a cell that is no text is a number, written to ``places`` decimals."""
        written = tuple(
            tuple(cell if isinstance(cell, str) else decimals(cell, places) for cell in row) for row in rows
        )
        self.blocks.append(Table(tuple(columns), written, tuple(columns.index(column) for column in right)))

    def plot(self, name: str, title: str, across: str, upward: str, *series: Series) -> None:
        """A plot of lines; ``across`` and ``upward`` are the names of the axes."""
        self.blocks.append(Plot(name, title, across, upward, series))

    def command(self, text: str) -> None:
        """A command to try."""
        self.blocks.append(Command(text))

    def exercise(
        self, question: str, answer: Any, explanation: str, *, choices: Sequence[str] = (), places: int | None = None
    ) -> None:
        """A question and its checked answer: a number of this arithmetic, or one of the choices."""
        if choices and answer not in choices:
            raise ValueError(f"{answer!r}: the right answer is none of the choices {choices}")
        self.blocks.append(
            Exercise(
                len(self.exercises) + 1,
                " ".join(question.split()),
                answer,
                " ".join(explanation.split()),
                tuple(choices),
                places,
            )
        )


def line(label: str, points: Iterable[tuple[Any, Any]], dashed: bool = False) -> Series:
    """A line through points whose coordinates are numbers of any arithmetic."""
    drawn = tuple((float(bounds_of(x, 12)[0]), float(bounds_of(y, 12)[0])) for x, y in points)
    return Series(label, drawn, dashed)


@dataclass(frozen=True)
class Lesson:
    """A lesson of the course: ``minutes`` is how long a reader takes, ``tell`` puts it on a page."""

    name: str
    title: str
    minutes: int
    tell: Callable[[Page], None]

    def __post_init__(self) -> None:
        """Refuse a lesson that is too long."""
        if not 0 < self.minutes <= LONGEST_LESSON:
            raise ValueError(f"{self.name}: {self.minutes} minutes; a lesson takes 1 to {LONGEST_LESSON}")


def told(lesson: Lesson, progress: Bar = no_bar) -> Page:
    """The page of a lesson, computed now."""
    page = Page(progress)
    lesson.tell(page)
    return page
