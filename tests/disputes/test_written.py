"""Inputs in other shapes: numbers in texts, tables in tables, words for flags; and what is not understood of them."""

import json
from fractions import Fraction as F
from math import exp, log, sqrt

import pytest
from grpocheck.core.arithmetic import enclose
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.opening import flattened
from grpocheck.verifier.disputes.public import settle
from grpocheck.verifier.disputes.values import supplied
from grpocheck.verifier.disputes.written import number_in
from typer.testing import CliRunner

from tests.disputes.test_command import app


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ln 2", log(2)),
        ("-ln 4", -log(4)),
        ("\u2212(1/2) ln 2", -log(2) / 2),
        ("3/2 - (1/2) ln 2", 1.5 - log(2) / 2),
        ("1/2 ln 2", log(2) / 2),
        ("2^(1/3) (3/2 - ln 2)", 2 ** (1 / 3) * (1.5 - log(2))),
        ("2ln2", 2 * log(2)),
        ("e^-0.5", exp(-0.5)),
        ("2 e^(1/2)", 2 * exp(0.5)),
        ("\u221a3", sqrt(3)),
        ("2\u22c5\u221a(1/2)", 2 * sqrt(0.5)),
        ("12.5%", 0.125),
        ("3\u00b2", 9),
    ],
)
def test_a_number_is_what_somebody_writes(text, number):
    found = number_in(text, supplied())
    value = float(found) if isinstance(found, F) else float(F(enclose(found, 20)[0]))
    assert value == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize("text", ["ln 3/2", "e^1/2", "log2 3", "sqrt 2^3", "e", "ln", "ln x", "2 (3)", "about 5%", ""])
def test_a_text_of_two_readings_or_of_none_is_no_number(text):
    with pytest.raises(InvalidProblem):
        number_in(text, supplied())


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ({"overlong_buffer": {"len": 5, "penalty_factor": 1}}, {"overlong_buffer_len": 5, "penalty_factor": 1}),
        ({"clip": {"low": 0.1, "high": 0.3}}, {"low": 0.1, "high": 0.3}),
        ({"epsilon": {"down": 1, "high": 3}}, {"epsilon_down": 1, "high": 3}),
        ({"rewards": {"a": 1, "b": 0}}, {"rewards": [1, 0]}),
        ({"old": {"logps": [-1]}, "new": {"logps": [-2]}}, {"old_logps": [-1], "new_logps": [-2]}),
        ({"kl": {"coef": 0.1}}, {"kl_coef": 0.1}),
        ({"actor": {"lengths": [1, 2]}}, {"lengths": [1, 2]}),
        ({"clip_lower": None, "r": [1]}, {"r": [1]}),
        ({"finish_reason": ["stop", "length", "eos"]}, {"finish_reason": [0, 1, 0]}),
        ({"finish_reason": ["stop", "banana"]}, {"finish_reason": ["stop", "banana"]}),
        ({"probs": {"the": 0.75, "a": 0.25}, "sampled": ["a", "the"]}, {"probs": [0.75, 0.25], "sampled": [1, 0]}),
        ({"tokens": [{"r": 1, "end": "stop"}, {"r": 0, "end": "stop"}, {"r": 0, "end": "length"}]},
         {"r": [1, 0, 0], "end": [0, 0, 1]}),
    ],
)  # fmt: skip
def test_an_input_is_opened(given, keys):
    assert dict(flattened(given)) == keys


def test_one_number_where_a_list_is_usual_is_not_understood_and_not_refused():
    """The rewards have mean 1/2; what one length is, nobody says."""
    case = {"id": "any", "input": {"rewards": [1, 0], "len": 5}, "right": {"baseline": "1/2", "advantages": [7, -7]}}
    first, second = settle(case).lines
    assert first.agrees
    assert second.verdict.value == "undecided"


def test_rewards_and_lists_of_rewards_in_one_list_are_refused_by_their_key():
    with pytest.raises(InvalidProblem, match=r"any\.input\.rewards: .* expected rewards, or a list of them"):
        settle({"id": "any", "input": {"rewards": [1, [0, 1]]}, "right": {"baseline": 1}})


def test_what_cannot_be_decided_says_what_is_not_stated():
    case = {"id": "any", "input": {"mean_log_ratio": "ln 2", "cap": 3}, "right": {"sequence_ratio": 4}}
    (line,) = settle(case).lines
    assert (line.verdict.value, line.note[:10]) == ("undecided", "not stated")
    told = {**case, "input": {**case["input"], "num_tokens": 2}}
    assert settle(told).word == "settled"


def test_wrong_numbers_alone_settle_nothing():
    """2 is the mean of 1 and 3; that it is wrong, nothing right beside it says."""
    case = {"id": "any", "input": {"rewards": [1, 3]}, "wrong": {"baseline": 2}}
    (line,) = settle(case).lines
    assert (line.verdict.value, line.found) == ("undecided", ["2"])
    assert settle({**case, "right": {"baseline": 2}}).settled


def test_a_number_of_one_group_is_that_groups_and_of_no_other():
    """Deviations of 1, 0 and of 3, 1 are 1/2 and 1."""
    case = {
        "id": "any",
        "input": {"rewards": [[1, 0], [3, 1]]},
        "right": {"std_group_1": 1, "advantages_group_0": [1, -1]},
    }
    assert settle(case).settled
    assert settle({**case, "right": {"std_group_0": 1}}).word != "settled"


def test_a_case_that_is_refused_is_named(tmp_path):
    cases = [{"id": "one", "input": {"rewards": [1, 0]}, "right": {"baseline": "1/2"}},
             {"id": "two", "input": {"rewards": [1, 0], "eps": -1}, "right": {"baseline": "1/2"}}]  # fmt: skip
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = CliRunner().invoke(app, ["dispute", str(tmp_path / "cases.json")])
    assert done.exit_code == 2
    assert "cases.json: two.input.eps: -1: expected" in done.stderr.replace("'-1'", "-1")


def test_flags_are_compared_as_zeros_and_ones():
    """Of ratios 1/10, 1 and 9, two are beyond 1/2 and 2."""
    case = {"id": "any", "input": {"ratios": ["1/10", 1, 9], "ratio_low": "1/2", "ratio_high": 2},
            "right": {"kept": [False, True, False]}, "wrong": {"kept": [True, True, True]}}  # fmt: skip
    first, _ = settle(case).lines
    assert first.agrees
    case["right"]["kept"] = [False, True, True]
    assert settle(case).word != "settled"
