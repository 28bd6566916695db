"""More disputes in the manner of the ninth batch, in words and shapes that nothing had been mended for.

Each number is an exact one, worked out by hand, or comes from the few lines here; nothing imports what it tests.
Of G12 the topic was changed after it was tried: it named a method that divides by all tokens.
"""

from math import exp, sqrt
from typing import Any

from tests.disputes.after_ninth import k3

CASES: list[dict[str, Any]] = [
    {
        "id": "G01", "topic": "DAPO dynamic sampling: all-zero groups are dropped, all-one groups are kept",
        "question": "How many groups remain after filter_groups?",
        "input": {"n": 2, "groups": {"q1": [1, 1], "q2": [0, 1], "q3": [0, 0]}},
        "right": {"kept": [0, 1, 0], "groups_remaining": 1}, "wrong": {"kept": [1, 1, 0], "groups_remaining": 2},
    },
    {
        "id": "G02", "topic": "filter_groups: metric seq_final_reward vs acc",
        "input": {"rollout.n": 2, "acc": [[1, 1], [1, 0]], "seq_final_reward": [["1/2", 1], [1, "1/2"]],
                  "filter_groups.metric": "acc"},
        "right": {"keep_prompt": [False, True]}, "wrong": {"keep_prompt": [True, True]},
    },
    {
        "id": "G03", "topic": "soft overlong punishment of DAPO, L_cache = 4",
        "input": {"L_max": 20, "L_cache": 4, "response_length": [16, 17, 20, 21]},
        "right": {"soft_overlong_punishment": ["0", "-1/4", "-1", "-1"]},
        "wrong": {"soft_overlong_punishment": ["0", "-1/4", "-1", "-5/4"]},
    },
    {
        "id": "G04", "topic": "overlong reward is added to the score",
        "input": {"scores": [1, 0, 1], "response_lengths": [10, 18, 20],
                  "overlong_buffer_cfg": {"enable": True, "len": 4, "penalty_factor": 1.0}, "max_resp_len": 20},
        "right": {"final_reward": [1, "-1/2", 0]}, "wrong": {"final_reward": [1, "1/2", 2]},
    },
    {
        "id": "G05", "topic": "CISPO: the loss value and its gradient",
        "input": {"importance_weights": [2, "1/2"], "advantages": [1, -1], "epsilon_high": "1/5",
                  "log_probs": [-1, -2]},
        "right": {"loss_per_token": ["6/5", -1], "d_loss_d_logprob": ["-6/5", "1/2"]},
        "wrong": {"d_loss_d_logprob": [0, "1/2"]},
    },
    {
        "id": "G06", "topic": "PPO clip: tokens without a gradient",
        "input": {"ratio": ["3/2", "3/2", "1/2", "1/2"], "adv": [1, -1, 1, -1], "clip_eps": "1/5"},
        "right": {"num_tokens_without_grad": 2}, "wrong": {"num_tokens_without_grad": 4},
    },
    {
        "id": "G07", "topic": "token-level loss: sum over the batch divided by the non-padding tokens",
        "input": {"loss_mat": [[1, 2, 0, 0], [4, 4, 4, 0]], "response_mask": [[1, 1, 0, 0], [1, 1, 1, 0]]},
        "right": {"valid_tokens": 5, "loss": 3}, "wrong": {"valid_tokens": 8, "loss": "15/8"},
    },
    {
        "id": "G08", "topic": "num_items_in_batch counts the prompt tokens",
        "input": {"completion_mask": [[0, 1, 1], [0, 1, 1]], "per_token_loss": [[9, 1, 1], [9, 2, 2]]},
        "right": {"normalizer": 4, "loss": "3/2"}, "wrong": {"normalizer": 6, "loss": 1},
    },
    {
        "id": "G09", "topic": "rewards regrouped after dropping: the group boundary moves",
        "input": {"num_generations": 2, "rewards": [1, 3, 5, 1, 2, 0], "dropped": [0, 1, 0, 0, 0, 1],
                  "scale_rewards": "none"},
        "right": {"advantages": [-1, 2, -2, 1]}, "wrong": {"advantages": [-2, 2, "-1/2", "1/2"]},
    },
    {
        "id": "G10", "topic": "gradient accumulation in the trainer: loss / num_items then / steps",
        "input": {"token_losses": [[[3, 1]], [[2, 2, 2]], [[2]]], "gradient_accumulation_steps": 3},
        "right": {"total_loss": 2}, "wrong": {"total_loss": "2/3", "factor": "1/3"},
    },
    {
        "id": "G11", "topic": "loss is averaged over micro-batches of unequal size",
        "input": {"steps": [[[2]], [[1, 1, 1]]], "accum_steps": 2},
        "right": {"loss": "5/4"}, "wrong": {"loss": "3/2", "ratio": "6/5"},
    },
    {
        "id": "G12", "topic": "KL penalty on tokens that are out of bounds",
        "input": {"rho": [1, 4, "1/4"], "A": [1, 1, 1], "alpha_low": "1/2", "beta_high": 2, "kl_coef": "1/2"},
        "right": {"loss": -1}, "wrong": {"loss": "-1 + 4 (ln 2)^2"},
    },
]  # fmt: skip

