"""The keys that people use for the names that formulas are written in."""

import re
from collections.abc import Mapping

ALIASES: Mapping[str, str] = {
    "R": "rewards, reward, group_rewards, scores, returns, groups, rewards_per_function, rewards_per_func",
    "A": "a, advantage, advantages, adv, advs",
    "pi": "pi, p, probs, policy, pi_theta, current, new, pi_new, p_new, target, theta, masses, p_current",
    "old": "old, pi_old, mu, behaviour, behavior, p_old, stale, behaviour_policy, behavior_policy, old_probs",
    "sampler": "sampler, rollout, pi_rollout, pi_sampler, p_rollout, vllm, pi_vllm, inference",
    "ref": "ref, pi_ref, reference, q, p_ref, base, ref_probs",
    "G": "g, group_size, num_generations, n_samples, rollout_n",
    "eps": "eps, epsilon, clip_eps, clip_ratio, cliprange, clip_range, eps_clip, clip",
    "low": "eps_low, epsilon_low, clip_low, eps_lo, clip_ratio_low, low, epsilon_lower",
    "high": "eps_high, epsilon_high, clip_high, eps_hi, clip_ratio_high, high, epsilon_upper",
    "eps_std": "eps_std, epsilon_std, std_eps, adv_eps, std_epsilon, norm_eps",
    "ddof": "ddof, correction, lost",
    "c": "c, clip_ratio_c, dual_clip, clip_c, dual_clip_c",
    "delta": "delta, two_sided_delta",
    "cap": "cap, tis_cap, rho_max, truncation, is_cap, imp_ratio_cap, truncate, c_max, threshold, is_threshold",
    "beta": "beta, kl_coef, kl_coeff, kl_weight, kl_penalty_coef",
    "w": "w, rho, ratio, ratios, importance_ratios, token_ratios, answers",
    "new_logp": "logp_new, logp, new_logp, logprobs, log_probs, logps, logp_theta, logp_current, current_logp, lp, "
    "lp_new, log_pi, policy_logp, new_logprobs, logprobs_new",
    "old_logp": "logp_old, old_logp, old_logprobs, old_log_probs, lp_old, log_pi_old, logprobs_old, old_logps",
    "ref_logp": "logp_ref, ref_logp, ref_logprobs, ref_log_probs, lp_ref, log_ref, log_pi_ref, logprobs_ref, ref_logps",
    "sampler_logp": "logp_rollout, rollout_logp, rollout_logprobs, rollout_log_probs, logp_sampler, sampling_logp, "
    "sampling_logprobs, logp_vllm, vllm_logp, lp_rollout, inference_logp",
    "x": "x, log_ratio, log_ratios, logratio, logratios, diff, kl, kls, token_kl, kl_per_token, per_token_kl",
    "lengths": "lengths, length, len, lens, n_tokens, response_lengths, completion_lengths",
    "longest": "max_length, max_len, max_tokens, l_max, lmax, max_completion_length, constant, divisor",
    "mask": "mask, masks, loss_mask, completion_mask, response_mask, action_mask",
    "truncated": "truncated, is_truncated, overlong",
    "L": "losses, loss, token_losses, per_token_loss, per_token_losses, token_values, loss_mat",
    "parts": "micro_batches, microbatches, micro_batch, partition, ranks, devices, steps",
    "micro_size": "micro_batch_size, per_device_batch_size, micro_bsz",
    "weights": "weights, reward_weights",
    "T": "t, temperature, temp, tau",
    "z": "z, logits",
    "top_k": "top_k, k, topk",
    "top_p": "top_p, topp",
    "dtype": "dtype, format, precision, torch_dtype",
    "draws": "draws, sample, samples, drawn",
    "baseline": "baseline, b, value_baseline",
    "clamp": "clamp, clamp_log_ratio, log_ratio_clamp, clip_log_ratio, kl_log_ratio_clip, clamp_value",
    "entropy_coef": "entropy_coef, entropy_coeff, entropy_bonus",
    "pf": "penalty_factor, overlong_penalty_factor, pf, length_penalty_factor",
    "gamma": "gamma, discount, discount_factor",
    "success": "questions, success, solve_rates, pass_rates, success_rates",
}
COUNTS = ("support", "vocab", "vocab_size", "alphabet", "actions", "n_actions", "batch", "batch_size", "n_prompts", "n")
"""Keys that may repeat the length of a list."""
WORLD = ("world_size", "n_gpus", "num_processes", "dp_size", "num_ranks", "seed", "learning_rate", "lr")
"""Keys of a number that no formula needs."""
MEANINGS = {alias: name for name, aliases in ALIASES.items() for alias in re.split(r",\s*", aliases)}
SHOWN = {
    "A": "advantages", "L": "losses", "R": "rewards", "T": "temperature", "w": "ratios", "x": "log_ratios",
    "z": "logits", "new_logp": "logp_new", "success": "questions", "H": "entropies", "dists": "token_distributions",
    "parts": "micro_batches", "accum": "gradient_accumulation_steps", "base_loss": "policy_loss",
    "least": "ratio_low", "most": "ratio_high", "longest": "max_length",
    "shape": "length_shaping", "items": "num_tokens", "metric": "acc", "shaped": "shaped_rewards",
}  # fmt: skip
"""The key of a name in messages, where it is another than the name."""
FORMATS = ("float16", "bfloat16", "float32", "float64", "fp16", "bf16", "fp32", "fp64")
ONE_NUMBER = (
    "G", "eps", "low", "high", "eps_std", "ddof", "c", "delta", "cap", "beta", "longest", "micro_size", "T", "top_k",
    "top_p", "clamp", "entropy_coef", "gamma", "pf",
)  # fmt: skip
NEEDS_LIST = ("r", "z", "lengths", "weights", "truncated", "success", "draws")
