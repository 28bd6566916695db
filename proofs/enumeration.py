"""Every problem of a small scope, run by core and compared, number by number, with the reference of this folder.

M = 1, T = 1, beta = 0, the simplex family with masses in sixths, rewards in {0, 1/2, 1}, every outcome of the draws.
Numbers are compared exactly: core's are written as text, p + q*sqrt(n), and read back by the reference's own parser.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

from grpocheck.contracts.claims import Kind
from grpocheck.core import Event, Outcome, problem_from_mapping, run
from grpocheck.core import Kind as EventKind
from grpocheck.proofs.evidence import Budget, Finding, evidence, held, refuted
from grpocheck.proofs.reference import Case, Expected, Number, Section1, compositions, same

REWARDS = (Fraction(0), Fraction(1, 2), Fraction(1))
RESPONSES = ("a", "b", "c")
CLAIMS = ("A1", "A2", "A3", "B1", "B2", "B5", "C1", "C2", "C3", "C4", "D1", "D2", "F2")


def cases(
    support: int, group: int, inner_steps: int, epsilons: Sequence[Fraction], steps: Sequence[Fraction], ordered: bool
) -> Iterator[Case]:
    """Every case of a size; ``ordered`` draws, or one order of each multiset of draws."""
    masses = [tuple(Fraction(part, 6) for part in parts) for parts in compositions(6, support)]
    positions = range(support)
    draws = list(product(positions, repeat=group) if ordered else combinations_with_replacement(positions, group))
    for pmf, rewards, drawn, epsilon, step in product(
        masses, product(REWARDS, repeat=support), draws, epsilons, steps
    ):
        yield Case(pmf, rewards, drawn, epsilon, step, inner_steps)


def orders(case: Case) -> int:
    """How many ordered draws a case stands for."""
    return len(set(permutations(case.drawn)))


def run_case(case: Case) -> tuple[Outcome, list[Event]]:
    """The case as a problem file would state it, run by core in its automatic arithmetic."""
    responses = RESPONSES[: len(case.masses)]
    problem = problem_from_mapping(
        {
            "group_size": len(case.drawn),
            "outer_iterations": 1,
            "inner_steps": case.inner_steps,
            "epsilon": str(case.epsilon),
            "beta": 0,
            "step_size": str(case.step_size),
            "theta": [str(mass) for mass in case.masses[:-1]],
            "family": "simplex",
            "prompts": [
                {
                    "name": "q",
                    "responses": list(responses),
                    "rewards": [str(reward) for reward in case.rewards],
                    "reference": [str(Fraction(1, len(responses)))] * len(responses),
                }
            ],
            "draws": {"recorded": [[[responses[position] for position in case.drawn]]]},
        }
    )
    events: list[Event] = []
    return run(problem, observer=events.append), events


class Comparison:
    """One run of core beside the reference: one method for each claim, True where it holds."""

    def __init__(self, case: Case) -> None:
        """Run the case both ways."""
        self.case = case
        self.section1 = Section1(case)
        self.expected: Expected = self.section1.run()
        self.outcome, self.events = run_case(case)
        self.steps = self.outcome.iterations[0].steps
        (self.group,) = self.outcome.iterations[0].frozen.groups

    def same(self, found: Sequence[object], expected: Sequence[Number]) -> bool:
        """Whether core's numbers are the reference's."""
        texts = [str(self.outcome.arithmetic.text(entry)) for entry in found]
        return len(texts) == len(expected) and all(map(same, texts, expected))

    def a1(self) -> bool:
        """Every applied parameter is the reference's, whose masses are all positive."""
        applied = [step.theta for step in self.steps if step.is_member]
        return len(applied) == len(self.expected.applied) and all(
            self.section1.inside(expected) and self.same(found, expected)
            for found, expected in zip(applied, self.expected.applied, strict=True)
        )

    def a2(self) -> bool:
        """The returned parameter is the last applied one, theta_0 where there is none."""
        last = self.expected.applied[-1] if self.expected.applied else self.section1.theta_old
        return self.same(self.outcome.theta, last)

    def a3(self) -> bool:
        """The old masses are the stated ones, which are positive with sum 1."""
        stated = [self.section1.number(self.case.masses[position]) for position in self.case.drawn]
        return self.same(self.group.old_masses, stated)

    def b1(self) -> bool:
        """The deviation squares to the variance and is 0 exactly when all rewards are equal."""
        equal = len({self.case.rewards[position] for position in self.case.drawn}) == 1
        deviation = self.section1.number(0) if equal else self.section1.number(0, 1)
        return self.same([self.group.deviation], [deviation])

    def b2(self) -> bool:
        """The advantages are the reference's, whose sum is 0 and whose squares sum to G, or all 0."""
        total = squares = self.section1.number(0)
        size = len(self.case.drawn)
        for advantage in self.expected.advantages:
            total, squares = total + advantage, squares + advantage * advantage
        wanted = self.section1.number(size if self.expected.variance else 0)
        bounded = all(
            (advantage * advantage - self.section1.number(size - 1)).sign() <= 0
            for advantage in self.expected.advantages
        )
        standardised = total.sign() == 0 and (squares - wanted).sign() == 0 and bounded
        return standardised and self.same(self.group.advantages, self.expected.advantages)

    def b5(self) -> bool:
        """F after each step is the reference's, and F^2 <= (G-1) max(1+epsilon, 1/(least old mass drawn))^2."""
        least = min(self.case.masses[position] for position in self.case.drawn)
        bound = (len(self.case.drawn) - 1) * max(1 + self.case.epsilon, 1 / least) ** 2
        values = [step.objective for step in self.steps if step.is_member]
        return self.same(values, self.expected.objectives) and all(
            (value * value - self.section1.number(bound)).sign() <= 0 for value in self.expected.objectives
        )

    def c1(self) -> bool:
        """G draws, in the ledger and among the events."""
        made = sum(event.kind is EventKind.DRAW for event in self.events)
        return self.outcome.ledger.draws == made == len(self.case.drawn)

    def c2(self) -> bool:
        """As many gradient attempts as the reference makes: at most K, applied steps plus one if stopped."""
        made = sum(event.kind is EventKind.GRADIENT for event in self.events)
        stopped = self.outcome.status != "complete"
        ledger = self.outcome.ledger
        return (
            ledger.gradient_attempts == made == len(self.expected.attempts) <= self.case.inner_steps
            and ledger.gradient_attempts == ledger.steps_applied + stopped
        )

    def c3(self) -> bool:
        """As many membership calls as attempts that gave a gradient."""
        made = sum(event.kind is EventKind.MEMBERSHIP for event in self.events)
        given = sum(attempt is not None for attempt in self.expected.attempts)
        return self.outcome.ledger.membership_calls == made == len(self.expected.memberships) == given

    def c4(self) -> bool:
        """The status is the reference's."""
        return str(self.outcome.status) == self.expected.status

    def d1(self) -> bool:
        """The group after the run is the one that was drawn, and what was told of it when it was drawn."""
        told = next(event.values for event in self.events if event.kind is EventKind.GROUP)
        return (
            self.group.positions == self.case.drawn
            and self.group.rewards == tuple(self.case.rewards[position] for position in self.case.drawn)
            and self.group.advantages == told["advantages"]
            and self.group.old_masses == told["old_masses"]
        )

    def d2(self) -> bool:
        """The reference after the run is the stated one."""
        return self.group.prompt.reference == (Fraction(1, len(self.case.masses)),) * len(self.case.masses)

    def f2(self) -> bool:
        """Each attempt gives the reference's gradient, undefined exactly where its one-sided derivatives disagree."""
        for step, expected in zip(self.steps, self.expected.attempts, strict=True):
            undefined = step.proposal is None
            if undefined != (expected is None):
                return False
            if expected is not None and not self.same(step.gradient, expected):  # type: ignore[arg-type]
                return False
        return True


