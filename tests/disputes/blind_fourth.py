"""Twenty disputes written after the search had been built, to see how far it carries: other threads, other manners.

Records of rollouts, keys in other languages' words, values in texts, several numbers in a table; plain arithmetic.
"""

from math import exp, log, sqrt
from typing import Any

CASES: list[dict[str, Any]] = [
    {
        "id": "V01", "source": "hill-a/stable-baselines#447", "topic": "is the probability ratio upside down",
        "input": {"old_neglog_pac": [0.5, 2.0, 1.0], "neglogpac": [0.25, 2.5, 1.0]},
        "right": {"r_t": [exp(0.25), exp(-0.5), 1.0]},
        "wrong": {"r_t": [exp(-0.25), exp(0.5), 1.0]},
    },
    {
        "id": "V02", "source": "verl-project/verl#2776",
        "topic": "token mean over the batch or within each prompt first",
        "input": {"losses_by_prompt": {"p1": [[1, 1], [4]], "p2": [[2, 2, 2, 2], [6, 6]]}},
        "right": {"batch_token_mean": "26/9"},
        "wrong": {"prompt_mean_of_token_means": "8/3"},
    },
    {
        "id": "V03", "source": "areal-project/AReaL#201",
        "topic": "log-probs recomputed with the weights that are trained",
        "input": {
            "rollouts": [
                {"logp_theta": -0.5, "logp_behave": -0.75, "adv": 1},
                {"logp_theta": -1.0, "logp_behave": -0.5, "adv": -2},
            ],
            "eps": 0.5,
        },
        "right": {"ratio": [exp(0.25), exp(-0.5)]},
        "wrong": {"ratio": [1, 1]},
    },
    {
        "id": "V04", "source": "natolambert/rlhf-book#488", "topic": "the frozen reference in the importance ratio",
        "input": {"cur_logp": [-1.0], "old_policy_logp": [-1.25], "frozen_reference_logp": [-0.5]},
        "right": {"importance_ratio": [exp(0.25)]},
        "wrong": {"importance_ratio": [exp(-0.5)]},
    },
    {
        "id": "V05", "source": "huggingface/trl#2995", "topic": "loss at beta 0 on the first step",
        "input": {"adv": [3, -1, -2], "n_tok": [1, 2, 3], "rho": 1},
        "right": {"sequence_normalised": "0"},
        "wrong": {"globally_normalised": "5/6"},
    },
    {
        "id": "V06", "source": "NovaSky-AI/SkyRL#133", "topic": "seq_mean_token_sum_norm: which length",
        "input": {"loss": [[2, 2], [1, 1, 1, 1]], "max_seq_len": 8, "loss_reduction": "seq_mean_token_sum_norm"},
        "right": {"reduced": "1/2"},
        "wrong": {"reduced": "1"},
    },
    {
        "id": "V07", "source": "PrimeIntellect-ai/prime-rl#1329", "topic": "clamped ratios counted on padding too",
        "input": {"log_ratio": [[25.0, 1.0, 30.0]], "loss_mask": [[1, 1, 0]], "clamp": 20},
        "right": {"clamped_share": "1/2"},
        "wrong": {"clamped_share": "1"},
    },
    {
        "id": "V08", "source": "huggingface/trl#5619",
        "topic": "is the normaliser's count per process or of all of them",
        "input": {"device_losses": [[[1, 3]], [[2, 2, 2, 8]]], "num_processes": 2},
        "right": {"loss": "3"},
        "wrong": {"loss": "11/4"},
    },
    {
        "id": "V09", "source": "open-thought/tiny-grpo#7", "topic": "KL in the loss: subtract or add",
        "input": {"policy_loss": "-1/4", "token_kl": ["1/10", "3/10"], "kl_weight": "1/2"},
        "right": {"total": "-3/20"},
        "wrong": {"total": "-7/20"},
    },
    {
        "id": "V10", "source": "minosvasilias, huggingface/trl#3138", "topic": "Dr. GRPO without dividing by the batch",
        "input": {"per_token_loss": [[1, 2], [3, 4, 5]], "max_completion_length": 6},
        "right": {"loss": "5/4"},
        "wrong": {"loss": "5/2"},
    },
    {
        "id": "V11", "source": "RLinf/RLinf#1529", "topic": "share of clipped updates looked for after clipping",
        "input": {"ratios": [0.5, 1.0, 1.5, 2.0], "advantages": [-1, 1, 1, -1], "epsilon": 0.2},
        "right": {"clipped": 0.5},
        "wrong": {"clipped": 0.0},
    },
    {
        "id": "V12", "source": "OpenRLHF/OpenRLHF#830", "topic": "mean and std of the same problem, or of the batch",
        "input": {"batch": [{"problem": "a", "score": 1}, {"problem": "a", "score": 0},
                            {"problem": "b", "score": 1}, {"problem": "b", "score": 1}], "std": "population"},
        "right": {"batch_normalised": [1 / sqrt(3), -sqrt(3), 1 / sqrt(3), 1 / sqrt(3)]},
        "wrong": {"problem_normalised": [1, -1, 0, 0]},
    },
    {
        "id": "V13", "source": "teilomillet/textpolicy#7", "topic": "length penalty: scale of the ramp",
        "input": {"sequence_length": [80, 95, 120], "max_length": 100, "cache_length": 20},
        "right": {"penalty": ["0", "-3/4", "-1"]},
        "wrong": {"penalty": ["0", "-3/8", "-1/2"]},
    },
    {
        "id": "V14", "source": "openai/spinningup#137", "topic": "approximate KL may be negative",
        "input": {"logp_old": [-1.0, -2.0], "logp": [-0.5, -1.75]},
        "right": {"approx_kl": -0.375},
        "wrong": {"approx_kl": 0.375},
    },
    {
        "id": "V15", "source": "EazyReal, radixark/miles#1345", "topic": "scored at temperature 1, sampled at 2",
        "input": {"scores": ["log(9)", "0"], "rollout_temperature": 2},
        "right": {"sampled_with": ["3/4", "1/4"]},
        "wrong": {"scored_with": ["9/10", "1/10"]},
    },
    {
        "id": "V16", "source": "pytorch/rl#4213", "topic": "decoupled objective: weight of the behaviour policy",
        "input": {"pi_theta": ["3/5"], "pi_prox": ["1/2"], "pi_behav": ["2/5"], "A": ["1"], "eps": "1/10"},
        "right": {"objective": ["11/8"]},
        "wrong": {"objective": ["11/10"]},
    },
    {
        "id": "V17", "source": "NVIDIA-NeMo/RL#3794", "topic": "mean reward after dynamic sampling: kept or all",
        "input": {"rewards": [[1, 1], [1, 0], [0, 0], [1, 0]]},
        "right": {"mean_reward": "1/2", "share_of_mixed_groups": "1/2"},
        "wrong": {"share_of_mixed_groups": "1"},
    },
    {
        "id": "V18", "source": "linkedin/Liger-Kernel#1320", "topic": "GMPO bounds: exp(+-eps) or 1 +- eps",
        "input": {"log_w": [["1/2", "0"]], "adv": [1], "eps_low": "2/5", "eps_high": "2/5"},
        "right": {"geo": [exp(0.2)]},
        "wrong": {"geo": [exp(log(1.4) / 2)]},
    },
    {
        "id": "V19", "source": "huggingface/trl#1161", "topic": "kl_penalty='full' against the sampled one",
        "input": {"policy_dist": ["1/2", "1/4", "1/4"], "ref_dist": ["1/4", "1/4", "1/2"], "sampled": [2]},
        "right": {"full_kl": "log(2)/4"},
        "wrong": {"sampled_kl": "-log(2)"},
    },
    {
        "id": "V20", "source": "MorvanZhou/Reinforcement-learning-with-tensorflow#65",
        "topic": "the first pass has ratio 1, and still a gradient",
        "input": {"prob": ["1/2", "1/4"], "oldprob": ["1/2", "1/4"], "advantage": [2, -1], "epsilon": "1/5"},
        "right": {"ratio": ["1", "1"], "d_objective_d_ratio": ["1", "-1/2"]},
        "wrong": {"d_objective_d_ratio": ["0", "0"]},
    },
]
