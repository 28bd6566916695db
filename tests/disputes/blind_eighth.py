"""Twenty disputes of public trackers, written by somebody who had seen the public cases alone, and 24 variations.

A source such as verl-project/verl#2776 is https://github.com/verl-project/verl/issues/2776; the inputs are made up.
Each number is worked out by hand or by the few lines here; nothing imports what it tests. At first contact the twenty
came to 8 settled (N02, N03, N07, N09, N14, N16, N17, N20), none wrongly, 11 undecided and 1 refused (N18). Of the
variations, two for each kind that was then mended, 20 were settled at once (not K09, K10, K18, K21).
"""

from itertools import combinations, product
from math import exp, log, sqrt
from typing import Any


def normalised(values: list[float], lost: int) -> list[float]:
    centre = sum(values) / len(values)
    deviation = sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - lost))
    return [(value - centre) / deviation for value in values]


def centred(values: list[float], deviation: float = 1) -> list[float]:
    return [(value - sum(values) / len(values)) / deviation for value in values]


def summed(columns: list[list[float]]) -> list[float]:
    return [sum(row) for row in zip(*columns, strict=True)]


def deviation_of(values: list[float]) -> float:
    return values[0] / normalised(values, 1)[0] if sum(values) == 0 else deviation_of(centred(values))


def factor(p: float, size: int, lost: int) -> float:
    """What the division by the deviation makes of the gradient of a question solved with chance p, by every group."""
    found = 0.0
    for group in product((0, 1), repeat=size):
        if 0 < sum(group) < size:
            terms = zip(normalised([float(reward) for reward in group], lost), group, strict=True)
            mean = sum(advantage * (reward - p) for advantage, reward in terms) / size
            found += p ** sum(group) * (1 - p) ** (size - sum(group)) * mean
    return found / (p * (1 - p))


def entropy(masses: list[float]) -> float:
    return -sum(mass * log(mass) for mass in masses)


def softmax(logits: list[float]) -> list[float]:
    return [exp(logit) / sum(map(exp, logits)) for logit in logits]


def credits(rewards: list[float], k: int) -> list[float]:
    """What each response adds to the best of k, less the mean: of every choice that it is in."""
    groups = list(combinations(range(len(rewards)), k))
    found = [sum(max(rewards[j] for j in group) for group in groups if i in group) for i in range(len(rewards))]
    return centred([credit / len(groups) for credit in found])


