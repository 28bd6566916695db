"""Disputes of families that no command was written for: settled by formulas, and never wrongly.

The numbers of tests/data/made_up_disputes.json were worked out with fractions and floats, away from the package.
"""

import json
from copy import deepcopy
from pathlib import Path

import pytest
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.askable import KINDS
from grpocheck.verifier.disputes.lines import Verdict
from grpocheck.verifier.disputes.public import settle, status_of
from grpocheck.verifier.disputes.settling import settle_by_formulas

CASES = json.loads((Path(__file__).parent.parent / "data" / "made_up_disputes.json").read_text(encoding="utf-8"))
BY_ID = {case["id"]: case for case in CASES}


@pytest.mark.parametrize("identifier", BY_ID)
def test_every_number_is_settled(identifier):
    dispute = settle(BY_ID[identifier])
    assert dispute.settled, [(line.side, line.name, line.found, line.note) for line in dispute.lines]


def turned(stated):
    """A list of numbers with the first one changed, or one number changed."""
    if isinstance(stated, list):
        return [turned(stated[0]), *stated[1:]]
    return "7/1234577"


@pytest.mark.parametrize("identifier", ["M03b", "M08b", "M11a", "M13b", "M18a", "M20a", "M23a", "M26a", "M28b", "M29a"])
@pytest.mark.parametrize("side", ["right", "wrong"])
def test_a_number_that_is_made_up_is_never_settled(identifier, side):
    case = deepcopy(BY_ID[identifier])
    name = next(key for key in case[side] if key not in ("convention", "rule"))
    case[side][name] = turned(case[side][name])
    assert not settle(case).settled
    lines = {(line.side, line.name): line for line in settle_by_formulas(case)}
    assert lines[side, name].verdict is not Verdict.AGREES
    if side == "wrong":
        assert lines[side, name].verdict is Verdict.UNDECIDED, "any number may be some fault's"


def test_sides_that_are_exchanged_do_not_pass_for_settled():
    """What a fault gives is no right number, though its formula is known."""
    for identifier in ("C04", "C10"):
        cases = json.loads((Path(__file__).parent.parent / "data" / "cases.json").read_text(encoding="utf-8"))
        case = next(case for case in cases if case["id"] == identifier)
        right = {key: value for key, value in case["wrong"].items() if key != "rule"}
        dispute = settle({**case, "right": right, "wrong": case["right"]})
        assert dispute.word == "undecided"
        assert status_of([dispute]) == 3
        note = next(line.note for line in dispute.lines if line.side == "right")
        assert note.startswith("not what the words come to, but by its value")


def test_a_name_that_is_not_understood_stays_undecided_and_says_what_its_number_is_of():
    case = {"id": "any", "input": {"rewards": [1, 0], "G": 2}, "right": {"flummoxed": ["1", "-1"]}}
    dispute = settle(case)
    assert dispute.word == "undecided"
    assert dispute.lines[0].note.startswith("not understood: flummoxed; it is the value of: ")
    assert "population" in dispute.lines[0].note


def test_an_input_that_is_not_used_whole_makes_no_number_differ():
    case = {"id": "any", "input": {"rewards": [1, 0], "G": 2, "wobble": 3}, "right": {"advantages": ["5", "-5"]}}
    assert settle(case).word == "undecided"
    del case["input"]["wobble"]
    assert settle(case).word == "differs"


@pytest.mark.parametrize("stated", ["1/0", "log(0)", "0/0", "inf", "nan", None, [1, 2], [{"a": 1}], {"a": 1}, 1e400])
def test_what_is_no_finite_number_is_not_the_number(stated):
    case = {"id": "any", "input": {"losses": [[1, 1], [5]]}, "right": {"token_mean": "7/3", "other_token_mean": stated}}
    assert settle(case).word == "undecided"


@pytest.mark.parametrize("stated", ["2 +", True, "the token mean"])
def test_a_sentence_is_no_number(stated):
    case = {"id": "any", "input": {"losses": [[1, 1], [5]]}, "right": {"token_mean": "7/3", "other_token_mean": stated}}
    assert [line.name for line in settle(case).lines] == ["token_mean"]


def test_an_input_of_no_kind_is_refused_with_its_keys_and_the_kinds():
    with pytest.raises(InvalidProblem) as caught:
        settle({"id": "any", "input": {"wobble": 3}, "right": {"x": 1}})
    assert "wobble" in str(caught.value)
    assert all(kind.name in str(caught.value) for kind in KINDS)


@pytest.mark.parametrize(
    ("case", "key"),
    [
        ({"id": "a", "input": {"rewards": [1]}}, "a.right"),
        ({"id": "a", "right": {"x": 1}}, "a.input"),
        ({"input": {"rewards": [1]}, "right": {"x": 1}}, "a case.id"),
        ({"id": "a", "input": [1], "right": {"x": 1}}, "a.input"),
        ({"id": "a", "input": {"rewards": [1]}, "right": {"x": 1}, "compute": []}, "a.compute"),
        ({"id": "a", "input": {"rewards": [1]}, "right": {"x": 1}, "declared": "sample"}, "a.declared"),
    ],
)
def test_what_is_no_case_is_refused_by_its_key(case, key):
    with pytest.raises(InvalidProblem, match=key):
        settle(case)


def test_a_declared_word_decides_which_number_is_the_right_one():
    case = {"id": "any", "input": {"rewards": [2, 0], "G": 2}, "right": {"advantages": ["sqrt(2)/2", "-sqrt(2)/2"]}}
    assert settle(case).word == "undecided"
    assert settle({**case, "declared": ["sample"]}).word == "settled"


def test_formulas_and_words_of_a_case_come_before_its_names():
    case = {
        "id": "any",
        "input": {"p": ["1/2", "1/2"], "r": [1, 0], "G": 3, "gain": "4"},
        "define": {"boost": "gain * r"},
        "compute": {"right.mine": "gradient(sum(pi * boost))", "wrong.theirs": {"words": "mean centred gradient"}},
        "right": {"mine": [1, -1]},
        "wrong": {"theirs": ["1/6", "-1/6"]},
    }
    dispute = settle(case)
    assert dispute.settled
    assert dispute.lines[0].how == "gradient(sum(pi * boost))"
    case["right"]["mine"] = [1, 1]
    assert settle(case).word == "differs"
    case["compute"]["wrong.theirs"] = {"words": "mean centred wobble"}
    with pytest.raises(InvalidProblem, match="wobble"):
        settle(case)
    case["compute"] = {"right.mine": "gradient(sum(pi * boost)"}
    with pytest.raises(InvalidProblem, match="formula"):
        settle(case)
