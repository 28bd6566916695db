"""Files that are no TOML, or settings of something else: said where, and where to go with them."""

import pytest
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.reading import parsed, problem_from_mapping, read_problem
from grpocheck.core.values import count
from grpocheck.verifier.commands.new import STARTERS


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('group_size = 2\nfamily = "softmax\ntheta = [0]\n', "line 2", "'family = \"softmax': expected TOML (Illegal"),
        ("group_size = 2\ngroup_size = 3\n", "line 2", "'group_size = 3': expected TOML (Cannot overwrite a value"),
        ('{"event": "start"}\n', "problem file", "begins as JSON does (a trace is for grpocheck replay"),
        ("group_size = 2\nepsilon = 1/5\n", "line 2", ', at column 12); a fraction is a text, in quotes: "1/5"'),
        ("theta = [0.5, -1 / 20]\n", "line 1", 'a fraction is a text, in quotes: "-1/20"'),
        ("theta = [0", "problem file", "'theta = [0': expected TOML ("),
    ],
)
def test_what_is_no_toml_is_said_at_its_line(text, key, words, tmp_path):
    path = tmp_path / "problem.toml"
    path.write_text(text)
    with pytest.raises(InvalidProblem) as error:
        read_problem(path)
    assert error.value.key == key
    assert words in str(error.value)


@pytest.mark.parametrize("line", ["epsilon = 0.2x # 1/5", 'name = "1/5', "day = 1/2/2026", "x = a1/5", "x = 1/5.0"])
def test_no_other_line_that_is_no_toml_is_taken_for_a_fraction(line: str) -> None:
    with pytest.raises(InvalidProblem, match="expected TOML") as error:
        parsed(line)
    assert "a fraction" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"theta": ["3/2"]}, "where 3/2 < 1 has to hold: every mass is above 0 there (0 < theta < 1)"),
        ({"domain": {"kind": "open-box", "lower": ["1/2"], "upper": [1]}}, "U, where 1/2 < 1/2 has to hold"),
        ({"draws": {"seed": "7"}}, "draws.seed: '7': expected an integer between 0 and 2^256 - 1, without quotation"),
        ({"draws": {"seed": 2**256}}, "a number of 257 bits: expected an integer between 0 and 2^256 - 1"),
        ({"group_size": "2"}, "group_size: '2': expected an integer of at least 2, without quotation marks"),
        ({"group_size": "two"}, "group_size: 'two': expected an integer of at least 2"),
    ],
)
def test_what_is_wrong_with_a_number_is_said_in_its_own_terms(change: dict[str, object], message: str) -> None:
    stated = parsed(STARTERS["bernoulli"]) | change
    with pytest.raises(InvalidProblem) as error:
        problem_from_mapping(stated)
    assert message in str(error.value)
    assert ("mass" in message, "quotation" in message) == ("mass" in str(error.value), "quotation" in str(error.value))


def test_a_bound_is_a_power_of_two_only_where_it_is_one_less_than_that() -> None:
    for most, said in ((10, "10"), (2**64 - 1, "2^64 - 1"), (10**19, f"{10**19}")):
        with pytest.raises(InvalidProblem) as error:
            count("n", -1, 0, most)
        assert str(error.value) == f"n: -1: expected an integer between 0 and {said}"
        assert count("n", most, 0, most) == most


@pytest.mark.parametrize("key", ["epsilon_high", "loss_type"])
def test_a_setting_of_trainers_is_answered_with_where_it_belongs(key):
    with pytest.raises(InvalidProblem, match="grpocheck estimator"):
        problem_from_mapping({key: 0.28})
