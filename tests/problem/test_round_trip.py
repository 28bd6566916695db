"""A problem that is written and read again is the same problem."""

import tomllib
from fractions import Fraction as F

from grpocheck.core.domains import OpenBox
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.core.reading import problem_from_mapping, read_problem
from grpocheck.core.writing import problem_to_mapping, problem_to_toml, toml_value
from hypothesis import given, settings
from hypothesis import strategies as st

from .strategies import problems


@given(problems())
@settings(max_examples=60, deadline=None)
def test_written_and_read_again_is_the_same_problem(tmp_path_factory, problem):
    path = tmp_path_factory.mktemp("round-trip") / "problem.toml"
    path.write_text(problem_to_toml(problem), encoding="utf-8")
    assert read_problem(path) == problem
    assert problem_from_mapping(problem_to_mapping(problem)) == problem


@given(problems())
@settings(max_examples=30, deadline=None)
def test_every_number_is_written_as_an_exact_text_or_a_count(problem):
    def numbers(value):
        if isinstance(value, dict):
            return [number for entry in value.values() for number in numbers(entry)]
        if isinstance(value, list):
            return [number for entry in value for number in numbers(entry)]
        return [value] if not isinstance(value, str) else []

    assert all(type(number) is int for number in numbers(problem_to_mapping(problem)))
    assert all(type(number) is int for number in numbers(tomllib.loads(problem_to_toml(problem))))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_of_any_characters_survives(text):
    assert tomllib.loads(f"value = {toml_value(text)}")["value"] == text


def test_the_mapping_of_a_small_problem_by_hand():
    problem = Problem(
        prompts=(Prompt(0, "q", ("good", "bad"), (1, F(-1, 2)), ("1/4", "0.75")),),
        family=Bernoulli(),
        theta=("0.5",),
        group_size=2,
        outer_iterations=1,
        inner_steps=2,
        epsilon="0.2",
        beta=0,
        step_sizes=(("0.05", 1),),
        domain=OpenBox((0,), (None,)),
        recorded=[[["good", "bad"]]],
    )
    assert problem_to_mapping(problem) == {
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 2,
        "epsilon": "1/5",
        "beta": "0",
        "step_sizes": [["1/20", "1"]],
        "theta": ["1/2"],
        "family": "bernoulli",
        "domain": {"kind": "open-box", "lower": ["0"], "upper": ["inf"]},
        "prompts": [{"name": "q", "responses": ["good", "bad"], "rewards": ["1", "-1/2"], "reference": ["1/4", "3/4"]}],
        "draws": {"recorded": [[["good", "bad"]]]},
    }
