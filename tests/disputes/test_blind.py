"""Disputes of nine batches that were written before it was known how they are settled, and what must never be settled.

The batches keep the numbers that their author worked out; what is made of them here is false by construction.
"""

import json
from copy import deepcopy
from fractions import Fraction as F
from math import exp

import pytest
from grpocheck.core.arithmetic import enclose
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.labels import grouped, stated_otherwise
from grpocheck.verifier.disputes.public import settle
from grpocheck.verifier.disputes.roles import role_of
from grpocheck.verifier.disputes.settling import Settler
from grpocheck.verifier.disputes.stating import IN_WORDS
from grpocheck.verifier.disputes.structural import Structure

from tests.disputes import (
    after_eighth,
    after_ninth,
    after_ninth_last,
    after_ninth_more,
    blind_eighth,
    blind_fifth,
    blind_first,
    blind_fourth,
    blind_ninth,
    blind_second,
    blind_seventh,
    blind_sixth,
    blind_third,
)

SOON = json.loads(json.dumps(blind_first.CASES + blind_second.CASES))
LATER = json.loads(json.dumps(blind_third.CASES + blind_fourth.CASES + blind_fifth.CASES + blind_sixth.CASES))
for batch in (blind_seventh, blind_eighth, after_eighth, blind_ninth, after_ninth, after_ninth_more, after_ninth_last):
    LATER += json.loads(json.dumps(batch.CASES + getattr(batch, "VARIATIONS", [])))
BY_ID = {case["id"]: case for case in SOON + LATER}
OPEN = {
    "F07": "two deviations go with a leave-one-out baseline, and the case does not say which",
    "V17": "a share of 1 is no known fault of one half",
    "Y15": "the constant of the wrong side stands in no key of the input",
    "G23": "as in D20",
    "J05": "a share of responses is called clipped",
    "J07": "no formula has advantages that are clipped", "J10": "nor the mean of truncated weights under a mask",
    "D20": "a mean over tokens is stated, and over how many it is not",
}
"""What stays open, and why."""
NAMED = {"F12", "F19", "S09", "S10", "T15", "V05", "V12", "W02", "X01", "X05", "X08", "X10", "X13", "Y01", "Y06"}
NAMED |= {"N01", "N02", "N12", "K01", "K06", "K15", "K16", "K22", "E25", "H07", "H09", "P02"}
NAMED |= {"P05", "P10", "L02", "L05", "L10"}
"""Cases of two conventions, each named by its number: exchanged whole, each number is still what its name says."""
OPAQUE = ["foo", "bar", "baz", "qux", "quux", "corge", "grault"]


def cases(batches, of=lambda case: case["id"]):
    """The cases that are settled, as parameters."""
    return [pytest.param(case, id=of(case)) for case in batches if case["id"] not in OPEN]


@pytest.mark.parametrize("case", cases(SOON))
def test_a_case_of_a_blind_batch_is_settled(case):
    dispute = settle(case)
    assert dispute.settled, [(line.side, line.name, line.found, line.note) for line in dispute.lines]


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(LATER))
def test_a_case_of_a_later_blind_batch_is_settled(case):
    test_a_case_of_a_blind_batch_is_settled(case)


@pytest.mark.parametrize("identifier", OPEN)
def test_what_is_ambiguous_or_unknown_stays_open(identifier):
    assert settle(BY_ID[identifier]).word == "undecided"


def first_changed(value, change):
    """A value with its first number that a change changes changed."""
    if isinstance(value, dict | list):
        places = value if isinstance(value, dict) else range(len(value))
        for place in [place for place in places if place not in (*IN_WORDS, "verdict")]:
            changed = first_changed(value[place], change)
            if changed != value[place]:
                copy = deepcopy(value)
                copy[place] = changed
                return copy
        return value
    return change(value)


def off_in_the_sixth_digit(number):
    """A number that is off by three millionths of itself; zeros, nulls and texts are left."""
    if isinstance(number, str):
        try:
            return str(F(number) * F(1_000_003, 1_000_000))
        except ValueError:
            return number
    return number * (1 + 3e-6) if isinstance(number, int | float) and number is not True else number


def of_no_fault(number):
    """A number that no convention gives."""
    return number if number is None else "7/1234577"


def exchanged(case):
    """The case with the numbers of names that both sides have exchanged; None where there are none."""
    both = [name for name in case["right"] if name in case["wrong"] and name not in (*IN_WORDS, "verdict")]
    if not both:
        return None
    right, wrong = dict(case["right"]), dict(case["wrong"])
    for name in both:
        right[name], wrong[name] = wrong[name], right[name]
    return {**case, "right": right, "wrong": wrong}


