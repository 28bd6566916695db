"""Every problem of a small scope, run by core and compared, number by number, with the reference of this folder.

The simplex family with beta = 0, rewards in {0, 1/2, 1}, every outcome of the draws. Numbers are compared exactly:
core's are written as text, p + q*sqrt(n), and read back by the reference's own parser.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import prod

from grpocheck.contracts.claims import Kind
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core import Event, Outcome, OuterIteration, problem_from_mapping
from grpocheck.core import Group as FrozenGroup
from grpocheck.core import Kind as EventKind
from grpocheck.core import run as run_core
from grpocheck.proofs.evidence import Budget, Finding, evidence, held, refuted, undecided
from grpocheck.proofs.reference import Case, Expected, Group, Number, Vector, compositions, run, same

REWARDS = (Fraction(0), Fraction(1, 2), Fraction(1))
RESPONSES = ("a", "b", "c")
FIFTH, HALF, TWENTIETH = Fraction(1, 5), Fraction(1, 2), Fraction(1, 20)


def problem_of(case: Case) -> dict[str, object]:
    """The case as a problem file states it."""
    return {
        "group_size": len(case.drawn[0][0]),
        "outer_iterations": len(case.drawn),
        "inner_steps": case.inner_steps,
        "epsilon": str(case.epsilon),
        "beta": 0,
        "step_size": str(case.step_size),
        "theta": [str(mass) for masses in case.masses for mass in masses[:-1]],
        "family": "simplex",
        "prompts": [
            {
                "name": f"q{position}",
                "responses": list(RESPONSES[: len(masses)]),
                "rewards": [str(reward) for reward in rewards],
                "reference": [str(Fraction(1, len(masses)))] * len(masses),
            }
            for position, (masses, rewards) in enumerate(zip(case.masses, case.rewards, strict=True))
        ],
        "draws": {"recorded": [[[RESPONSES[i] for i in drawn] for drawn in prompts] for prompts in case.drawn]},
    }


class Comparison:
    """One run of core beside the reference: one method for each claim, True where it holds."""

    def __init__(self, case: Case) -> None:
        """Run the case both ways."""
        self.case = case
        self.expected = run(case)
        self.events: list[Event] = []
        self.outcome: Outcome = run_core(problem_from_mapping(problem_of(case)), observer=self.events.append)
        self.size = len(case.drawn[0][0])

    def same(self, found: Sequence[object], expected: Sequence[Number]) -> bool:
        """Whether core's numbers are the reference's."""
        texts = [str(self.outcome.arithmetic.text(entry)) for entry in found]
        return len(texts) == len(expected) and all(map(same, texts, expected))

    def iterations(self) -> Iterator[tuple[OuterIteration, Expected]]:
        """Core's outer iterations beside the reference's."""
        return zip(self.outcome.iterations, self.expected, strict=True)

    def every_group(self, check: Callable[[FrozenGroup, Group], bool]) -> bool:
        """Whether a check of (core's group, the reference's group) holds of every group."""
        return all(
            check(found, expected)
            for iteration, wanted in self.iterations()
            for found, expected in zip(iteration.frozen.groups, wanted.groups, strict=True)
        )

    def made(self, kind: EventKind) -> int:
        """How many events of a kind the run told."""
        return sum(event.kind is kind for event in self.events)

    def a1(self) -> bool:
        """Every applied parameter is the reference's, whose masses were all found positive."""
        return all(
            self.same(
                [entry for step in found.steps if step.is_member for entry in step.theta],
                [entry for theta in expected.applied for entry in theta],
            )
            for found, expected in self.iterations()
        )

    def a2(self) -> bool:
        """The returned parameter is the last applied one, theta_0 where there is none."""
        applied = [theta for expected in self.expected for theta in expected.applied]
        start = [entry for group in self.expected[0].groups for entry in group.theta_old]
        return self.same(self.outcome.theta, applied[-1] if applied else start)

    def a3(self) -> bool:
        """The old masses are the reference's, which are positive with sum 1."""
        return self.every_group(
            lambda found, expected: expected.inside(expected.theta_old)
            and self.same(found.old_masses, [expected.masses(expected.theta_old)[i] for i in expected.drawn])
        )

    def b1(self) -> bool:
        """The deviation is the reference's, and 0 exactly when all rewards are equal."""
        return self.every_group(
            lambda found, expected: self.same([found.deviation], [expected.deviation])
            and (expected.deviation.sign() == 0) == (len(set(expected.rewards)) == 1)
        )

    def b2(self) -> bool:
        """The advantages are the reference's: sum 0 and squares that sum to G and are at most G-1, or all 0."""
        return self.every_group(
            lambda found, expected: self.same(found.advantages, expected.advantages) and standardised(expected)
        )

    def b5(self) -> bool:
        """F after each step is the reference's, and F^2 <= (G-1) max(1+epsilon, 1/(least old mass drawn))^2."""
        return all(
            self.same([step.objective for step in found.steps if step.is_member], expected.objectives)
            and all(self.bounded(value, expected) for value in expected.objectives)
            for found, expected in self.iterations()
        )

    def bounded(self, value: Number, expected: Expected) -> bool:
        """Whether a value of F respects the bound, which is attained at one of the old masses or at 1 + epsilon."""
        one = Number(Fraction(1), Fraction(0), Fraction(0))
        inverses = [one / group.masses(group.theta_old)[i] for group in expected.groups for i in group.drawn]
        factors = [one.times(1 + self.case.epsilon), *inverses]
        square = value * value
        return any((square - (factor * factor).times(Fraction(self.size - 1))).sign() <= 0 for factor in factors)

    def c1(self) -> bool:
        """M*G draws for each started outer iteration, in the ledger and among the events."""
        expected = len(self.expected) * len(self.case.masses) * self.size
        complete = self.outcome.status != "complete" or len(self.expected) == len(self.case.drawn)
        return self.outcome.ledger.draws == self.made(EventKind.DRAW) == expected and complete

    def c2(self) -> bool:
        """As many gradient attempts as the reference makes: at most T*K, applied steps plus one if stopped."""
        ledger, attempts = self.outcome.ledger, sum(len(expected.attempts) for expected in self.expected)
        return (
            ledger.gradient_attempts == self.made(EventKind.GRADIENT) == attempts
            and attempts <= len(self.case.drawn) * self.case.inner_steps
            and attempts == ledger.steps_applied + (self.expected[-1].status != "complete")
        )

    def c3(self) -> bool:
        """As many membership calls as attempts that gave a gradient."""
        given = sum(attempt is not None for expected in self.expected for attempt in expected.attempts)
        asked = sum(len(expected.memberships) for expected in self.expected)
        return self.outcome.ledger.membership_calls == self.made(EventKind.MEMBERSHIP) == asked == given

    def c4(self) -> bool:
        """The status is the reference's."""
        return str(self.outcome.status) == self.expected[-1].status

    def d1(self) -> bool:
        """Each group after the run is the one that was drawn, and what was told of it when it was drawn."""
        told = iter([event.values for event in self.events if event.kind is EventKind.GROUP])
        return self.every_group(
            lambda found, expected: (found.positions, found.rewards) == (expected.drawn, expected.rewards)
            and (found.advantages, found.old_masses) == kept(next(told))
        )

    def d2(self) -> bool:
        """The reference after the run is the stated one."""
        sizes = [len(masses) for masses in self.case.masses]
        return all(
            [group.prompt.reference for group in found.frozen.groups] == [(Fraction(1, n),) * n for n in sizes]
            for found, _ in self.iterations()
        )

    def f2(self) -> bool:
        """Each attempt gives the reference's gradient, undefined exactly where its one-sided derivatives disagree."""
        return all(
            self.same_answer(step.gradient, attempt)
            for found, expected in self.iterations()
            for step, attempt in zip(found.steps, expected.attempts, strict=True)
        )

    def same_answer(self, found: object, expected: Vector | None) -> bool:
        """Whether a gradient oracle's answer is the reference's."""
        if not isinstance(found, tuple) or expected is None:
            return not isinstance(found, tuple) and expected is None
        return self.same(found, expected)


