"""Exact moments against sums over every ordered draw, written out in fractions; verdicts; the search."""

from fractions import Fraction as F
from itertools import product
from math import comb

import pytest
from grpocheck.core import problem_from_mapping
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, parse_exact
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.registry import NAMED, named
from grpocheck.core.variants.words import with_parts
from grpocheck.verifier.counts import count_vectors, number_of_count_vectors, positions_of, probability
from grpocheck.verifier.estimator.exact import Verdict, compared_with_zero, estimate, multiple_of_truth
from grpocheck.verifier.estimator.moments import TooManyCases, enumerated, moments_of
from grpocheck.verifier.estimator.problems import update_of
from grpocheck.verifier.estimator.report import estimation_mapping, multiple, search_sentence
from grpocheck.verifier.estimator.search import search
from grpocheck.verifier.prime_logs import PrimeLogs, factors

EXACT = ExactArithmetic()


def stated(masses, rewards, group_size=2, beta=0, epsilon="1/5", reference=None, responses=None, family="simplex"):
    """A problem of prompts with these masses and rewards."""
    theta = [mass for row in masses for mass in row[:-1]] if family == "simplex" else masses
    return problem_from_mapping(
        {
            "group_size": group_size,
            "outer_iterations": 1,
            "inner_steps": 1,
            "epsilon": epsilon,
            "beta": beta,
            "step_size": 1,
            "theta": theta,
            "family": family,
            "prompts": [
                {
                    "name": f"q{place}",
                    "responses": (responses or {}).get(place, [f"r{j}" for j in range(len(row))]),
                    "rewards": row,
                    "reference": reference or [f"1/{len(row)}"] * len(row),
                }
                for place, row in enumerate(rewards)
            ],
        }
    )


def estimation(name, problem, *parts, at=None, arithmetic=None, coordinates="logits"):
    arithmetic = arithmetic or PrimeLogs(EnclosureArithmetic())
    update = update_of(problem, arithmetic, at and [F(x) for x in at], coordinates)
    return estimate(with_parts(named(name), list(parts)), update, problem.group_size, arithmetic)


def score(p, y):
    """grad log p(y) by logits."""
    return [F(int(j == y)) - p[j] for j in range(len(p))]


def brute_force(p, rewards, group_size, advantages):
    """Expectation and second moments of 1/G sum A_i grad log p(y_i), over all n^G ordered draws."""
    n = len(p)
    mean, square = [F(0)] * n, [[F(0)] * n for _ in range(n)]
    for draws in product(range(n), repeat=group_size):
        weight = F(1)
        for y in draws:
            weight *= p[y]
        a = advantages([rewards[y] for y in draws])
        g = [sum(a[i] * score(p, y)[j] for i, y in enumerate(draws)) / group_size for j in range(n)]
        for j in range(n):
            mean[j] += weight * g[j]
            for k in range(n):
                square[j][k] += weight * g[j] * g[k]
    return mean, [[square[j][k] - mean[j] * mean[k] for k in range(n)] for j in range(n)]


def centred(rewards):
    average = F(sum(rewards), len(rewards))
    return [reward - average for reward in rewards]


def leave_one_out(rewards):
    return [r - F(sum(rewards) - r, len(rewards) - 1) for r in rewards]


@pytest.mark.parametrize("group_size", [2, 3, 4])
@pytest.mark.parametrize(("name", "rule"), [("reinforce-mean", centred), ("reinforce-leave-one-out", leave_one_out),
                                            ("reinforce-none", list)])
def test_moments_are_sums_over_all_ordered_draws(name, rule, group_size):
    p, rewards = [F(1, 2), F(1, 3), F(1, 6)], [3, 1, 0]
    mean, covariance = brute_force(p, rewards, group_size, rule)
    found = estimation(name, stated([p], [rewards], group_size))
    assert list(found.moments.expected) == mean
    assert [list(row) for row in found.moments.covariance] == covariance
    assert found.moments.second_moment == sum(covariance[j][j] + mean[j] ** 2 for j in range(3))
    assert found.moments.cases == comb(group_size + 2, 2)
    assert found.moments.ordered == 3**group_size
    assert list(found.true_gradient) == [sum(p[y] * rewards[y] * score(p, y)[j] for y in range(3)) for j in range(3)]


