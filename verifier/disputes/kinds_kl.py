"""The kinds of public disputes about divergences, normalisation and resampling; as disputes.kinds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.verifier.disputes.kinds import (
    LOGITS,
    ONE,
    Command,
    Input,
    Number,
    Question,
    Settled,
    at,
    clip_fraction,
    epsilon_or_floor,
    minimum_before_product,
    missing_reward,
    number_text,
    problem_file,
    product_or_geometric_mean,
    ratio_always_one,
    reference_as_denominator,
    sample_or_population,
    self_including_baseline,
    which_ratio,
)

EXPECTED = (*ONE, "expected_gradient", "*")
VALUE = (*ONE, "expected_objective")


def divergence_file(masses: list[str], reference: list[str]) -> str:
    """A problem in which only the divergence counts: equal rewards, beta 1."""
    return problem_file([Question(masses, [0] * len(masses), reference)], 2, beta=1)


def gradients_of_estimates(given: Input) -> Settled:
    """What are the expected gradients of k1, k2 and k3 in the loss, on and off policy?"""
    files = {
        "on-policy.toml": divergence_file(given["pi"], given["ref"]),
        "off-policy.toml": divergence_file(given["old"], given["ref"]),
    }

    def on(estimate: str) -> Command:
        return Command("importance-weighted", "on-policy.toml", (f"kl={estimate}",), LOGITS)

    def off(estimate: str) -> Command:
        return Command("importance-weighted", "off-policy.toml", (f"kl={estimate}",), at(given["pi"]))

    return Settled(
        files,
        (
            Number("right", "grad_reverse_KL", on("exact"), (*ONE, "true_gradient", "*"), -1),
            Number("right", "on_policy_k2", on("k2"), EXPECTED, -1),
            Number("right", "off_policy_weighted_k2", off("k2,weight=ratio-detached"), EXPECTED, -1),
            Number("wrong", "on_policy_k1", on("k1"), EXPECTED, -1),
            Number("wrong", "on_policy_k3", on("k3"), EXPECTED, -1),
            Number("wrong", "off_policy_k2", off("k2"), EXPECTED, -1),
            Number("wrong", "off_policy_k3", off("k3"), EXPECTED, -1),
        ),
    )


def reversed_k3(given: Input) -> Settled:
    """Does the estimate average to the divergence?"""
    return Settled(
        {"problem.toml": divergence_file(given["pi"], given["ref"])},
        tuple(
            Number(side, name, Command("importance-weighted", "problem.toml", (f"kl={estimate}",)), VALUE, -1)
            for side, name, estimate in (("right", "E_k3", "k3"), ("wrong", "E_reversed", "k3-reversed"))
        ),
    )


def clamped_k3(given: Input) -> Settled:
    """How far do clamps move the expectation of k3?"""
    value, log_ratio = number_text(given["clamp_value"]), number_text(given["clamp_log_ratio"])

    def estimated(part: str) -> Command:
        return Command("importance-weighted", "problem.toml", (f"kl={part}",), LOGITS)

    clamped, twice = f"k3,clamp-value={value}", f"k3,clamp-log-ratio={log_ratio},clamp-value={value}"

    return Settled(
        {"problem.toml": divergence_file(given["pi"], given["ref"])},
        (
            Number("right", "KL", estimated("k3"), (*ONE, "true_objective"), -1),
            Number("right", "E_k3_unclamped", estimated("k3"), VALUE, -1),
            Number("wrong", "E_k3_clamped", estimated(clamped), VALUE, -1),
            Number("wrong", f"with_pre_clamp_{log_ratio}", estimated(twice), VALUE, -1),
            Number("also", "expected gradient of k3", estimated("k3"), EXPECTED, -1),
            Number("also", "expected gradient of k3, clamped", estimated(clamped), EXPECTED, -1),
        ),
    )


def penalty_before_or_after(given: Input) -> Settled:
    """Does it matter whether the penalty is taken off the reward before or after the leave-one-out baseline?"""
    recorded = [min(j, len(given["pi"]) - 1) for j in range(given["G"])]
    file = problem_file([Question(given["pi"], given["r"], given["ref"])], given["G"], beta=given["beta"],
                        recorded=recorded)

    def placed(where: str) -> Command:
        part = f"kl=k1,place=reward-{where}-baseline"
        return Command("reinforce-leave-one-out", "problem.toml", (part,), LOGITS)

    before, after = placed("before"), placed("after")
    advantages = (*ONE, "recorded", "advantages", 0, "*")
    return Settled(
        {"problem.toml": file},
        (
            Number("right", "expected_gradient_both", before, (*ONE, "expected_gradient", 0)),
            Number("right", "expected_gradient_both", after, (*ONE, "expected_gradient", 0)),
            Number("right", "variance_kl_before", before, (*ONE, "covariance", 0, 0)),
            Number("right", "variance_kl_after", after, (*ONE, "covariance", 0, 0)),
            Number("wrong", "advantages_on_draw_0_1.before", before, advantages),
            Number("wrong", "advantages_on_draw_0_1.after", after, advantages),
        ),
    )


def length_bias(given: Input) -> Settled:
    """Does a division by the own length treat answers of equal reward and unequal length alike?"""
    words = [" ".join([f"answer-{j}"] * length) for j, length in enumerate(given["lengths"])]
    file = problem_file([Question(given["p"], given["r"], None, words)], given["G"])
    longest = max(given["lengths"])

    def divided(normalisation: str) -> Command:
        return Command("reinforce-leave-one-out", "problem.toml", (f"normalisation={normalisation}",), LOGITS)

    return Settled(
        {"problem.toml": file},
        (
            Number("right", "true_gradient", divided("none"), (*ONE, "true_gradient", "*")),
            Number("right", f"constant_divisor_{longest}", divided("maximum-length"), EXPECTED),
            Number("wrong", "per_response_mean", divided("own-length"), EXPECTED),
        ),
    )


def resampling(given: Input) -> Settled:
    """What multiplies each question's own gradient when groups of equal rewards are kept, dropped or drawn again?"""
    masses = [[mass, 1 - mass] for mass in (Fraction(text.removeprefix("Bernoulli ")) for text in given["questions"])]
    file = problem_file([Question(pair, given["r"]) for pair in masses], given["G"])

    def selected(selection: str) -> Command:
        return Command("reinforce-mean", "problem.toml", (f"selection={selection}",), LOGITS)

    multipliers = (*ONE, "prompts", "*", "multiplier")
    ratio = (*ONE, "prompts", "ratio")
    return Settled(
        {"problem.toml": file},
        tuple(
            Number(side, name, selected(selection), path)
            for side, names, selection in (
                ("right", ("fixed_divisor", "ratio_hard_to_easy"), "all"),
                ("wrong", ("mean_over_kept", "ratio"), "mean-over-kept"),
                ("wrong", ("backfill", "ratio_backfill"), "until-mixed"),
            )
            for name, path in zip(names, (multipliers, ratio), strict=True)
        ),
    )


