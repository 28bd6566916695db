"""Any composition of parts: its slopes are the derivatives of its value, wherever there is no kink."""

from fractions import Fraction as F

from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.core.variants.registry import named
from grpocheck.core.variants.words import with_parts
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.variants.by_hand import ARITHMETIC, MP, batch_of, derivative, mpf

ADVANTAGES = st.sampled_from(
    ["none", "mean", "mean/population,epsilon=1/10", "leave-one-out", "batch-mean/batch-sample"]
)
RATIOS = st.sampled_from(["token", "sequence", "geometric-mean", "token,denominator=reference"])
TERMS = st.sampled_from(
    ["two-sided", "two-sided,low=1/3,high=1/7", "upper-cap", "dual-clip,cap=11/7", "delta,delta=17/13", "unclipped",
     "soft-gate"]
)
PENALTIES = st.sampled_from(
    ["none", "k1", "k2", "k3", "k3-reversed", "k3,weight=ratio", "k2,weight=ratio", "k3,clamp-value=1/9",
     "k2,clamp-log-ratio=1/5", "k1,place=reward-before-baseline", "k1,place=reward-after-baseline"]
)
NORMALISATIONS = st.sampled_from(
    ["own-length", "none", "maximum-length", "all-tokens", "group-tokens", "own-length+maximum-length",
     "constant,constant=7"]
)
MASSES = st.fractions(F(1, 20), F(19, 20), max_denominator=97)
REWARDS = st.fractions(-2, 2, max_denominator=5)


@st.composite
def responses(draw):
    length = draw(st.integers(1, 3))
    row = st.lists(MASSES, min_size=length, max_size=length)
    logs = [[MP.log(mpf(mass)) for mass in draw(row)] for _ in range(3)]
    return (*logs, draw(REWARDS))


GROUPS = st.lists(st.lists(responses(), min_size=2, max_size=3), min_size=1, max_size=2)


@settings(max_examples=60, deadline=None)
@given(GROUPS, ADVANTAGES, RATIOS, TERMS, PENALTIES, NORMALISATIONS, st.data())
def test_slopes_are_derivatives_of_the_value(groups, advantage, ratio, term, kl, normalisation, data):
    words = [f"advantage={advantage}", f"ratio={ratio}", f"term={term}", f"kl={kl}", f"normalisation={normalisation}"]
    variant = with_parts(named("section-1"), words)
    g = data.draw(st.integers(0, len(groups) - 1))
    i = data.draw(st.integers(0, len(groups[g]) - 1))
    h = data.draw(st.integers(0, len(groups[g][i][0]) - 1))

    def objective(moved):
        return value(variant, batch_of(moved, beta=F(1, 3), maximum_length=3), ARITHMETIC)

    # rounded masses miss a bound that they stand on by a last digit: one-sided differences tell
    before, after = (derivative(objective, groups, (g, i, h), side=side) for side in (-1, 1))
    assume(abs(before - after) < mpf(F(1, 10**10)))
    found = slopes(variant, batch_of(groups, beta=F(1, 3), maximum_length=3), ARITHMETIC)
    assert abs(found.log_masses[g][i][h] - derivative(objective, groups, (g, i, h))) < mpf(F(1, 10**18))