def test_the_own_mean_shortens_the_gradient_by_one_over_g():
    for group_size in (2, 3, 5):
        found = estimation("reinforce-mean", stated([["1/2", "1/3", "1/6"]], [[1, 0, 0]], group_size))
        assert found.verdict is Verdict.BIASED
        assert multiple_of_truth(found.moments.expected, found.true_gradient, EXACT) == F(group_size - 1, group_size)


def standardised_bernoulli(p, group_size):
    """E of 1/G sum A_i (y_i - p) for 0/1 rewards y, A standardised: with k ones it is sqrt(k (G-k)) / G."""
    total = 0
    for k in range(1, group_size):
        weight = comb(group_size, k) * p**k * (1 - p) ** (group_size - k)
        total = total + weight * EXACT.sqrt(F(k * (group_size - k))) / group_size
    return total


@pytest.mark.parametrize("group_size", [2, 3, 4])
def test_standardised_advantages_of_zero_one_rewards(group_size):
    p = F(1, 3)
    found = estimation("section-1", stated([[p, 1 - p]], [[1, 0]], group_size))
    assert found.moments.expected[0] == standardised_bernoulli(p, group_size)
    # at G = 2 by accident the true one, p (1 - p)
    assert (found.verdict is Verdict.UNBIASED) == (group_size == 2)


def test_prompts_that_are_not_coupled_are_averaged():
    masses, rewards = [["1/2", "1/2"], ["1/4", "1/4", "1/2"]], [[1, 0], [2, 1, 0]]
    both = estimation("reinforce-leave-one-out", stated(masses, rewards))
    alone = [estimation("reinforce-leave-one-out", stated([m], [r])) for m, r in zip(masses, rewards, strict=True)]
    assert both.true_gradient == tuple(entry / 2 for one in alone for entry in one.true_gradient)
    assert both.true_objective == (alone[0].true_objective + alone[1].true_objective) / 2
    assert both.verdict is Verdict.UNBIASED
    first, second = (one.moments for one in alone)
    assert both.moments.expected == tuple(entry / 2 for entry in (*first.expected, *second.expected))
    assert both.moments.covariance[0][0] == first.covariance[0][0] / 4
    assert both.moments.covariance[2][4] == second.covariance[0][2] / 4
    assert both.moments.covariance[0][2] == 0
    assert both.moments.cases == 3 + 6
    assert both.moments.ordered == 2**2 * 3**2


def test_coupled_prompts_are_enumerated_together():
    # one token each, so the token mean is the mean over responses: what is coupled agrees with what is not
    masses, rewards = [["1/2", "1/2"], ["1/4", "1/4", "1/2"]], [[1, 0], [2, 1, 0]]
    coupled = estimation("dapo", stated(masses, rewards), "advantage=mean", "entropy-mask=1")
    apart = estimation("dr-grpo", stated(masses, rewards))
    assert coupled.moments.cases == 3 * 6
    assert coupled.moments.expected == apart.moments.expected
    assert coupled.moments.covariance == apart.moments.covariance


def test_a_token_mean_depends_on_the_other_prompts_lengths():
    # prompt 0 of one-token answers; prompt 1 of answers of 1 and 3 tokens with equal rewards: only its lengths matter
    problem = stated([["1/2", "1/2"], ["1/2", "1/2"]], [[1, 0], [0, 0]], responses={1: ["x", "y y y"]})
    found = estimation("dapo", problem, "advantage=mean")
    # 2 tokens of prompt 0 beside 2, 4 (twice) or 6 of prompt 1: E 1/(2 + L) = 1/4 (1/4 + 2/6 + 1/8)
    expected = F(1, 4) * (F(1, 4) + F(2, 6) + F(1, 8))
    # sum_i A_i score of a mixed pair is (1/2, -1/2), which has probability 1/2
    assert found.moments.expected[:2] == (expected / 4, -expected / 4)
    assert found.moments.by_prompt[1] == (0, 0, 0, 0)


