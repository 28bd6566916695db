"""Eighteen disputes of public trackers, written without a look at how disputes are settled, and twelve variations.

A source such as verl-project/verl#593 is https://github.com/verl-project/verl/issues/593; the inputs are made up. Each
number is worked out by hand or by the few lines here; nothing imports what it tests. At first contact the first
eighteen came to 6 settled, 1 settled by a coincidence (Y15: a slope that happens to equal a term), 2 wrongly told to
differ (Y03, Y04: a method and a key that were not known), 8 undecided and 1 refused.
"""

from math import log, sqrt
from typing import Any


def normalised(values: list[float], lost: int) -> list[float]:
    centre = sum(values) / len(values)
    deviation = sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - lost))
    return [(value - centre) / deviation for value in values]


def added(weights: list[float], rows: list[list[float]]) -> list[float]:
    return [
        sum(weight * value for weight, value in zip(weights, column, strict=True)) for column in zip(*rows, strict=True)
    ]


RIGHT, FORM, WEIGHTS = [1.0, 1.0, 0.0, 0.0], [3.0, 0.0, 0.0, 1.0], [1.0, 0.5]
P, Q = [1 / 2, 1 / 4, 1 / 4], [1 / 4, 5 / 8, 1 / 8]
LOGS = [log(a / b) for a, b in zip(P, Q, strict=True)]
# pi = 3/5, 1/5, 1/5 and ref = 2/5, 2/5, 1/5: the log ratios are log(3/2), -log(2), 0.
KL = 0.6 * log(1.5) - 0.2 * log(2)
REVERSE = [0.6 * (log(1.5) - KL), 0.2 * (-log(2) - KL), -0.2 * KL]

