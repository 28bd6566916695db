"""Draws to be tested for their law: as a supplied oracle gives them in a run, and out of traces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core import Outcome, Problem, Supply, problem_from_mapping, read_trace, replay
from grpocheck.core.arithmetic.enclosing import enclose
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.arithmetic.surd import Surd
from grpocheck.core.families.family import Family
from grpocheck.core.oracles import DrawOracle
from grpocheck.core.prompt import Prompt
from grpocheck.core.received import text
from grpocheck.core.violations import Clause, ClauseBroken
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.files import in_trace
from grpocheck.verifier.supplied.draw_law import WHOLE, Draw, LawTest

MASS_DIGITS = 30
"""Digits of the bounds of a mass that is no rational, more than 2^-64 has."""


@ensure(lambda result: 0 <= result[0] <= result[1] <= WHOLE, "bounds of a mass")
def mass_bounds(mass: Scalar) -> tuple[int, int]:
    """Bounds of a mass in units of 2^-64. Raises TypeError for a number without certified error."""
    if not isinstance(mass, int | Fraction | Surd | Real):
        raise TypeError(f"{type(mass).__name__}: expected an exact or an enclosed number")
    ends = (mass, mass) if isinstance(mass, int | Fraction) else enclose(mass, MASS_DIGITS)
    lower, upper = (Fraction(end) * WHOLE for end in ends)
    return max(0, floor(lower)), min(WHOLE, ceil(upper))


@require(lambda masses, position: 0 <= position < len(masses), "a response of the support")
@ensure(lambda prompt, result: result.prompt == prompt, "a draw for this prompt")
def draw_of(prompt: str, outer_iteration: int, number: int, position: int, masses: Sequence[Scalar]) -> Draw:
    """A draw from these masses."""
    bounds = [mass_bounds(mass) for mass in masses]
    lower, upper = (tuple(ends) for ends in zip(*bounds, strict=True))
    return Draw(prompt, outer_iteration, number, position, lower, upper)


@dataclass(frozen=True)
class DrawsUnderTest:
    """A supplied draw oracle, every answer of which is tested; the run ends where its draws are rejected."""

    oracle: DrawOracle
    test: LawTest

    def __call__(self, masses: Sequence[Scalar], prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """The oracle's answer. Raises ClauseBroken when the draws so far do not have the policy's law."""
        answer = self.oracle(masses, prompt, outer_iteration, draw)
        response = text(answer)
        if response not in prompt.responses:
            return answer  # its own clause is checked by the run
        position = prompt.responses.index(response)
        self.test.see(draw_of(prompt.name, outer_iteration, draw, position, masses))
        if self.test.rejected_after is not None:
            raise ClauseBroken(Clause.DRAW_LAW, rejection(self.test))
        return response


def rejection(test: LawTest) -> str:
    """In one line, why draws are rejected."""
    return (
        f"{test.rejected_after} draws are rejected at {test.alpha}, mostly by {test.suspicion}: "
        f"draws of that law have it come to this with probability at most {decimal_above(test.p_value)}"
    )


@require(lambda value: 0 < value <= 1, "a probability")
def decimal_above(value: Fraction) -> str:
    """A probability to two digits, rounded up."""
    place = 0
    while value * 10**place < 10 and place < 400:
        place += 1
    digits = ceil(value * 10**place)
    if digits >= 10**place:
        return "1"
    return f"0.{digits:0{place}}" if place <= 4 else f"{digits // 10}.{digits % 10}e-{place - 1}"


def draws_of_outcome(problem: Problem, outcome: Outcome) -> Iterator[Draw]:
    """The draws of a run in their order, with the masses of the problem's own family at each frozen parameter.

    Raises TypeError for numbers without certified error, those of mp.

    >>> from grpocheck.core import read_problem, run
    >>> problem = read_problem("examples/undefined_gradient.toml")
    >>> [draw.position for draw in draws_of_outcome(problem, run(problem))]
    [0, 1]
    """
    assert isinstance(problem.family, Family)
    for iteration in outcome.iterations:
        frozen = iteration.frozen
        for group in frozen.groups:
            masses = problem.family.masses(frozen.theta_old, group.prompt, outcome.arithmetic)
            for number, position in enumerate(group.positions, start=1):
                yield draw_of(group.prompt.name, frozen.outer_iteration, number, position, masses)


def draws_of_traces(traces: Sequence[Path], supply: Supply | None = None) -> Iterator[Draw]:
    """The draws of several traces in turn; every trace is run again, which shows that its parameters are its own.

    Raises BadOption for a trace of a supplied policy, of mpmath numbers, and of a seed that was there before.
    """
    seeds: dict[object, Path] = {}
    for trace in traces:
        start = next(read_trace(trace))[1]
        with in_trace(trace):
            outcome = replay(trace, supply)
        if outcome.arithmetic.name not in ("exact", "enclosure"):
            found = f"its arithmetic is {outcome.arithmetic.name}, whose masses are not certified"
            raise BadOption("TRACE", trace, found, "a trace of exact or enclosed numbers")
        problem = problem_from_mapping(start["problem"])
        if "policy" in start["supplied"] or not isinstance(problem.family, Family):
            found = "its policy was supplied, and a trace does not hold a policy's masses"
            raise BadOption("TRACE", trace, found, "a trace of one of the families, or run PROBLEM --draw-law ALPHA")
        seed = outcome.draw_source.get("seed")
        if seed is not None and seed in seeds:
            found = f"its seed {seed} is that of {str(seeds[seed])!r}, so that its draws are no new ones"
            raise BadOption("TRACE", trace, found, "traces of different seeds")
        seeds[seed] = trace
        yield from draws_of_outcome(problem, outcome)
