"""Parts as words: read, written back, refused; and the registry of named methods."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor, Missing
from grpocheck.core.variants.masks import EntropyMask, OffPolicyMask, Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm, Place, Weight
from grpocheck.core.variants.ratios import Denominator, Level, RatioRule
from grpocheck.core.variants.registry import NAMED, named
from grpocheck.core.variants.scores import ClippedWeight, GammaWeight
from grpocheck.core.variants.terms import DualClip, TwoSided
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import TERMS, composition, with_parts

READ = [
    ("advantage=none", {"advantage": AdvantageRule(Baseline.NONE, Divisor.NONE)}),
    ("advantage=mean/sample,epsilon=1e-4", {"advantage": AdvantageRule(divisor=Divisor.SAMPLE, epsilon=F(1, 10**4))}),
    (
        "advantage=leave-one-out,missing=excluded,weights=1:1/2",
        {"advantage": AdvantageRule(Baseline.LEAVE_ONE_OUT, Divisor.NONE, missing=Missing.EXCLUDED,
                                    weights=(F(1), F(1, 2)))},
    ),
    (
        "advantage=batch-mean/batch-sample,epsilon=0.5,first=mean/sample;epsilon=0.25",
        {"advantage": AdvantageRule(Baseline.BATCH_MEAN, Divisor.BATCH_SAMPLE, F(1, 2),
                                    first=AdvantageRule(divisor=Divisor.SAMPLE, epsilon=F(1, 4)))},
    ),
    ("ratio=geometric-mean", {"ratio": RatioRule(Level.GEOMETRIC)}),
    ("ratio=sequence,denominator=reference", {"ratio": RatioRule(Level.SEQUENCE, Denominator.REFERENCE)}),
    ("term=two-sided,low=0.2,high=0.28", {"term": TwoSided(F(1, 5), F(7, 25))}),
    ("term=dual-clip,cap=5/2", {"term": DualClip(cap=F(5, 2))}),
    ("term=clipped-weight,cap=4,floor=1/2", {"term": ClippedWeight(F(4), F(1, 2))}),
    ("term=gamma-weight,negative-power=4", {"term": GammaWeight(negative_power=4)}),
    ("kl=k3,weight=ratio-detached", {"kl": KLTerm(Divergence.K3, Weight.DETACHED)}),
    ("kl=k1,place=reward-after-baseline", {"kl": KLTerm(Divergence.K1, place=Place.REWARD_AFTER)}),
    ("kl=k3,clamp-log-ratio=10,clamp-value=20", {"kl": KLTerm(Divergence.K3, clamp_log_ratio=F(10),
                                                              clamp_value=F(20))}),
    ("normalisation=own-length", {"normalisation": Normalisation()}),
    ("normalisation=none", {"normalisation": Normalisation(False)}),
    ("normalisation=own-length+maximum-length", {"normalisation": Normalisation(True, Per.MAXIMUM)}),
    ("normalisation=constant,constant=12", {"normalisation": Normalisation(False, Per.CONSTANT, F(12))}),
    ("off-policy-mask=0.1", {"off_policy_mask": OffPolicyMask(F(1, 10))}),
    ("entropy-mask=0.2", {"entropy_mask": EntropyMask(F(1, 5))}),
    ("entropy-bonus=0.01", {"entropy_bonus": F(1, 100)}),
    ("selection=until-mixed", {"selection": Selection.UNTIL_MIXED}),
]


@pytest.mark.parametrize(("text", "fields"), READ, ids=[text for text, _ in READ])
def test_a_part_is_read(text, fields):
    found = with_parts(named("dapo"), [text])
    assert found == replace(named("dapo"), name=f"dapo with {text}", **fields)


@pytest.mark.parametrize("name", NAMED)
def test_a_composition_is_read_back_from_its_words(name):
    words = composition(NAMED[name])
    read = with_parts(Variant("x"), [f"{part}={text}" for part, text in words.items()])
    assert composition(read) == words
    for part in ("advantage", "ratio", "term", "kl", "normalisation", "selection"):
        assert getattr(read, part) == getattr(NAMED[name], part)


@pytest.mark.parametrize("word", TERMS)
def test_every_term_says_its_formula_and_source(word):
    term = with_parts(named("section-1"), [f"term={word}"]).term
    assert term == TERMS[word]()
    assert term.formula
    assert term.source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("advantage", "part: 'advantage': expected part=word"),
        ("clip=two-sided", "part: 'clip': expected"),
        ("advantage=median", r"advantage: 'median': expected mean \(did you mean that\?\)"),
        ("advantage=mean/std", "advantage: 'std': expected"),
        ("advantage=mean,eps=1", r"advantage,eps: '1': expected epsilon"),
        ("advantage=mean,epsilon", "advantage: 'epsilon': expected key=value after the comma"),
        ("advantage=mean,epsilon=1,epsilon=2", "each key once"),
        ("advantage=mean,epsilon=small", "advantage,epsilon: 'small': expected an exact finite number"),
        ("advantage=mean,epsilon=-1", "advantage,epsilon: -1: expected a number of at least 0"),
        ("ratio=sequences", "ratio: 'sequences': expected sequence"),
        ("term=three-sided", "term: 'three-sided': expected two-sided"),
        ("term=two-sided,low=2", "term,low: 2: expected a number strictly between 0 and 1"),
        ("term=two-sided,cap=2", "term,cap: '2': expected"),
        ("term=gamma-weight,positive-power=1/2", "term,positive-power: '1/2': expected"),
        ("term=gamma-weight,positive-power=" + "9" * 5000, "term,positive-power: '9{60}…': expected an integer"),
        ("kl=k4", "kl: 'k4': expected one of none, exact, k1, k2, k3"),
        ("kl=exact,place=reward-before-baseline", "kl: 'exact': expected in the reward"),
        ("kl=k3,clamp-value=0", "kl,clamp-value: 0: expected a number above 0"),
        ("normalisation=constant", "normalisation: 'constant': expected constant,constant=N"),
        ("normalisation=length", "normalisation: 'length': expected"),
        ("normalisation=own-length,constant=3", "normalisation: 'own-length,constant=3'"),
        ("entropy-mask=2", "entropy-mask: 2: expected a share"),
        ("entropy-bonus=-1", "entropy-bonus: -1: expected a number of at least 0"),
        ("off-policy-mask=much", "off-policy-mask: 'much'"),
        ("selection=some", "selection: 'some': expected"),
    ],
)
def test_a_part_that_is_none_is_refused(text, message):
    with pytest.raises(InvalidProblem, match=message):
        with_parts(named("dapo"), [text])


def test_an_unknown_method_is_refused_with_the_nearest():
    with pytest.raises(InvalidProblem, match=r"variant: 'gspoo': expected gspo \(did you mean that\?\)"):
        named("gspoo")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tic", "tic-surrogate or tic-score"),
        ("TIC", "tic-surrogate or tic-score"),
        ("rlo", "rloo"),
    ],
)
def test_a_name_that_methods_share_is_answered_with_all_of_them(name, expected):
    with pytest.raises(InvalidProblem) as caught:
        named(name)
    assert str(caught.value) == f"variant: {name!r}: expected {expected} (did you mean that?)"


@pytest.mark.parametrize(
    ("name", "own"),
    [("DAPO", "dapo"), ("dr_grpo ", "dr-grpo"), ("RLOO", "reinforce-leave-one-out"), ("grpo", "grpo-token")],
)
def test_a_method_is_known_however_it_is_written(name, own):
    assert named(name).name == own


def test_which_variants_couple_their_prompts():
    coupled = {name for name, variant in NAMED.items() if variant.couples_groups}
    assert coupled == {"bnpo", "dapo", "dapo-dynamic", "cispo", "vespo", "gdpo", "dual-clip"}
    assert with_parts(named("section-1"), ["selection=mean-over-kept"]).couples_groups
    assert with_parts(named("section-1"), ["entropy-mask=1/2"]).couples_groups
