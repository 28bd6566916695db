"""Outer iterations put together from shared parts, against the ones that core makes, combination by combination."""

from collections.abc import Iterator
from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem
from grpocheck.core.reading import problem_from_mapping
from grpocheck.verifier.law import shared as law_shared
from grpocheck.verifier.law.branches import Branch
from grpocheck.verifier.law.exact import exact_law
from grpocheck.verifier.law.parts import Found
from grpocheck.verifier.law.passage import Making
from grpocheck.verifier.law.shared import PartsDisagree, SharedIterations, compare
from grpocheck.verifier.prime_logs import PrimeLogs

from tests.law.test_law import CASES, SOFTMAX

MAPPINGS = {name: case.mapping() for name, case in CASES.items()} | {
    "softmax with a penalty": SOFTMAX,
    "two prompts of softmax, two steps": {
        **SOFTMAX,
        "outer_iterations": 1,
        "theta": ["1/2", 0, 0, "1/3", 0],
        "domain": {"kind": "open-box", "lower": [-9] * 5, "upper": ["9/10", 9, 9, 9, 9]},
        "prompts": [
            SOFTMAX["prompts"][0],
            {"name": "r", "responses": ["a", "b", "c"], "rewards": [1, 0, 0], "reference": ["1/3"] * 3},
        ],
    },
    "simplex with a penalty, a wall, and a prompt of one response": {
        **CASES["simplex, two prompts"].mapping(),
        "beta": "1/10",
        "domain": {"kind": "half-spaces", "normals": [[1, 1, 1]], "offsets": ["11/10"]},
        "theta": ["1/3", "1/3", "1/4"],
        "step_size": "1/4",
        "prompts": [
            {"name": "q", "responses": ["a", "b", "c"], "rewards": [2, 1, 0], "reference": ["1/3"] * 3},
            {"name": "one", "responses": ["a"], "rewards": [1], "reference": [1]},
            {"name": "r", "responses": ["a", "b"], "rewards": [0, 1], "reference": ["1/2"] * 2},
        ],
    },
    "log-linear": {
        **SOFTMAX,
        "group_size": 3,
        "family": "log-linear",
        "outer_iterations": 1,
        "theta": ["1/5"],
        "domain": {"kind": "open-box", "lower": [-9], "upper": [9]},
        "prompts": [
            {**SOFTMAX["prompts"][0], "features": [[1], [-1]]},
            {**SOFTMAX["prompts"][0], "name": "r", "features": [[2], [0]]},
        ],
    },
    "autoregressive masses, whose first masses add up to more than 1, and a wall": {
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 2,
        "epsilon": "1/5",
        "beta": "1/10",
        "step_size": "1/10",
        "family": "autoregressive",
        "generation": {
            "vocabulary": ["a", "b", "."],
            "end": ".",
            "horizon": 2,
            "parameterisation": "masses",
            "forbidden": {prefix: ["."] for prefix in ("", "a", "b")},
        },
        "theta": ["1/2", "2/3", "8/9"],
        "domain": {"kind": "open-box", "lower": [0, 0, 0], "upper": ["3/5", 1, 1]},
        "prompts": [
            {
                "name": name,
                "rewards": dict(zip(["a a", "a b", "b a", "b b"], rewards, strict=True)),
                "reference": dict.fromkeys(["a a", "a b", "b a", "b b"], "1/4"),
            }
            for name, rewards in (("q", [1, 0, 0, 1]), ("r", [0, 3, 1, 0]))
        ],
    },
}


def pairs(problem: Problem) -> Iterator[tuple[SharedIterations, Found, tuple[tuple[int, ...], ...]]]:
    """What is put together from the first parameter, for every combination of groups."""
    making = Making(problem, PrimeLogs(EnclosureArithmetic()))
    iterations = making.iterations(1, 0, making.start())
    for counts in making.every:
        yield iterations, iterations.iteration(counts), counts


@pytest.mark.parametrize("name", MAPPINGS)
def test_every_combination_is_the_outer_iteration_that_core_makes(name):
    for iterations, found, counts in pairs(problem_from_mapping(MAPPINGS[name])):
        compare(iterations, found, counts)
        made: Branch = iterations.made_by_core(counts)
        assert tuple(drawn.group for drawn in found.drawn) == made.iteration.frozen.groups
        assert found.status is made.iteration.status


def test_a_case_with_all_three_statuses_is_among_them():
    found = [found.status for _, found, _ in pairs(problem_from_mapping(MAPPINGS["all three statuses"]))]
    assert set(found) == set(Status)


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ("penalised", "calls"),
        ("slope", "steps"),
        ("surrogate", "steps"),
        ("is_kinked", "calls"),
    ],
)
def test_a_fault_in_a_part_is_seen(monkeypatch, fault, what):
    """The law itself compares some combinations with core's; a wrong part does not get through."""
    wrong = {
        "penalised": lambda self: False,
        "slope": lambda self, at: tuple(F(1, 7) for _ in self.theta),
        "surrogate": lambda self, at: F(1, 3),
        "is_kinked": lambda self, at: False,
    }
    monkeypatch.setattr(SharedIterations, fault, wrong[fault])
    with pytest.raises(PartsDisagree, match=what):
        exact_law(problem_from_mapping(CASES["all three statuses"].mapping()), EnclosureArithmetic())


def test_a_group_is_asked_of_core_once(monkeypatch):
    """G = 3 over 3 and 2 responses: 10 + 4 groups of one prompt, in 40 combinations."""
    drawn = []
    original = law_shared.draw_group

    def counting(problem, guard, t, prompt, masses):
        drawn.append(prompt.name)
        return original(problem, guard, t, prompt, masses)

    monkeypatch.setattr(law_shared, "draw_group", counting)
    found = exact_law(problem_from_mapping(CASES["square roots, two prompts"].mapping()), EnclosureArithmetic())
    assert (found.cases, len(drawn)) == (40, 14)
