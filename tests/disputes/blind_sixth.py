"""Thirteen disputes of the kinds of the sixteen public ones, with other shapes and numbers, each worked out by hand.

Written at the end, before any of them was tried. Nothing here imports what it tests.
"""

from math import log, sqrt
from typing import Any


def over(values: list[float], centre: float, divisor: float) -> list[float]:
    return [(value - centre) / divisor for value in values]


def kl(p: list[float], q: list[float]) -> float:
    return sum(a * log(a / b) for a, b in zip(p, q, strict=True))


# 0, 1/1000, 2/1000 have the deviation sqrt(2/3) / 1000; 0, 2, 0, 1, 0 the mean 3/5 and squares of 3.2.
SPREAD, ZEROS = [0.0, 0.001, 0.002], [0, 2, 0, 1, 0]
P, Q = [3 / 4, 1 / 4], [1 / 3, 2 / 3]

CASES: list[dict[str, Any]] = [
    {
        "id": "X01", "topic": "advantages: which deviation",
        "input": {"rewards": [[3, 1, 2], [0, 0, 4]], "num_generations": 3, "eps": 0},
        "right": {"population": [[sqrt(1.5), -sqrt(1.5), 0], [-sqrt(0.5), -sqrt(0.5), sqrt(2)]]},
        "wrong": {"sample": [[1, -1, 0], [-1 / sqrt(3), -1 / sqrt(3), 2 / sqrt(3)]]},
    },
    {
        "id": "X02", "topic": "advantages: epsilon beside the deviation, or under the variance as well",
        "input": {"rewards": ["0", "1/1000", "2/1000"], "eps": "1/100", "ddof": 0, "G": 3},
        "right": {"advantages": over(SPREAD, 0.001, sqrt(2 / 3) / 1000 + 0.01)},
        "wrong": {"advantages": over(SPREAD, 0.001, 0.1 + 0.01)},
    },
    {
        "id": "X03", "topic": "advantages: two rewards are missing",
        "input": {"rewards": [None, 2, 0, 1, None], "ddof": 0, "eps_std": 0},
        "right": {"advantages": [0, sqrt(1.5), -sqrt(1.5), 0, 0]},
        "wrong": {"advantages": over(ZEROS, 0.6, sqrt(3.2 / 5))},
    },
    {
        "id": "X04", "topic": "advantage: a mean that includes the response itself",
        "input": {"p": ["1/4", "1/4", "1/2"], "r": ["2", "0", "1"], "G": 3, "policy": "softmax logits"},
        "right": {"true_gradient": ["1/4", "-1/4", "0"], "leave_one_out_G3": ["1/4", "-1/4", "0"]},
        "wrong": {"mean_centred_G3": ["1/6", "-1/6", "0"], "mean_centred_G5": ["1/5", "-1/5", "0"]},
    },
    {
        "id": "X05", "topic": "clipping: the dual clip is left out",
        "input": {"eps": "1/5", "A": -2, "ratios": ["1/2", "2", "5"], "c": 3},
        "right": {"dual_clip": ["-8/5", "-4", "-6"]},
        "wrong": {"without_dual_clip": ["-8/5", "-4", "-10"]},
    },
    {
        "id": "X06", "topic": "clip fraction with two bounds",
        "input": {
            "eps_low": "1/5", "eps_high": "2/5",
            "tokens": [
                {"r": "13/10", "A": 1}, {"r": "3/2", "A": 1}, {"r": "7/10", "A": -1}, {"r": "7/10", "A": 1},
                {"r": "1", "A": -1},
            ],
        },
        "right": {"binding_fraction": "2/5"},
        "wrong": {"range_only_test": "3/5", "inverted_test": "1/5"},
    },
    {
        "id": "X07", "topic": "ratio: the reference in the place of the old policy",
        "input": {
            "pi": ["1/2", "1/4", "1/4"], "pi_old": ["1/4", "1/2", "1/4"], "pi_ref": ["1/5", "2/5", "2/5"],
            "draws": [0, 1, 2], "A": [1, -1, 2], "eps": "2/5",
        },
        "right": {"ratios": ["2", "1/2", "1"], "objective": "14/15", "gradient_logits": ["-1/3", "-1/6", "1/2"]},
        "wrong": {
            "ratios": ["5/2", "5/8", "5/8"], "objective": "27/40", "gradient_logits": ["-5/48", "-25/96", "35/96"],
        },
    },
    {
        "id": "X08", "topic": "aggregation over tokens",
        "input": {"token_losses": [[1, 2, 3], [4]]},
        "right": {"token_mean": "5/2", "seq_mean_token_mean": "3"},
        "wrong": {"seq_mean_token_sum": "5"},
    },
    {
        "id": "X09", "topic": "the direction of a divergence",
        "input": {"pi": ["3/4", "1/4"], "ref": ["1/3", "2/3"]},
        "right": {"reverse_KL": kl(P, Q), "E_k3": kl(P, Q)},
        "wrong": {"forward_KL": kl(Q, P)},
    },
    {
        "id": "X10", "topic": "the ratio of a response: its geometric mean, or the product",
        "input": {"eps": "3/10", "A": [1, -1], "answers": {"x": ["3/2", "3/2"], "y": ["1/2", "2", "2"]}},
        "right": {"gspo": ["13/10", -(2 ** (1 / 3))]},
        "wrong": {"product": ["13/10", "-2"]},
    },
    {
        "id": "X11", "topic": "normalisation: a division by the own length",
        "input": {
            "p": ["1/2", "1/2"], "r": ["1", "-1"], "lengths": [1, 4], "G": 3, "advantage": "leave-one-out, no std",
        },
        "right": {"true_gradient": ["1/2", "-1/2"], "constant_divisor_4": ["1/8", "-1/8"]},
        "wrong": {"per_response_mean": ["5/16", "-5/16"]},
    },
    {
        "id": "X12", "topic": "off-policy weights",
        "input": {"pi": ["1/2", "1/2"], "mu": ["1/4", "3/4"], "r": ["1", "0"]},
        "right": {"true_objective": "1/2", "weighted": "1/2"},
        "wrong": {"unweighted": "1/4"},
    },
    {
        "id": "X13", "topic": "rewards of two functions: their weights",
        "input": {"rewards": [[1, 0, 1], [0, 2, 4]], "weights": [1, "1/2"], "eps": 0},
        "right": {"sum_first": over([1, 1, 3], 5 / 3, sqrt(8 / 9))},
        "wrong": {"unweighted": over([1, 2, 5], 8 / 3, sqrt(26 / 9))},
    },
]  # fmt: skip
