"""The formula of a variant, written from its parts: what the composition comes to, in the field's symbols.

l runs over the M prompts, i over the G responses of a group, h over the L_i active tokens of a response; w_h is the
token's ratio, R the reward, s a deviation, sg[.] what is not differentiated.
"""

from collections.abc import Mapping

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.masks import Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm, Place, Weight
from grpocheck.core.variants.ratios import Denominator, Level, RatioRule
from grpocheck.core.variants.variant import Variant

BASELINES: Mapping[Baseline, str] = {
    Baseline.NONE: "R",
    Baseline.MEAN: "R - mean_group R",
    Baseline.LEAVE_ONE_OUT: "R - mean_others R",
    Baseline.BATCH_MEAN: "R - mean_batch R",
}
DIVISORS: Mapping[Divisor, str] = {
    Divisor.POPULATION: "s",
    Divisor.SAMPLE: "s_sample",
    Divisor.BATCH_POPULATION: "s_batch",
    Divisor.BATCH_SAMPLE: "s_batch_sample",
}
POLICIES: Mapping[Denominator, str] = {
    Denominator.OLD: "",
    Denominator.REFERENCE: " over the reference",
    Denominator.CURRENT: " over the current policy",
}
LEVELS: Mapping[Level, str] = {
    Level.TOKEN: "w_h",
    Level.SEQUENCE: "prod_h w_h",
    Level.GEOMETRIC: "(prod_h w_h)^(1/L_i)",
}
WEIGHTS: Mapping[Weight, str] = {Weight.NONE: "", Weight.DETACHED: "sg[r] ", Weight.DIFFERENTIATED: "r "}


@total("every rule has a formula")
@ensure(lambda rule, result: ("/" in result) == (rule.divisor is not Divisor.NONE), "a divisor is written as one")
def advantage_formula(rule: AdvantageRule) -> str:
    """Such as ``(R - mean_group R)/s``."""
    difference = BASELINES[rule.baseline]
    if rule.divisor is Divisor.NONE:
        return difference
    divisor = DIVISORS[rule.divisor]
    if rule.floor:
        divisor = f"max({divisor}, sqrt({rule.floor}))"
    return f"({difference})/{f'({divisor} + {rule.epsilon})' if rule.epsilon else divisor}"


@total("every normalisation has a formula")
@ensure(
    lambda normalisation, result: ("L_i" in result) == normalisation.own_length,
    "the own length is named where it divides",
)
def normalisation_formula(normalisation: Normalisation) -> str:
    """The sum over tokens, responses and prompts, with what divides it."""
    own = "L_i" if normalisation.own_length else ""
    if normalisation.per is Per.ALL_TOKENS:
        return f"1/(tokens of the batch) sum_l sum_i {f'1/{own} ' if own else ''}sum_h"
    if normalisation.per is Per.GROUP_TOKENS:
        return f"1/M sum_l 1/(tokens of the group) sum_i {f'1/{own} ' if own else ''}sum_h"
    other = "H" if normalisation.per is Per.MAXIMUM else str(normalisation.constant or "")
    divisor = f"({own} {other})" if own and other else own or other
    return f"1/M sum_l 1/G sum_i {f'1/{divisor} ' if divisor else ''}sum_h"


@require(lambda term: term.divergence is not Divergence.NONE, "there is a divergence")
@ensure(lambda term, result: result.startswith("beta ") and ("KL" in result) != term.divergence.is_sampled, "its word")
def penalty_formula(term: KLTerm) -> str:
    """Such as ``beta k3`` or ``beta KL_l``, with what is clamped."""
    if term.divergence is Divergence.EXACT:
        return "beta KL_l"
    word = term.divergence.value
    clamps = {"l": term.clamp_log_ratio, word: term.clamp_value}
    held = "".join(f", {name} held in [-{limit}, {limit}]" for name, limit in clamps.items() if limit is not None)
    return f"beta {WEIGHTS[term.weight]}{word}{held}"


@total("every rule has a formula")
@ensure(lambda rule, result: (rule.level is Level.TOKEN) == result.startswith("r = w_h"), "the level of the ratio")
def ratio_formula(rule: RatioRule) -> str:
    """Such as ``r = prod_h w_h``."""
    return f"r = {LEVELS[rule.level]}{POLICIES[rule.denominator]}"


@require(lambda name: bool(name), "a number of a term has a name")
@ensure(lambda name, result: (result == "epsilon") == (name in ("low", "high")), "widths are the problem's epsilon")
def unstated(name: str) -> str:
    """What a number of a term is where it is not stated."""
    return "epsilon" if name in ("low", "high") else "none"


@require(lambda variant: bool(variant.term.formula), "a term has a formula")
@ensure(lambda variant, result: variant.term.formula in result, "the term is in the formula")
@ensure(
    lambda variant, result: ("beta" in result) == (variant.kl.divergence is not Divergence.NONE),
    "beta is in the formula where there is a KL term",
)
def formula(variant: Variant) -> str:
    """The objective as a formula, then what its symbols are: of a score term, what it is the gradient of.

    >>> from grpocheck.core.variants.registry import named
    >>> formula(named("reinforce-none"))
    '1/M sum_l 1/G sum_i sum_h A log pi; r = w_h, A = R'
    """
    sums, reward = normalisation_formula(variant.normalisation), "R"
    terms = f"[{variant.term.formula}]" if ":" in variant.term.formula else variant.term.formula
    outside = ""
    if variant.off_policy_mask is not None:
        terms = f"mask_i {terms}"
    if variant.entropy_mask is not None:
        terms = f"mask_h {terms}"
    if variant.kl.divergence is not Divergence.NONE:
        penalty = penalty_formula(variant.kl)
        if variant.kl.place is not Place.LOSS:
            after = " after the baseline" if variant.kl.place is Place.REWARD_AFTER else ""
            reward = f"R - sum_h {penalty}{after}"
        elif variant.kl.divergence is Divergence.EXACT:
            outside = f" - 1/M sum_l {penalty}"
        else:
            terms = f"[{terms} - {penalty}]"
    if variant.entropy_bonus:
        outside += f" + {variant.entropy_bonus} mean entropy"
    symbols = [ratio_formula(variant.ratio), f"A = {advantage_formula(variant.advantage)}"]
    if variant.advantage.first is not None:
        symbols.append(f"R = sum over rewards of {advantage_formula(variant.advantage.first)}")
    if reward != "R":
        symbols.append(f"reward {reward}")
    stated = [
        f"{name.replace('_', '-')} = {unstated(name) if value is None else value}"
        for name, value in vars(variant.term).items()
    ]
    if variant.selection is not Selection.ALL:
        stated.append(f"groups {variant.selection.value}")
    return f"{sums} {terms}{outside}; " + ", ".join(symbols + stated)
