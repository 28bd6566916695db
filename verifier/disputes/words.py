"""What the names and the sentences of a case mean: words of one vocabulary, so that leave_one_out and RLOO are one.

A name is understood where every part of it is a word, a number of the case, or says nothing. ``words_of`` reads a name
whole; ``words_in`` picks the words out of a sentence and passes over the rest.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

PHRASES: Mapping[str, str] = {
    # what a number is
    "advantages": "advantage, advantages, adv, a",
    "expected": "expected, expectation, e, average",
    "gradient": "gradient, grad, gradients, logits, d dlogits, gradient logits, policy gradient",
    "true": "true, exact, unbiased",
    "objective": "objective, surrogate, objectives, term, terms, surrogates, obj",
    "loss": "loss, losses, policy loss, pg loss, total loss",
    "slope token-mean": "d objective d ratio, d j d ratio",
    "slope": "dl drho, d l d rho, slope, slopes, d dr, d dratio, derivative, dr",
    "fraction": "fraction, share, clip fraction, clipfrac, clipped fraction, clip frac, clip ratio, frac",
    "first": "first step, first update, first",
    "variance": "variance, var",
    "std": "std, stddev, standard deviation, deviation",
    "baseline": "baseline, baselines",
    "factor": "factor, multiplier, scale, scaling, shrinkage",
    "bias": "bias",
    "weight": "weight, weights, w",
    "ratio weight": "coef, coefs, coefficient, coefficients",
    "ratio": "coef 1, ratio, ratios, rho, importance ratio, importance ratios",
    "reward": "reward, rewards, r, return, returns",
    "kl": "kl, divergence, kl divergence, penalty",
    "entropy": "entropy, entropies",
    "exp": "exp, exponential",
    "each": "each, pointwise",
    "total": "total, sum over, summed",
    "mass": "mass, masses, probability, probabilities, prob, probs, p, pi, distribution, policy",
    "kept": "mixed groups, mixed, kept mass, kept share, kept, surviving mass",
    "loss gradient logprob": "d loss d logp, d loss d logprob, dloss dlogp, dloss dlogprob, dl dlogp, d l d logp, "
    "d loss d new logp, dloss dnew logp",
    "logprob": "new logprob, new logprobs, new logp, new logps, logps, token logps, per token logps, current logp, "
    "current logps, policy logp, policy logps, logprob, logprobs, logp, log prob, log probs, log probability",
    "second-moment": "second moment, mean square, e w2, squared",
    "effective": "ess, effective sample size, effective",
    "normaliser": "mean weight, normaliser, normalizer",
    "optimal": "optimal, optimum, tilted, best policy",
    # advantages
    "mean": "mean, group mean, mean baseline, self including",
    "mean unscaled": "mean centred, mean centered, centred, centered, mean centring, mean centering, mean only, "
    "only mean, centring, centering",
    "scaled": "scaled, with std, std normalised, std normalized, normalised, normalized, z score, whitened, "
    "divided by std, zscore",
    "leave-one-out": "leave one out, leave-one-out, loo, rloo, others, mean of others",
    "no-baseline": "no baseline, without baseline, raw reward, reinforce",
    "constant-baseline": "constant baseline, fixed baseline",
    "batch-baseline": "batch mean, global mean, batch baseline, global baseline",
    "maximum-baseline": "max baseline, best of group",
    "unscaled": "unscaled, no std, without std, no scaling, not normalised, no normalisation",
    "dr-grpo": "dr grpo, drgrpo",
    "grpo": "grpo, deepseekmath, vanilla grpo",
    "luspo": "luspo",
    "population": "population, ddof0, ddof 0, population std, biased std, population deviation",
    "sample": "sample, ddof1, ddof 1, bessel, sample std, unbiased std, sample deviation, ddof",
    "batch batch-baseline scaled": "batch normalised, batch normalized, globally normalised, globally normalized",
    "batch": "batch, global, batch std, global std, batch level, whole batch, merged",
    "group": "group, groups, per group, group level, group std, within group",
    "others-std": "others std, loo std, leave one out std, std of others",
    "divided-by-variance": "divided by variance, variance divisor",
    "added": "added, outside, eps outside, std plus eps, eps added",
    "inside": "inside, eps inside, inside sqrt, under the root, var plus eps",
    "floored": "floored, floor, max floor, clamped std",
    "without-epsilon": "no eps, without eps, without epsilon, no epsilon",
    "multiplied": "multiplied, times mask, multiplied by mask, mask multiplied",
    "guarded": "where, selected, guarded, zero guard, zeroed, zero variance",
    "unguarded": "unguarded, no guard, nan, inf",
    "excluded": "excluded, left out, masked out, ignored, nan excluded",
    "zero": "counted as zero, as zero, missing as zero, zero filled, counted as reward 0",
    "twice": "twice, double, double normalised, normalised again, double normalisation",
    "sum-first": "sum first, sum then normalise, sum then normalize, sum normalise, summed first, after sum, grpo sum",
    "normalise-first": "normalise first, normalize first, normalise then sum, normalize then sum, gdpo, per reward, "
    "decoupled, separately, normalise each, normalize each, each normalised, each normalized, normalised before, "
    "normalized before, before sum, individually",
    "unweighted": "unweighted, without weights",
    # clipping
    "two-sided": "two sided, ppo, pessimistic, min of products, clipped, ppo clip, min",
    "before-product": "min before product, min before multiplying, upper cap, clip then multiply",
    "optimistic": "optimistic, max of products, max",
    "clip-only": "clip only, hard clip, always clipped, without min, no min",
    "unclipped": "unclipped, no clip, without clip, vanilla",
    "single": "no dual clip, without dual clip, no dual, single clip, single, without delta, no delta, no cap, "
    "without cap",
    "untruncated": "untruncated, uncapped, full weight, full, without truncation, no truncation",
    "dual": "dual, dual clip, dual clipped",
    "everywhere": "everywhere, both signs, any sign, regardless of sign, all signs, ignoring sign",
    "asymmetric": "asymmetric, clip higher, decoupled clip, dapo clip",
    "symmetric": "symmetric, single eps, same eps",
    "swapped": "swapped, swap, low high swapped, exchanged",
    "delta": "delta, two sided delta, delta cap, delta capped",
    "detached": "detached, stop gradient, stopgrad, cispo, sg, detach",
    "log": "log, log ratio clip, clip log ratio, log space, log clip, log ratio",
    "binding": "binding, active, effective clip",
    "inverted": "inverted, opposite, inverted test, sign flipped, flipped sign, sign",
    "range": "range, range only, either side, range only test, any side",
    # ratios and weights
    "token": "token, token level, per token, tokenwise, tokens",
    "sequence": "sequence, sequence level, trajectory, trajectory product, product, full product, per sequence, seq, "
    "response",
    "geometric": "geometric, geometric mean, gspo, length normalised, length normalized, geo mean",
    "truncated": "truncated, tis, capped, truncate, truncation, clipped weight",
    "masked": "masked, mis, mask, rejected, icepop",
    "weighted": "weighted, importance weighted, is weighted, corrected, importance sampling, is corrected, reweighted",
    "on-policy": "on policy, onpolicy, fresh",
    "off-policy": "off policy, offpolicy, stale, under old, under mu",
    "self-normalised": "self normalised, self normalized, snis, normalised weights",
    "in-old": "old, mu, recomputed, behaviour, behavior",
    "in-sampler": "sampler, rollout, inference, vllm",
    "in-reference": "reference, ref",
    # divergences
    "reverse": "reverse, reverse kl, kl pi ref, kl reverse",
    "forward": "forward, forward kl, kl ref pi, kl forward",
    "k1": "k1",
    "k2": "k2, mse",
    "k3": "k3, low var kl, low variance, schulman",
    "absolute": "abs, absolute",
    "k2 twice": "squared log ratio, log ratio squared, mean squared log ratio, k2 without half, k2 without the half",
    "reversed": "reversed, flipped, log ratio reversed, wrong direction, wrong sign",
    "clamped": "clamped",
    "unclamped": "unclamped",
    "without-kl": "without kl, no kl, without penalty, no penalty, unpenalised",
    "without-entropy": "without entropy, no entropy, without bonus, no bonus",
    "in-reward": "penalised, penalized, in reward, as reward, in the reward, kl in reward",
    "in-loss": "in loss, in the loss, kl in loss",
    "before": "before, before baseline, kl before",
    "after": "after, after baseline, kl after",
    "backfill": "backfill, backfilled, resampled, drawn again, until mixed, refilled, oversampled",
    "mean-over-kept": "mean over kept, over kept, dropped, filtered, mean kept",
    "excluded token-mean": "mean over kept tokens, over kept tokens, by kept tokens, divided by kept tokens",
    "over-all token-mean": "mean over all tokens",
    "over-all": "over all, over all tokens, divided by all, by all tokens",
    "strided": "strided, stride, by stride, fixed stride, misgrouped, every rows",
    "best-only": "best only, pass k, passk, pass at k, grpo passk",
    "length": "length, lengths, completion length, completion lengths, response length, response lengths",
    "terminated": "terminated, ended, finished, not truncated, non truncated",
    "surviving": "surviving, survivors, survivor, remaining, left over",
    "places": "index, indices, indexes, idx, positions",
    "by-metric": "acc, accuracy, correctness, raw acc, raw accuracy",
    "phantom": "phantom",
    "shaped": "shaped, after shaping, with shaping, reshaped, length corrected",
    "surviving reward": "surviving rewards, surviving scores",
    "combined reward": "summed reward, summed rewards, reward sum, sum of rewards, total reward, total rewards, "
    "combined reward, combined rewards",
    "solve-all": "solve all, all correct, all right, all solved, all ones",
    "solve-none": "solve none, none correct, all wrong, none solved, all zero, all zeros",
    "zero-variance": "all equal, all same, constant groups, degenerate, zero std",
    "kept group": "keep, prompts kept, groups kept, kept groups, kept prompts, keep prompts, keep groups",
    "kept group total": "num prompts kept, number of kept groups, num kept groups, num groups kept, number kept",
    # counts
    "tokens-counted": "tokens counted, num items in batch, num items, items in batch, num tokens, number of tokens, "
    "token count, token counts, n tokens, counted tokens, active tokens, valid tokens, total tokens, tokens in batch, "
    "loss denominator, denominator, batch num tokens",
    "responses-counted": "responses counted, num responses, number of responses, num sequences, num samples, "
    "response count, sequence count",
    "without-gradient total token": "num tokens without gradient, num tokens without grad, number of tokens without "
    "gradient, num zero grad tokens, zero gradient tokens, zero grad tokens",
    "without-gradient": "without gradient, zero gradient, no gradient, zero grad, without grad, no grad, zero slope, "
    "gradient lost, lost gradient, losing gradient, dropped gradient",
    "ramp-start": "ramp start, ramp starts, ramp starts at, ramp begins, ramp begins at, penalty start, "
    "penalty starts, penalty starts at, penalty begins, penalty begins at, starts at, begins at, buffer start, "
    "buffer starts at, soft start, expected length, expected len, safe length, free length, punishment starts at, "
    "punishment start, onset, threshold length, length threshold",
    "misset": "misset, hardcoded, hard coded",
    "broadcast": "broadcast, broadcasted, spread",
    "fixed": "fixed divisor, kept with weight zero, fixed",
    "to-go": "to go, reward to go, rewards to go, suffix sum, suffix sums, discounted",
    "immediate": "immediate, own token",
    "last": "last token, final token, terminal, last",
    # sums over tokens
    "token-mean": "token mean, global token mean, all tokens, dapo, bnpo, token average, mean over tokens, "
    "global mean over tokens, token weighted, global token",
    "sequence-mean": "seq mean token mean, sequence mean, per response mean, per sequence mean, own length, seq mean, "
    "response mean, sample mean, sequence level mean, sample level, per document, document mean",
    "token-sum": "seq mean token sum, token sum, sum, sum over tokens, summed over tokens",
    "constant": "seq mean token sum norm, token sum norm, constant divisor, constant, max length, fixed length, "
    "max len, maximum length, "
    "dr grpo constant",
    "micro": "mean of step means, step means, mean of rank means, rank means, per step, step mean, micro batch, "
    "micro batches, microbatch, "
    "per micro batch, mean of means, mean of micro batch means, "
    "per rank, per device, ranks, rank mean, dp, local, mean of micro means",
    "unmasked": "unmasked, padding, padded, with padding",
    "all-counted": "all counted, counted in denominator, denominator counts all, full denominator",
    # numerics
    "float16": "float16, fp16, half",
    "bfloat16": "bfloat16, bf16",
    "float32": "float32, fp32, single precision",
    "float64": "float64, fp64, double precision",
    "exactly": "exactly, real, real numbers, infinite precision",
    "sampling": "sampling, sampled, drawn from, rollout probs, rollout distribution",
    "tempered": "tempered, temperature, with temperature, scaled logits, at temperature",
    "raw": "raw, without temperature, no temperature, untempered, at temperature 1, temperature 1, unscaled logits",
    "divided-logprob": "divided logprob, logprob over temperature, logprobs divided",
    "top-k": "top k, topk",
    "top-p": "top p, topp, nucleus",
    "renormalised": "renormalised, renormalized, processed",
    "expm1": "expm1, stable",
    "naive": "naive, direct",
}

NOISE = (
    "of the for on in with at by to and is under from as an per both value values number numbers result what that be "
    "vs than its case vector all each test given one two correct buggy bug implemented reported observed applied "
    "logged computed measured num count only actual claimed intended proposed code paper answer output stated over "
    "steps metric final"
)
"""Says nothing in a name."""

ARTICLES = ("the", "an")

WORD = re.compile(r"[A-Za-z]+[0-9]*|[0-9]+(?:[./][0-9]+)?")
GROUP_SIZE = re.compile(r"g([0-9]+)")
LONGEST = 5


def phrases() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Every phrase in small letters, with the words that it stands for."""
    found = {}
    for word, texts in PHRASES.items():
        for text in (word, *texts.split(",")):
            found[tuple(text.replace("-", " ").lower().split())] = tuple(word.split())
    return found