LOGP, OLD, REF = [-0.5, -1.0], [-0.75, -0.75], [-1.0, -1.0]
RATIOS = [exp(a - b) for a, b in zip(LOGP, OLD, strict=True)]
K3 = [k3(a - b) for a, b in zip(LOGP, REF, strict=True)]

CASES += [
    {
        "id": "G13", "topic": "GRPO loss with a reference: KL is subtracted inside the objective",
        "input": {"logp": LOGP, "old_logp": OLD, "ref_logp": REF, "advantage": 1, "eps": "1/5", "beta": "1/10"},
        "right": {"loss": -(min(RATIOS[0], 1.2) + RATIOS[1] - 0.1 * sum(K3)) / 2},
        "wrong": {"loss": -(min(RATIOS[0], 1.2) + RATIOS[1] + 0.1 * sum(K3)) / 2},
    },
    {
        "id": "G14", "topic": "zero-variance group: only the KL term has a gradient",
        "input": {"rewards": [1, 1], "per_token_logps": [[-1.0], [-2.0]], "ref_per_token_logps": [[-2.0], [-1.0]],
                  "kl_coef": "1/2"},
        "right": {"advantages": [0, 0], "d_loss_d_logp": [(1 - exp(-1)) / 4, (1 - exp(1)) / 4]},
        "wrong": {"advantages": [0, 0], "d_loss_d_logp": [0, 0]},
    },
    {
        "id": "G15", "topic": "unbiased KL: weighed with pi/pi_old of the token",
        "input": {"logp": LOGP, "old_logp": OLD, "ref_logp": REF},
        "right": {"kl": sum(r * k for r, k in zip(RATIOS, K3, strict=True)) / 2}, "wrong": {"kl": sum(K3) / 2},
    },
    {
        "id": "G16", "topic": "sequence-level mask of importance weights",
        "input": {"logp_diff": [["ln 2", "ln 2"], ["ln 2", "-ln 2"]], "cap": 3},
        "right": {"sequence_ratio": [4, 1], "kept": [0, 1]}, "wrong": {"sequence_ratio": [2, 1], "kept": [1, 1]},
    },
    {
        "id": "G17", "topic": "ESS of masked tokens", "input": {"is_weights": [2, 1, 1, 5], "mask": [1, 1, 1, 0]},
        "right": {"ess": "8/3", "ess_fraction": "8/9"}, "wrong": {"ess": "81/31", "ess_fraction": "81/124"},
    },
    {
        "id": "G18", "topic": "mean ratio per sequence, or per token",
        "input": {"ratio": [[1, 2, 3], [4]], "mask": [[1, 1, 1], [1]]},
        "right": {"mean_ratio": "5/2"}, "wrong": {"mean_ratio": 3},
    },
    {
        "id": "G19", "topic": "GDPO: reward-wise normalisation with weights",
        "input": {"rewards": {"acc": [1, 0], "len": [0, 2]}, "reward_weights": [2, 1], "ddof": 0},
        "right": {"advantages": [1, -1]}, "wrong": {"total_reward": [2, 2], "advantages": [0, 0]},
    },
    {
        "id": "G20", "topic": "sampling with top-k: rollout log-probs are of the truncated distribution",
        "input": {"policy": {"A": 0.5, "B": 0.25, "C": 0.25}, "k": 2, "tokens": ["A", "B"]},
        "right": {"ratio": [1, 1]}, "wrong": {"ratio": ["3/4", "3/4"], "product": "9/16"},
    },
    {
        "id": "G21", "topic": "GSPO with padding: the sequence's ratio is over the length with padding",
        "input": {"log_ratios": [["ln 2", "ln 8", 0, 0]], "completion_mask": [[1, 1, 0, 0]], "advantages": [1],
                  "epsilon": 4},
        "right": {"ratio": [4], "loss": -4}, "wrong": {"ratio": [2], "loss": -2},
    },
    {
        "id": "G22", "topic": "length penalty: the group's mean before or after", "source": "made up",
        "input": {"raw_rewards": [1, 0, 1], "penalties": ["1/2", "1/2", 0], "std_normalization": False},
        "right": {"advantages": ["1/6", "-5/6", "2/3"]}, "wrong": {"advantages": ["-1/6", "-7/6", "1/3"]},
    },
    {
        "id": "G23", "topic": "the number of tokens decides and is not stated",
        "input": {"mean_log_ratio": 0.01, "cap": 2, "level": "sequence"},
        "right": {"verdict": "undecidable", "tokens_needed": 70}, "wrong": {"sequence_ratio": exp(0.5)},
    },
    {
        "id": "G24", "topic": "which deviation, when all rewards are alike but one", "source": "made up",
        "input": {"rewards": [0, 0, 0, "1"], "epsilon_std": 0},
        "right": {"std": "sqrt(3)/4", "advantages": [-1 / sqrt(3)] * 3 + [sqrt(3)]},
        "wrong": {"std": "1/2", "advantages": ["-1/2", "-1/2", "-1/2", "3/2"]},
    },
]  # fmt: skip