FALSE = {
    "sides exchanged": lambda case: (
        None if case["id"] in NAMED else {**case, "right": case["wrong"], "wrong": case["right"]}
    ),
    "values exchanged": exchanged,
    "a wrong number of no fault": lambda case: {**case, "wrong": first_changed(case["wrong"], of_no_fault)},
    "a right number of no convention": lambda case: {**case, "right": first_changed(case["right"], of_no_fault)},
    "right, off in the sixth digit": lambda case: {
        **case,
        "right": first_changed(case["right"], off_in_the_sixth_digit),
    },
    "wrong, off in the sixth digit": lambda case: {
        **case,
        "wrong": first_changed(case["wrong"], off_in_the_sixth_digit),
    },
    "an input of other things": lambda case: {**case, "input": {"seed": 7, "lr": 1e-6, "hidden": [4096, 11008]}},
}
"""Ways to make a case false; one that leaves it as it is makes no test."""


def falsified(batches):
    """Every case that is made false, as parameters."""
    for case in batches:
        for way, change in FALSE.items():
            false = None if case["id"] in OPEN else change(case)
            if false is not None and false != case:
                yield pytest.param(false, id=f"{case['id']}, {way}")


def word_of(case):
    """The verdict on a case, or that its input is refused."""
    try:
        return settle(case).word
    except InvalidProblem:
        return "refused"


@pytest.mark.parametrize("case", list(falsified(SOON[2::8])))
def test_what_is_false_is_not_settled(case):
    assert word_of(case) != "settled"


@pytest.mark.slow
@pytest.mark.parametrize("case", list(falsified(SOON + LATER)))
def test_nothing_false_is_ever_settled(case):
    assert word_of(case) != "settled"


@pytest.mark.slow
@pytest.mark.parametrize("identifier", sorted(NAMED))
def test_named_conventions_say_which_convention_each_number_is(identifier):
    case = BY_ID[identifier]
    assert settle(case).settled
    swapped = settle({**case, "right": case["wrong"], "wrong": case["right"]})
    assert swapped.word in ("settled", "undecided"), "that one is to be had, no name says"


def opaque(case):
    """A case whose input's keys say nothing."""
    return {**case, "input": dict(zip(OPAQUE, case["input"].values(), strict=False))}


@pytest.mark.parametrize("identifier", ["S13", "T04", "T07", "S06"])
def test_keys_that_say_nothing_are_read_by_what_their_values_can_be(identifier):
    assert settle(opaque(BY_ID[identifier])).settled


@pytest.mark.slow
def test_half_of_the_cases_are_settled_without_a_word_in_their_keys():
    words = [word_of(opaque(case)) for case in SOON[25:] + LATER[:15]]
    assert words.count("settled") >= 15


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", list(falsified([BY_ID[name] for name in ("S02", "S06", "S13", "T04", "T07", "T12", "T13")]))
)
def test_nothing_false_is_settled_for_keys_that_say_nothing(case):
    assert word_of(opaque(case)) != "settled"


def test_which_of_two_keys_is_the_new_policy_has_to_be_said():
    case = {
        "id": "any",
        "input": {"foo": [-1.0, -0.5], "bar": [-1.25, -0.25]},
        "right": {"ratio": [exp(0.25), exp(-0.25)]},
        "wrong": {"ratio": [exp(-0.25), exp(0.25)]},
    }
    dispute = settle(case)
    assert dispute.word == "undecided"
    assert "open which key is which" in dispute.lines[0].note
    assert settle({**case, "input": {"foo_logp": [-1.0, -0.5], "old_bar_logp": [-1.25, -0.25]}}).settled


def test_a_right_number_of_a_fault_stays_open_where_the_definitions_is_called_wrong():
    """mean of the means 5/2, of all tokens 7/4: each is what its name says, but one is no token loss that is meant."""
    case = {"id": "any", "input": {"ranks": [[1, 1, 1], [4]]}, "right": {"mean_of_rank_means": "5/2"},
            "wrong": {"global_token_mean": "7/4"}}  # fmt: skip
    dispute = settle(case)
    assert dispute.word == "undecided"
    assert dispute.lines[0].note.startswith("called right, but a wrong one is the definition's")
    assert settle({**case, "right": case["wrong"], "wrong": case["right"]}).settled


def test_what_is_named_the_true_value_and_is_it_stays_open_where_it_is_called_wrong():
    """1/4 without weights is what it says, and the true value is 1/2: the sides are the wrong way round."""
    case = json.loads(json.dumps(BY_ID["X12"]))
    assert settle(case).settled
    dispute = settle({**case, "right": case["wrong"], "wrong": case["right"]})
    assert dispute.word == "undecided"
    assert next(line.note for line in dispute.lines if line.note).startswith("called wrong, and named the true value")


