"""The law of a run against every ordered sequence of draws, against numbers by hand, and against core's own runs."""

from fractions import Fraction as F
from functools import cache
from itertools import product

import pytest
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core import Status, run
from grpocheck.core.arithmetic import EnclosureArithmetic, Real, Surd, enclose, parse_exact
from grpocheck.core.reading import problem_from_mapping
from grpocheck.core.variants.registry import named
from grpocheck.verifier.estimator.exact import estimate
from grpocheck.verifier.estimator.problems import update_of
from grpocheck.verifier.law.exact import Law, TooLarge, exact_law, expected_first_gradient
from grpocheck.verifier.prime_logs import PrimeLogs

from tests.law.ordered import Case, OrderedLaw, context, written

HALF, THIRD = F(1, 2), F(1, 3)

CASES = {
    "bernoulli": Case("bernoulli", ((1, 0),), (THIRD,), 2, 1, 1, F(1, 10)),
    "two inner steps": Case("bernoulli", ((1, 0),), (F(2, 5),), 2, 1, 2, F(1, 50)),
    "all three statuses": Case("bernoulli", ((1, 0), (1, 0)), (HALF,), 2, 1, 2, F(1, 10), upper=F(13, 20)),
    "two prompts, two iterations": Case("bernoulli", ((1, 0), (0, 3)), (HALF,), 2, 2, 1, F(1, 20)),
    "stops in the second iteration": Case("bernoulli", ((1, 0), (1, 0)), (HALF,), 2, 2, 2, F(1, 20), upper=F(7, 10)),
    # up, or up twice and down once: the same theta, another F, and no step from there on
    "two values of F at one theta": Case(
        "bernoulli", ((1, 0), (1, 0), (0, 1)), (HALF,), 2, 2, 1, F(3, 10), upper=F(3, 4)
    ),
    "stops late": Case("bernoulli", ((1, 0),), (HALF,), 2, 2, 2, F(1, 25), upper=F(7, 10)),
    "simplex": Case("simplex", ((2, 1, 0),), (THIRD, HALF), 2, 2, 1, F(1, 30)),
    "simplex, two prompts": Case("simplex", ((2, 1, 0), (0, 1)), (THIRD, THIRD, F(1, 4)), 2, 1, 2, F(1, 20)),
    "square roots": Case("bernoulli", ((1, 0),), (HALF,), 3, 2, 1, F(1, 20)),
    "square roots, two prompts": Case("simplex", ((1, 0, 0), (1, 0)), (THIRD, THIRD, HALF), 3, 1, 1, F(1, 40)),
    "square roots in two iterations": Case("simplex", ((3, 1, 0),), (THIRD, THIRD), 3, 2, 1, F(1, 100)),
}


@cache
def law_of(case: Case) -> Law:
    return exact_law(problem_from_mapping(case.mapping()), EnclosureArithmetic())


def decimals(value) -> str:
    """A number of core at 40 digits, through its certified bounds."""
    if not isinstance(value, Surd | Real):
        value = F(value)
        return context.nstr(context.mpf(value.numerator) / value.denominator, 40)
    lower, upper = (context.nstr(context.mpf(bound), 40) for bound in enclose(value, 50))
    assert lower == upper
    return lower


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_law_of_all_ordered_draws(name):
    case = CASES[name]
    expected, found = OrderedLaw(case), law_of(case)
    assert {status.value: decimals(p) for status, p in found.statuses.items() if p != 0} == {
        status: written(p) for status, p in expected.statuses.items()
    }
    by_outcome = {
        (status.value, tuple(map(decimals, atom.theta))): decimals(p)
        for atom in found.parameters
        for status, p in atom.by_status.items()
    }
    assert by_outcome == {key: written(p) for key, p in expected.thetas.items()}
    assert len({tuple(map(decimals, atom.theta)) for atom in found.parameters}) == len(found.parameters)
    objectives = {
        None if atom.value is None else decimals(atom.value): decimals(atom.probability) for atom in found.objectives
    }
    assert objectives == {value: written(p) for value, p in expected.objectives.items()}
    assert len(objectives) == len(found.objectives)
    assert list(map(decimals, found.gradient.gradient)) == list(map(written, expected.first_gradient))
    assert decimals(found.true_objective.expected) == written(expected.expected_true)
    assert {line: decimals(found.calls[line]) for line in expected.calls} == {
        line: written(count) for line, count in expected.calls.items()
    }


