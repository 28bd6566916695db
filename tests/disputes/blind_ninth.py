"""Twenty disputes of public trackers, written by somebody who had read the page of the public ones alone.

A source such as NVIDIA-NeMo/RL#2431 is https://github.com/NVIDIA-NeMo/RL/issues/2431; the inputs are made up.
Each number was worked out by hand or with fractions and thirty digits, away from the package. At first contact the
twenty came to 5 settled (D03, D08, D10, D11, D19), none wrongly, 13 undecided and 2 refused (D01, D17). D20 cannot be
decided: over how many tokens the mean is, it does not say.
"""

from typing import Any

CASES: list[dict[str, Any]] = [
    {
        "id": "D01",
        "source": "NVIDIA-NeMo/RL#2431",
        "topic": "dynamic sampling: group filter on the overlong-shaped reward instead of raw acc",
        "question":
            "Which prompt groups does DAPO dynamic sampling keep when the filter metric is the raw acc, and "
            "which when it is the reward after overlong shaping?",
        "input": {"num_generations": 4, "prompts": [{"acc": [0, 0, 0, 0], "score": [-1, -1, -1, -1],
            "response_length": [12, 15, 19, 20]}, {"acc": [1, 0, 0, 1], "score": [1, -1, -1, 1],
            "response_length": [8, 20, 10, 16]}], "max_response_length": 20, "overlong_buffer": {"len": 5,
            "penalty_factor": 1.0},
            "shaping": "score + min(-(response_length - (max_response_length - len)) / len * penalty_factor, 0)",
            "filter": "drop the group if the std of the metric is 0", "ddof": 1, "advantage": "mean-centred, no std"},
        "right": {"filter_metric": "acc", "keep": [False, True], "prompts_kept": 1, "metric_std_prompt_0": 0.0},
        "wrong": {"filter_metric": "shaped reward", "keep": [True, True], "prompts_kept": 2,
            "metric_std_prompt_0": 0.5259911279353167, "phantom_advantages_prompt_0": [0.45, 0.45, -0.35, -0.55]},
    },
    {
        "id": "D02",
        "source": "modelscope/ms-swift#5557",
        "topic": "reward shaping: where the soft overlong ramp starts",
        "question":
            "Does the soft overlong punishment begin at L_max - L_cache (as in the DAPO paper) or at L_cache, "
            "and what are the penalties of these completions?",
        "input": {"L_max": 16384, "L_cache": 4096, "completion_lengths": [5000, 12000, 12288, 13312, 16384, 16385]},
        "right": {"ramp_starts_at": 12288, "R_length": ["0", "0", "0", "-1/4", "-1", "-1"]},
        "wrong": {"ramp_starts_at": 4096, "R_length": ["-113/1536", "-247/384", "-2/3", "-3/4", "-1", "-1"]},
    },
    {
        "id": "D03",
        "source": "huggingface/trl#3823",
        "topic": "GSPO: the (B, 1) sequence loss broadcast against completion_mask",
        "question":
            "With importance_sampling_level=sequence every completion has one ratio and one advantage. Is the "
            "loss the mean over the completions, or does the broadcast against completion_mask followed by a "
            "division by mask.sum() weigh each completion by its length?",
        "input": {"log_ratio": [[0.2, 0.0], [-0.3, 0.0, -0.1, 0.0, -0.2, 0.0]], "advantages": [1.0, -1.0],
            "epsilon": 0.2, "beta": 0.0, "importance_sampling_level": "sequence"},
        "right": {"sequence_ratios": [1.1051709180756477, 0.9048374180359596], "loss": -0.10016675001984403},
        "wrong": {"sequence_ratios": [1.1051709180756477, 0.9048374180359596], "loss": 0.40233533400805777,
            "rule": "token-weighted: lengths 2 and 6"},
    },
    {
        "id": "D04",
        "source": "allenai/open-instruct#1269",
        "topic": "CISPO: clamped ratio must be detached and multiplied by new_logprobs",
        "question":
            "What is the derivative of each token's CISPO loss with respect to its new_logprob, and which "
            "tokens lose their gradient if the clamped ratio itself is differentiated?",
        "input": {"ratio": ["0.4", "1.9", "1.9", "1.1"], "advantages": [2, 2, -1, -1], "clip_higher": "0.28",
            "clip_lower": None, "loss": "-advantages * clamp(ratio.detach(), max=1+clip_higher) * new_logprobs"},
        "right": {"grad_new_logprob": ["-4/5", "-64/25", "32/25", "11/10"], "tokens_without_gradient": 0},
        "wrong": {"loss": "-advantages * clamp(ratio, max=1+clip_higher)", "grad_new_logprob": ["-4/5", "0", "0",
            "11/10"], "tokens_without_gradient": 2},
    },
    {
        "id": "D05",
        "source": "huggingface/trl#6439",
        "topic": "overlong filter: truncated tokens left in num_items_in_batch",
        "question":
            "With mask_truncated_completions=True, what is the DAPO loss: is the numerator divided by the "
            "tokens that remain after masking or by all generated tokens?",
        "input": {"loss_type": "dapo", "mask_truncated_completions": True, "per_token_loss": [["0.5", "0.25"], ["1.0",
            "-0.5", "0.75", "0.75"], ["2", "2", "2", "2", "2", "2"]], "is_truncated": [False, False, True],
            "num_processes": 1, "gradient_accumulation_steps": 1},
        "right": {"num_items_in_batch": 6, "loss": "11/24"},
        "wrong": {"num_items_in_batch": 12, "loss": "11/48"},
    },
    {
        "id": "D06",
        "source": "allenai/open-instruct#1794",
        "topic": "advantages: group boundaries misaligned after dropping truncated completions",
        "question":
            "The surviving completions keep the advantages of the pre-filter groups. What are they, and what "
            "does scores.reshape(-1, num_samples_per_prompt_rollout) on the post-filter scores give?",
        "input": {"num_samples_per_prompt_rollout": 3, "scores": [1, 0, 0, 1, 1, 0, 0, 0, 1],
            "finish_reasons": ["stop", "stop", "length", "stop", "length", "stop", "length", "stop", "stop"],
            "mask_truncated_completions": True, "advantage_normalization_type": "centered"},
        "right": {"surviving_index": [0, 1, 3, 5, 7, 8], "advantages": ["2/3", "-1/3", "1/3", "-2/3", "-1/3", "2/3"],
            "groups": 3},
        "wrong": {"advantages": ["1/3", "-2/3", "1/3", "-1/3", "-1/3", "2/3"], "groups": 2},
    },
    {
        "id": "D07",
        "source": "PrimeIntellect-ai/prime-rl#2040",
        "topic": "GR3 reward shaping: baseline from raw instead of length-corrected rewards",
        "question":
            "The rewards are multiplied by length_shaping. Which baseline makes the advantages of the group sum"
            " to zero, and what are the advantages?",
        "input": {"rewards": [1, 1, 1, 0, 1], "length_shaping": [0.9, 0.75, 0.6, 0.95, 0.5],
            "rewards_corrected": "rewards * length_shaping", "normalise_by_std": False},
        "right": {"baseline": 0.55, "advantages": [0.35, 0.2, 0.05, -0.55, -0.05], "sum": 0.0},
        "wrong": {"baseline": 0.8, "advantages": [0.1, -0.05, -0.2, -0.8, -0.3], "sum": -1.25},
    },
    {
        "id": "D08",
        "source": "hiyouga/EasyR1#585",
        "topic": "GRPO_PASSK: responses other than the best keep their raw score as advantage",
        "question":
            "In GRPO pass@k only the best response of the group has a non-zero advantage, r_max - r_second_max."
            " What is the advantage vector?",
        "input": {"uid": ["q7", "q7", "q7", "q7"], "scores": ["0.2", "0.9", "0.5", "0.5"], "norm_adv_by_std": False},
        "right": {"advantages": ["0", "0.4", "0", "0"]},
        "wrong": {"advantages": ["0.2", "0.4", "0.5", "0.5"]},
    },
    {
        "id": "D09",
        "source": "radixark/miles#3230",
        "topic": "logged metric: ess_ratio above 1 when a rollout is split into several training samples",
        "question":
            "What is ess_ratio, the mean over training samples of (sum w)^2 / (n * sum w^2), and what is "
            "reported when the sum is divided by the number of rollouts?",
        "input": {"num_rollouts": 3, "samples": [{"rollout": 0, "w": ["1", "1", "1"]}, {"rollout": 1, "w": ["2",
            "1"]}, {"rollout": 1, "w": ["1"]}, {"rollout": 2, "w": ["1/2", "1"]}]},
        "right": {"per_sample": ["1", "9/10", "1", "9/10"], "ess_ratio": "19/20"},
        "wrong": {"ess_ratio": "19/15"},
    },
    {
        "id": "D10",
        "source": "OpenRLHF/OpenRLHF#1319",
        "topic": "entropy bonus: computed from unscaled logits while the policy is softmax(logits / T)",
        "question":
            "What is the entropy (in nats) of the policy that is sampled and trained at this rollout "
            "temperature?",
        "input": {"logits": [1.2, 0.3, -0.5], "rollout.temperature": 0.6},
        "right": {"entropy": 0.6394583411204522, "distribution": "softmax(logits / T)"},
        "wrong": {"entropy": 0.8889199153425051, "distribution": "softmax(logits)"},
    },
    {
        "id": "D11",
        "source": "thu-ml/tianshou#433",
        "topic": "dual clip: max(min(surr1, surr2), c * adv) applied to positive advantages too",
        "question":
            "Dual-clip PPO bounds the surrogate below by c * adv only when adv < 0. What are the clipped "
            "surrogates and the clip_loss?",
        "input": {"ratio": [0.5, 5, 1.5, 2], "adv": [1, -2, 2, -1], "eps_clip": 0.2, "dual_clip": 3.0,
            "clip_loss": "-mean(surrogate)"},
        "right": {"surrogate": [0.5, -6.0, 2.4, -2.0], "clip_loss": 1.275},
        "wrong": {"surrogate": [3.0, -6.0, 6.0, -2.0], "clip_loss": -0.25},
    },
    {
        "id": "D12",
        "source": "huggingface/trl#6789",
        "topic":
            "off-policy correction: full-vocab trainer logprobs against top_k-truncated vLLM processed_logprobs",
        "question":
            "Trainer and vLLM have the same weights. What is the per-token ratio exp(old_logp - sampling_logp),"
            " and its product over the sampled tokens, when the trainer also renormalises over the top_k "
            "support, and what does the full-vocabulary log-softmax give?",
        "input": {"probs": {"the": "0.40", "a": "0.25", "an": "0.20", "this": "0.10", "that": "0.05"}, "top_k": 3,
            "temperature": 1.0, "sampled": ["a", "the", "an", "a"], "same_distribution_at_every_position": True},
        "right": {"per_token_ratio": ["1", "1", "1", "1"], "sequence_ratio": "1"},
        "wrong": {"per_token_ratio": ["0.85", "0.85", "0.85", "0.85"], "sequence_ratio": "0.52200625",
            "surviving_mass": "0.85"},
    },
    {
        "id": "D13",
        "source": "huggingface/trl#6586",
        "topic": "KL bias correction: a sequence-level ratio broadcast onto the per-token KL",
        "question":
            "use_bias_correction_kl multiplies each token's k3 by pi_theta/pi_old of that token. What is the "
            "corrected KL summed over the completion, and what is it if the sequence-mean (geometric) ratio is "
            "broadcast instead?",
        "input": {"completion": [{"pi_theta": "1/2", "pi_old": "1/4", "pi_ref": "1/4"}, {"pi_theta": "1/4",
            "pi_old": "1/2", "pi_ref": "1/2"}, {"pi_theta": "3/8", "pi_old": "3/16", "pi_ref": "3/4"}],
            "k3": "pi_ref/pi_theta - 1 - ln(pi_ref/pi_theta)"},
        "right": {"coef": ["2", "1/2", "2"], "kl_sum": 1.1534264097200273, "closed_form": "3/2 - (1/2) ln 2"},
        "wrong": {"coef": 1.2599210498948732, "kl_sum": 1.0165708513795522, "closed_form": "2^(1/3) (3/2 - ln 2)"},
    },
    {
        "id": "D14",
        "source": "NovaSky-AI/SkyRL#2104",
        "topic": "GDPO: zero_variance_filter on the summed reward drops a group that has an advantage",
        "question":
            "The three reward components sum to the same total in every rollout. What is the GDPO advantage "
            "(normalise each component in the group, then sum) before the batch normalisation, and does a "
            "filter on the summed reward lose anything?",
        "input": {"reward_components": {"correctness": [1, 0, 0, 0], "format": [0, 1, 1, 0], "brevity": [0, 0, 0, 1]},
            "weights": [1, 1, 1], "ddof": 1, "eps": 0},
        "right": {"advantages": [0.13397459621556135, -0.13397459621556135, -0.13397459621556135,
            0.13397459621556135], "group_has_signal": True},
        "wrong": {"summed_rewards": [1, 1, 1, 1], "advantages": [0.0, 0.0, 0.0, 0.0], "group_has_signal": False},
    },
    {
        "id": "D15",
        "source": "modelscope/ms-swift#10117",
        "topic":
            "gradient accumulation: a loss already divided by num_items_in_batch is divided again by the "
            "accumulation steps",
        "question":
            "Each micro-batch contributes its token losses divided by the completion tokens of the whole "
            "accumulation window. What is the accumulated DAPO loss, and what if training_step divides by "
            "gradient_accumulation_steps once more?",
        "input": {"loss_type": "dapo", "gradient_accumulation_steps": 4, "micro_batches": [["0.4", "0.8"], ["1.0"],
            ["0.2", "0.2", "0.6"], ["2.0", "0.8"]], "num_items_in_batch": 8, "num_processes": 1},
        "right": {"accumulated_loss": "3/4"},
        "wrong": {"accumulated_loss": "3/16", "shrunk_by": "4"},
    },
    {
        "id": "D16",
        "source": "huggingface/trl#5588",
        "topic": "zero-std group with beta > 0: is the remaining KL gradient a bug",
        "question":
            "All rewards of the group are equal and the ratio is 1. What are the loss and its gradient with "
            "respect to per_token_logps under the GRPO objective as specified (KL per token, independent of the"
            " advantage)?",
        "input": {"rewards": [0.7, 0.7], "beta": 0.04, "per_token_logps": [[-1.0, -0.5], [-2.0]],
            "ref_per_token_logps": [[-1.2, -0.1], [-2.3]], "per_token_kl": "exp(ref - logp) - (ref - logp) - 1",
            "loss_type": "grpo"},
        "right": {"advantages": [0.0, 0.0], "loss": 0.001921918920826879,
            "grad_per_token_logps": [[0.0018126924692201815, -0.0049182469764127035], [0.0051836355863656425]]},
        "wrong": {"claim": "spurious, completion_mask should be zeroed", "loss": 0.0, "grad_per_token_logps": [[0.0,
            0.0], [0.0]]},
    },
    {
        "id": "D17",
        "source": "MakazhanAlpamys/Soup#723",
        "topic": "GSPO: a masked token leaks through per-column batch centring of the log-ratios",
        "question":
            "What are the GSPO loss (length-normalised sequence ratio, clipped per sequence, mean over "
            "sequences) and its gradient with respect to the masked log-ratio, and what does centring each "
            "column over the batch before masking give (no clipping, mean over the unmasked tokens)?",
        "input": {"log_ratio": [["ln 2", "0"], ["0", "-ln 4"]], "completion_mask": [[1, 1], [1, 0]], "advantages": [1,
            -1], "epsilon": "1/5"},
        "right": {"sequence_ratio": [1.4142135623730951, 1.0], "loss": -0.1, "grad_masked_log_ratio": 0.0},
        "wrong": {"loss": -0.9023689270621825, "grad_masked_log_ratio": 0.3333333333333333},
    },
    {
        "id": "D18",
        "source": "PrimeIntellect-ai/prime-rl#2423",
        "topic": "double-sided ratio mask: KL term paid on tokens that the mask dropped",
        "question":
            "With the loss summed over tokens whose ratio lies in [mask_low, mask_high], -A * r + kl_tau * (log"
            " r)^2, what is the loss, and what was it when the KL term was paid on every loss_mask token?",
        "input": {"log_ratio": [-2.0, 0.0, 1.0, 2.0, 3.0], "advantages": [1.0, 1.0, -1.0, 2.0, 5.0], "loss_mask": [1,
            1, 1, 1, 0], "mask_low": 0.2, "mask_high": 5.0, "kl_tau": 0.5},
        "right": {"kept": [False, True, True, False, False], "loss": 2.218281828459045},
        "wrong": {"loss": 6.2182818284590455, "rule": "kl on all loss_mask tokens"},
    },
    {
        "id": "D19",
        "source": "thinking-machines-lab/tinker-cookbook#579",
        "topic": "advantage normalisation: can the applied advantages tell whether they were divided by std",
        "question":
            "From these rewards and the advantages that were applied, is the estimator mean-centred only, or "
            "also divided by the population std of the group?",
        "input": {"rewards_in_group": [2, 0, 2, 0], "advantages_applied": [1, -1, 1, -1], "eps": 0},
        "right": {"verdict": "undecidable", "mean_centred": [1, -1, 1, -1], "mean_centred_over_population_std": [1,
            -1, 1, -1], "why": "the population std of the group is 1"},
        "wrong": {"verdict": "not divided by std"},
    },
    {
        "id": "D20",
        "source": "huggingface/trl#4772",
        "topic":
            "vLLM importance sampling: is the sequence masked by the cap when only the mean per-token "
            "difference is known",
        "question":
            "The mean of (old_per_token_logps - sampling_per_token_logps) over the completion is given. Does "
            "sequence_mask drop this completion?",
        "input": {"sampling_logp_difference_mean": 0.012, "vllm_importance_sampling_mode": "sequence_mask",
            "vllm_importance_sampling_cap": 3.0, "sequence_ratio": "exp(sum over tokens of the difference)"},
        "right": {"verdict": "undecidable", "missing": "number of completion tokens", "masked_from_tokens": 92,
            "threshold_tokens": 91.55102405567581},
        "wrong": {"verdict": "masked", "assumed_tokens": 100, "ratio": 3.3201169227365477},
    },
]  # fmt: skip