CASES: list[dict[str, Any]] = [
    {
        "id": "Y01", "source": "verl-project/verl#593",
        "topic": "aggregation: token mean against mean of sequence means",
        "question": "The loss averaged within each response first, and by one masked mean over all tokens?",
        "input": {"token_losses": [[1, 3, 2, 9], [7, 5, 4, 8]], "mask": [[1, 1, 1, 0], [1, 0, 0, 0]]},
        "right": {"sequence_mean": "9/2"},
        "wrong": {"token_mean": "13/4"},
    },
    {
        "id": "Y02", "source": "Tencent-Hunyuan/UniRL#448", "topic": "masks: masked tokens stay in the divisor",
        "question": "Is the masked sum of token losses divided by the tokens that are kept, or by the packed length?",
        "input": {"per_token_loss": [2, 6, 1, 7, 5, 3], "loss_mask": [1, 1, 0, 1, 0, 1]},
        "right": {"loss": "9/2"},
        "wrong": {"loss": "3"},
    },
    {
        "id": "Y03", "source": "hiyouga/EasyR1#585", "topic": "advantage: pass@k keeps only the best response",
        "question": "The best gets its reward less the second best, the others 0: what if the others keep theirs?",
        "input": {"G": 4, "rewards": ["1/4", "1", "1/2", "0"]},
        "right": {"advantages": ["0", "1/2", "0", "0"]},
        "wrong": {"advantages": ["1/4", "1/2", "1/2", "0"]},
    },
    {
        "id": "Y04", "source": "areal-project/AReaL#1419",
        "topic": "advantage: a partial group shifts the fixed stride",
        "question": "A response of prompt a is lost: are means taken over the prompts, or over every four rows?",
        "input": {
            "rewards": ["1", "0", "1", "0", "0", "1", "1", "1"], "prompt_ids": ["a", "a", "a", "b", "b", "b", "b", "c"],
            "group_size": 4, "advantage": "mean-centred, no std",
        },
        "right": {"advantages": ["1/3", "-2/3", "1/3", "-1/2", "-1/2", "1/2", "1/2", "0"]},
        "wrong": {"advantages": ["1/2", "-1/2", "1/2", "-1/2", "-3/4", "1/4", "1/4", "1/4"]},
    },
    {
        "id": "Y05", "source": "OpenRLHF/OpenRLHF#842", "topic": "advantage: discount below 1 in GRPO",
        "question": "With a discount, is the advantage of every token still the group-relative one?",
        "input": {"rewards": [1, 0], "lengths": [3, 2], "gamma": "9/10", "advantage": "mean-centred, no std"},
        "right": {"token_advantages": [["1/2", "1/2", "1/2"], ["-1/2", "-1/2"]]},
        "wrong": {"token_advantages": [["81/200", "9/20", "1/2"], ["-9/20", "-1/2"]]},
    },
    {
        "id": "Y06", "source": "huggingface/trl#4785", "topic": "rewards: normalise each, then sum; or the other way",
        "question": "What are the advantages when each function is normalised in its group before the weighted sum?",
        "input": {
            "rewards_per_func": [[1, 1, 0, 0], [3, 0, 0, 1]], "reward_weights": ["1", "1/2"], "ddof": 1, "eps_std": 0,
        },
        "right": {"normalize_then_sum": added(WEIGHTS, [normalised(RIGHT, 1), normalised(FORM, 1)])},
        "wrong": {"sum_then_normalize": normalised(added(WEIGHTS, [RIGHT, FORM]), 1)},
    },
    {
        "id": "Y07", "source": "THUDM/slime#657",
        "topic": "masks: rejected tokens in the divisor of the masked importance sampling loss",
        "question": "Tokens whose weight leaves the band are rejected: is the sum divided by those kept, or by all?",
        "input": {
            "importance_weights": ["11/10", "1/5", "9/4", "1/100", "27/20"], "lower": "1/2", "upper": "2",
            "token_losses": [1, 1, 1, 1, 1],
        },
        "right": {"pg_loss": "49/40"},
        "wrong": {"pg_loss": "49/100"},
    },
    {
        "id": "Y08", "source": "huggingface/trl#3434", "topic": "clipping: a cap delta for negative advantages",
        "question": "What do the surrogate and its slope become when the ratio is capped at delta first?",
        "input": {"eps": "1/5", "delta": 4, "A": -1, "ratios": ["10", "1/2", "3"]},
        "right": {"surrogate": ["-4", "-4/5", "-3"], "d_dr": ["0", "0", "-1"]},
        "wrong": {"surrogate": ["-10", "-4/5", "-3"], "d_dr": ["-1", "0", "-1"]},
    },
    {
        "id": "Y09", "source": "radixark/miles#1328", "topic": "aggregation: the constant divisor of Dr. GRPO",
        "question": "What is the masked sum over the maximum length, and with a divisor that stands in the code?",
        "input": {"per_token_loss": [1, 2, 3, 5], "loss_mask": [1, 1, 1, 0], "max_length": 8, "fixed_divisor": 1000},
        "right": {"loss": "3/4"},
        "wrong": {"loss": "3/500"},
    },
    {
        "id": "Y10", "source": "allenai/open-instruct#1735", "topic": "clipping: clip fraction of CISPO",
        "question": "What fraction of tokens is capped, and what does a comparison of two equal losses report?",
        "input": {
            "eps_high": "1/4", "loss": "cispo",
            "tokens": [{"r": "1/2", "A": 1}, {"r": "3/2", "A": 1}, {"r": "2", "A": -1}, {"r": "1", "A": 1}],
        },
        "right": {"clip_fraction": "1/2"},
        "wrong": {"clip_fraction": "0"},
    },
    {
        "id": "Y11", "source": "NVIDIA-NeMo/RL#3753", "topic": "metric: a sequence ratio spread over the batch",
        "question": "What is the mean ratio, and what does the sum over the B by B table, divided by B, report?",
        "input": {"sequence_ratios": ["6/5", "3/5"], "sample_mask": [1, 1]},
        "right": {"mean_ratio": "9/10"},
        "wrong": {"mean_ratio": "9/5"},
    },
    {
        "id": "Y12", "source": "one-covenant/grail#42", "topic": "KL: squared log ratio in place of the divergence",
        "question": "Is the mean of the squared log ratio under pi the divergence from the reference?",
        "input": {"pi": ["1/2", "1/4", "1/4"], "ref": ["1/4", "5/8", "1/8"]},
        "right": {"KL": added(P, [[x] for x in LOGS])[0]},
        "wrong": {"mean_squared_log_ratio": added(P, [[x * x] for x in LOGS])[0]},
    },
    {
        "id": "Y13", "source": "PrimeIntellect-ai/prime-rl#583",
        "topic": "gradient accumulation: each micro batch divided by its own tokens",
        "question": "What is the token mean of the batch, and what is the mean of the micro batches' token means?",
        "input": {"micro_batches": [[4, 2], [1, 1, 1, 3]]},
        "right": {"batch_loss": "2"},
        "wrong": {"batch_loss": "9/4"},
    },
    {
        "id": "Y14", "source": "KMnO4-zx/agentic-rl-lab#22", "topic": "CISPO: sign of the loss",
        "question": "What is minus the clipped weight times advantage times log probability, and without the sign?",
        "input": {
            "ratios": ["3/2", "4/5"], "advantages": ["2", "-1"], "log_probs": ["-1", "-2"], "eps_low": "1/4",
            "eps_high": "1/4",
        },
        "right": {"cispo_loss": "9/20"},
        "wrong": {"cispo_loss": "-9/20"},
    },
    {
        "id": "Y15", "source": "opendilab/PPOxFamily#95", "topic": "dual clip: a constant below 1",
        "question": "What bounds the surrogate when the constant is 1/3 in place of 3?",
        "input": {"eps": "1/5", "A": -1, "ratios": ["1/2", "2", "6"], "c": 3},
        "right": {"surrogate": ["-4/5", "-2", "-3"], "d_dr": ["0", "-1", "0"]},
        "wrong": {"surrogate": ["-1/3", "-1/3", "-1/3"], "d_dr": ["0", "0", "0"]},
    },
    {
        "id": "Y16", "source": "axon-rl/gem#113",
        "topic": "advantage: normalised within groups and again over the batch",
        "question": "What does a second normalisation over all rows make of mean-centred advantages?",
        "input": {
            "groups": [[1, 0, 0, 0], [1, 1, 0, 0]], "ddof": 1, "eps_std": 0, "advantage": "mean-centred, no std",
        },
        "right": {"advantages": ["3/4", "-1/4", "-1/4", "-1/4", "1/2", "1/2", "-1/2", "-1/2"]},
        "wrong": {"advantages": ["3/2", "-1/2", "-1/2", "-1/2", "1", "1", "-1", "-1"]},
    },
    {
        "id": "Y17", "source": "THUDM/slime#1247", "topic": "KL in the reward: the coefficient is not applied",
        "question": "Is the return of a token the reward less kl_coef times its KL, or the reward alone?",
        "input": {"rewards": ["1", "-1"], "kl": [["1/2", "1/4"], ["1/5"]], "kl_coef": "1/10"},
        "right": {"returns": [["19/20", "39/40"], ["-51/50"]]},
        "wrong": {"returns": [["1", "1"], ["-1"]]},
    },
    {
        "id": "Y18", "source": "huggingface/trl#4637",
        "topic": "KL: k3 under stale sampling with and without the ratio",
        "question": "Is the expected gradient of (pi/old) k3 that of the divergence, and what is that of k3 alone?",
        "input": {
            "pi": ["3/5", "1/5", "1/5"], "ref": ["2/5", "2/5", "1/5"], "old": ["1/3", "1/3", "1/3"],
            "policy": "softmax logits",
        },
        "right": {"grad_reverse_KL": REVERSE, "off_policy_weighted_k3": REVERSE},
        "wrong": {"off_policy_k3": ["11/45", "-13/45", "2/45"], "detached_weight_k3": ["1/5", "-1/5", "0"]},
    },
]  # fmt: skip

