"""Branches of a run: one outer iteration of core for every group that can be drawn, up to the order of its draws.

What an outer iteration makes of its groups does not depend on the order of their draws, so that the n^G ordered draws
of a prompt are C(n + G - 1, G) count vectors with multinomial weights, and the prompts' count vectors combine freely.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import factorial, prod
from typing import TypeAlias

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import equal
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.core.arithmetic import Arithmetic, Real, Scalar
from grpocheck.core.families.family import Family
from grpocheck.core.families.sized import SizedFamily
from grpocheck.core.gradient import Vector
from grpocheck.core.guard import Guard, Kept
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.oracles import Supply
from grpocheck.core.outcome import OuterIteration
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import guarded
from grpocheck.core.prompt import Prompt
from grpocheck.core.update import outer_iteration
from grpocheck.verifier.counts import Counts, count_vectors, number_of_count_vectors, positions_of, probability

Key: TypeAlias = Hashable
"""What two equal numbers, or vectors of numbers, have in common."""


def key_of(value: Scalar | None) -> Key:
    """What equal numbers share: exact numbers themselves, enclosed ones their normal form.

    Numbers of one key are equal. Enclosed numbers of two keys may be equal, too: then they are listed apart.
    """
    return ("real", frozenset(value.terms.items())) if isinstance(value, Real) else value


def key_of_vector(vector: Vector) -> Key:
    """What equal vectors share."""
    return tuple(key_of(entry) for entry in vector)


def family_of(problem: Problem) -> Family:
    """The problem's family; raises InvalidProblem for a supplied one, whose masses are not known here."""
    if not isinstance(problem.family, Family):
        raise InvalidProblem("family", problem.family.name, "a built-in family: masses at every draw are needed")
    return problem.family


def own_parameters(family: Family, place: int, theta: Vector) -> Vector:
    """The parameters that the masses of one prompt are made of: its block, where the family has blocks."""
    if isinstance(family, SizedFamily):
        block = family.block(place)
        return theta[block.start : block.stop]
    return theta


MOST_EXACT = 512
"""Where fewer responses or draws than the other are more than this, count vectors are bounded and not counted."""
LONGEST_COUNT = 10**30


def count_vectors_at_least(responses: int, draws: int) -> int:
    """C(n + G - 1, G); where that would take long to say, 2 to the smaller of n - 1 and G, which is less."""
    smaller = min(responses - 1, draws)
    return number_of_count_vectors(responses, draws) if smaller <= MOST_EXACT else 2**smaller


def count_text(count: int) -> str:
    """A count in full, or a power of ten below it where it is long."""
    return str(count) if count < LONGEST_COUNT else f"more than 10^{(count.bit_length() - 1) * 30102 // 100_000}"


@dataclass(frozen=True)
class Size:
    """How large an enumeration is, with and without regard to the order of the draws."""

    supports: tuple[int, ...]
    group_size: int
    outer_iterations: int

    @property
    def cases(self) -> int:
        """The combinations of count vectors of one outer iteration; a number below theirs where they are very many."""
        return prod(count_vectors_at_least(n, self.group_size) for n in self.supports)

    @property
    def single_prompt_cases(self) -> int:
        """The count vectors of each prompt on its own, all together; a number below theirs where they are very many."""
        return sum(count_vectors_at_least(n, self.group_size) for n in self.supports)

    @property
    def ordered_powers(self) -> str:
        """The sequences of draws of all outer iterations, such as ``4^16``."""
        powers = Counter(self.supports)
        return " * ".join(f"{n}^{self.group_size * self.outer_iterations * times}" for n, times in powers.items())

    @property
    def ordered(self) -> int | None:
        """That number, where it is short enough to be written."""
        exponent = self.group_size * self.outer_iterations
        if exponent * sum(n.bit_length() - 1 for n in self.supports) > LONGEST_COUNT.bit_length():
            return None
        count = prod(n**exponent for n in self.supports)
        return count if count < LONGEST_COUNT else None

    @property
    def ordered_text(self) -> str:
        """Such as ``4^16 = 4294967296``, the second part where it is short."""
        return self.ordered_powers + ("" if self.ordered is None else f" = {self.ordered}")


