"""Twelve disputes written last, after everything was mended that the other batches had shown.

Once more of other threads, or of the manner of other people; plain arithmetic, nothing of what is tested.
"""

from math import exp, log, sqrt
from typing import Any

CASES: list[dict[str, Any]] = [
    {
        "id": "W01", "source": "allenai/open-instruct#534", "topic": "kl4: k1 times the ratio, and its gradient's mean",
        "input": {"policy": ["3/4", "1/4"], "reference": ["1/2", "1/2"], "behaviour": ["1/2", "1/2"]},
        "right": {"weighted_k1": 0.75 * log(1.5) + 0.25 * log(0.5)},
        "wrong": {"unweighted_k1": (log(1.5) + log(0.5)) / 2},
    },
    {
        "id": "W02", "source": "modelscope/ms-swift#8123",
        "topic": "GDPO: each reward function normalised with its own std",
        "input": {"rewards_per_func": [[1, 0, 1, 0], [4, 4, 0, 0]], "reward_weights": [1, "1/2"], "std": "population"},
        "right": {"gdpo": [1.5, -0.5, 0.5, -1.5]},
        "wrong": {"summed_first": [x / sqrt(1.25) for x in (1.5, 0.5, -0.5, -1.5)]},
    },
    {
        "id": "W03", "source": "areal-project/AReaL#1061", "topic": "token filter by the importance ratio",
        "input": {"is_ratio": [0.25, 0.75, 3.0], "adv": [2, 2, 2], "keep_between": {"low": 0.5, "high": 2.0}},
        "right": {"weights": [0, 0.75, 0]},
        "wrong": {"weights": [0.5, 0.75, 2.0]},
    },
    {
        "id": "W04", "source": "volcengine/verl, entropy of padded batch", "topic": "entropy term summed or averaged",
        "input": {"actor_loss": 1.0, "token_entropies": [0.5, 1.5], "entropy_weight": 0.25},
        "right": {"loss": 0.75},
        "wrong": {"loss": 0.5},
    },
    {
        "id": "W05", "source": "hkust-nlp/Laser#4", "topic": "the KL penalty is applied twice",
        "input": {"reward": 2, "logp": [-1, -2], "ref_logp": [-2, "-5/2"], "beta": "1/10"},
        "right": {"penalised_reward": "37/20"},
        "wrong": {"penalised_reward": "17/10"},
    },
    {
        "id": "W06", "source": "thu-ml/tianshou#433", "topic": "dual clip when the ratio explodes",
        "input": {"samples": [{"rho": "9", "adv": -2}, {"rho": "1/2", "adv": 4}], "eps": "1/5", "dual": "3"},
        "right": {"terms": ["-6", "2"]},
        "wrong": {"terms": ["-18", "2"]},
    },
    {
        "id": "W07", "source": "lqtrung1998/mwp_ReFT#40", "topic": "sampled KL against the sum over the vocabulary",
        "input": {"model_probs": ["1/2", "1/2"], "ref_model_probs": ["1/8", "7/8"]},
        "right": {"kl_over_vocabulary": log(4) / 2 + log(4 / 7) / 2},
        "wrong": {"reverse_direction": log(0.25) / 8 + 7 * log(1.75) / 8},
    },
    {
        "id": "W08", "source": "pytorch/torchtitan#1803", "topic": "average of per-rank means with unequal tokens",
        "input": {"rank0": [1.0, 1.0, 4.0], "rank1": [8.0]},
        "right": {"global": 3.5},
        "wrong": {"average_of_ranks": 5.0},
    },
    {
        "id": "W09", "source": "radixark/miles#1343", "topic": "REINFORCE: -A log pi per token",
        "input": {"log_pi": [-0.25, -1.5], "advantage": [2, -1]},
        "right": {"loss_terms": [0.5, -1.5]},
        "wrong": {"loss_terms": [-0.5, 1.5]},
    },
    {
        "id": "W10", "source": "OpenRLHF/OpenRLHF#924", "topic": "rloo with a group of three",
        "input": {"reward_group": ["1/2", "1", "0"]},
        "right": {"rloo_advantage": ["0", "3/4", "-3/4"]},
        "wrong": {"grpo_without_std": ["0", "1/2", "-1/2"]},
    },
    {
        "id": "W11", "source": "Tencent-Hunyuan/UniRL#178", "topic": "GSPO loss: one ratio per sequence",
        "input": {
            "new_logp": [[-0.5, -0.5], [-1.0]], "old_logp": [[-0.75, -0.65], [-0.9]], "adv": [1, -1], "epsilon": 0.5,
        },
        "right": {"loss": -(exp(0.2) - exp(-0.1)) / 2},
        "wrong": {"loss": -(exp(0.4) - exp(-0.1)) / 2},
    },
    {
        "id": "W12", "source": "verl-project/verl#3635", "topic": "std of a constant group",
        "input": {"rewards": [["1/3", "1/3", "1/3"], [1, 0, 1]], "epsilon": "1/100"},
        "right": {"advantages": [0, 0, 0, (1 / 3) / (sqrt(2) / 3 + 0.01), (-2 / 3) / (sqrt(2) / 3 + 0.01),
                                 (1 / 3) / (sqrt(2) / 3 + 0.01)]},
        "wrong": {"advantages": [0, 0, 0, (1 / 3) / (sqrt(3) / 3 + 0.01), (-2 / 3) / (sqrt(3) / 3 + 0.01),
                                 (1 / 3) / (sqrt(3) / 3 + 0.01)]},
    },
]
