"""Fifteen disputes in the manner of a trainer's author: tensors by the names of its code, short titles.

Written before it was known how a number is found; plain arithmetic, nothing of what is tested.
"""

from fractions import Fraction as F
from math import exp, log, sqrt
from typing import Any

CASES: list[dict[str, Any]] = [
    {
        "id": "S01", "source": "OpenRLHF/OpenRLHF#924", "topic": "REINFORCE++-baseline: which std",
        "input": {
            "scores": {"prompt_a": [1, 0], "prompt_b": [4, 0]},
            "baseline": "group mean", "whiten": "global, population",
        },
        "right": {"adv": [0.5 / sqrt(2.125), -0.5 / sqrt(2.125), 2 / sqrt(2.125), -2 / sqrt(2.125)]},
        "wrong": {"adv": [1, -1, 1, -1]},
    },
    {
        "id": "S02", "source": "unslothai/unsloth#2292", "topic": "second pass over a batch: logp - logp.detach()",
        "input": {
            "prob_now": ["3/5", "2/5"], "prob_at_rollout": ["1/2", "1/2"], "A": [1, -1], "epsilon": "3/10",
        },
        "right": {"coef_1": ["6/5", "4/5"], "loss": "-1/5"},
        "wrong": {"coef_1": ["1", "1"], "loss": "0"},
    },
    {
        "id": "S03", "source": "verl-project/verl#1233", "topic": "seq-mean-token-sum divides by the length",
        "input": {"loss_mat": [[1, 2, 3, 9], [4, 5, 9, 9]], "response_mask": [[1, 1, 1, 0], [1, 1, 0, 0]]},
        "right": {"seq-mean-token-sum": "15/2"},
        "wrong": {"seq-mean-token-sum": "13/4"},
    },
    {
        "id": "S04", "source": "alibaba/ROLL#444", "topic": "agg_loss token-mean: numerator not masked",
        "input": {"loss_mat": [[1.0, 100.0], [1.0, -50.0]], "loss_mask": [[1, 0], [1, 0]], "batch_num_tokens": 2},
        "right": {"token-mean": 1.0},
        "wrong": {"token-mean": 26.0},
    },
    {
        "id": "S05", "source": "huggingface/trl#463", "topic": "sign of the KL term in the reward",
        "input": {"score": 1, "logprobs": [-1.0, -0.5, -2.0], "ref_logprobs": [-1.25, -0.25, -2.5], "kl_coef": 0.1},
        "right": {"rlhf_reward": 0.95},
        "wrong": {"rlhf_reward": 1.05},
    },
    {
        "id": "S06", "source": "marin-community/marin#5676", "topic": "entropy averaged over padding",
        "input": {"dist": [["1/2", "1/2"], ["1/4", "3/4"], ["1", "0"]], "loss_mask": [1, 1, 0]},
        "right": {"mean_entropy": (log(2) + log(4) - 0.75 * log(3)) / 2},
        "wrong": {"mean_entropy": (log(2) + log(4) - 0.75 * log(3)) / 3},
    },
    {
        "id": "S07", "source": "THUDM/slime#1611", "topic": "clip bounds exchanged",
        "input": {"ratio": [1.25, 0.75], "advantages": [1, -1], "eps_clip": 0.2, "eps_clip_high": 0.28},
        "right": {"pg_obj": [1.25, -0.8]},
        "wrong": {"pg_obj": [1.2, -0.75]},
    },
    {
        "id": "S08", "source": "huggingface/trl#7068", "topic": "share of zero-variance groups read off the batch std",
        "input": {"rewards": [1, 1, 1, 0, 0, 0, 1, 0], "num_generations": 2},
        "right": {"frac_reward_zero_std": 0.5},
        "wrong": {"frac_reward_zero_std": 0.0},
    },
    {
        "id": "S09", "source": "rllm-org/rllm#917", "topic": "a single rollout minus its own mean",
        "input": {"rewards": [[2], [0.5]], "n": 1},
        "right": {"centered_with_zero_baseline": [[2], [0.5]]},
        "wrong": {"centered_with_group_mean": [[0], [0]]},
    },
    {
        "id": "S10", "source": "walkinglabs/hands-on-modern-rl#75", "topic": "sequence_logprob is summed before exp",
        "input": {"new_logprobs": [[-1.0, -0.5], [-2.0]], "old_logprobs": [[-1.25, -0.375], [-1.5]]},
        "right": {"token_ratios": [[exp(0.25), exp(-0.125)], [exp(-0.5)]]},
        "wrong": {"ratios": [exp(0.125), exp(-0.5)]},
    },
    {
        "id": "S11", "source": "ServiceNow/Fast-LLM#544", "topic": "GSPO: once per document or once per token",
        "input": {"seq_ratio": ["11/10", "9/10"], "adv": [1, -1], "num_labels": [2, 6], "epsilon": "1/5"},
        "right": {"loss_per_document": "-1/10"},
        "wrong": {"loss_per_token": "2/5"},
    },
    {
        "id": "S12", "source": "PrimeIntellect-ai/prime-rl#2401", "topic": "IcePop drops, it does not clip",
        "input": {"importance_ratio": ["1/8", "1", "8", "3/2"], "icepop_ratio_low": "1/5", "icepop_ratio_high": "5"},
        "right": {"weight": ["0", "1", "0", "3/2"]},
        "wrong": {"weight": ["1/5", "1", "5", "3/2"]},
    },
    {
        "id": "S13", "source": "huggingface/trl#5026", "topic": "scale_rewards='mean' (MaxRL) against std",
        "input": {"rewards": [1, 0, 0, 0], "scale_rewards": "mean", "eps": 0},
        "right": {"advantages": [3, -1, -1, -1]},
        "wrong": {"advantages": [1.5, -0.5, -0.5, -0.5]},
    },
    {
        "id": "S14", "source": "huggingface/trl#2562", "topic": "token-level and sequence-level KL penalty",
        "input": {"kl": [[0.1, 0.3], [0.2]], "scores": [1, 0], "kl_coef": 0.5},
        "right": {"sequence_level": [0.8, -0.1], "token_level": [0.8, -0.1]},
        "wrong": {"token_mean": [0.9, -0.1]},
    },
    {
        "id": "S15", "source": "verl-project/verl#4852", "topic": "token count taken before rejection masks tokens",
        "input": {"losses": [[2, 4], [6, 8]], "mask": [[1, 1], [1, 1]], "rejection_mask": [[1, 0], [1, 1]]},
        "right": {"loss": str(F(16, 3))},
        "wrong": {"loss": "4"},
    },
]
