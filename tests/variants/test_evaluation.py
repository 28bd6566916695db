"""Values of whole objectives written out again, and slopes against differences of those values."""

from fractions import Fraction as F
from itertools import product

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.clip_tests import ClipTest, clipped_share
from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.core.variants.frozen_batch import freeze_batch
from grpocheck.core.variants.registry import AS_GIVEN, NAMED, named
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import with_parts

from tests.variants.by_hand import ARITHMETIC, MP, batch_of, derivative, mpf

EXP, LOG = MP.exp, MP.log
CLOSE = mpf(F(1, 10**25))


def logs(*masses):
    return [LOG(mpf(F(mass))) for mass in masses]


# two prompts; (new, old, reference, advantage); some ratios beyond either clip, lengths 1 to 3
GROUPS = [
    [
        (logs("1/2", "1/3"), logs("1/4", "1/3"), logs("1/5", "2/5"), F(1)),
        (logs("1/4"), logs("1/2"), logs("1/3"), F(-1)),
    ],
    [
        (logs("1/2", "1/2", "1/5"), logs("1/5", "3/5", "1/6"), logs("1/2", "1/2", "1/7"), F(-2)),
        (logs("3/10", "1/10"), logs("3/11", "1/9"), logs("1/4", "1/4"), F(2)),
    ],
]
PLACES = [(g, i, h) for g, i in product((0, 1), (0, 1)) for h in range(len(GROUPS[g][i][0]))]
BETA = F(1, 25)


def own(name, *parts):
    stated = any(part.startswith("advantage=") for part in parts)
    return with_parts(named(name), parts if stated else ["advantage=none", *parts])


def clip(r, low=F(1, 5), high=F(1, 5)):
    return min(1 + mpf(high), max(1 - mpf(low), r))


def token_ratios(new, old):
    return [EXP(a - b) for a, b in zip(new, old, strict=True)]


def k3(new, reference):
    return [EXP(q - p) - (q - p) - 1 for p, q in zip(new, reference, strict=True)]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def every(function):
    """Mean over prompts of the mean over responses."""
    return lambda groups: mean(mean(function(*response) for response in group) for group in groups)


def all_tokens(function):
    def total(groups):
        terms = [term for group in groups for response in group for term in function(*response)]
        return sum(terms) / len(terms)

    return total


def grpo_token(new, old, reference, a):
    terms = [min(r * a, clip(r) * a) for r in token_ratios(new, old)]
    return mean(t - mpf(BETA) * k for t, k in zip(terms, k3(new, reference), strict=True))


def sequence(new, old, reference, a):
    rho = EXP(sum(new) - sum(old))
    return min(rho * a, clip(rho) * a)


def geometric(new, old, reference, a):
    s = EXP((sum(new) - sum(old)) / len(new))
    return min(s * a, clip(s) * a)


def gate(r, a):
    tau = mpf(1 if a > 0 else F(21, 20))
    return 4 / tau / (1 + EXP(-tau * (r - 1))) * a


def dual(r, a):
    term = min(r * a, clip(r) * a)
    return max(term, 3 * a) if a < 0 else term


WRITTEN_OUT = {
    "section-1": (own("section-1", "kl=none"), every(sequence)),
    "grpo-token": (own("grpo-token"), every(grpo_token)),
    "dr-grpo": (
        own("dr-grpo"),
        every(lambda n, o, q, a: sum(min(r * a, clip(r) * a) for r in token_ratios(n, o)) / 3),
    ),
    "bnpo": (own("bnpo"), all_tokens(lambda n, o, q, a: [min(r * a, clip(r) * a) for r in token_ratios(n, o)])),
    "dapo": (
        own("dapo"),
        all_tokens(lambda n, o, q, a: [min(r * a, clip(r, high=F(7, 25)) * a) for r in token_ratios(n, o)]),
    ),
    "gspo": (own("gspo"), every(geometric)),
    "luspo": (own("luspo"), every(lambda n, o, q, a: len(n) * geometric(n, o, q, a))),
    "sapo": (own("sapo"), every(lambda n, o, q, a: mean(gate(r, a) for r in token_ratios(n, o)))),
    "dual-clip": (own("dual-clip"), all_tokens(lambda n, o, q, a: [dual(r, a) for r in token_ratios(n, o)])),
    "delta": (
        own("delta"),
        every(lambda n, o, q, a: mean(min(min(r, mpf(F(3, 2))) * a, clip(r) * a) for r in token_ratios(n, o))),
    ),
    "tic-surrogate": (
        own("tic-surrogate"),
        every(lambda n, o, q, a: min(EXP(sum(n) - sum(o)), mpf(F(6, 5))) * a / 3),
    ),
    "importance-weighted": (own("importance-weighted"), every(lambda n, o, q, a: EXP(sum(n) - sum(o)) * a)),
    "weighted k3": (
        own("gspo", "kl=k3,weight=ratio"),
        every(
            lambda n, o, q, a: geometric(n, o, q, a)
            - mpf(BETA) * EXP((sum(n) - sum(o)) / len(n)) * mean(k3(n, q))
        ),
    ),
    "group tokens": (
        own("dapo", "normalisation=group-tokens"),
        lambda groups: mean(
            sum(min(r * a, clip(r, high=F(7, 25)) * a) for n, o, _, a in group for r in token_ratios(n, o))
            / sum(len(n) for n, *_ in group)
            for group in groups
        ),
    ),
}


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_objectives_are_their_formulas_and_slopes_their_derivatives(name):
    variant, formula = WRITTEN_OUT[name]
    batch = batch_of(GROUPS, beta=BETA)
    assert abs(value(variant, batch, ARITHMETIC) - formula(GROUPS)) < CLOSE
    found = slopes(variant, batch, ARITHMETIC)
    assert found.kinks == ()
    for g, i, h in PLACES:
        assert abs(found.log_masses[g][i][h] - derivative(formula, GROUPS, (g, i, h))) < CLOSE