MEANING = phrases()


@dataclass(frozen=True)
class Read:
    """The words of a text, what in it is no word, the numbers in it, and the group size that it names."""

    words: frozenset[str]
    unknown: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    group_size: int | None = None


def words_of(text: str) -> Read:
    """The words of a name such as ``leave_one_out_G2`` or ``E_k3``; the longest phrases first."""
    pieces = [piece.lower() for piece in WORD.findall(text.replace("_", " ")) if piece.lower() not in ARTICLES]
    words: set[str] = set()
    unknown, numbers = [], []
    group_size, place = None, 0
    while place < len(pieces):
        length = next((n for n in range(LONGEST, 0, -1) if tuple(pieces[place : place + n]) in MEANING), 0)
        if length:
            words.update(MEANING[tuple(pieces[place : place + length])])
        elif match := GROUP_SIZE.fullmatch(pieces[place]):
            group_size = int(match[1])
        elif pieces[place] == "g" and place + 1 < len(pieces) and pieces[place + 1].isdecimal():
            group_size, length = int(pieces[place + 1]), 2
        elif pieces[place][0].isdigit():
            numbers.append(pieces[place])
        elif pieces[place] not in NOISE.split():
            unknown.append(pieces[place])
        place += max(length, 1)
    return Read(frozenset(words), tuple(unknown), tuple(numbers), group_size)


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """The words in sentences, whatever else they say; a single letter is an article there."""
    pieces = (" ".join(piece for piece in WORD.findall(text.replace("_", " ")) if len(piece) > 1) for text in texts)
    return frozenset().union(*(words_of(text).words for text in pieces))
