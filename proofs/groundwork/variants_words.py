"""W4: the words of the parts: what is read from a text, and what is refused, by key."""

from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor, Missing
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.core.variants.formulas import formula
from grpocheck.core.variants.masks import EntropyMask, OffPolicyMask, Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm, Place, Weight
from grpocheck.core.variants.ratios import Denominator, Level, RatioRule
from grpocheck.core.variants.registry import named
from grpocheck.core.variants.scores import CappedScore, ClippedWeight, GammaWeight, PlainScore
from grpocheck.core.variants.terms import Delta, DualClip, SoftGate, TwoSided, Unclipped, UpperCap
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import composition, with_parts
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork

HALF = Fraction(1, 2)
PLAIN = Variant("plain", source="nowhere")

def parts_by_text() -> tuple[tuple[str, str, Any], ...]:
    """Texts of parts, which part of a variant each is, and what it says."""
    return (
        ("advantage=mean", "advantage", AdvantageRule(Baseline.MEAN, Divisor.NONE)),
        ("advantage=none/sample", "advantage", AdvantageRule(Baseline.NONE, Divisor.SAMPLE)),
        ("advantage = batch-mean/batch-sample , epsilon=1e-4", "advantage",
         AdvantageRule(Baseline.BATCH_MEAN, Divisor.BATCH_SAMPLE, Fraction(1, 10**4))),
        ("advantage=mean/population,floor=1/4,missing=zero,weights=1:2:1/2", "advantage",
         AdvantageRule(floor=Fraction(1, 4), missing=Missing.ZERO, weights=(Fraction(1), Fraction(2), HALF))),
        ("advantage=mean,weights=none,missing=excluded,first=leave-one-out/sample;epsilon=1", "advantage",
         AdvantageRule(Baseline.MEAN, Divisor.NONE, missing=Missing.EXCLUDED,
                       first=AdvantageRule(Baseline.LEAVE_ONE_OUT, Divisor.SAMPLE, Fraction(1)))),
        ("ratio=sequence", "ratio", RatioRule(Level.SEQUENCE)),
        ("ratio=geometric-mean,denominator=current", "ratio", RatioRule(Level.GEOMETRIC, Denominator.CURRENT)),
        ("ratio=token,denominator=reference", "ratio", RatioRule(Level.TOKEN, Denominator.REFERENCE)),
        ("term=two-sided,low=0.1,high=7/25", "term", TwoSided(Fraction(1, 10), Fraction(7, 25))),
        ("term=two-sided,low=none", "term", TwoSided()),
        ("term=upper-cap,high=2", "term", UpperCap(Fraction(2))),
        ("term=dual-clip,cap=2,low=1/2", "term", DualClip(HALF, None, Fraction(2))),
        ("term=delta,delta=2", "term", Delta(delta=Fraction(2))),
        ("term=unclipped", "term", Unclipped()),
        ("term=soft-gate,negative=2", "term", SoftGate(negative=Fraction(2))),
        ("term=score", "term", PlainScore()),
        ("term=capped-score,high=1/5", "term", CappedScore(Fraction(1, 5))),
        ("term=clipped-weight,cap=3,floor=1/2", "term", ClippedWeight(Fraction(3), HALF)),
        ("term=gamma-weight,positive-power=0,negative-rate=1/2", "term",
            GammaWeight(positive_power=0, negative_rate=HALF)),
        ("kl=exact", "kl", KLTerm(Divergence.EXACT)),
        ("kl=k2,weight=ratio-detached", "kl", KLTerm(Divergence.K2, Weight.DETACHED)),
        ("kl=k3-reversed,place=reward-after-baseline,clamp-value=10", "kl",
         KLTerm(Divergence.K3_REVERSED, place=Place.REWARD_AFTER, clamp_value=Fraction(10))),
        ("kl=k1,clamp-log-ratio=20,weight=ratio", "kl",
            KLTerm(Divergence.K1, Weight.DIFFERENTIATED, clamp_log_ratio=Fraction(20))),
        ("normalisation=own-length", "normalisation", Normalisation()),
        ("normalisation=none", "normalisation", Normalisation(False)),
        ("normalisation=own-length+group-tokens", "normalisation", Normalisation(True, Per.GROUP_TOKENS)),
        ("normalisation=own-length+constant,constant=7", "normalisation",
            Normalisation(True, Per.CONSTANT, Fraction(7))),
        ("off-policy-mask=-1/2", "off_policy_mask", OffPolicyMask(-HALF)),
        ("off-policy-mask=none", "off_policy_mask", None),
        ("entropy-mask=1", "entropy_mask", EntropyMask(Fraction(1))),
        ("entropy-mask=none", "entropy_mask", None),
        ("entropy-bonus=1/3", "entropy_bonus", Fraction(1, 3)),
        ("entropy-bonus=none", "entropy_bonus", Fraction(0)),
        ("selection=until-mixed", "selection", Selection.UNTIL_MIXED),
    )  # fmt: skip


