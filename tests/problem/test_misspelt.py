"""Misspelt keys and words of a problem file: what is meant is said, each expectation written by hand."""

import pytest
from grpocheck.core.domains import domain_from_mapping
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.reading import parsed, problem_from_mapping
from grpocheck.core.training_free.reading import read_introspection
from grpocheck.verifier.commands.new import STARTERS


def message(family: str, old: str, new: str) -> str:
    assert old in STARTERS[family]
    with pytest.raises(InvalidProblem) as caught:
        problem_from_mapping(parsed(STARTERS[family].replace(old, new)))
    return str(caught.value)


@pytest.mark.parametrize(
    ("family", "old", "new", "said"),
    [
        ("softmax", "epsilon = 0.2", "epsilonn = 0.2",
         "epsilonn: 0.2: expected a known key: epsilon (did you mean that?)"),
        ("softmax", "epsilon = 0.2", "EPSILON = 0.2",
         "EPSILON: 0.2: expected a known key: epsilon (did you mean that?)"),
        ("softmax", '"softmax"', '"Softmax"', "family: 'Softmax': expected softmax (did you mean that?)"),
        ("softmax", '"softmax"', '"SOFTMAX"', "family: 'SOFTMAX': expected softmax (did you mean that?)"),
        ("softmax", '"softmax"', '"gaussian"', "family: 'gaussian': expected one of bernoulli, simplex, softmax, "
         "log-linear, autoregressive, supplied"),
        ("softmax", '"softmax"', "7", "family: 7: expected one of bernoulli, simplex, softmax, log-linear, "
         "autoregressive, supplied"),
        ("autoregressive", 'parameterisation = "masses"', 'parameterisation = "Mass"',
         "generation.parameterisation: 'Mass': expected masses (did you mean that?)"),
        ("autoregressive", 'parameterisation = "masses"', 'parameterisation = "scores"',
         "generation.parameterisation: 'scores': expected one of logits, masses"),
    ],
)  # fmt: skip
def test_a_misspelt_key_or_word_of_a_problem_is_told_what_is_meant(family: str, old: str, new: str, said: str) -> None:
    assert message(family, old, new) == said


def test_a_misspelt_kind_of_a_domain_or_an_introspection_is_told_what_is_meant() -> None:
    with pytest.raises(InvalidProblem) as caught:
        domain_from_mapping({"kind": "Open_Ball", "centre": [0], "radius": 1})
    assert str(caught.value) == "domain.kind: 'Open_Ball': expected open-ball (did you mean that?)"
    with pytest.raises(InvalidProblem) as caught:
        read_introspection({"kind": "embeded"})
    assert str(caught.value) == "introspection.kind: 'embeded': expected embedded (did you mean that?)"