def standardised(group: Group) -> bool:
    """B2 of the reference's own advantages."""
    total = squares = group.number(0)
    for advantage in group.advantages:
        total, squares = total + advantage, squares + advantage * advantage
    size = len(group.drawn)
    wanted = group.number(size if len(set(group.rewards)) > 1 else 0)
    return (
        total.sign() == 0
        and (squares - wanted).sign() == 0
        and all((advantage * advantage - group.number(size - 1)).sign() <= 0 for advantage in group.advantages)
    )


def kept(values: Mapping[str, object]) -> tuple[object, object]:
    """What a group event told of the data that stay frozen."""
    return values["advantages"], values["old_masses"]


CHECKS: dict[str, Callable[[Comparison], bool]] = {
    "A1": Comparison.a1,
    "A2": Comparison.a2,
    "A3": Comparison.a3,
    "B1": Comparison.b1,
    "B2": Comparison.b2,
    "B5": Comparison.b5,
    "C1": Comparison.c1,
    "C2": Comparison.c2,
    "C3": Comparison.c3,
    "C4": Comparison.c4,
    "D1": Comparison.d1,
    "D2": Comparison.d2,
    "F2": Comparison.f2,
}


def compare_all(budget: Budget, scope: Iterable[Case]) -> dict[str, Finding]:
    """Compare every case; the first failure of a claim is its counterexample.

    A case in which core raises is compared with nothing: then no claim is held, since not every case was looked at.
    """
    cases = list(scope)
    failures: dict[str, str] = {}
    statuses: Counter[str] = Counter()
    stands_for = raised = 0
    for done, case in enumerate(cases, start=1):
        stands_for += orders(case)
        budget.step(done, len(cases))
        try:
            comparison = Comparison(case)
        except ContractViolation:
            raise
        except Exception as error:  # the built-in supply is not broken, so an error instead of a status refutes C4
            failures.setdefault("C4", f"{problem_of(case)}: core raises {type(error).__name__}: {error}")
            raised += 1
            continue
        statuses[comparison.expected[-1].status.replace("-", "_")] += 1
        for claim, check in CHECKS.items():
            if claim not in failures and not check(comparison):
                failures[claim] = f"{problem_of(case)}: core gives {comparison.outcome.to_mapping()}"
    counts = {"cases": len(cases), "ordered_cases": stands_for, **statuses}
    open_cases = f"core raised in {raised} of {len(cases)} cases, which were compared with nothing"
    rest = undecided(open_cases, **counts) if raised else held(**counts)
    return {claim: refuted(failures[claim], **counts) if claim in failures else rest for claim in CHECKS}