REFUSED = {
    "advantage": ("part: 'advantage'", "part=word"),
    "advantages=mean": ("part: 'advantages'", "advantage (did you mean that?)"),
    "advantage=median": ("advantage: 'median'", "mean"),
    "advantage=mean/range": ("advantage: 'range'",),
    "advantage=mean,epsilon": ("advantage: 'epsilon'", "key=value"),
    "advantage=mean,=1": ("advantage: '=1'", "key=value"),
    "advantage=mean,epsilon=": ("advantage: 'epsilon='", "key=value"),
    "advantage=mean/sample,epsilon=1,epsilon=2": ("advantage: 'epsilon=2'", "each key once"),
    "advantage=mean,baseline=none": ("advantage,baseline: 'none'", "epsilon, floor"),
    "advantage=mean,epsilon=x": ("advantage,epsilon: 'x'",),
    "advantage=mean,epsilon=none": ("advantage,epsilon: 'none'",),
    "advantage=mean/sample,epsilon=-1": ("advantage,epsilon: -1", "at least 0"),
    "advantage=mean/sample,floor=-1/2": ("advantage,floor: -1/2", "at least 0"),
    "advantage=mean,weights=1:x": ("advantage,weights: 'x'",),
    "advantage=mean,first=mean;first=mean": ("advantage,first", "a rule without one"),
    "ratio=word": ("ratio: 'word'", "token"),
    "ratio=token,level=token": ("ratio,level: 'token'", "denominator"),
    "ratio=token,denominator=new": ("ratio,denominator: 'new'",),
    "term=two-side": ("term: 'two-side'", "two-sided (did you mean that?)"),
    "term=unclipped,high=1": ("term,high: '1'", "no options"),
    "term=two-sided,low=0": ("term,low: 0", "strictly between 0 and 1"),
    "term=two-sided,low=1": ("term,low: 1", "strictly between 0 and 1"),
    "term=two-sided,high=0": ("term,high: 0", "above 0"),
    "term=two-sided,width=1": ("term,width: '1'",),
    "term=upper-cap,high=-1": ("term,high: -1", "above 0"),
    "term=dual-clip,cap=1": ("term,cap: 1", "above 1"),
    "term=dual-clip,low=2": ("term,low: 2",),
    "term=delta,delta=1": ("term,delta: 1", "above 1"),
    "term=soft-gate,positive=0": ("term,positive: 0", "above 0"),
    "term=soft-gate,negative=-1": ("term,negative: -1", "above 0"),
    "term=capped-score,high=0": ("term,high: 0", "above 0"),
    "term=clipped-weight,cap=0": ("term,cap: 0", "above 0"),
    "term=clipped-weight,floor=0": ("term,floor: 0", "between 0 and the cap"),
    "term=clipped-weight,cap=1,floor=1": ("term,floor: 1", "between 0 and the cap"),
    "term=gamma-weight,positive-power=1/2": ("term,positive-power: '1/2'", "integer"),
    "term=gamma-weight,negative-power=-1": ("term,negative-power: '-1'", "integer"),
    "term=gamma-weight,positive-rate=0": ("term,positive-rate: 0", "above 0"),
    "term=gamma-weight,negative-rate=0": ("term,negative-rate: 0", "above 0"),
    "kl=k4": ("kl: 'k4'", "k1"),
    "kl=k1,divergence=k2": ("kl,divergence: 'k2'", "one of "),
    "kl=exact,place=reward-before-baseline": ("kl: 'exact'", "in the reward"),
    "kl=k1,weight=ratio,place=reward-after-baseline": ("kl,weight: 'ratio'", "in the reward"),
    "kl=k1,clamp-value=0": ("kl,clamp-value: 0", "above 0"),
    "kl=k1,clamp-log-ratio=-1": ("kl,clamp-log-ratio: -1", "above 0"),
    "normalisation=length": ("normalisation: 'length'",),
    "normalisation=own+all-tokens": ("normalisation: 'own+all-tokens'",),
    "normalisation=constant": ("normalisation: 'constant'", "positive number N"),
    "normalisation=constant,constant=0": ("normalisation: 'constant,constant=0'",),
    "normalisation=constant,constant=-1": ("normalisation: 'constant,constant=-1'",),
    "normalisation=all-tokens,constant=2": ("normalisation: 'all-tokens,constant=2'",),
    "normalisation=none,per=none": ("normalisation,per: 'none'", "constant"),
    "off-policy-mask=much": ("off-policy-mask: 'much'",),
    "entropy-mask=0": ("entropy-mask: 0", "at most 1"),
    "entropy-mask=5/4": ("entropy-mask: 5/4", "at most 1"),
    "entropy-bonus=-1": ("entropy-bonus: -1", "at least 0"),
    "selection=some": ("selection: 'some'", "all"),
}