VARIATIONS: list[dict[str, Any]] = [
    {
        "id": "Z01", "topic": "packed tokens: what stands below the line",
        "input": {"token_losses": ["1/2", "3", "5/2", "4"], "valid": [1, 0, 1, 0]},
        "right": {"token_mean": "3/2"},
        "wrong": {"packed": "3/4"},
    },
    {
        "id": "Z02", "topic": "Dr. GRPO: another constant",
        "input": {"losses": [[1, 2], [3, 4, 5]], "max_completion_length": 16, "divisor_used": 12},
        "right": {"loss": "15/32"},
        "wrong": {"loss": "5/8"},
    },
    {
        "id": "Z03", "topic": "advantage: rows of two prompts in turn, cut off by threes",
        "input": {"rewards": [1, 0, 3, 2, 5], "prompt_idx": [0, 1, 0, 1, 0], "num_generations": 3, "ddof": 1},
        "right": {"advantages": [-1.0, -sqrt(0.5), 0.0, sqrt(0.5), 1.0]},
        "wrong": {"advantages": [*normalised([1.0, 0.0, 3.0], 1), -sqrt(0.5), sqrt(0.5)]},
    },
    {
        "id": "Z04", "topic": "GRPO_PASSK over two prompts",
        "input": {"rewards": [[3, 1, 2], [0, 5, 1]]},
        "right": {"advantages": [[1, 0, 0], [0, 4, 0]]},
        "wrong": {"advantages": [[1, 1, 2], [0, 4, 1]]},
    },
    {
        "id": "Z05", "topic": "leave-one-out: the advantage is discounted over the tokens",
        "input": {
            "rewards": [2, 0, 1], "completion_lengths": [2, 1, 3], "discount": "1/2", "advantage": "leave-one-out",
        },
        "right": {"token_advantages": [["3/2", "3/2"], ["-3/2"], ["0", "0", "0"]]},
        "wrong": {"token_advantages": [["3/4", "3/2"], ["-3/2"], ["0", "0", "0"]]},
    },
    {
        "id": "Z06", "topic": "IcePop: by which tokens the loss is divided",
        "input": {
            "ratios": ["1/4", "3/4", "3/2", "6"], "ratio_low": "1/2", "ratio_high": "5", "token_losses": [2, 2, 4, 8],
            "loss_mask": [1, 1, 1, 1],
        },
        "right": {"loss": "15/8"},
        "wrong": {"loss": "15/4"},
    },
    {
        "id": "Z07", "topic": "CISPO: which tokens are capped",
        "input": {"clip_ratio_high": "1/2", "ratios": ["2", "1/10", "8/5", "1", "3"], "advantages": [1, -1, -1, 1, 1]},
        "right": {"capped_fraction": "3/5"},
        "wrong": {"capped_fraction": "2/5"},
    },
    {
        "id": "Z08", "topic": "metric over the valid samples",
        "input": {"importance_ratio": ["3/2", "1/2", "4"], "valid_mask": [1, 1, 0]},
        "right": {"mean_ratio": "1"},
        "wrong": {"mean_ratio": "6"},
    },
    {
        "id": "Z09", "topic": "k2 without the half",
        "input": {"log_ratios": ["1/2", "-1", "1/4"]},
        "right": {"k2_mean": "7/32"},
        "wrong": {"squared_log_ratio": "7/16"},
    },
    {
        "id": "Z10", "topic": "dual clip: the constant of the code is below 1",
        "input": {"eps": "1/5", "A": -2, "ratios": ["1/2", "3/2", "5"], "dual_clip": 3, "dual_clip_used": "1/2"},
        "right": {"surrogate": ["-8/5", "-3", "-6"]},
        "wrong": {"surrogate": ["-1", "-1", "-1"]},
    },
    {
        "id": "Z11", "topic": "CISPO: its sign, from log probabilities",
        "input": {
            "logp": ["log(3/4)", "log(1/2)"], "old_logp": ["log(1/2)", "log(1/2)"], "advantages": ["3", "-1"],
            "eps_high": "1/5",
        },
        "right": {"cispo_loss": -(1.2 * 3 * log(0.75) + log(2)) / 2},
        "wrong": {"cispo_loss": (1.2 * 3 * log(0.75) + log(2)) / 2},
    },
    {
        "id": "Z12", "topic": "a penalty on the reward of each token",
        "input": {"rewards": ["3", "0"], "token_kl": [["1"], ["1/2", "1"]], "beta": "1/5"},
        "right": {"token_rewards": [["14/5"], ["-1/10", "-1/5"]]},
        "wrong": {"token_rewards": [["3"], ["0", "0"]]},
    },
]  # fmt: skip
