"""KL estimates against their formulas, their one-sided slopes under clamps, and what they average to."""

from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic, MpArithmetic
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.penalties import Divergence, KLTerm, Place, Weight, estimate

MP = MpArithmetic(50)
LOG = MP.context.log
TINY = MP.number(F(1, 10**45))

FORMULAS = {
    "k1": lambda x: x,
    "k2": lambda x: x**2 / 2,
    "k3": lambda x: MP.context.exp(-x) - 1 + x,
    "k3-reversed": lambda x: MP.context.exp(x) - 1 - x,
}


def held(value, limit):
    return value if limit is None else min(limit, max(-limit, value))


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(("inner", "outer"), [(None, None), (F(1, 2), None), (None, F(1, 10)), (F(1, 2), F(1, 10))])
@pytest.mark.parametrize("ratio", [F(1), F(3, 2), F(2, 3), F(4), F(1, 4)])
def test_estimates_are_their_formulas_with_their_slopes(name, inner, outer, ratio):
    term = KLTerm(Divergence(name), clamp_log_ratio=inner, clamp_value=outer)
    limits = [None if c is None else MP.number(c) for c in (inner, outer)]

    def formula(log_ratio):
        return held(FORMULAS[name](held(log_ratio, limits[0])), limits[1])

    base = MP.number(F(1, 8))
    found = estimate(MP.number(ratio) * base, base, term, MP)
    log_ratio = LOG(MP.number(ratio))
    assert abs(found.value - formula(log_ratio)) < TINY
    step = MP.number(F(1, 10**20))
    for slope, sign in ((found.left, -1), (found.right, 1)):
        assert abs(slope - (formula(log_ratio + sign * step) - formula(log_ratio)) / (sign * step)) < MP.number(
            F(1, 10**15)
        )


@pytest.mark.parametrize(
    ("name", "ratio", "slopes"),
    [
        # k1 at l = 1/2 = its clamp: free from below, held above; at l = -1/2 the other way round
        ("k1", 1, (1, 0)),
        ("k1", -1, (0, 1)),
        # k2 = 1/8 at both: it falls towards l = 0, so that its value clamp holds the outer side
        ("k2", 1, (F(1, 2), 0)),
        ("k2", -1, (0, F(-1, 2))),
    ],
)
def test_on_a_clamp_one_side_is_held(name, ratio, slopes):
    arithmetic = EnclosureArithmetic()
    mass = arithmetic.exp(F(ratio, 2)) / 8
    limit = F(1, 2) if name == "k1" else F(1, 8)
    for options in ({"clamp_value": limit}, {"clamp_log_ratio": F(1, 2)}):
        found = estimate(mass, F(1, 8), KLTerm(Divergence(name), **options), arithmetic)
        assert (found.left, found.right) == slopes


def test_what_the_estimates_average_to():
    # pi = (1/2, 1/4, 1/4), ref = (1/4, 1/4, 1/2): KL(pi || ref) = (1/4) log 2, chi^2 = 3/8
    masses, reference = (F(1, 2), F(1, 4), F(1, 4)), (F(1, 4), F(1, 4), F(1, 2))
    mean = {
        name: sum(
            MP.number(p) * estimate(MP.number(p), MP.number(q), KLTerm(Divergence(name)), MP).value
            for p, q in zip(masses, reference, strict=True)
        )
        for name in FORMULAS
    }
    divergence = LOG(2) / 4
    assert abs(mean["k1"] - divergence) < TINY
    assert abs(mean["k3"] - divergence) < TINY
    assert abs(mean["k2"] - 3 * LOG(2) ** 2 / 8) < TINY
    assert abs(mean["k3-reversed"] - (MP.number(F(3, 8)) - divergence)) < TINY


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: KLTerm(Divergence.EXACT, place=Place.REWARD_BEFORE), "kl: 'exact': expected in the reward"),
        (lambda: KLTerm(Divergence.K1, Weight.DETACHED, Place.REWARD_AFTER), "kl,weight"),
        (lambda: KLTerm(Divergence.K3, clamp_value=F(0)), "kl,clamp-value: 0: expected a number above 0"),
        (lambda: KLTerm(Divergence.K3, clamp_log_ratio=F(-1)), "kl,clamp-log-ratio"),
    ],
)
def test_what_is_no_term_is_refused(make, message):
    with pytest.raises(InvalidProblem, match=message):
        make()