@pytest.mark.parametrize("parts", [[], ["selection=mean-over-kept"], ["normalisation=own-length+all-tokens"],
                                   ["selection=mean-over-kept", "normalisation=own-length", "kl=k3"]])
def test_classes_of_groups_are_combined_as_if_every_combination_were_a_case(parts):
    # three prompts of answers of unequal lengths, off policy
    masses = [["1/4", "3/4"], ["1/2", "1/2"], ["1/5", "4/5"]]
    lengths = {0: ["x", "y y"], 1: ["p p", "q"], 2: ["u u u", "v"]}
    problem = stated(masses, [[2, 0], [3, 1], [1, 0]], beta="1/3", responses=lengths)
    variant = with_parts(named("dapo"), ["advantage=leave-one-out", *parts])
    arithmetic = PrimeLogs(EnclosureArithmetic())
    update = update_of(problem, arithmetic, [F(1, 3), F(4, 7), F(1, 4)], "logits")
    classes = moments_of(variant, update, 2, arithmetic)
    every = enumerated(variant, update, 2, arithmetic, lambda cases: None)
    assert (classes.cases, every.cases) == (9, 27)

    def equal(left, right):
        return all(-F(1, 10**40) < a - b < F(1, 10**40) for a, b in zip(left, right, strict=True))

    assert equal(classes.expected, every.expected)
    assert equal([classes.value, classes.value_variance], [every.value, every.value_variance])
    for rows, other in ((classes.covariance, every.covariance), (classes.by_prompt, every.by_prompt)):
        assert all(equal(row, line) for row, line in zip(rows, other, strict=True))


def test_kinks_of_two_prompts_make_up_for_each_other_only_when_both_are_drawn():
    # old 1/2, at 3/5: A = 1 at ratio 6/5 of one prompt, A = -1 there of the other; alone each is a kink
    problem = stated(["1/2"], [[1, 0], [0, 1]], family="bernoulli")
    found = estimation("tic-surrogate", problem, at=["3/5"], coordinates="theta")
    # pairs are mixed with probability 1/2: exactly one of the two groups with probability 1/2
    assert found.moments.undefined == F(1, 2)
    assert found.moments.cases == 9
    alike = stated(["1/2"], [[1, 0], [1, 0]], family="bernoulli")
    never = estimation("tic-surrogate", alike, at=["3/5"], coordinates="theta")
    assert never.moments.undefined == F(3, 4)


def test_dynamic_sampling_conditions_on_mixed_groups():
    p, group_size = F(1, 10), 4
    mixed = 1 - p**group_size - (1 - p) ** group_size
    found = estimation("reinforce-mean", stated([[p, 1 - p]], [[1, 0]], group_size), "selection=until-mixed")
    assert found.moments.expected[0] == F(3, 4) * p * (1 - p) / mixed
    with pytest.raises(InvalidProblem, match="dynamic sampling never finds a mixed group"):
        estimation("reinforce-mean", stated([["1/2", "1/2"]], [[1, 1]]), "selection=until-mixed")


def test_off_policy_draws_come_from_the_old_policy():
    # E_old[rho r] = E_theta[r], and plain REINFORCE weighs by the old masses
    problem = stated([["1/5", "4/5"]], [[1, 0]])
    weighted = estimation("importance-weighted", problem, at=["1/2"])
    assert weighted.verdict is Verdict.UNBIASED
    assert weighted.moments.value == weighted.true_objective == F(1, 2)
    # rho = 5/2 and 5/8: variance of rho r is 25/4 1/5 - 1/4 = 1, halved by G = 2
    assert weighted.moments.value_variance == F(1, 2)
    plain = estimation("reinforce-none", problem, at=["1/2"])
    assert plain.moments.expected == (F(1, 10), F(-1, 10))
    assert plain.true_gradient == (F(1, 4), F(-1, 4))
    assert plain.moments.value is None


