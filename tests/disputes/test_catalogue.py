"""Entries of the catalogue that no case of the batches needs; each number is worked out here in a few lines."""

import json
from itertools import product
from math import exp, log, sqrt

import pytest
from grpocheck.verifier.disputes.public import settle

from tests.disputes import blind_first, blind_fourth, blind_third

BY_ID = {case["id"]: case for case in blind_first.CASES + blind_third.CASES + blind_fourth.CASES}


def settled_lines(case):
    """The lines of a case that is settled, by side and name."""
    dispute = settle({"id": "any", **case})
    assert dispute.settled, [(line.side, line.name, line.found, line.note) for line in dispute.lines]
    return {(line.side, line.name): line for line in dispute.lines}


@pytest.mark.parametrize("baseline", ["mean", "leave_one_out"])
def test_a_penalty_of_k2_is_taken_off_the_advantage(baseline):
    """Two draws of pi = (1/2, 1/2): (r - baseline - beta log(pi/ref)^2 / 2) times the score, averaged."""
    r, ref, beta = (1, 0), (1 / 3, 2 / 3), 1 / 2
    found = [0.0, 0.0]
    for y in product((0, 1), repeat=2):
        for i in (0, 1):
            base = sum(r[j] for j in y) / 2 if baseline == "mean" else r[y[1 - i]]
            advantage = r[y[i]] - base - beta * log((1 / 2) / ref[y[i]]) ** 2 / 2
            for k in (0, 1):
                found[k] += advantage * ((y[i] == k) - 1 / 2) / 2 / 4
    penalty = [beta * log((1 / 2) / q) for q in ref]
    true = (r[0] - penalty[0] - r[1] + penalty[1]) / 4
    settled_lines({
        "input": {"pi": ["1/2", "1/2"], "ref": ["1/3", "2/3"], "r": [1, 0], "beta": "1/2", "G": 2},
        "right": {"true_gradient": [true, -true]},
        "wrong": {f"expected_gradient_k2_after_{baseline}": found},
    })  # fmt: skip


def test_a_log_ratio_that_is_clamped_is_clamped_wherever_an_estimate_has_it():
    """Of exp(x) - 1 - x both: log(3/2) = 0.405 and log(3/4) = -0.288 are held at 0.25 and at -0.25."""
    held = (0.25, -0.25)
    settled_lines({
        "input": {"pi": ["1/2", "1/2"], "ref": ["1/3", "2/3"], "clamp_log_ratio": "1/4"},
        "right": {"KL": (log(3 / 2) + log(3 / 4)) / 2},
        "wrong": {"E_k3_reversed_log_clamped": sum(exp(x) - 1 - x for x in held) / 2},
    })  # fmt: skip


def test_k2_of_each_draw_is_a_number_of_the_draw():
    lines = settled_lines({
        "input": {"pi": ["1/2", "1/2"], "ref": ["1/3", "2/3"], "draws": [1, 0, 1]},
        "right": {"kl_sampling_each_k2": [log(x) ** 2 / 2 for x in (3 / 4, 3 / 2, 3 / 4)]},
    })  # fmt: skip
    assert lines["right", "kl_sampling_each_k2"].note == ""


def test_the_other_deviation_is_a_fault_of_several_rewards_where_the_sample_one_is_declared():
    """Rewards (1, 0, 2) and (0, 1, 1): summed, over the sample deviation; or each over its population deviation."""
    first, second = sqrt(2 / 3), sqrt(2) / 3
    settled_lines({
        "input": {"rewards_per_function": [[1, 0, 2], [0, 1, 1]], "weights": [1, 1], "ddof": 1},
        "right": {"advantages": [(total - 5 / 3) / sqrt(4 / 3) for total in (1, 1, 3)]},
        "wrong": {"advantages": [a / first + (b - 2 / 3) / second for a, b in ((0, 0), (-1, 1), (1, 1))]},
    })  # fmt: skip


def test_the_ratio_of_the_last_token_is_known_by_its_value():
    """E_mu of the squared weight: of both tokens (5/4)^2, of the last one (1/2)(9/4) + (1/2)(1/4)."""
    line = settled_lines({
        "input": {"T": 2, "mu": "iid P(1)=1/2", "pi": "iid P(1)=3/4"},
        "right": {"weight_second_moment": "25/16"},
        "wrong": {"weight_second_moment": "5/4"},
    })["wrong", "weight_second_moment"]  # fmt: skip
    assert "v[-1]" in line.how


@pytest.mark.parametrize(
    ("identifier", "formula"),
    [
        ("F17", "flat((exp(0 - (x)) - 1 + (x)))"),
        ("T05", "sum([sum(l) for l in repeat(A, lengths)] / [len(l) for l in repeat(A, lengths)]) "
                "/ len(repeat(A, lengths))"),
        ("V18", "exp([sum(v) / len(v) for v in [where(a > 0, min(v, high), max(v, 0 - low)) for v, a in zip(x, A)]])"),
    ],
)  # fmt: skip
def test_of_formulas_of_one_value_the_first_of_the_catalogue_is_named(identifier, formula):
    """Not the first of a set, which another start of the interpreter orders otherwise."""
    line = settle(json.loads(json.dumps(BY_ID[identifier]))).lines[0]
    assert line.how == formula
