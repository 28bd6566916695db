"""Every answer of a supply beside the problem's own definition: what can be known of a lie, where there is one to tell.

A supply stands in place of what a problem states, so that another domain, reward or policy is a choice and no fault.
Where it is meant to be the same, the problem's own domain, rewards, family and gradient (by claim F2) say what each
answer had to be. An answer is wrong where it is decided to differ; enclosures that meet are no evidence either way.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import decided_sign
from grpocheck.core import Problem, Supply
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.families.family import Family
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.gradient import Vector, objective_gradient
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Policy, Undefined
from grpocheck.core.prompt import Prompt
from grpocheck.core.received import described, entries, number
from grpocheck.core.violations import Clause, ClauseBroken
from grpocheck.verifier.isolation.supply import table_in


def arithmetic_for(theta: Sequence[Scalar]) -> Arithmetic:
    """An arithmetic for a parameter, apart from the run's: with the atoms of its enclosed numbers, where it has any."""
    table = table_in(tuple(theta))
    if table is None:
        return AutomaticArithmetic(ExactArithmetic(), EnclosureArithmetic())
    arithmetic = EnclosureArithmetic(max_bits=table.max_bits)
    arithmetic.table = table
    return arithmetic


@require(lambda expected: len(expected) >= 1, "an answer has entries")
@ensure(lambda result: result is None or result >= 0, "the first entry that differs")
def first_difference(answer: object, expected: Sequence[Scalar], arithmetic: Arithmetic) -> int | None:
    """The first place at which a vector is decided to differ; None too where it is no vector of that length at all.

    A vector that is none breaks a clause that the run itself checks.
    """
    read = entries(answer)
    if read is None or len(read) != len(expected):
        return None
    for place, (found, right) in enumerate(zip(read, expected, strict=True)):
        value = number(found, arithmetic, False)
        if value is not None and decided_sign(value - right) in (-1, 1):
            return place
    return None


@dataclass
class Examiner:
    """Asks the oracles of a supply, and compares."""

    problem: Problem
    supply: Supply
    gradients: dict[int, list[tuple[Vector, Vector | Undefined]]] = field(default_factory=dict)
    """The true gradients of each outer iteration at the parameters that were asked about."""

    def reward(self, prompt: Prompt, response: str) -> Any:
        """A reward, which has to be the one that the problem lists."""
        assert self.supply.reward is not None
        stated = self.problem.prompts[prompt.position]
        right = stated.rewards[stated.responses.index(response)]
        answer = self.supply.reward(prompt, response)
        if first_difference([answer], [right], arithmetic_for(())) is not None:
            raise ClauseBroken(Clause.REWARD_VALUE, f"answered {described(answer)}, expected {described(right)}")
        return answer

    def domain(self, theta: Sequence[Scalar]) -> Any:
        """A membership, which has to be that in the problem's U."""
        assert self.supply.domain is not None
        right: bool | None = None
        with suppress(UndecidedComparison):
            right = self.problem.admissible_domain.contains(theta, arithmetic_for(theta))
        answer = self.supply.domain(theta)
        if right is not None and type(answer) is bool and answer is not right:
            where = "inside" if right else "outside"
            raise ClauseBroken(Clause.DOMAIN_VALUE, f"answered {answer} {where} U, at {described(tuple(theta))}")
        return answer

    def gradient(self, frozen: FrozenIteration, theta: Sequence[Scalar]) -> Any:
        """A gradient, which has to be that of F_t at theta, and undefined where F_t has a kink."""
        assert self.supply.gradient is not None
        arithmetic, point = arithmetic_for(theta), tuple(theta)
        try:
            right = self.true_gradient(frozen, point, arithmetic)
        except UndecidedComparison:
            return self.supply.gradient(frozen, theta)
        known = self.gradients.setdefault(frozen.outer_iteration, [])
        earlier = list(known)
        known.append((point, right))
        answer = self.supply.gradient(frozen, theta)
        if isinstance(right, Undefined):
            if entries(answer) is not None:
                found = f"answered {described(answer)} where F_t has a kink: a drawn response is on its bound (F2)"
                raise ClauseBroken(Clause.GRADIENT_VALUE, found)
            return answer
        if answer is UNDEFINED_GRADIENT:
            found = f"answered undefined-gradient, expected {described(right)}: no drawn response is on its bound (F2)"
            raise ClauseBroken(Clause.GRADIENT_VALUE, found)
        place = first_difference(answer, right, arithmetic)
        if place is not None:
            which = f"entry {place + 1} of {len(right)} differs"
            found = f"answered {described(answer)}, expected {described(right)} ({which})"
            raise ClauseBroken(Clause.GRADIENT_VALUE, found + another_point(answer, earlier, arithmetic))
        return answer

    def true_gradient(self, frozen: FrozenIteration, theta: Vector, arithmetic: Arithmetic) -> Vector | Undefined:
        """The gradient of F_t by claim F2, with the masses of the problem's family."""
        family = self.problem.family
        assert isinstance(family, Family)
        masses = tuple(tuple(family.masses(theta, prompt, arithmetic)) for prompt in self.problem.prompts)
        slopes = tuple(
            tuple(tuple(row) for row in family.mass_gradients(theta, prompt, arithmetic))
            for prompt in self.problem.prompts
        )
        return objective_gradient(frozen, masses, slopes, arithmetic)