RIGHT, FORM = [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 2.0, 0.0]
EASY, HARD = [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
SPREAD = deviation_of([*HARD, *EASY])
# pi = 1/2, 1/4, 1/4 and ref = 1/4, 1/4, 1/2: KL = (1/4) log 2; k3 = log 2 - 1/2, 0, 1 - log 2.
# pi = 1/2, 1/3, 1/6 and ref uniform: the log ratios are log(3/2), 0, -log(2).
KL = log(1.5) / 2 - log(2) / 6
REVERSE = [(log(1.5) - KL) / 2, -KL / 3, (-log(2) - KL) / 6]

CASES: list[dict[str, Any]] = [
    {
        "id": "N01", "source": "NVlabs/GDPO#3",
        "topic": "advantage normalisation: several rewards summed before or after the group normalisation",
        "question": "Is each reward normalised in the group and then summed (GDPO), or the sum normalised once (GRPO)?",
        "input": {"G": 4, "rewards": [[1, 0], [0, 1], [1, 2], [0, 0]], "ddof": 1, "eps_std": 0},
        "right": {"advantages": summed([normalised(RIGHT, 1), normalised(FORM, 1)]),
                  "rule": "normalise each, then sum"},
        "wrong": {"advantages": normalised(summed([RIGHT, FORM]), 1), "rule": "sum, then normalise"},
    },
    {
        "id": "N02", "source": "PrimeIntellect-ai/prime-rl#1047",
        "topic": "advantage normalisation: group std vs batch std",
        "question": "With the mean taken per group, is the divisor the std of the group or of the whole batch?",
        "input": {"G": 4, "groups": [[1, 0, 0, 0], [1, 1, 0, 0]], "ddof": 1, "eps_std": 0},
        "right": {"group_mean_batch_std": [centred(HARD, SPREAD), centred(EASY, SPREAD)]},
        "wrong": {"group_mean_group_std": [normalised(HARD, 1), normalised(EASY, 1)]},
    },
    {
        "id": "N03", "source": "areal-project/AReaL#1419",
        "topic": "advantage normalisation: groups cut by a fixed stride when one group is incomplete",
        "question": "Which rows share a baseline when one answer of the first prompt failed?",
        "input": {"group_size": 4, "rewards": [1, 0, 0, 1, 0, 1, 1], "prompt": ["a", "a", "a", "b", "b", "b", "b"],
                  "advantage": "mean-centred"},
        "right": {"advantages": ["2/3", "-1/3", "-1/3", "1/4", "-3/4", "1/4", "1/4"]},
        "wrong": {"advantages": ["1/2", "-1/2", "-1/2", "1/2", "-2/3", "1/3", "1/3"]},
    },
    {
        "id": "N04", "source": "thinking-machines-lab/tinker-cookbook#579",
        "topic": "advantage normalisation: division by the group std reweights questions by difficulty",
        "question": "What multiplies each question's true gradient with and without the division by std?",
        "input": {"questions": ["Bernoulli 1/10", "Bernoulli 1/2"], "r": [1, 0], "G": 4, "ddof": 0, "eps_std": 0},
        "right": {"mean_centred": ["3/4", "3/4"], "ratio_hard_to_easy": "1"},
        "wrong": {"std_normalised": [factor(0.1, 4, 0), factor(0.5, 4, 0)],
                  "ratio_hard_to_easy": factor(0.1, 4, 0) / factor(0.5, 4, 0)},
    },
    {
        "id": "N05", "source": "huggingface/trl#5902",
        "topic": "advantage: leave-one-out baseline when a reward is missing",
        "question": "Over how many siblings is the leave-one-out mean taken when one reward is None?",
        "input": {"G": 4, "rewards": [1, 0, 1, None], "advantage": "leave-one-out, no std"},
        "right": {"advantages": ["1/2", "-1", "1/2", "0"], "rule": "divisor = scored siblings"},
        "wrong": {"advantages": ["2/3", "-2/3", "2/3", "0"], "rule": "divisor = G-1"},
    },
    {
        "id": "N06", "source": "rllm-org/rllm#743", "topic": "advantage: pass@k credit vs mean-centred reward",
        "question": "What is each sample's mean-centred credit for pass@2 with two right answers out of four?",
        "input": {"G": 4, "k": 2, "rewards": [1, 1, 0, 0]},
        "right": {"pass_at_k": "5/6", "advantages": ["1/12", "1/12", "-1/12", "-1/12"]},
        "wrong": {"pass_at_k": "3/4", "advantages": ["1/2", "1/2", "-1/2", "-1/2"]},
    },
    {
        "id": "N07", "source": "thu-ml/tianshou#433", "topic": "clipping: dual clip applied to positive advantages too",
        "question": "Does the bound max(.,cA) apply only for A<0?",
        "input": {"eps": "1/5", "c": 3, "A": [1, -1, -1], "ratios": ["5", "5", "2"]},
        "right": {"surrogate": ["6/5", "-3", "-2"]},
        "wrong": {"surrogate": ["3", "-3", "-2"]},
    },
    {
        "id": "N08", "source": "NovaSky-AI/SkyRL#1928", "topic": "clipping: CISPO bounds given as offsets from 1",
        "question": "With bounds 0 and 5 on the weight, which coefficients multiply A grad log pi?",
        "input": {"eps_low": 1, "eps_high": 4, "ratios": ["1/2", "3", "8"], "A": 1},
        "right": {"weights": ["1/2", "3", "5"]},
        "wrong": {"weights": ["1", "3", "6"]},
    },
    {
        "id": "N09", "source": "allenai/open-instruct#1735",
        "topic": "clipping: clip fraction of the CISPO loss reported as zero",
        "question": "On which tokens is the importance weight truncated, and what fraction is that?",
        "input": {"eps_high": "1/5", "loss": "CISPO",
                  "tokens": [{"r": "3/2", "A": 1}, {"r": "3/2", "A": -1}, {"r": "1/2", "A": 1}, {"r": "1", "A": -1},
                             {"r": "2", "A": 1}]},
        "right": {"clip_fraction": "3/5"},
        "wrong": {"clip_fraction": "0", "ppo_test": "2/5"},
    },
    {
        "id": "N10", "source": "huggingface/trl#3823",
        "topic": "ratio: sequence-level surrogate counted once per token",
        "question": "Is the sequence surrogate averaged over answers or over their tokens?",
        "input": {"eps": "1/5", "answers": {"a": ["2", "1/2"], "b": ["11/10", "11/10", "11/10"]},
                  "A": {"a": 1, "b": -1}},
        "right": {"sequence_ratios": ["1", "11/10"], "objective": "-1/20"},
        "wrong": {"sequence_ratios": ["1", "11/10"], "objective": "-13/50"},
    },
    {
        "id": "N11", "source": "areal-project/AReaL#599",
        "topic": "ratio: decoupled objective, behaviour policy vs proximal policy",
        "question": "Around which policy is the ratio clipped, and which weight multiplies the clipped surrogate?",
        "input": {"pi": ["1/2", "1/2"], "pi_prox": ["1/3", "2/3"], "pi_behav": ["1/4", "3/4"], "draws": [0, 1],
                  "A": [1, -1], "eps": "1/5"},
        "right": {"behaviour_weights": ["4/3", "8/9"], "ratios": ["3/2", "3/4"], "objective": "4/9"},
        "wrong": {"ratios": ["2", "2/3"], "objective": "1/5"},
    },
    {
        "id": "N12", "source": "NVIDIA-NeMo/RL#2269",
        "topic": "off-policy weight: sum or mean of the token log-ratios, then truncation",
        "question": "What is the truncated weight of each answer under the two definitions?",
        "input": {"cap": 2, "token_ratios": {"a": ["9/10", "9/10", "9/10"], "b": ["3/2", "3/2"]}},
        "right": {"product_weight": ["729/1000", "2"]},
        "wrong": {"geometric_mean_weight": ["9/10", "3/2"]},
    },
    {
        "id": "N13", "source": "THUDM/slime#657", "topic": "off-policy weight: rejected tokens left in the divisor",
        "question": "When tokens whose ratio is outside [1/2, 2] are rejected, over how many is the loss averaged?",
        "input": {"ratios": ["11/10", "1/5", "9/4", "1/20000", "27/20"], "lower": "1/2", "upper": "2", "A": 1},
        "right": {"kept": 2, "objective": "49/40"},
        "wrong": {"kept": 5, "objective": "49/100"},
    },
    {
        "id": "N14", "source": "huggingface/trl#4638",
        "topic": "KL in the loss: k3 under stale sampling without the importance weight",
        "question": "Which average equals KL(pi||ref) when the draws come from old?",
        "input": {"pi": ["1/2", "1/4", "1/4"], "ref": ["1/4", "1/4", "1/2"], "old": ["1/4", "1/2", "1/4"]},
        "right": {"KL": log(2) / 4, "E_weighted_k3": log(2) / 4},
        "wrong": {"E_unweighted_k3": 0.125},
    },
    {
        "id": "N15", "source": "Rolv-Arild/rocket-learn#12",
        "topic": "KL: exponential taken of the ratio instead of the log-ratio",
        "question": "Does the logged estimate average to KL(old||pi) under old?",
        "input": {"pi": ["1/2", "1/2"], "old": ["1/4", "3/4"]},
        "right": {"E_k3": 0.75 * log(1.5) - 0.25 * log(2), "closed_form": "(1/4) ln(1/2) + (3/4) ln(3/2)"},
        "wrong": {"E_logged": (exp(2) - 3) / 4 + 3 * (exp(2 / 3) - 5 / 3) / 4},
    },
    {
        "id": "N16", "source": "huggingface/trl#4967", "topic": "KL: k1 in the reward vs k3 in the loss",
        "question": "Which of the two gives the gradient of KL(pi||ref) in expectation?",
        "input": {"pi": ["1/2", "1/3", "1/6"], "ref": ["1/3", "1/3", "1/3"], "policy": "softmax logits"},
        "right": {"grad_reverse_KL": REVERSE, "k1_in_reward": REVERSE},
        "wrong": {"k1_in_loss": [0.0, 0.0, 0.0], "k3_in_loss": [1 / 6, 0.0, -1 / 6]},
    },
    {
        "id": "N17", "source": "huggingface/trl#7068",
        "topic": "KL in the loss: a group of equal rewards still moves the policy",
        "question": "What is the gradient of the objective for a group whose rewards are all equal when beta > 0?",
        "input": {"pi": ["1/2", "1/2"], "ref": ["1/5", "4/5"], "draws": [0, 1], "rewards": [1, 1], "beta": "1/10",
                  "kl_term": "k3"},
        "right": {"advantages": [0, 0], "gradient_logits": ["-3/100", "3/100"]},
        "wrong": {"advantages": [0, 0], "gradient_logits": ["0", "0"], "claim": "no gradient"},
    },
    {
        "id": "N18", "source": "verl-project/verl#2776",
        "topic": "normalisation: token mean over the batch or mean of the micro-batch means",
        "question": "What is the loss of two micro-batches of different token counts?",
        "input": {"micro_batches": [{"lengths": [2, 4], "per_token_loss": [1, "1/2"]},
                                    {"lengths": [10], "per_token_loss": ["-1/4"]}]},
        "right": {"token_mean": "3/32"},
        "wrong": {"mean_of_means": "5/24"},
    },
    {
        "id": "N19", "source": "OpenRLHF/OpenRLHF#1319",
        "topic": "numerics: entropy of the unscaled logits at temperature T",
        "question": "Which policy's entropy does the bonus measure when answers are sampled at T=2?",
        "input": {"p": ["4/5", "1/5"], "temperature": 2},
        "right": {"sampling_policy": ["2/3", "1/3"], "entropy": entropy([2 / 3, 1 / 3])},
        "wrong": {"entropy": entropy([0.8, 0.2])},
    },
    {
        "id": "N20", "source": "huggingface/trl#6365",
        "topic": "resampling: zero-variance groups removed from the divisor",
        "question": "What multiplies each question's true gradient when groups of equal rewards leave the divisor?",
        "input": {"questions": ["Bernoulli 1/5", "Bernoulli 1/2"], "r": [1, 0], "G": 2, "batch": 2,
                  "advantage": "mean-centred"},
        "right": {"fixed_divisor": ["1/4", "1/4"], "ratio_hard_to_easy": "1"},
        "wrong": {"mean_over_kept": ["3/8", "21/50"], "ratio": "25/28"},
    },
]  # fmt: skip

THREE = [[1.0, 0.0, 1.0], [2.0, 1.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]]
COLUMNS = [[row[place] for row in THREE] for place in range(3)]
PAIR = [[0.0, 1.0, 1.0], [3.0, 0.0, 1.0]]
OLD, NOW = [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]
DRIFT = -0.2 * log(2) + 0.5 * log(5 / 3)
BACK = 0.4 * log(2) - 0.3 * log(5 / 3)

VARIATIONS: list[dict[str, Any]] = [
    {
        "id": "K01", "topic": "several rewards: GDPO",
        "input": {"num_generations": 4, "reward_table": THREE, "ddof": 0},
        "right": {"normalize_then_sum": summed([normalised(column, 0) for column in COLUMNS])},
        "wrong": {"sum_then_normalize": normalised(summed(COLUMNS), 0)},
    },
    {
        "id": "K02", "topic": "GDPO: each reward on its own scale",
        "input": {"G": 3, "rewards": [[0, 3], [1, 0], [1, 1]], "eps_std": 0, "ddof": 1},
        "right": {"advantages": summed([normalised(column, 1) for column in PAIR])},
        "wrong": {"advantages": normalised(summed(PAIR), 1)},
    },
    {
        "id": "K03", "topic": "what the deviation does to a hard question",
        "input": {"questions": ["Bernoulli 1/4", "Bernoulli 2/3"], "r": [1, 0], "group_size": 5, "ddof": 1},
        "right": {"mean_only": ["4/5", "4/5"], "ratio": 1},
        "wrong": {"with_std": [factor(1 / 4, 5, 1), factor(2 / 3, 5, 1)],
                  "ratio": factor(1 / 4, 5, 1) / factor(2 / 3, 5, 1)},
    },
    {
        "id": "K04", "topic": "difficulty bias of the deviation",
        "input": {"success_rates": ["1/5", "1/2", "9/10"], "G": 4},
        "right": {"unscaled_factor": ["3/4", "3/4", "3/4"]},
        "wrong": {"scaled_factor": [factor(p, 4, 0) for p in (0.2, 0.5, 0.9)]},
    },
    {
        "id": "K05", "topic": "RLOO with rewards that could not be scored",
        "input": {"rewards": [3, None, 1, None, 2], "baseline": "mean of the others"},
        "right": {"rloo_advantages": ["3/2", "0", "-3/2", "0", "0"]},
        "wrong": {"rloo_advantages": ["9/4", "0", "-1/4", "0", "1"]},
    },
    {
        "id": "K06", "topic": "leave-one-out: a group whose only score is no baseline of itself",
        "input": {"groups": [[1, 0, None], [None, 2, None]]},
        "right": {"leave_one_out": [1, -1, 0, 0, 0, 0]},
        "wrong": {"counted_as_zero": [1, "-1/2", "-1/2", -1, 2, -1]},
    },
    {
        "id": "K07", "topic": "pass@k: with or without replacement",
        "input": {"rewards": [1, 0, 0, 0, 1], "k": 3},
        "right": {"pass_at_k": "9/10", "advantages": credits([1, 0, 0, 0, 1], 3)},
        "wrong": {"pass_at_k": "98/125", "advantages": ["3/5", "-2/5", "-2/5", "-2/5", "3/5"]},
    },
    {
        "id": "K08", "topic": "pass@k of rewards that are no flags",
        "input": {"G": 3, "scores": ["3/4", "1/2", "0"], "k": 2},
        "right": {"advantages": credits([0.75, 0.5, 0], 2)},
        "wrong": {"advantages": ["1/3", "1/12", "-5/12"]},
    },
    {
        "id": "K09", "topic": "CISPO: distances taken for bounds",
        "input": {"eps_clip_low": "1/5", "eps_clip_high": 3, "rho": ["1/10", "1", "7/2"], "adv": [1, -1, 2]},
        "right": {"truncated_weights": ["4/5", "1", "7/2"]},
        "wrong": {"truncated_weights": ["1/5", "1", "3"]},
    },
    {
        "id": "K10", "topic": "CISPO: epsilon_high taken for the bound itself",
        "input": {"epsilon_high": "1/4", "ratio": ["1/2", "6/5", "2"], "advantages": [1, 1, -1]},
        "right": {"weight": ["1/2", "6/5", "5/4"]},
        "wrong": {"weight": ["1/4", "1/4", "1/4"]},
    },
    {
        "id": "K11", "topic": "GSPO: one term an answer, or one for each of its tokens",
        "input": {"clip": "1/10", "ratios": [["4", "1/4"], ["6/5", "6/5", "6/5", "6/5"]], "advantages": [2, 1]},
        "right": {"loss": "-31/20"},
        "wrong": {"loss": "-7/5"},
    },
    {
        "id": "K12", "topic": "the level of the ratio is agreed, the clip is not",
        "input": {"eps": "1/5", "answers": [["2", "3/4"], ["1/2", "1"]], "A": [1, -1]},
        "right": {"sequence_ratios": ["3/2", "1/2"], "objective": "1/5"},
        "wrong": {"sequence_ratios": ["3/2", "1/2"], "objective": "1/2"},
    },
    {
        "id": "K13", "topic": "decoupled loss: the weight of the proximal policy",
        "input": {"pi": ["1/2", "1/4", "1/4"], "old": ["1/4", "1/4", "1/2"], "rollout": ["1/8", "1/2", "3/8"],
                  "draws": [0, 2], "advantages": [1, -1], "clip": "1/5"},
        "right": {"objective": "2/3"},
        "wrong": {"objective": "1/5"},
    },
    {
        "id": "K14", "topic": "decoupled PPO",
        "input": {"pi_theta": ["3/5", "2/5"], "pi_prox": ["1/2", "1/2"], "pi_behave": ["2/5", "3/5"], "draws": [0, 1],
                  "adv": [2, 1], "eps": "1/10"},
        "right": {"loss": "-41/24"},
        "wrong": {"loss": "-3/2"},
    },
    {
        "id": "K15", "topic": "sequence against token truncation",
        "input": {"truncate": "3/2", "ratios": [["2", "1/4"], ["5/4", "5/4"]]},
        "right": {"token_weight": ["3/2", "1/4", "5/4", "5/4"]},
        "wrong": {"trajectory_weight": ["1/2", "3/2"]},
    },
    {
        "id": "K16", "topic": "geometric mean against product under a mask",
        "input": {"cap": 2, "rho": [["4", "1"], ["3/2", "3/2"]]},
        "right": {"geometric_masked_weight": ["2", "3/2"]},
        "wrong": {"product_masked_weight": ["0", "0"]},
    },
    {
        "id": "K17", "topic": "rejection: what the loss is divided by",
        "input": {"token_losses": [4, 2, 6, 8], "ratios": ["1", "3", "1/2", "1/9"], "lower": "1/4", "upper": "2"},
        "right": {"kept_tokens": 2, "loss": "7/2"},
        "wrong": {"kept_tokens": 4, "loss": "7/4"},
    },
    {
        "id": "K18", "topic": "rejected tokens and their number",
        "input": {"ratios": ["1/2", "3", "1", "5"], "cap": 2, "A": [2, 1, 1, 1]},
        "right": {"objective": 1, "num_kept": 2},
        "wrong": {"objective": "1/2", "num_kept": 4},
    },
    {
        "id": "K19", "topic": "which way round the logged divergence goes",
        "input": {"p_old": ["1/5", "3/10", "1/2"], "p_new": ["2/5", "3/10", "3/10"]},
        "right": {"E_k1": DRIFT, "E_k3": DRIFT},
        "wrong": {"E_forward": BACK},
    },
    {
        "id": "K20", "topic": "approximate KL by the ratio alone",
        "input": {"mu": ["1/5", "3/10", "1/2"], "pi": ["2/5", "3/10", "3/10"]},
        "right": {"KL": DRIFT},
        "wrong": {"mean_ratio_minus_one": 0},
    },
    {
        "id": "K21", "topic": "accumulated micro-batches",
        "input": {"micro_batches": [{"response_lengths": [1, 3], "token_loss": [2, 0]},
                                    {"response_lengths": [2], "token_loss": [5]},
                                    {"response_lengths": [2, 2], "token_loss": [1, "1/2"]}]},
        "right": {"global_token_mean": "3/2"},
        "wrong": {"mean_of_micro_batch_means": "25/12"},
    },
    {
        "id": "K22", "topic": "token mean against sequence mean",
        "input": {"lengths": [1, 3], "per_token_loss": [1, 3]},
        "right": {"token_mean": "5/2"},
        "wrong": {"sequence_mean": 2},
    },
    {
        "id": "K23", "topic": "entropy before the temperature",
        "input": {"logits": [1, 0], "temperature": "1/2"},
        "right": {"entropy": entropy(softmax([2, 0]))},
        "wrong": {"entropy": entropy(softmax([1, 0]))},
    },
    {
        "id": "K24", "topic": "entropy of the sampler and of the raw policy",
        "input": {"probs": ["1/2", "1/4", "1/4"], "T": "1/2"},
        "right": {"sampling_entropy": entropy([2 / 3, 1 / 6, 1 / 6])},
        "wrong": {"raw_entropy": entropy([1 / 2, 1 / 4, 1 / 4])},
    },
]  # fmt: skip
"""Other numbers and other keys of the kinds that were mended after the twenty."""