def score_of(weight):
    """Slopes of a detached weight(ratios of the response, token, advantage) on A grad log pi."""
    return lambda n, o, a: [weight(token_ratios(n, o), h, a) * a for h in range(len(n))]


def product_of(values):
    whole = MP.mpf(1)
    for one in values:
        whole *= one
    return whole


def gamma(w, a):
    k, rate = (2, 3) if a >= 0 else (3, 2)
    return EXP(rate) * w**k * EXP(-rate * w)


SCORES = {
    # name: (weight, normaliser of every response's sum: G M = 4, tokens 8, H = 3)
    "cispo": (lambda w, h, a: min(w[h], 5), 8),
    "vespo": (lambda w, h, a: gamma(product_of(w), a), 8),
    "tic-score": (lambda w, h, a: min(product_of(w), mpf(F(6, 5))), 12),
    "reinforce-none": (lambda w, h, a: 1, 4),
}


@pytest.mark.parametrize("name", SCORES)
def test_score_terms_have_detached_weights(name):
    weight, normaliser = SCORES[name]
    found = slopes(own(name), batch_of(GROUPS), ARITHMETIC)
    for g, i, h in PLACES:
        new, old, _, a = GROUPS[g][i]
        assert abs(found.log_masses[g][i][h] - score_of(weight)(new, old, mpf(a))[h] / normaliser) < CLOSE
    assert not named(name).has_objective


def test_a_detached_weight_on_a_divergence_moves_nothing():
    # ratio * d k2 = ratio * l, over own lengths and 4 responses, minus sign and beta
    found = slopes(
        with_parts(Variant("kl alone", AS_GIVEN), ["kl=k2,weight=ratio-detached", "term=score"]),
        batch_of([[(n, o, q, F(0)) for n, o, q, _ in group] for group in GROUPS], beta=BETA),
        ARITHMETIC,
    )
    for g, i, h in PLACES:
        new, old, reference, _ = GROUPS[g][i]
        expected = -mpf(BETA) * EXP(new[h] - old[h]) * (new[h] - reference[h]) / (4 * len(new))
        assert abs(found.log_masses[g][i][h] - expected) < CLOSE


def test_the_off_policy_mask_leaves_out_what_drifted_and_has_a_negative_advantage():
    # mean log(old/new): response (0, 1): log 2 = 0.69, A = -1; response (1, 0): negative, A = -2
    variant = own("grpo-token", "kl=none", "off-policy-mask=1/2")
    assert freeze_batch(variant, batch_of(GROUPS), ARITHMETIC).kept == (
        ((True, True), (False,)),
        ((True, True, True), (True, True)),
    )
    masked = slopes(variant, batch_of(GROUPS), ARITHMETIC).log_masses
    free = slopes(own("grpo-token", "kl=none"), batch_of(GROUPS), ARITHMETIC).log_masses
    assert masked[0][1] == (0,)
    assert free[0][1] == (0,)  # its ratio 1/2 is clipped as well: the value tells them apart
    assert value(variant, batch_of(GROUPS), ARITHMETIC) != value(own("grpo-token", "kl=none"), batch_of(GROUPS),
                                                                 ARITHMETIC)
    assert masked[1] == free[1]
    # the drift is a mean: of (1, 0) it is -0.31 over three tokens that sum to -0.92
    lower = freeze_batch(own("grpo-token", "kl=none", "off-policy-mask=-1/2"), batch_of(GROUPS), ARITHMETIC)
    assert lower.kept[1] == ((False, False, False), (True, True))
    # where the sampler is known to be another policy than the old one, the drift is from it
    sampler = [[new for new, *_ in group] for group in GROUPS]
    assert all(freeze_batch(variant, batch_of(GROUPS, sampler=sampler), ARITHMETIC).kept[0][1])