def another_point(
    answer: object, earlier: Sequence[tuple[Vector, Vector | Undefined]], arithmetic: Arithmetic
) -> str:
    """Where a wrong gradient is the right one: at a parameter of the same outer iteration, if there is such a one."""
    for step, (theta, right) in enumerate(earlier, start=1):
        read = entries(answer)
        if isinstance(right, Undefined) or read is None or len(read) != len(right):
            continue
        if first_difference(read, right, arithmetic) is None:
            return f"; it is the gradient at the parameter of inner step {step}, {described(theta)}"
    return ""


@dataclass(frozen=True)
class ExaminedPolicy:
    """A supplied policy, beside the family that the problem states."""

    policy: Policy
    problem: Problem

    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> Sequence[Scalar]:
        """The masses, which have to be the family's."""
        own = arithmetic_for(theta)
        right = self.family.masses(theta, self.problem.prompts[prompt.position], own)
        answer = self.policy.masses(theta, prompt, arithmetic)
        self.compare(answer, right, own)
        return answer

    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> Sequence[Sequence[Scalar]]:
        """The mass gradients, which have to be the family's."""
        own = arithmetic_for(theta)
        right = self.family.mass_gradients(theta, self.problem.prompts[prompt.position], own)
        answer = self.policy.mass_gradients(theta, prompt, arithmetic)
        for row, expected in zip(entries(answer) or (), right, strict=False):
            self.compare(row, expected, own)
        return answer

    @property
    def family(self) -> Family:
        """The problem's own family."""
        assert isinstance(self.problem.family, Family)
        return self.problem.family

    def compare(self, answer: object, right: Sequence[Scalar], arithmetic: Arithmetic) -> None:
        """Raise ClauseBroken where an answer differs from the right one."""
        if first_difference(answer, right, arithmetic) is not None:
            found = f"answered {described(answer)}, expected {described(tuple(right))}"
            raise ClauseBroken(Clause.MASSES_VALUE, found)


@require(
    lambda problem, supply: isinstance(problem.family, Family) or (supply.policy is None and supply.gradient is None),
    "masses and gradients are compared with those of a family",
)
def cross_examined(problem: Problem, supply: Supply) -> Supply:
    """The supply, every answer of its domain, rewards, policy and gradient compared with the problem's own definition.

    A wrong one ends the run with the SupplyViolation that says what it had to be; where enclosures leave open whether
    an answer is wrong, it passes. Draws are compared with their law by ``DrawsUnderTest``.

    >>> from fractions import Fraction
    >>> from grpocheck.core import SupplyViolation, read_problem, run
    >>> problem = read_problem("examples/undefined_gradient.toml")
    >>> liar = Supply(gradient=lambda frozen, theta: (Fraction(3),))
    >>> try:
    ...     run(problem, cross_examined(problem, liar))
    ... except SupplyViolation as violation:
    ...     print("expected [2]" in str(violation))
    True
    """
    examiner = Examiner(problem, supply)
    return replace(
        supply,
        reward=None if supply.reward is None else examiner.reward,
        domain=None if supply.domain is None else examiner.domain,
        gradient=None if supply.gradient is None else examiner.gradient,
        policy=None if supply.policy is None else ExaminedPolicy(supply.policy, problem),
    )