def test_one_entry_that_is_not_0_decides_wherever_it_stands():
    arithmetic = EnclosureArithmetic(max_bits=256)
    zero = 2 * arithmetic.log(arithmetic.sqrt(F(2))) - arithmetic.log(F(2))  # which no enclosure shows
    assert compared_with_zero((zero, F(1, 7)), arithmetic) == (Verdict.BIASED, "")
    assert compared_with_zero((F(1, 7), zero), arithmetic) == (Verdict.BIASED, "")
    verdict, why = compared_with_zero((F(0), zero), arithmetic)
    assert verdict is Verdict.UNDECIDED
    assert why.startswith("not decided at 256 bits")
    assert multiple((F(1), F(2)), (zero, F(2)), arithmetic) is None
    assert multiple((F(1), F(2)), (F(3), F(6)), arithmetic) == "1/3"


def test_a_kink_leaves_no_expected_gradient():
    # old 1/2, at 3/5: both ratios of a mixed pair are on their bounds; pairs of one response have A = 0
    found = estimation("section-1", stated([["1/2", "1/2"]], [[1, 0]]), at=["3/5"])
    assert found.verdict is Verdict.UNDEFINED
    assert found.moments.undefined == F(1, 2)
    assert found.moments.expected is None
    sentence = estimation_mapping(found, ["q0"], EXACT)["sentence"]
    assert sentence == "no expected gradient: with probability 1/2 the draws leave a kink, where there is none"


def test_logarithms_are_found_equal_exactly():
    # k1 in the reward, before and after the baseline: one expected gradient, that of E[R] - beta KL
    problem = stated([["2/3", "1/3"]], [[1, 0]], beta="1/2", reference=["1/6", "5/6"])
    for place in ("before", "after"):
        found = estimation("reinforce-leave-one-out", problem, f"kl=k1,place=reward-{place}-baseline")
        assert found.verdict is Verdict.UNBIASED
    # without the primes the logarithms of 4 and of 2/5 are not seen to belong together
    exact_logs = estimation("reinforce-leave-one-out", problem, "kl=k2", arithmetic=EnclosureArithmetic(max_bits=128))
    assert exact_logs.verdict in (Verdict.UNBIASED, Verdict.UNDECIDED)


def test_factors():
    assert factors(1) == []
    assert factors(2**3 * 3**2 * 101) == [(2, 3), (3, 2), (101, 1)]
    assert factors(10007 * 10009) == [(10007 * 10009, 1)]


@pytest.mark.parametrize("coordinates", ["theta", "logits"])
def test_coordinates(coordinates):
    found = estimation("reinforce-none", stated([["1/4", "3/4"]], [[1, 0]]), coordinates=coordinates)
    assert found.true_gradient == ((1,) if coordinates == "theta" else (F(3, 16), F(-3, 16)))


def test_what_cannot_be_asked_is_refused():
    problem = stated([["1/4", "3/4"]], [[1, 0]])
    with pytest.raises(InvalidProblem, match="coordinates: 'polar': expected theta or logits"):
        update_of(problem, EXACT, None, "polar")
    with pytest.raises(InvalidProblem, match=r"at: \[1/2, 1/2\]: expected as many numbers as theta has: 1"):
        update_of(problem, EXACT, [F(1, 2), F(1, 2)])
    with pytest.raises(InvalidProblem, match=r"at: \[2\]: expected a point of the open domain U"):
        update_of(problem, EXACT, [F(2)])


def test_an_enumeration_that_is_too_large_says_how_large():
    update = update_of(stated([["1/4"] * 4] * 2, [[1, 0, 0, 0]] * 2, 8), EXACT)
    with pytest.raises(TooManyCases, match="330 cases"):
        moments_of(named("section-1"), update, 8, EXACT, most_cases=100)
    with pytest.raises(TooManyCases, match=r"27225 cases .*every combination"):
        moments_of(named("gdpo"), update, 8, EXACT)


def test_count_vectors_stand_for_ordered_draws():
    masses = [F(1, 2), F(1, 3), F(1, 6)]
    vectors = list(count_vectors(3, 4))
    assert len(vectors) == len(set(vectors)) == number_of_count_vectors(3, 4) == 15
    assert sum(probability(counts, masses) for counts in vectors) == 1
    assert probability((2, 1, 1), masses) == 12 * F(1, 4) * F(1, 3) * F(1, 6)
    assert positions_of((2, 0, 1)) == (0, 0, 2)


