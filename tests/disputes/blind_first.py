"""Twenty-five disputes from public threads, written before the words of the catalogue were read.

The numbers are plain arithmetic of this page: fractions where the answer is rational, the standard library where it is
not. Nothing here imports what it tests.
"""

from fractions import Fraction as F
from math import exp, log
from statistics import fmean, pstdev, stdev
from typing import Any


def s(values: Any) -> Any:
    """Fractions as strings, list by list."""
    return [s(value) for value in values] if isinstance(values, list) else str(values)


def log_softmax(z: list[float]) -> list[float]:
    top = log(sum(exp(x) for x in z))
    return [x - top for x in z]


def k3(d: float) -> float:
    """Of d = log policy - log reference."""
    return exp(-d) - 1 + d


FLAT = [1, 0, 0, 0, 1, 1, 0, 1]
CENTRED = [F(3, 4), F(-1, 4), F(-1, 4), F(-1, 4), F(1, 4), F(1, 4), F(-3, 4), F(1, 4)]
TWO = [[2.0, 1.0, 0.0], [5.0, 5.0, 2.0]]
OTHERS = [3.0, 1.0, 2.0, 6.0]
OTHERS_OF = [[x for j, x in enumerate(OTHERS) if j != i] for i in range(4)]
FIRST, SECOND = [1.0, 0.0, 1.0, 0.0], [0.2, 0.4, 0.9, 0.5]
SUMMED = [a + b for a, b in zip(FIRST, SECOND, strict=True)]


def standard(x: list[float]) -> list[float]:
    return [(value - fmean(x)) / stdev(x) for value in x]