def test_probabilities_of_exact_problems_sum_to_exactly_1():
    for case in CASES.values():
        found = law_of(case)
        assert sum(found.statuses.values()) == sum(atom.probability for atom in found.parameters) == 1
        assert sum(atom.probability for atom in found.objectives) == 1


def test_two_responses_by_hand():
    """theta = 1/3, G = 2: the group is mixed with probability 4/9; then the gradient is (3 + 3/2)/2 = 9/4.

    At 1/3 + 9/40 = 67/120 the ratios are 67/40 and 53/80, both outside their bounds: F = (6/5 - 4/5)/2.
    """
    found = law_of(CASES["bernoulli"])
    assert {atom.theta: atom.probability for atom in found.parameters} == {(THIRD,): F(5, 9), (F(67, 120),): F(4, 9)}
    assert {atom.value: atom.probability for atom in found.objectives} == {F(0): F(5, 9), F(1, 5): F(4, 9)}
    assert found.gradient.gradient == (1,)
    assert (found.true_objective.at_start, found.true_objective.expected) == (THIRD, F(13, 30))
    assert (found.calls["draws"], found.calls["square_roots"], found.calls["mass_evaluations"]) == (2, 1, 4)
    assert (found.cases, found.size.ordered, found.size.ordered_text) == (3, 4, "2^2 = 4")


def test_all_three_statuses_by_hand():
    """No group mixed (1/4): theta stays. One (1/2): 3/5, on the bounds. Both (1/4): 7/10, beyond 13/20."""
    found = law_of(CASES["all three statuses"])
    assert found.statuses == {
        Status.COMPLETE: F(1, 4),
        Status.UNDEFINED_GRADIENT: HALF,
        Status.INVALID_UPDATE: F(1, 4),
    }
    returned = {atom.theta: dict(atom.by_status) for atom in found.parameters}
    assert returned == {
        (HALF,): {Status.COMPLETE: F(1, 4), Status.INVALID_UPDATE: F(1, 4)},
        (F(3, 5),): {Status.UNDEFINED_GRADIENT: HALF},
    }
    assert {atom.value: atom.probability for atom in found.objectives} == {None: F(1, 4), 0: F(1, 4), F(1, 10): HALF}
    # attempts: 2 where nothing moves, 2 up to the kink, 1 up to the wall
    assert found.calls["gradient_attempts"] == F(1, 4) * 2 + HALF * 2 + F(1, 4)


def test_square_roots_by_hand():
    """theta = 1/2, G = 3: with probability 3/4 a group is mixed, and its gradient 4 sqrt(2)/3; sqrt(2) on average."""
    found = law_of(Case("bernoulli", ((1, 0),), (HALF,), 3, 1, 1, F(3, 100)))
    assert found.gradient.gradient == (parse_exact("sqrt(2)"),)
    moved = HALF + F(1, 25) * parse_exact("sqrt(2)")
    assert {atom.theta: atom.probability for atom in found.parameters} == {(HALF,): F(1, 4), (moved,): F(3, 4)}


def recorded_runs(mapping):
    """Every sequence of draws, recorded and run by core: its outcome, and its probability from the old masses."""
    problem = problem_from_mapping(mapping)
    groups = [product(prompt.responses, repeat=problem.group_size) for prompt in problem.prompts]
    iteration = list(product(*groups))
    for draws in product(iteration, repeat=problem.outer_iterations):
        recorded = [[list(group) for group in groups] for groups in draws]
        outcome = run(problem_from_mapping({**mapping, "draws": {"recorded": recorded}}))
        probability = F(1, len(iteration) ** (problem.outer_iterations - len(outcome.iterations)))
        for started in outcome.iterations:
            for group in started.frozen.groups:
                for mass in group.old_masses:
                    probability = probability * mass
        yield outcome, probability


SOFTMAX = {
    "group_size": 2,
    "outer_iterations": 2,
    "inner_steps": 2,
    "epsilon": "1/5",
    "beta": "1/10",
    "step_size": "1/2",
    "theta": ["1/2", 0],
    "family": "softmax",
    "domain": {"kind": "open-box", "lower": [-9, -9], "upper": ["9/10", 9]},
    "prompts": [{"name": "q", "responses": ["a", "b"], "rewards": [1, 0], "reference": ["1/3", "2/3"]}],
}