@groundwork("W4", scope="texts of every part with their numbers, and texts that are none")
def words_are_read_and_refused(expect: Expectations) -> None:
    """Each text gives the part written here, comes back the same, or is refused by key."""
    for text, part, expected in parts_by_text():
        variant = with_parts(PLAIN, [text])
        expect.same(text, getattr(variant, part), expected)
        expect.same(f"{text}: the name", variant.name, f"plain with {text.strip()}")
        again = with_parts(PLAIN, [f"{key}={words}" for key, words in composition(variant).items()])
        expect.same(f"{text}: written and read again", getattr(again, part), expected)
    for text, words in REFUSED.items():
        expect.refused(text, InvalidProblem, lambda: with_parts(PLAIN, [text]), *words)
    expect.same("no text", with_parts(PLAIN, []), PLAIN)
    both = with_parts(PLAIN, ["kl=k1", "term=score"])
    expect.same("two texts", (both.kl.divergence, both.term, both.name),
                (Divergence.K1, PlainScore(), "plain with kl=k1 with term=score"))  # fmt: skip
    expect.refused("a name", InvalidProblem, lambda: named("grpo-tokens"), "variant: 'grpo-tokens'", "grpo-token")
    expect.refused("no name", InvalidProblem, lambda: Variant(""), "variant: ''", "a name")
    defaults = composition(PLAIN)
    expect.same("the defaults", list(defaults.values()),
                ["mean/population", "token", "two-sided", "none", "own-length", "none", "none", "none",
                    "all"])  # fmt: skip
    check_formulas(expect)
    check_properties(expect)
    check_unknown_numbers(expect)


CLIPPED = "min(r A, clip(r, 1-low, 1+high) A)"
WIDE = "low = epsilon, high = epsilon"
FORMULAS = {
    "section-1": f"1/M sum_l 1/G sum_i 1/L_i sum_h {CLIPPED} - 1/M sum_l beta KL_l; r = prod_h w_h, "
    f"A = (R - mean_group R)/s, {WIDE}",
    "grpo-token": f"1/M sum_l 1/G sum_i 1/L_i sum_h [{CLIPPED} - beta k3]; r = w_h, A = (R - mean_group R)/s, {WIDE}",
    "dr-grpo": f"1/M sum_l 1/G sum_i 1/H sum_h {CLIPPED}; r = w_h, A = R - mean_group R, {WIDE}",
    "dapo-dynamic": f"1/(tokens of the batch) sum_l sum_i sum_h {CLIPPED}; r = w_h, A = (R - mean_group R)/s, "
    "low = epsilon, high = 7/25, groups until-mixed",
    "luspo": f"1/M sum_l 1/G sum_i sum_h {CLIPPED}; r = (prod_h w_h)^(1/L_i), A = (R - mean_group R)/s, {WIDE}",
    "gdpo": f"1/M sum_l 1/G sum_i 1/L_i sum_h {CLIPPED}; r = w_h, A = (R - mean_batch R)/s_batch, "
    f"R = sum over rewards of (R - mean_group R)/s, {WIDE}",
    "tic-surrogate": "1/M sum_l 1/G sum_i 1/(L_i H) sum_h min(r, 1+high) A; r = prod_h w_h, "
    "A = (R - mean_group R)/s, high = epsilon",
    "reinforce-leave-one-out": "1/M sum_l 1/G sum_i sum_h A log pi; r = w_h, A = R - mean_others R",
}
"""The objectives of the named methods, as formulas."""