def size_of(problem: Problem) -> Size:
    """How large the enumeration of a problem's draws is."""
    supports = tuple(len(prompt.responses) for prompt in problem.prompts)
    return Size(supports, problem.group_size, problem.outer_iterations)


@require(lambda prompts, group_size: len(prompts) >= 1 and group_size >= 1, "there is something to draw")
@ensure(
    lambda prompts, group_size, result: len(set(result))
    == len(result)
    == prod(number_of_count_vectors(len(prompt.responses), group_size) for prompt in prompts),
    "G3: every combination of count vectors once",
)
@ensure(
    lambda prompts, group_size, result: sum(orders(counts) for counts in result)
    == prod(len(prompt.responses) ** group_size for prompt in prompts),
    "G3: the multinomial weights stand for all ordered draws",
)
def combinations(prompts: Sequence[Prompt], group_size: int) -> list[tuple[Counts, ...]]:
    """The count vectors of each prompt's group, in all combinations.

    Where they are complete with these weights, their probabilities are the terms of prod_l (sum_j p_lj)^G, multiplied
    out: they sum to exactly 1 where the masses do, whatever arithmetic they are in.
    """
    return list(product(*(list(count_vectors(len(prompt.responses), group_size)) for prompt in prompts)))


def orders(counts: Sequence[Counts]) -> int:
    """The ordered draws that count vectors stand for."""
    return prod(factorial(sum(group)) // prod(map(factorial, group)) for group in counts)


@dataclass(frozen=True)
class ScriptedDraws:
    """A draw oracle that answers from a script of positions, by prompt and draw, whatever the masses."""

    script: Mapping[int, tuple[int, ...]]

    def __call__(self, masses: Sequence[Scalar], prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """The response that the script has for a draw."""
        return prompt.responses[self.script[prompt.position][draw - 1]]


def scripted_guard(problem: Problem, counts: Mapping[int, Counts], arithmetic: Arithmetic) -> Guard:
    """The oracles of a run, with an empty ledger, whose draws are groups with these counts, by prompt."""
    script = ScriptedDraws({place: positions_of(group) for place, group in counts.items()})
    return guarded(problem, Supply(draws=script), arithmetic, {"source": "supplied"}, lambda event: None)


@dataclass(frozen=True)
class Branch:
    """One outer iteration of core for groups with given counts; ``probability`` is that of the counts."""

    probability: Scalar
    iteration: OuterIteration
    calls: dict[str, int]
    kept: Kept | None


@require(lambda masses: all(is_mass_function(row) for row in masses), "A3: masses are positive with sum 1")
@ensure(
    lambda problem, result: result.calls["draws"] == len(problem.prompts) * problem.group_size,
    "C1: M*G draws for each started outer iteration",
)
def branch(
    problem: Problem,
    t: int,
    theta: Vector,
    kept: Kept | None,
    masses: Sequence[Vector],
    counts: Sequence[Counts],
    arithmetic: Arithmetic,
) -> Branch:
    """Outer iteration t from theta for groups with these counts.

    ``kept`` holds what a run has asked of theta already, so that the ledger of this iteration is that of a run.
    """
    guard = scripted_guard(problem, dict(enumerate(counts)), arithmetic)
    guard.kept = None if kept is None else Kept(kept.theta, kept.masses)
    iteration = outer_iteration(problem, guard, t, theta)
    weight = prod((probability(group, row) for group, row in zip(counts, masses, strict=True)), start=Fraction(1))
    return Branch(weight, iteration, guard.ledger.to_mapping(), guard.kept)


@require(lambda values: len(values) >= 1, "there is something to add")
@ensure(lambda values, result: len(values) > 64 or equal(result, sum(values)), "the sum")
def balanced_sum(values: Sequence[Scalar]) -> Scalar:
    """The sum, added in pairs: sums of many square roots stay short for as long as they can."""
    level = list(values)
    while len(level) > 1:
        odd = [level.pop()] if len(level) % 2 else []
        level = [a + b for a, b in zip(level[::2], level[1::2], strict=True)] + odd
    return level[0]