ENTROPIES = [[[F(1), F(4)], [F(2)]], [[F(3), F(5), F(6)], [F(7), F(8)]]]


def test_the_entropy_mask_keeps_the_upper_share_and_the_bonus_counts_the_same_tokens():
    variant = own("reinforce-none", "entropy-mask=1/2", "entropy-bonus=1/100")
    batch = batch_of(GROUPS, entropies=ENTROPIES)
    # eight entropies 1..8: the quantile 1/2 is 4.5
    found = slopes(variant, batch, ARITHMETIC)
    assert found.marked == (((False, False), (False,)), ((False, True, True), (True, True)))
    assert abs(found.entropy - mpf(F(1, 400))) < CLOSE
    assert found.log_masses[0] == ((0, 0), (0,))
    without = value(own("reinforce-none", "entropy-mask=1/2"), batch, ARITHMETIC)
    assert abs(value(variant, batch, ARITHMETIC) - without - mpf(F(1, 100) * F(5 + 6 + 7 + 8, 4))) < CLOSE
    # 4/5 of the tokens: the quantile 1/5 of 1..8 lies at 1 + 7/5 = 12/5
    wide = slopes(own("reinforce-none", "entropy-mask=4/5"), batch, ARITHMETIC)
    assert wide.marked == (((False, True), (False,)), ((True, True, True), (True, True)))


def exact_batch(rewards, ratios=None, length=1, beta=F(0)):
    groups = []
    for g, group in enumerate(rewards):
        responses = []
        for i, reward in enumerate(group):
            ratio = F(1) if ratios is None else F(ratios[g][i])
            tokens = (SampledToken(ratio / 10, F(1, 10), F(1, 10)),) * length
            responses.append(SampledResponse(tokens, (reward if reward is None else F(reward),)))
        groups.append(SampledGroup(tuple(responses)))
    return Batch(tuple(groups), F(1, 5), beta, length)


def test_one_response_in_two_groups_has_two_advantages():
    exact = ExactArithmetic()
    token = (SampledToken(F(1, 10), F(1, 10)),)
    good, bad, best = (SampledResponse(token, (F(reward),)) for reward in (1, 0, 3))
    batch = Batch((SampledGroup((good, bad)), SampledGroup((good, best))), F(1, 5), F(0), 1)
    found = slopes(named("reinforce-mean"), batch, exact).log_masses
    assert found == (((F(1, 8),), (F(-1, 8),)), ((F(-1, 4),), (F(1, 4),)))
    assert value(with_parts(named("dr-grpo"), ["term=unclipped"]), batch, exact) == 0
    lone = Batch((SampledGroup((good, good, best)),), F(1, 5), F(0), 1)
    assert slopes(named("reinforce-mean"), lone, exact).log_masses == (((F(-2, 9),), (F(-2, 9),), (F(4, 9),)),)


def test_selection_of_groups():
    exact = ExactArithmetic()
    batch = exact_batch([(1, 0), (1, 1)])
    dropped = with_parts(named("reinforce-mean"), ["selection=mean-over-kept"])
    assert slopes(named("reinforce-mean"), batch, exact).log_masses == (((F(1, 8),), (F(-1, 8),)), ((0,), (0,)))
    assert slopes(dropped, batch, exact).log_masses == (((F(1, 4),), (F(-1, 4),)), ((0,), (0,)))
    assert slopes(dropped, exact_batch([(1, 1), (0, 0)]), exact).log_masses == (((0,), (0,)), ((0,), (0,)))
    with pytest.raises(InvalidProblem, match="groups of mixed rewards"):
        slopes(with_parts(named("reinforce-mean"), ["selection=until-mixed"]), batch, exact)


def test_a_penalty_in_the_reward_is_of_the_old_policy_and_is_not_differentiated():
    # old = reference: no penalty whatever the current policy is
    exact = ExactArithmetic()
    batch = exact_batch([(1, 0)], [("3/2", "1/2")], beta=F(1, 2))
    for place in ("before", "after"):
        variant = with_parts(named("reinforce-mean"), [f"kl=k1,place=reward-{place}-baseline"])
        assert freeze_batch(variant, batch, exact).advantages == ((F(1, 2), F(-1, 2)),)
        assert slopes(variant, batch, exact).log_masses == (((F(1, 4),), (F(-1, 4),)),)