CHANGED_FORMULAS = {
    "kl=k1,weight=ratio-detached,clamp-log-ratio=2": f"[{CLIPPED} - beta sg[r] k1, l held in [-2, 2]]",
    "kl=k2,weight=ratio,clamp-value=1/2": f"[{CLIPPED} - beta r k2, k2 held in [-1/2, 1/2]]",
    "kl=k3,place=reward-before-baseline": "reward R - sum_h beta k3,",
    "kl=k3,place=reward-after-baseline": "reward R - sum_h beta k3 after the baseline,",
    "kl=exact": f"sum_h {CLIPPED} - 1/M sum_l beta KL_l;",
    "off-policy-mask=1/2": f"sum_h mask_i {CLIPPED};",
    "entropy-mask=1/2": f"sum_h mask_h {CLIPPED};",
    "entropy-bonus=1/3": f"{CLIPPED} + 1/3 mean entropy;",
    "ratio=token,denominator=reference": "r = w_h over the reference,",
    "ratio=sequence,denominator=current": "r = prod_h w_h over the current policy,",
    "advantage=none/sample,epsilon=1/4": "A = (R)/(s_sample + 1/4)",
    "advantage=batch-mean/batch-sample,floor=1/9": "A = (R - mean_batch R)/max(s_batch_sample, sqrt(1/9))",
    "normalisation=group-tokens": "1/M sum_l 1/(tokens of the group) sum_i sum_h ",
    "normalisation=own-length+group-tokens": "1/M sum_l 1/(tokens of the group) sum_i 1/L_i sum_h ",
    "normalisation=own-length+all-tokens": "1/(tokens of the batch) sum_l sum_i 1/L_i sum_h ",
    "normalisation=constant,constant=7": "1/M sum_l 1/G sum_i 1/7 sum_h ",
    "normalisation=own-length+constant,constant=7": "1/M sum_l 1/G sum_i 1/(L_i 7) sum_h ",
    "term=clipped-weight": "cap = 5, floor = none",
    "term=dual-clip": "sum_h [A < 0: max(",
    "selection=mean-over-kept": "groups mean-over-kept",
}
"""What one changed part makes of the plain variant's formula."""


def check_formulas(expect: Expectations) -> None:
    """Formulas as they are written here, whole and in part."""
    for name, text in FORMULAS.items():
        expect.same(f"the formula of {name}", formula(named(name)), text)
    for part, words in CHANGED_FORMULAS.items():
        found = formula(with_parts(PLAIN, [part]))
        expect.true(f"the formula with {part}: {found}", words in found)
    expect.same("without a term", "beta" in formula(PLAIN), False)


def check_properties(expect: Expectations) -> None:
    """Which compositions couple groups, need entropies, have an objective."""
    table: dict[str, tuple[bool, bool, bool]] = {
        "advantage=mean": (False, False, True),
        "advantage=batch-mean": (True, False, True),
        "advantage=mean/batch-sample": (True, False, True),
        "advantage=mean,first=batch-mean": (True, False, True),
        "advantage=mean,first=mean": (False, False, True),
        "normalisation=all-tokens": (True, False, True),
        "normalisation=group-tokens": (False, False, True),
        "entropy-mask=1/2": (True, True, True),
        "entropy-bonus=1/2": (True, True, True),
        "selection=mean-over-kept": (True, False, True),
        "selection=until-mixed": (False, False, True),
        "term=score": (False, False, False),
        "kl=k1,weight=ratio-detached": (False, False, False),
        "kl=k1,weight=ratio": (False, False, True),
        "kl=none,weight=ratio-detached": (False, False, True),
    }
    for text, expected in table.items():
        variant = with_parts(PLAIN, [text])
        expect.same(text, (variant.couples_groups, variant.needs_entropies, variant.has_objective), expected)


def check_unknown_numbers(expect: Expectations) -> None:
    """What a composition needs and a batch does not have is asked for by name."""
    arithmetic = EnclosureArithmetic()
    token = SampledToken(HALF, HALF)
    group = SampledGroup((SampledResponse((token,), (Fraction(1),)), SampledResponse((token,), (Fraction(0),))))
    batch = Batch((group,), Fraction(1, 5), Fraction(1), 1)
    asked = {
        "kl=exact": ("divergence: None", value), "kl=k3": ("reference: None", slopes),
        "ratio=token,denominator=reference": ("reference: None", slopes), "entropy-mask=1/2": ("entropy: None", slopes),
        "kl=k1,place=reward-after-baseline": ("reference: None", slopes), "entropy-bonus=1": ("entropy: None", value),
        "advantage=mean,weights=1:2": ("advantage,weights", slopes),
    }  # fmt: skip
    for text, (words, call) in asked.items():
        variant = with_parts(PLAIN, [text])
        expect.refused(text, InvalidProblem, lambda: call(variant, batch, arithmetic), words)
    lone = Batch((SampledGroup((SampledResponse((token,), (None,)),)),), Fraction(1, 5), Fraction(0), 1)
    expect.refused("a missing reward", InvalidProblem, lambda: value(PLAIN, lone, arithmetic), "rewards: None")
    equal = Batch((SampledGroup((group.responses[0],) * 2),), Fraction(1, 5), Fraction(0), 1)
    again = with_parts(PLAIN, ["selection=until-mixed"])
    expect.refused("groups to draw again", InvalidProblem, lambda: value(again, equal, arithmetic), "mixed rewards")
    expect.same("a mixed group is kept", value(again, batch, arithmetic), 0)
    kept = with_parts(PLAIN, ["selection=mean-over-kept"])
    expect.same("no group is kept", (value(kept, equal, arithmetic), slopes(kept, equal, arithmetic).groups), (0, ()))
