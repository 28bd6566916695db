"""An event in its run, and the numbers of its rule as formulas and as words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpocheck.core import Event, Prompt
from grpocheck.core.arithmetic import Scalar
from grpocheck.core.gradient import Vector
from grpocheck.verifier.studio import mathml as m
from grpocheck.verifier.studio.responses import Policies
from grpocheck.verifier.studio.shown import shown
from grpocheck.verifier.studio.stage import Situation, Stage

ROOT = re.compile(r"sqrt\((\d+)\)")
MOST_PROMPTS = 3
"""Prompts whose numbers are put into one formula; with more it keeps its symbols and the result."""

THETA, RHO, NABLA = m.mi("θ"), m.mi("ρ"), m.mi("∇")
THETA_OLD = m.sub(THETA, m.mi("old"))


@dataclass(frozen=True)
class Rule:
    """What an event is: a sentence or two, formulas, and conditions with whether they hold."""

    says: str
    formulas: tuple[str, ...] = ()
    conditions: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class Scene:
    """An event in its run; ``policies`` and ``rows`` are those at the last valid parameter after it."""

    stage: Stage
    event: Event
    situation: Situation
    policies: Policies
    rows: list[dict[str, Any]]

    @property
    def values(self) -> Mapping[str, Any]:
        """The event's values."""
        return self.event.values

    @property
    def prompt(self) -> Prompt:
        """The prompt that the event names."""
        return next(p for p in self.stage.problem.prompts if p.name == self.values["prompt"])


def num(value: Scalar) -> str:
    """A number of a formula."""
    return m.number(shown(value))


def factor(value: Scalar) -> str:
    """A number as a factor of a formula."""
    return m.bracketed(shown(value))


def vector(values: Sequence[Scalar]) -> str:
    """A vector of a formula."""
    return m.column([num(entry) for entry in values])


def plain(value: Scalar) -> str:
    """A number in a sentence."""
    number = shown(value)
    return typographic(number.short if number.short is not None else number.decimal)


def typographic(text: str) -> str:
    """An exact text as it is printed: a minus sign, a root sign, a point between factors."""
    return ROOT.sub("√\\1", text).replace("*", "·").replace("-", "−")


def point(values: Sequence[Scalar]) -> str:
    """A parameter in a sentence."""
    if len(values) == 1:
        return plain(values[0])
    numbers = [shown(entry) for entry in values[: m.MOST_ENTRIES]]
    exact = all(number.short is not None and " " not in number.short for number in numbers)
    texts = [typographic(str(number.short) if exact else number.decimal) for number in numbers]
    return f"({', '.join(texts)}{', …' if len(values) > m.MOST_ENTRIES else ''})"


def policy(name: str, prompt: str) -> str:
    """pi_name( . | prompt) of a formula."""
    return m.row(m.sub(m.mi("π"), m.mi(name)), m.fenced(m.mo("·"), m.mo("|"), m.words(prompt)))


def indexed(letter: str, place: int, number: int) -> str:
    """A letter with the indices of a prompt and a draw, counted from 1."""
    return m.sub(m.mi(letter), m.row(m.mn(str(place + 1)), m.mo(","), m.mn(str(number))))


def inequalities(scene: Scene, theta: Vector) -> tuple[tuple[str, bool], ...]:
    """The inequalities of U at a parameter, each with whether it holds."""
    arithmetic = scene.stage.arithmetic
    pairs = scene.stage.problem.admissible_domain.inequalities(theta)
    written: dict[str, bool] = {}  # the stated domain may say again what the family's says
    for left, right in pairs:
        written.setdefault(m.inline(m.relation(num(left), "<", num(right))), bool(arithmetic.less(left, right)))
    failing = [pair for pair in written.items() if not pair[1]]
    return tuple([*(pair for pair in written.items() if pair[1]), *failing][-2 * m.MOST_ENTRIES :])