def test_a_number_that_another_quantity_gives_does_not_differ():
    """3, -1, -1, -1 is the reward over its mean, no advantage of a deviation; without the setting it stays open."""
    case = {"id": "any", "input": {"rewards": [1, 0, 0, 0]}, "right": {"advantages": [3, -1, -1, -1]}}
    assert settle(case).word == "undecided"


def test_a_multiple_of_the_right_numbers_is_a_fault_only_of_several_numbers():
    case = {"id": "any", "input": {"lengths": [80, 95, 120], "max_length": 100, "cache": 20},
            "right": {"penalty": ["0", "-3/4", "-1"]}, "wrong": {"penalty": ["0", "-3/8", "-1/2"]}}  # fmt: skip
    assert settle(case).settled
    one = {"id": "any", "input": {"losses": [[1, 2], [4]]}, "right": {"loss": "7/3"}, "wrong": {"loss": "7/6"}}
    assert settle(one).word == "undecided"


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [
        ("trainerTokenLogps", [F(-1)], "new_logp"),
        ("prev_log_probs", [F(-1)], "old_logp"),
        ("vllm_logp", [F(-1)], "sampler_logp"),
        ("log_probs_base", [F(-1)], "ref_logp"),
        ("delta_logp", [F(1), F(-1)], "x"),
        ("prob_now", [F(1, 2), F(1, 2)], "pi"),
        ("prob_at_rollout", [F(1, 2), F(1, 2)], "old"),
        ("num_labels", [F(2), F(6)], "lengths"),
        ("num_labels", [F(2), F(1, 2)], None),
        ("rejection_mask", [F(1), F(0)], "mask"),
        ("rejection_mask", [F(1), F(2)], None),
        ("soft_cache", F(40), "cache"),
        ("kl_weight", F(1, 10), "beta"),
        ("wobble", [F(1)], None),
    ],
)
def test_a_key_is_read_by_its_parts_and_by_what_its_value_can_be(key, value, name):
    assert role_of(key, value, {}) == name


@pytest.mark.parametrize("identifier", ["F02", "F09", "F18", "S05", "T02"])
def test_floats_rule_out_no_formula_that_has_the_value(identifier):
    """The quick look by floats must let every entry pass whose exact value is the one that is looked for."""
    settler = Settler(BY_ID[identifier])
    seen = 0
    for entry in settler.entries:
        value = settler.values.value(entry.formula)
        if value is not None and "in_format" not in entry.formula:
            seen += 1
            assert settler.values.may_be(as_stated(value), entry.formula, None), entry.formula
    assert seen > 10


def as_stated(value):
    """A value as a case states it: floats, and nulls."""
    if isinstance(value, list):
        return [as_stated(entry) for entry in value]
    if value is None or isinstance(value, float):
        return value if value is None or value == value else None
    return float(value) if isinstance(value, F | int) else float(F(enclose(value, 20)[0]))


def test_a_family_puts_first_what_the_evidence_names():
    settler = Settler(BY_ID["F06"])
    structure = Structure(settler.entries, settler.values, frozenset({"geometric"}))
    family = next(found for found in structure.families if "ratio" in found[1])
    assert "geometric" in structure.definition(family, 1.0, frozenset(), None).words
    assert "sequence" in structure.definition(family, 1.0, frozenset({"sequence"}), None).words


@pytest.mark.parametrize("identifier", ["Y17", "Y04", "Y10", "Z07", "Z10"])
def test_a_fault_that_is_known_is_no_right_number_of_the_other_way_round(identifier):
    """Without the penalty, cut off by fours, capped by the sign, with the code's constant: known as faults only."""
    case = BY_ID[identifier]
    assert settle(case).settled
    assert settle({**case, "right": case["wrong"], "wrong": case["right"]}).word != "settled"


def test_a_fault_of_a_shared_convention_settles_what_nothing_else_is_declared_of():
    """Half of 1, 0 less its mean is 1/2; rows cut off by twos are 1/2, -1/2 and, alone, 0."""
    case = {"id": "any", "input": {"rewards": [1, 0, 1], "prompt_ids": ["a", "b", "b"], "G": 2},
            "right": {"advantages": ["0", "-1/2", "1/2"]}, "wrong": {"advantages": ["1/2", "-1/2", "0"]}}  # fmt: skip
    dispute = settle(case)
    assert dispute.settled
    assert dispute.lines[0].note.endswith("the wrong number is that, strided")
    scaled = {**case, "input": {**case["input"], "advantage": "scaled, population"}}
    assert settle(scaled).word == "undecided", "the deviation that is declared is not divided by"