def compare_all(budget: Budget, scope: Sequence[Case], ordered: bool) -> dict[str, Finding]:
    """Compare every case; the first failure of a claim is its counterexample."""
    checks: dict[str, Callable[[Comparison], bool]] = {
        claim: getattr(Comparison, claim.lower()) for claim in CLAIMS
    }
    failures: dict[str, str] = {}
    statuses: Counter[str] = Counter()
    stands_for = 0
    for done, case in enumerate(scope):
        comparison = Comparison(case)
        statuses[comparison.expected.status] += 1
        stands_for += 1 if ordered else orders(case)
        for claim, check in checks.items():
            if claim not in failures and not check(comparison):
                failures[claim] = f"{case}: core gives {comparison.outcome.to_mapping()}"
        budget.step(done + 1, len(scope))
    counts = {"cases": len(scope), "ordered_cases": stands_for, **{s.replace("-", "_"): n for s, n in statuses.items()}}
    return {
        claim: refuted(failures[claim], **counts) if claim in failures else held(**counts) for claim in CLAIMS
    }


FIFTH, HALF, TWENTIETH = Fraction(1, 5), Fraction(1, 2), Fraction(1, 20)


@evidence(
    *CLAIMS,
    kind=Kind.ENUMERATION,
    scope="whole runs, contracts on: n = 2, G = 2 and 3, K = 2, every order of the draws",
    seconds=120,
)
def small_runs(budget: Budget) -> dict[str, Finding]:
    """The fast tier: every ordered outcome at G = 2, every multiset at G = 3, with the contracts of core on."""
    scope = [
        *cases(2, 2, 2, (FIFTH,), (TWENTIETH, HALF), ordered=True),
        *cases(2, 3, 2, (FIFTH,), (TWENTIETH,), ordered=False),
    ]
    return compare_all(budget, scope, ordered=False)


LARGE = "contracts off: G = 2 and 3, K = 1 and 2, epsilon 1/5 and 1/2, steps 1/20 and 1/2"


def large_scope(support: int) -> list[Case]:
    """Every multiset of draws; K = 1, where epsilon plays no part, at one epsilon."""
    return [
        case
        for group in (2, 3)
        for case in (
            *cases(support, group, 1, (FIFTH,), (TWENTIETH, HALF), ordered=False),
            *cases(support, group, 2, (FIFTH, HALF), (TWENTIETH, HALF), ordered=False),
        )
    ]


@evidence(*CLAIMS, kind=Kind.ENUMERATION, scope=f"whole runs, n = 2, {LARGE}", seconds=300, contracts=False)
def runs_of_two_responses(budget: Budget) -> dict[str, Finding]:
    """The large tier at n = 2."""
    return compare_all(budget, large_scope(2), ordered=False)


@evidence(*CLAIMS, kind=Kind.ENUMERATION, scope=f"whole runs, n = 3, {LARGE}", seconds=600, contracts=False)
def runs_of_three_responses(budget: Budget) -> dict[str, Finding]:
    """The large tier at n = 3."""
    return compare_all(budget, large_scope(3), ordered=False)