@dataclass(frozen=True)
class Known:
    """A kind of dispute that commands settle: the keys its input has to have, and may have, and what settles it."""

    settled: Callable[[Input], Settled]
    needed: frozenset[str]
    allowed: frozenset[str]

    def fits(self, given: Input) -> bool:
        """Whether an input has the keys."""
        return self.needed <= given.keys() <= self.needed | self.allowed


def known(settled: Callable[[Input], Settled], needed: str, allowed: str = "") -> Known:
    """A kind from the keys in one text each."""
    return Known(settled, frozenset(needed.split()), frozenset(allowed.split()))


KINDS: Mapping[str, Known] = {
    "sample-or-population": known(sample_or_population, "rewards eps_std", "G"),
    "epsilon-or-floor": known(epsilon_or_floor, "rewards eps", "G ddof"),
    "missing-reward": known(missing_reward, "rewards eps_std", "G ddof"),
    "self-including-baseline": known(self_including_baseline, "p r G", "support policy quantity"),
    "minimum-before-product": known(minimum_before_product, "eps A ratios"),
    "clip-fraction": known(clip_fraction, "eps tokens"),
    "ratio-always-one": known(ratio_always_one, "p draws A eps"),
    "reference-as-denominator": known(reference_as_denominator, "pi pi_old pi_ref draws A eps"),
    "which-ratio": known(which_ratio, "eps A answers"),
    "product-or-geometric-mean": known(product_or_geometric_mean, "T token_alphabet mu pi reward"),
    "gradients-of-estimates": known(gradients_of_estimates, "pi ref old", "policy"),
    "reversed-k3": known(reversed_k3, "pi ref"),
    "penalty-before-or-after": known(penalty_before_or_after, "pi ref r beta G", "kl_term quantity"),
    "length-bias": known(length_bias, "p r lengths G", "advantage quantity"),
    "clamped-k3": known(clamped_k3, "pi ref clamp_value clamp_log_ratio"),
    "resampling": known(resampling, "questions r G", "batch advantage"),
}
"""The kinds that commands settle; a case is of a kind by the keys of its input, or names it as its ``kind``."""