def test_where_no_number_of_either_side_is_known_none_differs():
    case = {"id": "any", "input": {"rewards": [1, 0, 0, 0]}, "right": {"advantages": [9, 8, 7, 6]}}
    assert settle(case).word == "differs"
    dispute = settle({**case, "wrong": {"advantages": [6, 7, 8, 9]}})
    assert dispute.word == "undecided"
    assert "the method may be another" in dispute.lines[0].note
    tagged = {**case, "input": {"rewards": [1, 0, 0, 0], "tags": ["x", "y", "z", "x"]}}
    assert settle(tagged).word == "undecided", "what the tags say is not read"


def test_rows_that_are_not_together_come_back_in_their_order():
    names = {"R": [F(1), F(0), F(3), F(2), F(5)]}
    assert grouped(names, ["a", "b", "a", "b", "a"])
    assert names["R"] == [[1, 3, 5], [0, 2]]
    assert [[1, 3, 5, 0, 2][int(place)] for place in names["order"]] == names["rows"] == [1, 0, 3, 2, 5]
    assert not grouped({"R": [F(1)]}, ["a", "b"])


@pytest.mark.parametrize(
    ("key", "stem"),
    [("wrong_c", "c"), ("eps_used", "eps"), ("hardcoded_divisor", "divisor"), ("used", None), ("clip_ratio", None)],
)
def test_a_key_says_that_its_number_is_the_codes(key, stem):
    assert stated_otherwise(key) == stem


def test_what_both_sides_state_alike_says_which_convention_they_share():
    """Ratios 1 and 11/10 are geometric means; stated by one side alone, they do not say that of the objective."""
    case = BY_ID["N10"]
    assert settle(case).settled
    assert settle({**case, "wrong": {"objective": "-13/50"}}).word == "undecided"
    product = {**case["wrong"], "sequence_ratios": ["1", "1331/1000"]}
    assert settle({**case, "wrong": product}).word == "undecided", "the level is disputed as well"


def test_a_ratio_is_that_of_the_two_entries_before_it_and_of_no_others():
    case = BY_ID["K03"]
    assert settle(case).lines[1].note == "the ratio of the entries of mean_only"
    turned = {**case["wrong"], "ratio": 1 / case["wrong"]["ratio"]}
    dispute = settle({**case, "wrong": turned})
    assert dispute.word == "undecided"
    assert dispute.lines[-1].note.endswith("not the ratio of the entries of with_std")


@pytest.mark.parametrize("reward", [[[1, 0], [0, 1], [1, 2]], [[1, 0, 1, 1], [0, 1, 2, 3]]])
def test_a_table_without_a_row_for_each_response_has_no_columns_of_functions(reward):
    settler = Settler({"id": "any", "input": {"G": 4, "rewards": reward}, "right": {"advantages": 0}})
    assert "weights" not in settler.names


def test_a_loss_of_every_token_is_repeated_by_the_lengths_and_no_other_loss_is():
    case = {"id": "any", "input": {"lengths": [1, 3], "per_token_loss": [1, 3]}, "right": {"token_mean": 0}}
    assert Settler(case).names["L"] == [[1], [3, 3, 3]]
    whole = {**case, "input": {"lengths": [1, 3], "losses": [1, 3]}}
    assert Settler(whole).names["L"] == [1, 3]


def test_a_key_that_both_sides_need_says_the_convention_and_one_side_alone_does_not():
    """8/(2*8) divides by the longest length and the responses; a wrong token mean needs no length."""
    case = BY_ID["L06"]
    assert settle(case).lines[0].note.startswith("by its value, as defined where longest is used, as by both sides")
    assert settle({**case, "wrong": {"loss": "8/3"}}).word == "undecided"
    assert settle({**case, "right": case["wrong"], "wrong": case["right"]}).word == "undecided"


def test_a_name_beside_says_the_level_unless_the_topic_names_another():
    case = BY_ID["P04"]
    turned = {**case, "right": case["wrong"], "wrong": case["right"]}
    assert settle(turned).word == "undecided", "GSPO is named, and the product is no geometric mean"
    slopes = BY_ID["P10"]
    assert settle(slopes).lines[1].note.startswith("by its value, as the names beside it say: ")
    assert settle({**slopes, "right": {"d_dr": slopes["right"]["d_dr"]}}).word == "undecided"


@pytest.mark.parametrize(("identifier", "line", "other"), [("P02", 1, "5/4"), ("P05", 1, "1/5"), ("P05", 3, "3/20")])
def test_a_factor_and_a_penalty_are_those_of_the_numbers_beside_them_and_of_no_others(identifier, line, other):
    case = json.loads(json.dumps(BY_ID[identifier]))
    stated = settle(case).lines[line]
    assert stated.agrees
    case[stated.side][stated.name] = other
    assert not settle(case).lines[line].agrees