def orders(case: Case) -> int:
    """How many ordered draws a case stands for."""
    return prod(len(set(permutations(drawn))) for prompts in case.drawn for drawn in prompts)


def masses_in(parts: int, support: int) -> list[tuple[Fraction, ...]]:
    """The positive mass functions with that denominator."""
    return [tuple(Fraction(part, parts) for part in composition) for composition in compositions(parts, support)]


def one_prompt(support: int, group: int, inner_steps: int, epsilon: Fraction, step: Fraction) -> Iterator[Case]:
    """M = 1, T = 1, masses in sixths: all masses, rewards and multisets of draws (a run does not depend on order)."""
    draws = combinations_with_replacement(range(support), group)
    for masses, rewards, drawn in product(masses_in(6, support), product(REWARDS, repeat=support), draws):
        yield Case((masses,), (rewards,), ((drawn,),), epsilon, step, inner_steps)


def ordered(cases: Iterable[Case]) -> Iterator[Case]:
    """Every order of the draws of cases of one prompt and iteration."""
    for case in cases:
        for drawn in sorted(set(permutations(case.drawn[0][0]))):
            yield replace(case, drawn=((drawn,),))


def onto_kinks(cases: Iterable[Case]) -> Iterator[Case]:
    """Cases of G = 2 with the step sizes that bring a drawn response exactly onto its active bound, where one does."""
    for case in cases:
        ((drawn,),) = case.drawn
        (expected,) = run(case)
        (group,), gradient = expected.groups, expected.attempts[0]
        if gradient is None:
            continue
        slopes = [*(entry.a for entry in gradient), -sum(entry.a for entry in gradient)]
        for position, advantage in zip(drawn, group.advantages, strict=True):
            if advantage.a:
                distance = case.masses[0][position] * (case.epsilon if advantage.a > 0 else -case.epsilon)
                step = distance / slopes[position] if slopes[position] else Fraction(0)
                if step > 0:
                    yield replace(case, step_size=step)


def two_prompts() -> Iterator[Case]:
    """M = 2, T = 1, n = 2, G = 2, masses in quarters; the second prompt is not before the first (they commute)."""
    draws = combinations_with_replacement(range(2), 2)
    single = list(product(masses_in(4, 2), product(REWARDS, repeat=2), draws))
    for first, second in combinations_with_replacement(single, 2):
        (masses, rewards, drawn), (more_masses, more_rewards, more_drawn) = first, second
        yield Case((masses, more_masses), (rewards, more_rewards), ((drawn, more_drawn),), FIFTH, TWENTIETH, 2)