@pytest.mark.parametrize("name", ["stops late", "two inner steps", "softmax with a penalty"])
def test_expected_calls_are_those_of_the_recorded_runs(name):
    """Every line of the ledger, masses that are asked once for a parameter among them."""
    mapping = CASES[name].mapping() if name in CASES else SOFTMAX
    found = exact_law(problem_from_mapping(mapping), PrimeLogs(EnclosureArithmetic()))
    expected: dict[str, F] = {}
    statuses = dict.fromkeys(Status, F(0))
    for outcome, probability in recorded_runs(mapping):
        statuses[outcome.status] = statuses[outcome.status] + probability
        for line, count in outcome.ledger.to_mapping().items():
            expected[line] = expected.get(line, F(0)) + count * probability
    assert sum(p != 0 for p in statuses.values()) > (name != "two inner steps")
    close = F(1, 10**25)
    assert all(-close < found.statuses[status] - p < close for status, p in statuses.items())
    assert set(found.calls) == set(expected)
    assert {line for line, count in expected.items() if not -close < found.calls[line] - count < close} == set()


def test_enclosed_probabilities_sum_to_exactly_1_too():
    found = exact_law(problem_from_mapping(SOFTMAX), PrimeLogs(EnclosureArithmetic()))
    assert isinstance(found.parameters[0].probability, Real)
    assert sum(found.statuses.values()) == sum(atom.probability for atom in found.parameters) == 1


def test_a_law_that_does_not_sum_to_1_is_none():
    found = law_of(CASES["all three statuses"])
    for name, broken in (
        ("statuses", {**found.statuses, Status.COMPLETE: F(1, 3)}),
        ("parameters", found.parameters[1:]),
        ("objectives", found.objectives[1:]),
        ("calls", {**found.calls, "membership_calls": F(3, 2)}),
    ):
        with pytest.raises(ContractViolation, match=r"sum to exactly 1|C2|C3"):
            Law(**{**vars(found), name: broken})


@pytest.mark.parametrize(
    ("group_size", "cases"),
    [(3, 40), pytest.param(8, 330, marks=pytest.mark.slow)],
)
def test_the_expected_gradient_takes_the_prompts_one_by_one(group_size, cases):
    """n = 4, G = 8, M = 2: 330 groups of one prompt in place of 27,225 pairs; another reading gives the same."""
    mapping = Case("simplex", ((1, 0, 0, 1), (3, 1, 0, 0)), (F(1, 4),) * 6, group_size, 1, 1, F(1, 100)).mapping()
    problem, arithmetic = problem_from_mapping({**mapping, "beta": "1/7"}), PrimeLogs(EnclosureArithmetic())
    found = expected_first_gradient(problem, arithmetic)
    assert found.cases == cases
    moments = estimate(named("section-1"), update_of(problem, arithmetic), group_size, arithmetic).moments
    assert found.gradient == moments.expected


def test_too_large_says_how_large_in_both_counts():
    mapping = Case("simplex", ((1, 0, 0, 1), (3, 1, 0, 0)), (F(1, 4),) * 6, 8, 1, 1, F(1, 100)).mapping()
    with pytest.raises(TooLarge, match=r"^27225 cases .* 4\^16 = 4294967296 ordered draws, more than --max-cases 100;"):
        exact_law(problem_from_mapping(mapping), EnclosureArithmetic(), 100)


def test_a_later_outer_iteration_can_be_the_one_that_is_too_large():
    case = CASES["two prompts, two iterations"]
    with pytest.raises(TooLarge, match=r"^outer iteration 2 begins from 3 parameters: 36 cases .* 2\^8 = 256 ordered"):
        exact_law(problem_from_mapping(case.mapping()), EnclosureArithmetic(), 35)
    assert exact_law(problem_from_mapping(case.mapping()), EnclosureArithmetic(), 36).cases == 36


def test_bars_are_told_of_every_case():
    seen: dict[str, list[int]] = {}

    class Bar:
        def __init__(self, label, total):
            self.told = seen.setdefault(label, [total])

        def __enter__(self):
            return self.told.append

        def __exit__(self, *error):
            return None

    problem = problem_from_mapping(CASES["two prompts, two iterations"].mapping())
    exact_law(problem, EnclosureArithmetic(), bars=Bar)
    assert seen == {"outer iteration 1, groups": [9, *[1] * 9], "outer iteration 2, groups": [27, *[1] * 27]}