def test_entropies_are_part_of_the_gradient():
    # a bonus on the entropy alone: c grad H with H = -sum p log p, here by logits p_j (-log p_j - H)
    problem = stated([["1/4", "3/4"]], [[0, 0]])
    arithmetic = PrimeLogs(EnclosureArithmetic())
    found = estimation("reinforce-none", problem, "entropy-bonus=1/2", arithmetic=arithmetic)
    log = arithmetic.log
    entropy = -(F(1, 4) * log(F(1, 4)) + F(3, 4) * log(F(3, 4)))
    expected = F(1, 2) * F(1, 4) * (-log(F(1, 4)) - entropy)
    assert found.moments.expected[0] == expected


def test_the_entropy_of_every_token_is_part_of_the_gradient():
    # masses 1/4, 1/2, 1/4 of "x x", "x y", "z"; drawn "x x" and "z": three tokens, two of them the first one of theirs.
    # H_1 = h(s), s = p + q = 3/4: slope log((1 - s)/s) = -log 3 by both; H_2 = h(p/s), p/s = 1/3: slope log 2 times
    # q/s^2 = 8/9 by p and -p/s^2 = -4/9 by q
    problem = stated([["1/4", "1/2", "1/4"]], [[0, 0, 0]], responses={0: ["x x", "x y", "z"]})
    arithmetic = PrimeLogs(EnclosureArithmetic())
    update = update_of(problem, arithmetic, None, "theta")
    (found,) = update.coefficients([(0, 2)], with_parts(named("reinforce-none"), ["entropy-bonus=1/2"]), arithmetic)
    log_2, log_3 = arithmetic.log(F(2)), arithmetic.log(F(3))
    expected = [(-2 * log_3 + slope * log_2) / 6 for slope in (F(8, 9), F(-4, 9))]
    gradient = update.prompts[0].gradient_of(found)
    assert all(-F(1, 10**40) < a - b < F(1, 10**40) for a, b in zip(gradient, expected, strict=True))


def test_the_search_names_the_smallest_problem_with_a_bias():
    make = lambda: PrimeLogs(EnclosureArithmetic())  # noqa: E731
    result = search(named("section-1"), False, F(0), F(1, 5), make)
    assert str(result.smallest) == "2 responses, G = 2, rewards (2, 0), masses (1/2, 1/2)"
    assert result.estimation.moments.expected == (F(1, 4), F(-1, 4))
    assert result.estimation.true_gradient == (F(1, 2), F(-1, 2))
    sentence = search_sentence(result, make())
    assert sentence.startswith("biased in general: the smallest problem found has 2 responses, G = 2, rewards (2, 0)")
    assert sentence.endswith("E = (1/4, -1/4), true (1/2, -1/2)")
    lengths = search(with_parts(named("reinforce-none"), ["normalisation=own-length"]), False, F(0), F(1, 5), make)
    assert "lengths (1, 2)" in str(lengths.smallest)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "off_policy"), [("reinforce-leave-one-out", False), ("importance-weighted", True)])
def test_the_search_finds_no_bias_where_there_is_none(name, off_policy):
    result = search(named(name), off_policy, F(0), F(1, 5), lambda: PrimeLogs(EnclosureArithmetic()))
    assert result.smallest is None
    assert result.verdicts[Verdict.UNBIASED] == result.searched > 70
    assert "a search, not a proof" in search_sentence(result, EXACT)


@pytest.mark.parametrize("name", NAMED)
def test_every_named_method_has_moments_on_and_off_policy(name):
    problem = stated([["2/5", "3/5"]], [[2, 0]], 3, beta="1/10", responses={0: ["x x", "y"]})
    on = estimation(name, problem)
    assert on.verdict in (Verdict.BIASED, Verdict.UNBIASED)
    off = estimation(name, problem, at=["1/2"])
    assert off.verdict in (Verdict.BIASED, Verdict.UNBIASED)
    assert parse_exact("0") == on.moments.undefined == off.moments.undefined