def two_iterations() -> Iterator[Case]:
    """M = 1, T = 2, n = 2, G = 2, masses in quarters."""
    draws = list(combinations_with_replacement(range(2), 2))
    for masses, rewards, first, second, step, inner_steps in product(
        masses_in(4, 2), product(REWARDS, repeat=2), draws, draws, (TWENTIETH, Fraction(1, 10)), (1, 2)
    ):
        yield Case((masses,), (rewards,), ((first,), (second,)), FIFTH, step, inner_steps)


def large(support: int, group: int) -> Iterator[Case]:
    """K = 1 and 2, two epsilons, two step sizes."""
    yield from one_prompt(support, group, 1, FIFTH, HALF)
    yield from one_prompt(support, group, 2, FIFTH, TWENTIETH)
    yield from one_prompt(support, group, 2, FIFTH, HALF)
    yield from one_prompt(support, group, 2, HALF, HALF)


@evidence(
    *CHECKS, kind=Kind.ENUMERATION, scope="whole runs, contracts on: n = 2, G = 2 and 3, K = 2, every order of draws"
)
def small_runs(budget: Budget) -> dict[str, Finding]:
    """The fast tier, with the contracts of core on; at G = 3 one order of each draw."""
    return compare_all(
        budget,
        [
            *ordered(one_prompt(2, 2, 2, FIFTH, TWENTIETH)),
            *ordered(one_prompt(2, 2, 2, FIFTH, HALF)),
            *onto_kinks(one_prompt(2, 2, 2, FIFTH, TWENTIETH)),
            *one_prompt(2, 3, 2, FIFTH, TWENTIETH),
        ],
    )


@evidence(*CHECKS, kind=Kind.ENUMERATION, scope="whole runs, contracts on: n = 2, G = 2, K = 2, one order of draws")
def smallest_runs(budget: Budget) -> dict[str, Finding]:
    """What takes seconds and finds most mistakes."""
    onto = onto_kinks(one_prompt(2, 2, 2, FIFTH, TWENTIETH))
    return compare_all(budget, [*one_prompt(2, 2, 2, FIFTH, HALF), *list(onto)[::4]])


SIZES = "masses in sixths, K = 1 and 2, epsilon 1/5 and 1/2, steps 1/20 and 1/2"


@evidence(
    *CHECKS,
    scope=f"whole runs: n = 2, G = 2 and 3, {SIZES}",
    kind=Kind.ENUMERATION,
    seconds=200,
    contracts=False,
)
def runs_of_two_responses(budget: Budget) -> dict[str, Finding]:
    """The large tier at n = 2, contracts off: the reference does not depend on them."""
    return compare_all(budget, [*large(2, 2), *large(2, 3)])


@evidence(*CHECKS, scope=f"whole runs: n = 3, G = 2, {SIZES}", kind=Kind.ENUMERATION, seconds=300, contracts=False)
def runs_of_three_responses(budget: Budget) -> dict[str, Finding]:
    """The large tier at n = 3, G = 2."""
    return compare_all(budget, large(3, 2))


@evidence(*CHECKS, scope=f"whole runs: n = 3, G = 3, {SIZES}", kind=Kind.ENUMERATION, seconds=600, contracts=False)
def runs_of_three_draws(budget: Budget) -> dict[str, Finding]:
    """The large tier at n = 3, G = 3, where most deviations are irrational."""
    return compare_all(budget, large(3, 3))


@evidence(
    *CHECKS,
    scope="whole runs that step exactly onto a kink: n = 2 and 3, G = 2, masses in sixths, epsilon 1/5 and 1/2",
    kind=Kind.ENUMERATION,
    seconds=200,
    contracts=False,
)
def runs_onto_kinks(budget: Budget) -> dict[str, Finding]:
    """The step size is chosen so that a drawn response lands on its active bound."""
    scope = [*onto_kinks(one_prompt(2, 2, 2, FIFTH, HALF)), *onto_kinks(one_prompt(3, 2, 2, FIFTH, HALF))]
    return compare_all(budget, [*scope, *onto_kinks(one_prompt(3, 2, 2, HALF, HALF))])


@evidence(
    *CHECKS,
    scope="whole runs of two prompts or two outer iterations: n = 2, G = 2, masses in quarters, K = 1 and 2",
    kind=Kind.ENUMERATION,
    seconds=200,
    contracts=False,
)
def runs_of_two_prompts_or_iterations(budget: Budget) -> dict[str, Finding]:
    """M = 2 at K = 2; T = 2 at K = 1 and 2 and two step sizes."""
    return compare_all(budget, [*two_prompts(), *two_iterations()])