CASES: list[dict[str, Any]] = [
    {
        "id": "F01", "source": "huggingface/trl#3991",
        "topic": "advantage normalisation: scale_rewards='batch' computed per group",
        "question": "With scale_rewards set to batch, over what are the rewards' deviations taken?",
        "input": {"rewards": FLAT, "num_generations": 4, "scale_rewards": "batch", "ddof": 1, "eps": 0},
        "right": {"advantages": [float(c) / stdev(FLAT) for c in CENTRED]},
        "wrong": {"advantages": [float(c) / 0.5 for c in CENTRED]},
    },
    {
        "id": "F02", "source": "XU-YIJIE/grpo-flat#2",
        "topic": "advantage: statistics over the whole batch instead of each prompt's samples",
        "question": "Are mean and std taken over the outputs of one prompt?",
        "input": {"rewards": TWO, "epsilon": "1/10000", "std": "unbiased"},
        "right": {"per_prompt": [[(x - fmean(g)) / (stdev(g) + 1e-4) for x in g] for g in TWO]},
        "wrong": {"whole_batch": [[(x - 2.5) / (stdev([*TWO[0], *TWO[1]]) + 1e-4) for x in g] for g in TWO]},
    },
    {
        "id": "F03", "source": "huggingface/trl#6369",
        "topic": "loss denominator ignores mask_truncated_completions",
        "question": "Do the tokens of a truncated completion count below the line when they do not count above?",
        "input": {"per_token_loss": [[1, 2], [3, 4, 5], [6]], "truncated": [False, True, False], "loss_type": "dapo"},
        "right": {"loss": "3"},
        "wrong": {"loss": "3/2"},
    },
    {
        "id": "F04", "source": "huggingface/trl#6024",
        "topic": "token normaliser counted over the generation batch instead of the accumulation window",
        "question": "By which token count is the loss of one optimizer step divided?",
        "input": {
            "micro_batches": [[1, 2], [3], [4, 5, 6], [7]],
            "steps_per_generation": 4, "gradient_accumulation_steps": 2,
        },
        "right": {"accumulated_loss_first_step": "2"},
        "wrong": {"accumulated_loss_first_step": str(F(6, 7))},
    },
    {
        "id": "F05", "source": "modelscope/ms-swift#10117",
        "topic": "token-mean loss divided once more by gradient_accumulation_steps",
        "question": "Does the gradient shrink with the number of accumulation steps?",
        "input": {"token_losses": [[1, 3], [2, 4, 6]], "gradient_accumulation_steps": 2},
        "right": {"loss_of_update": "16/5"},
        "wrong": {"loss_of_update": "8/5"},
    },
    {
        "id": "F06", "source": "MakazhanAlpamys/Soup#744",
        "topic": "GSPO: likelihood ratio of a sequence without length normalisation",
        "question": "What is s_i?",
        "input": {"logp_new": [-0.5, -1.0, -0.25], "logp_old": [-0.75, -0.875, -0.75]},
        "right": {"s": exp(0.625 / 3)},
        "wrong": {"s": exp(0.625)},
    },
    {
        "id": "F07", "source": "NVIDIA-NeMo/RL#4161",
        "topic": "leave-one-out baseline with the deviation of the whole group",
        "question": "If the baseline leaves the sample out, does the std leave it out too?",
        "input": {"rewards": OTHERS, "use_leave_one_out_baseline": True, "normalize_rewards": True, "ddof": 0},
        "right": {"advantages": [(x - fmean(o)) / pstdev(o) for x, o in zip(OTHERS, OTHERS_OF, strict=True)]},
        "wrong": {"advantages": [(x - fmean(o)) / pstdev(OTHERS) for x, o in zip(OTHERS, OTHERS_OF, strict=True)]},
    },
    {
        "id": "F08", "source": "redai-studio/Relax#174",
        "topic": "RLOO: is the sample in its own baseline",
        "question": "Three of eight answers are correct: what are the RLOO advantages?",
        "input": {"K": 8, "R": [1, 1, 1, 0, 0, 0, 0, 0], "estimator": "rloo"},
        "right": {"A": s([F(5, 7)] * 3 + [F(-3, 7)] * 5)},
        "wrong": {"A": s([F(5, 8)] * 3 + [F(-3, 8)] * 5)},
    },
    {
        "id": "F09", "source": "thu-ml/tianshou#433",
        "topic": "dual clip applied to positive advantages too",
        "question": "Where the advantage is positive, does max(., c A) act?",
        "input": {"adv": [1, -1], "ratio": [0.5, 5], "eps_clip": 0.2, "dual_clip": 3},
        "right": {"surrogate": [0.5, -3]},
        "wrong": {"surrogate": [3, -3]},
    },
    {
        "id": "F10", "source": "huggingface/trl#6789",
        "topic": "importance ratio when nucleus sampling truncates the sampler's distribution",
        "question": "The weights did not change: what is the ratio, and what is it with full-vocabulary log-probs?",
        "input": {"probs": ["1/2", "3/10", "1/5"], "top_p": "4/5", "sampled": [0, 1]},
        "right": {"ratio_same_support": ["1", "1"]},
        "wrong": {"ratio_full_vocab": ["4/5", "4/5"]},
    },
    {
        "id": "F11", "source": "PrimeIntellect-ai/prime-rl#697",
        "topic": "temperature applied to log-probs instead of logits",
        "question": "What are the log-probs at temperature 1/2?",
        "input": {"logits": [1, 0, -1], "temperature": 0.5},
        "right": {"logprobs": log_softmax([2.0, 0.0, -2.0])},
        "wrong": {"logprobs": [2 * x for x in log_softmax([1.0, 0.0, -1.0])]},
    },
    {
        "id": "F12", "source": "huggingface/trl#4530",
        "topic": "rollout correction: truncate or mask, token or sequence",
        "question": "Which weights multiply the loss when the cap is 2?",
        "input": {"trainer_logps": [-1.0, -0.5], "sampler_logps": [-2.0, -0.625], "cap": 2},
        "right": {"token_truncate": [2.0, exp(0.125)]},
        "wrong": {"token_mask": [0.0, exp(0.125)], "sequence_truncate": 2.0, "sequence_mask": 0.0},
    },
    {
        "id": "F13", "source": "allenai/open-instruct#1269",
        "topic": "CISPO: the clipped ratio is detached, the log-prob carries the gradient",
        "question": "What is the per-token loss?",
        "input": {
            "new_logprobs": [-0.5, -1.25], "old_logprobs": [-1.0, -1.125], "advantages": [1, -1], "clip_higher": 0.28,
        },
        "right": {"per_token_loss": [-1.28 * -0.5, exp(-0.125) * -1.25]},
        "wrong": {"per_token_loss": [-1.28, exp(-0.125)]},
    },
    {
        "id": "F14", "source": "modelscope/ms-swift#5557",
        "topic": "soft overlong punishment: L_cache is the width of the ramp, not its start",
        "question": "What is the length reward?",
        "input": {"lengths": [90, 120, 150, 200], "L_max": 160, "L_cache": 40},
        "right": {"R_length": s([F(0), F(0), F(-30, 40), F(-1)])},
        "wrong": {"R_length": s([F(-50, 120), F(-80, 120), F(-110, 120), F(-1)])},
    },
    {
        "id": "F15", "source": "BerkinChen/AlphaSAGE#2",
        "topic": "entropy bonus with the wrong sign",
        "question": "Does a larger entropy lower the loss?",
        "input": {"pg_loss": 0.3, "entropy": [0.6, 0.2, 0.4], "entropy_coeff": 0.1},
        "right": {"total_loss": 0.26},
        "wrong": {"total_loss": 0.34},
    },
    {
        "id": "F16", "source": "areal-project/AReaL#408",
        "topic": "kl_estimator='k2' falls through to k3",
        "question": "What are the per-token penalties?",
        "input": {"log_probs": [-0.5, -1.0], "log_probs_base": [-0.75, -0.5]},
        "right": {"k1": [0.25, -0.5], "k2": [0.03125, 0.125]},
        "wrong": {"k2": [k3(0.25), k3(-0.5)]},
    },
    {
        "id": "F17", "source": "ml-explore/mlx-examples#1233",
        "topic": "k3 with policy and reference exchanged",
        "question": "Is it exp(ref - policy) or exp(policy - ref)?",
        "input": {"token_log_probs": [-1.0, -2.0, -0.5], "ref_token_log_probs": [-1.5, -1.75, -0.5]},
        "right": {"kl_div": [k3(0.5), k3(-0.25), 0.0]},
        "wrong": {"kl_div": [k3(-0.5), k3(0.25), 0.0]},
    },
    {
        "id": "F18", "source": "huggingface/trl#5773",
        "topic": "weighted sum of reward functions when all of them abstain",
        "question": "Is a completion that nobody scored worth 0?",
        "input": {"rewards_per_func": [[1, None], [0, "1/2"], [None, None]], "reward_weights": [1, 2]},
        "right": {"rewards": [1, 1, None]},
        "wrong": {"rewards": [1, 1, 0]},
    },
    {
        "id": "F19", "source": "yifan123/flow_grpo#188",
        "topic": "several rewards: normalise each, then add, or add, then normalise",
        "question": "Does each reward weigh by its weight or by its scale?",
        "input": {"accuracy": FIRST, "format": SECOND, "weights": [1, 1], "ddof": 1, "eps": 0},
        "right": {"normalize_then_sum": [a + b for a, b in zip(standard(FIRST), standard(SECOND), strict=True)]},
        "wrong": {"sum_then_normalize": standard(SUMMED)},
    },
    {
        "id": "F20", "source": "huggingface/trl#3175",
        "topic": "clip_ratio counts ratios out of range whatever the sign of the advantage",
        "question": "On what share of the tokens does clipping act?",
        "input": {
            "coef_1": ["7/10", "13/10", "1", "3/2", "1/2"], "advantages": [1, 1, -1, -1, -1],
            "epsilon_low": "1/5", "epsilon_high": "1/5",
        },
        "right": {"clip_ratio": "2/5"},
        "wrong": {"clip_ratio": "4/5"},
    },
    {
        "id": "F21", "source": "PrimeIntellect-ai/prime-rl#1957",
        "topic": "ranks with different numbers of tokens weigh the same",
        "question": "What is the loss that the averaged gradient belongs to?",
        "input": {"rank_losses": [[1, 1, 1, 1, 1], [7]], "world_size": 2},
        "right": {"global_token_mean": "2"},
        "wrong": {"mean_of_rank_means": "4"},
    },
    {
        "id": "F22", "source": "huggingface/trl#6078",
        "topic": "GMPO: clip each log ratio, then the geometric mean",
        "question": "What ratio multiplies the advantage?",
        "input": {"log_ratio": [0.6, -0.2, 0.1], "epsilon": 0.4, "advantage": 1},
        "right": {"clipped_geometric_mean": exp(0.1)},
        "wrong": {"geometric_mean": exp(0.5 / 3)},
    },
    {
        "id": "F23", "source": "openai/baselines#652",
        "topic": "ratio from negative log probabilities",
        "question": "Old minus new, or new minus old?",
        "input": {"neglogpac": [1.0, 2.0], "oldneglogpac": [1.25, 1.5]},
        "right": {"ratio": [exp(0.25), exp(-0.5)]},
        "wrong": {"ratio": [exp(-0.25), exp(0.5)]},
    },
    {
        "id": "F24", "source": "huggingface/open-r1#239",
        "topic": "why the loss starts at 0, and when it does not",
        "question": "All ratios are 1: what is the loss under each averaging?",
        "input": {"advantages": [1, -1], "completion_lengths": [2, 4], "ratio": 1},
        "right": {"grpo_loss": "0", "dapo_loss": "1/3"},
        "wrong": {"dapo_loss": "0"},
    },
    {
        "id": "F25", "source": "huggingface/trl#3256",
        "topic": "Dr. GRPO: the divisor is the configured length, not the padded width",
        "question": "By what is the sum of token losses divided?",
        "input": {"per_token_loss": [[1, 1], [2, 2, 2]], "max_completion_length": 5},
        "right": {"dr_grpo": "4/5"},
        "wrong": {"dr_grpo": "4/3"},
    },
]
