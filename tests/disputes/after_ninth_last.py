"""Disputes in shapes that the ninth batch did not have, written to find what its mending had left out.

Of the 24, 17 were settled at once. Each number is an exact one, worked out by hand, or comes from the few lines here.
"""

from math import exp, sqrt
from typing import Any

CASES: list[dict[str, Any]] = []


def case(identifier: str, topic: str, given: Any, right: Any, wrong: Any) -> None:
    """Add a case."""
    CASES.append({"id": identifier, "topic": topic, "input": given, "right": right, "wrong": wrong})


case(
    "H01",
    "actor config as nested tables: clip-higher",
    {
        "actor": {"clip_ratio_low": 0.2, "clip_ratio_high": 0.28},
        "tokens": {"ratio": ["3/2", "1/2"], "advantage": [1, -1]},
    },
    {"surrogate": ["32/25", "-4/5"]},
    {"surrogate": ["6/5", "-4/5"]},
)
case(
    "H02",
    "which prompts are dropped",
    {"num_generations": 3, "prompts": [{"rewards": [1, 1, 1]}, {"rewards": [0, 1, 0]}]},
    {"dropped": [1, 0], "num_dropped": 1},
    {"dropped": [0, 0], "num_dropped": 0},
)
case(
    "H03",
    "fraction of zero-std groups logged",
    {"rewards": [[1, 1], [0, 1], [0, 0], [1, 0]]},
    {"frac_reward_zero_std": "1/2"},
    {"frac_reward_zero_std": "1/4"},
)
case(
    "H04",
    "overlong filtering removes truncated samples from the loss but not from the divisor",
    {"losses": [[1, 1], [2, 2, 2]], "truncated": [0, 1], "loss_agg_mode": "token-mean"},
    {"loss": 1, "denominator": 2},
    {"loss": "2/5", "denominator": 5},
)
case(
    "H05",
    "mask given as texts of 0 and 1",
    {"token_losses": ["1", "2", "5"], "mask": ["1", "1", "0"]},
    {"loss": "3/2"},
    {"loss": 1},
)
case(
    "H06",
    "KL estimate k3 over masked tokens",
    {"log_ratio": ["ln 2", "0", "ln 4"], "mask": [1, 1, 0]},
    {"k3": "(ln 2 - 1/2)/2"},
    {"k3": "(ln 2 - 1/2 + ln 4 - 3/4)/3"},
)
case(
    "H07",
    "truncated importance sampling with sequence level weights",
    {"log_probs": [[-1, -1], [-2, -1]], "rollout_log_probs": [[-2, -1], [-2, -2]], "tis_cap": 2},
    {"token_weights": [2, 1, 1, 2]},
    {"sequence_weights": [2, 2]},
)
case(
    "H08",
    "the std is taken over the whole batch",
    {"rewards": [[1, 0], [3, 1]], "ddof": 0, "eps": 0},
    {"advantages": [1, -1, 1, -1]},
    {"advantages": [0.5 / sqrt(19 / 16), -0.5 / sqrt(19 / 16), 1 / sqrt(19 / 16), -1 / sqrt(19 / 16)]},
)
case(
    "H09",
    "Dr. GRPO: constant divisor",
    {"loss": [[1, 1], [1, 1, 1, 1]], "max_completion_length": 8},
    {"dr_grpo_loss": "3/8"},
    {"dapo_loss": 1},
)
case(
    "H10",
    "gradient of CISPO with rollout weights",
    {"coef": ["5/2", "1/2"], "advantages": [1, 1], "epsilon_high": "1/2"},
    {"grad_logps": ["3/2", "1/2"]},
    {"grad_logps": ["0", "1/2"]},
)
case(
    "H11",
    "ratio clipped in the log space",
    {"log_ratio": ["1/2", "-1/2"], "advantages": [1, -1], "epsilon": "1/5"},
    {"objective": [1.2, -0.8]},
    {"objective": [exp(0.2), -exp(-0.2)]},
)
case(
    "H12",
    "GSPO-token or GSPO: the same value",
    {"logps": [[-1, -2], [-1]], "old_logps": [[-2, -2], [-1]], "advantages": [1, 1], "epsilon": 1},
    {"ratio": [exp(0.5), 1], "loss": -(exp(0.5) + 1) / 2},
    {"ratio": [exp(1), 1], "loss": -(2 + 1) / 2},
)
case("H13", "metric: mean of the KL per sequence", {"kl": [[1, 2, 3], [4]]}, {"mean_kl": "5/2"}, {"mean_kl": 3})
case("H14", "loss scale of data parallel ranks", {"rank0": [[1, 1, 1]], "rank1": [[3]]}, {"loss": "3/2"}, {"loss": 2})
case(
    "H15",
    "length-normalised rewards (GR3)",
    {"rewards": [1, 1], "length_factors": ["1/2", "1/4"], "scale_rewards": False},
    {"advantages": ["1/8", "-1/8"], "advantages_sum": 0},
    {"advantages": ["-1/2", "-3/4"], "advantages_sum": "-5/4"},
)
case(
    "H16",
    "GDPO batch normalisation",
    {"reward_components": {"a": [1, 0], "b": [0, 1]}, "weights": [2, 1], "ddof": 0, "eps": 0},
    {"advantages": [1, -1]},
    {"advantages": [0, 0]},
)
case("H17", "ESS of a batch", {"w": ["1/2", "3/2"]}, {"ess": "8/5"}, {"ess": "4/5"})
case(
    "H18",
    "group mean of survivors",
    {"G": 2, "rewards": [1, 0, 1, 1], "is_truncated": [0, 1, 0, 0], "advantage": "mean-centred, no std"},
    {"advantages": ["1/2", 0, 0]},
    {"advantages": [0, 0, 0]},
)
case(
    "H19",
    "double-sided IcePop mask",
    {"ratio": ["1/4", 1, 3], "advantages": [1, 1, 1], "mask_low": "1/2", "mask_high": 2},
    {"mask": [0, 1, 0], "loss": "-1/3"},
    {"mask": [1, 1, 1], "loss": "-17/12"},
)
case(
    "H20",
    "off-policy mask by sequence KL",
    {"old_logp": [[-1, -1], [-3, -1]], "new_logp": [[-1, -1], [-1, -1]], "threshold": "1/2"},
    {"mean_log_ratio": [0, 1]},
    {"mean_log_ratio": [0, 2]},
)
case(
    "H21",
    "entropy bonus of masked tokens",
    {"entropies": [1, 2, 3], "mask": [1, 1, 0], "policy_loss": 1, "entropy_coef": "1/10"},
    {"loss": "17/20"},
    {"loss": "4/5"},
)
case(
    "H22",
    "reward shaping: lower bound",
    {"max_length": 10, "buffer_len": 5, "lengths": [5, 8, 10], "penalty_factor": 2},
    {"penalty": [0, "-6/5", -2]},
    {"penalty": [0, "-3/5", -1]},
)
case(
    "H23",
    "batch of two prompts by ids",
    {"prompt_id": ["a", "a", "b", "b"], "reward": [1, 0, 1, 1]},
    {"keep": {"a": True, "b": False}},
    {"keep": {"a": True, "b": True}},
)
case(
    "H24",
    "percent and logs",
    {"ratios": ["150%", "50%"], "advantages": [1, -1], "clip": "20%"},
    {"surrogate": ["6/5", "-4/5"]},
    {"surrogate": ["3/2", "-1/2"]},
)
