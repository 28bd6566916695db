"""The formulas of variants: by hand for named methods, and one for every composition of parts."""

from itertools import product

import pytest
from grpocheck.core.variants.formulas import formula
from grpocheck.core.variants.registry import NAMED, named
from grpocheck.core.variants.words import with_parts

CLIPPED = "min(r A, clip(r, 1-low, 1+high) A)"

BY_HAND = {
    "section-1": f"1/M sum_l 1/G sum_i 1/L_i sum_h {CLIPPED} - 1/M sum_l beta KL_l; "
    "r = prod_h w_h, A = (R - mean_group R)/s, low = epsilon, high = epsilon",
    "grpo-token": f"1/M sum_l 1/G sum_i 1/L_i sum_h [{CLIPPED} - beta k3]; "
    "r = w_h, A = (R - mean_group R)/s, low = epsilon, high = epsilon",
    "dr-grpo": f"1/M sum_l 1/G sum_i 1/H sum_h {CLIPPED}; r = w_h, A = R - mean_group R, low = epsilon, high = epsilon",
    "dapo": f"1/(tokens of the batch) sum_l sum_i sum_h {CLIPPED}; "
    "r = w_h, A = (R - mean_group R)/s, low = epsilon, high = 7/25",
    "gspo": f"1/M sum_l 1/G sum_i 1/L_i sum_h {CLIPPED}; "
    "r = (prod_h w_h)^(1/L_i), A = (R - mean_group R)/s, low = epsilon, high = epsilon",
    "cispo": "1/(tokens of the batch) sum_l sum_i sum_h sg[min(max(r, floor), cap)] A log pi; "
    "r = w_h, A = (R - mean_group R)/s, cap = 5, floor = none",
    "tic-score": "1/M sum_l 1/G sum_i 1/H sum_h sg[min(r, 1+high)] A log pi; "
    "r = prod_h w_h, A = (R - mean_group R)/s, high = epsilon",
    "reinforce-leave-one-out": "1/M sum_l 1/G sum_i sum_h A log pi; r = w_h, A = R - mean_others R",
}


@pytest.mark.parametrize("name", BY_HAND)
def test_named_methods_by_hand(name):
    assert formula(named(name)) == BY_HAND[name]


def test_every_named_method_has_its_own_formula_and_a_source():
    found = [formula(variant) for variant in NAMED.values()]
    assert all(variant.source for variant in NAMED.values())
    # dual-clip and bnpo and all others differ in some symbol
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["kl=k1,place=reward-before-baseline"], "reward R - sum_h beta k1"),
        (["kl=k2,place=reward-after-baseline"], "reward R - sum_h beta k2 after the baseline"),
        (["kl=k3,weight=ratio"], f"[{CLIPPED} - beta r k3]"),
        (["kl=k3,weight=ratio-detached,clamp-value=10"], "- beta sg[r] k3, k3 held in [-10, 10]]"),
        (["advantage=mean/sample,epsilon=1/10000"], "A = (R - mean_group R)/(s_sample + 1/10000)"),
        (["advantage=batch-mean/batch-population,floor=1/4"], "A = (R - mean_batch R)/max(s_batch, sqrt(1/4))"),
        (["normalisation=group-tokens"], "1/M sum_l 1/(tokens of the group) sum_i sum_h"),
        (["normalisation=own-length+constant,constant=7"], "1/G sum_i 1/(L_i 7) sum_h"),
        (["ratio=sequence,denominator=reference"], "r = prod_h w_h over the reference"),
        (["off-policy-mask=1/2", "entropy-mask=1/5"], f"mask_h mask_i {CLIPPED}"),
        (["entropy-bonus=1/100"], "+ 1/100 mean entropy"),
        (["selection=mean-over-kept"], "groups mean-over-kept"),
        (["term=dual-clip"], "[A < 0: max(min(r A, clip(r) A), cap A)]"),
    ],
)
def test_every_part_is_said(parts, said):
    assert said in formula(with_parts(named("bnpo"), parts))


def test_every_combination_of_parts_has_a_formula():
    """The contracts of the formulas hold for all of them; a different part makes a different formula."""
    advantages = [f"advantage={b}{d}" for b in ("none", "mean", "leave-one-out") for d in ("", "/sample")]
    ratios = [f"ratio={level}" for level in ("token", "sequence", "geometric-mean")]
    terms = [f"term={term}" for term in ("two-sided", "upper-cap", "delta", "score", "gamma-weight", "soft-gate")]
    kls = [f"kl={word}" for word in ("none", "exact", "k1", "k3-reversed")]
    norms = [f"normalisation={n}" for n in ("own-length", "maximum-length", "own-length+all-tokens", "none")]
    every = list(product(advantages, ratios, terms, kls, norms))
    assert len({formula(with_parts(named("bnpo"), parts)) for parts in every}) == len(every)