def test_a_response_without_a_reward_pays_no_penalty():
    # reference 1/10 as old: make the old mass twice the reference's, k1 = log 2 each
    arithmetic = EnclosureArithmetic()
    tokens = (SampledToken(F(1, 5), F(1, 5), F(1, 10)),)
    drawn = tuple(SampledResponse(tokens, (reward,)) for reward in (F(1), F(0), None))
    batch = Batch((SampledGroup(drawn),), F(1, 5), F(1), 1)
    rule = "advantage=mean,missing=excluded"
    log2 = arithmetic.log(2)
    after = freeze_batch(own("reinforce-none", rule, "kl=k1,place=reward-after-baseline"), batch, arithmetic)
    assert after.advantages == ((F(1, 2) - log2, F(-1, 2) - log2, 0),)
    before = freeze_batch(own("reinforce-none", rule, "kl=k1,place=reward-before-baseline"), batch, arithmetic)
    assert before.advantages == ((F(1, 2), F(-1, 2), 0),)
    bare = own("reinforce-none", "advantage=none,missing=excluded", "kl=k1,place=reward-before-baseline")
    raw = freeze_batch(bare, batch, arithmetic)
    assert raw.advantages == ((1 - log2, -log2, 0),)


def test_a_ratio_of_the_current_policy_to_itself_has_no_gradient():
    exact = ExactArithmetic()
    right = with_parts(named("section-1"), ["kl=none"])
    faulty = with_parts(right, ["ratio=sequence,denominator=current"])
    batch = exact_batch([(1, 0)])
    assert value(right, batch, exact) == value(faulty, batch, exact) == 0
    assert slopes(right, batch, exact).log_masses == (((F(1, 2),), (F(-1, 2),)),)
    assert slopes(faulty, batch, exact).log_masses == (((0,), (0,)),)


def test_kinks_are_listed_with_their_jumps():
    # advantages 1 and -1 at ratios 6/5 and 4/5, both on the bound that counts; weight 1/2 each, jump -A r or A r
    exact = ExactArithmetic()
    found = slopes(with_parts(named("section-1"), ["kl=none"]), exact_batch([(1, 0)], [("6/5", "4/5")]), exact)
    assert [(kink.response, kink.jump) for kink in found.kinks] == [(0, F(-3, 5)), (1, F(-2, 5))]
    # the slope given there is the mean of both sides, A r / 2
    assert found.log_masses == (((F(3, 10),), (F(-1, 5),)),)
    capped = slopes(with_parts(named("tic-surrogate"), ["kl=none"]), exact_batch([(0, 1)], [("6/5", "4/5")]), exact)
    assert [(kink.response, kink.jump) for kink in capped.kinks] == [(0, F(3, 5))]


def test_what_is_not_known_is_asked_for():
    exact = ExactArithmetic()
    batch = exact_batch([(1, 0)], beta=F(1))
    with pytest.raises(InvalidProblem, match="divergence: None"):
        value(named("section-1"), batch, exact)
    with pytest.raises(InvalidProblem, match="entropy: None"):
        value(with_parts(named("reinforce-mean"), ["entropy-bonus=1"]), batch, EnclosureArithmetic())
    bare = Batch((SampledGroup((SampledResponse((SampledToken(F(1, 2), F(1, 2)),), (F(1),)),)),), F(1, 5), F(1), 1)
    with pytest.raises(InvalidProblem, match="reference: None"):
        slopes(named("grpo-token"), bare, exact)


def test_clip_tests_count_what_they_say():
    exact = ExactArithmetic()
    variant = with_parts(named("grpo-token"), ["advantage=none", "kl=none"])
    batch = exact_batch([(1, 1, -1, 1, -1, 0)], [("3/2", "1", "3/2", "1/2", "1/2", "3/2")])
    shares = {test: clipped_share(variant, batch, test, exact) for test in ClipTest}
    assert shares == {ClipTest.BINDING: F(2, 6), ClipTest.INVERTED: F(2, 6), ClipTest.RANGE_ONLY: F(5, 6)}


@pytest.mark.parametrize("name", NAMED)
def test_on_policy_every_named_method_moves_along_its_advantages(name):
    # at ratio 1 every term has slope A, whatever the clip: only the normalisation is left
    exact = ExactArithmetic()
    batch = exact_batch([(1, 0), (0, 3)], length=2)
    variant = named(name)
    advantages = freeze_batch(variant, batch, exact).advantages
    first = slopes(variant, batch, exact).log_masses
    scale = first[0][0][0] / advantages[0][0]
    assert scale > 0
    for g, i in product((0, 1), (0, 1)):
        assert first[g][i] == (scale * advantages[g][i],) * 2
