"""Fifteen disputes as someone writes them who thinks in formulas: Greek names, nested tables, few words.

Written before it was known how a number is found; plain arithmetic, nothing of what is tested.
"""

from math import exp, log, sqrt
from typing import Any

CASES: list[dict[str, Any]] = [
    {
        "id": "T01", "topic": "is the group mean a baseline or a factor",
        "input": {"pi": {"a": "1/4", "b": "3/4"}, "R": {"a": 1, "b": 0}, "n": 2, "parameters": "softmax"},
        "right": {"grad J": ["3/16", "-3/16"], "E[ghat], leave one out": ["3/16", "-3/16"]},
        "wrong": {"E[ghat], mean": ["3/32", "-3/32"]},
    },
    {
        "id": "T02", "topic": "stale samples without correction",
        "input": {"mu": ["1/2", "1/2"], "pi": ["1/4", "3/4"], "r": [1, 0], "policy": "softmax logits"},
        "right": {"corrected": ["3/16", "-3/16"]},
        "wrong": {"uncorrected": ["3/8", "-3/8"]},
    },
    {
        "id": "T03", "topic": "which of k1, k2, k3 has the KL as its mean",
        "input": {"pi": ["1/2", "1/2"], "pi_ref": ["1/4", "3/4"]},
        "right": {"E k1": log(2) - 0.5 * log(3), "E k3": log(2) - 0.5 * log(3)},
        "wrong": {"E k2": (log(2) ** 2 + log(2 / 3) ** 2) / 4},
    },
    {
        "id": "T04", "topic": "leave-one-out is the centred reward times n/(n-1)",
        "input": {"R": ["2", "0", "1"]},
        "right": {"A_loo": ["3/2", "-3/2", "0"]},
        "wrong": {"A_loo": ["1", "-1", "0"]},
    },
    {
        "id": "T05", "topic": "sample-level mean against token-level mean at ratio one",
        "input": {"T": [1, 3], "A": ["1", "-1"]},
        "right": {"J_sample": "0", "J_token": "-1/2"},
        "wrong": {"J_token": "0"},
    },
    {
        "id": "T06", "topic": "mass at temperature tau",
        "input": {"z": ["log(3)", "0"], "tau": 2},
        "right": {"p": [sqrt(3) / (1 + sqrt(3)), 1 / (1 + sqrt(3))]},
        "wrong": {"p": ["3/4", "1/4"]},
    },
    {
        "id": "T07", "topic": "mean of means over accumulated steps",
        "input": {"steps": [[3], [1, 1, 1]]},
        "right": {"mean": "3/2"},
        "wrong": {"mean": "2"},
    },
    {
        "id": "T08", "topic": "the slope of the clipped term for both signs",
        "input": {"rho": ["13/10", "13/10"], "A": [2, -2], "varepsilon": "1/5"},
        "right": {"L": ["12/5", "-13/5"], "dL/drho": ["0", "-2"]},
        "wrong": {"L": ["12/5", "-12/5"], "dL/drho": ["0", "0"]},
    },
    {
        "id": "T09", "topic": "weights that do not sum to one",
        "input": {"r_1": [1, 0], "r_2": [0, 1], "w": ["2", "1"]},
        "right": {"combined": ["2", "1"]},
        "wrong": {"combined": ["2/3", "1/3"]},
    },
    {
        "id": "T10", "topic": "log-likelihood of an answer: sum or mean of its tokens",
        "input": {"logp": [[-1, -1], [-2, -2, -2]], "A": [1, -1]},
        "right": {"loss": "-2"},
        "wrong": {"loss": "-1/2"},
    },
    {
        "id": "T11", "topic": "overlong answers: a ramp, not a step",
        "input": {"r": [1, 1, 1], "len": [10, 18, 25], "L_max": 20, "L_cache": 5},
        "right": {"shaped": ["1", "2/5", "0"]},
        "wrong": {"shaped": ["1", "1", "0"]},
    },
    {
        "id": "T12", "topic": "delta added to sigma, or a floor under it",
        "input": {"R": ["0", "1/1000"], "delta": "1/1000", "sigma": "population"},
        "right": {"A": ["-1/3", "1/3"]},
        "wrong": {"A": ["-1/2", "1/2"]},
    },
    {
        "id": "T13", "topic": "a padded token inside the sequence ratio",
        "input": {"delta_logp": [[0.2, 0.4, 9.0]], "m": [[1, 1, 0]]},
        "right": {"s": [exp(0.3)]},
        "wrong": {"s": [exp(3.2)]},
    },
    {
        "id": "T14", "topic": "one baseline for all questions",
        "input": {"R": {"q1": [1, 1], "q2": [0, 0]}},
        "right": {"A": [0, 0, 0, 0]},
        "wrong": {"A": ["1/2", "1/2", "-1/2", "-1/2"]},
    },
    {
        "id": "T15", "topic": "variance of the two baselines",
        "input": {"pi": ["1/2", "1/2"], "R": [1, 0], "n": 2, "quantity": "the first logit"},
        "right": {"Var, leave one out": "1/16", "Var, none": "1/32"},
        "wrong": {"Var, mean": "1/64"},
    },
]
