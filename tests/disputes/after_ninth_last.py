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

# of fifteen more, with what a log has, slopes and clipping of advantages, seven were settled at once
case(
    "J01",
    "GRPO loss: gradient by log-probs on policy",
    {"advantages": [1, -1], "logprobs": [[-1, -2], [-1]], "loss_type": "grpo"},
    {"grad_logprobs": ["-1/4", "-1/4", "1/2"]},
    {"grad_logprobs": ["-1/3", "-1/3", "1/3"]},
)
case(
    "J02",
    "token mean loss of PPO: mask in the denominator",
    {"ratio": [[1, "3/2"], ["1/2", 1]], "advantages": [1, -1], "clip_range": "1/5", "response_mask": [[1, 1], [1, 0]]},
    {"pg_loss": "-7/15"},
    {"pg_loss": "-1/10"},
)
case(
    "J03",
    "mean advantage: logged with padded zeros",
    {"advantages": [1, 2, 0, 0], "mask": [1, 1, 0, 0]},
    {"adv_mean": "3/2"},
    {"adv_mean": "3/4"},
)
case(
    "J04",
    "reward mean and std metrics of a batch",
    {"rewards": [[1, 0], [1, 1]]},
    {"reward_mean": "3/4", "reward_std": sqrt(3) / 4},
    {"reward_std": 1 / 2},
)
case(
    "J05",
    "completion length metrics count truncated only",
    {"completion_lengths": [4, 8, 6], "is_truncated": [0, 1, 0]},
    {"mean_length": 6, "mean_terminated_length": 5, "clipped_ratio": "1/3"},
    {"mean_terminated_length": 8},
)
case(
    "J06",
    "std is computed before the mean is taken off, epsilon outside",
    {"rewards": [1, 0], "eps": "1/10"},
    {"advantages": ["5/6", "-5/6"]},
    {"advantages": [1, -1]},
)
case(
    "J07",
    "advantages are clipped after normalisation",
    {"rewards": [0, 0, 0, 0, 10], "adv_clip": "3/2", "eps": 0, "ddof": 0},
    {"advantages": ["-1/2", "-1/2", "-1/2", "-1/2", "3/2"]},
    {"advantages": ["-1/2", "-1/2", "-1/2", "-1/2", 2]},
)
case(
    "J08",
    "k3 and its gradient by log pi",
    {"logp": [-1, -2], "ref_logp": [-2, -1], "kl_type": "k3"},
    {"kl": [exp(-1), exp(1) - 2], "grad_logp": [1 - exp(-1), 1 - exp(1)]},
    {"kl": [1, -1], "grad_logp": [1, 1]},
)
case(
    "J09",
    "approx_kl is logged as old minus new",
    {"old_logp": [-1, -1], "logp": ["-1/2", "-5/4"]},
    {"approx_kl": "-1/8"},
    {"approx_kl": "1/8"},
)
case(
    "J10",
    "TIS weight on the masked token",
    {
        "old_logprobs": [-1, -1, -1],
        "rollout_logprobs": ["-1 - ln 2", "-1", "-1 - ln 8"],
        "tis_threshold": 3,
        "mask": [1, 1, 0],
    },
    {"tis_weights": [2, 1, 3], "tis_mean": "3/2"},
    {"tis_mean": 2},
)
case(
    "J11",
    "reinforce++ baseline: the group's mean then the batch's deviation",
    {"rewards": [[1, 0], [2, 2]], "eps": 0},
    {"advantages": [sqrt(2), -sqrt(2), 0, 0]},
    {"advantages": [1, -1, 0, 0]},
)
case(
    "J12",
    "loss per rank is averaged, DDP",
    {"per_token_loss": {"rank0": [[1, 1, 1]], "rank1": [[5]]}},
    {"loss": 2},
    {"loss": 3},
)
case(
    "J14",
    "filtering by std with a threshold",
    {"rewards": [[1, 0], ["1/2", "1/2"]], "metric": "std > 0"},
    {"kept_groups": [True, False], "kept_fraction": "1/2"},
    {"kept_groups": [True, True], "kept_fraction": 1},
)
case(
    "J15",
    "overlong penalty with accuracy rewards, then group-centred",
    {"rewards": [1, 1], "lengths": [8, 10], "max_len": 10, "cache": 4, "scale_rewards": False},
    {"shaped": ["1/2", 0], "advantages": ["1/4", "-1/4"]},
    {"advantages": [0, 0]},
)
case(
    "J16",
    "entropy averaged over valid tokens",
    {"entropy": [[1, 2], [3, 9]], "response_mask": [[1, 1], [1, 0]]},
    {"mean_entropy": 2},
    {"mean_entropy": "15/4"},
)
