"""What lessons compute, beside a second computation in a few lines of fractions or mpmath."""

from fractions import Fraction as F
from itertools import product

import mpmath
import pytest
from grpocheck.verifier.lessons import bias_of_the_group, course, lesson_named, ten_by_ten
from grpocheck.verifier.lessons.blocks import Command, Fact, Paragraph, Plot
from grpocheck.verifier.lessons.lesson import Page
from grpocheck.verifier.lessons.rendering import page_text
from grpocheck.verifier.tables import WIDTH

from tests.lessons.pages import TRAINED, facts, page, tables

P, Q, R = (F(4, 5), F(1, 5)), (F(1, 2), F(1, 2)), (1, 0)


@pytest.fixture(autouse=True)
def precise():
    with mpmath.workdps(50):
        yield


def log(value):
    return mpmath.log(mpmath.mpf(F(value).numerator) / F(value).denominator)


def real(value):
    return mpmath.mpf(F(value).numerator) / F(value).denominator


def near(fact, expected, places=8):
    return abs(mpmath.mpf(fact.decimals) - expected) <= mpmath.mpf(10) ** -places / 2 + mpmath.mpf(10) ** -30


def test_the_share_of_negative_group_means_over_all_ordered_groups():
    rows = dict(tables("single-sample-log-ratio")[0].rows)
    for size in (1, 2, 3, 4, 8):
        share = F(0)
        for group in product((0, 1), repeat=size):
            if sum(log(P[y] / Q[y]) for y in group) < 0:
                share += F(4, 5) ** group.count(0) * F(1, 5) ** group.count(1)
        assert abs(F(rows[str(size)]) - share) <= F(1, 2 * 10**6)
    assert facts("single-sample-log-ratio")["share-two"].value == F(9, 25)


def test_the_three_estimates_of_kl():
    kl = sum(real(p) * log(p / q) for p, q in zip(P, Q, strict=True))
    k2 = sum(real(p) * log(p / q) ** 2 / 2 for p, q in zip(P, Q, strict=True))
    assert near(facts("single-sample-log-ratio")["k2-mean"], k2)
    rows = {row[0]: row for row in tables("single-sample-log-ratio")[1].rows}
    assert [rows[kind][4] for kind in ("k1", "k2", "k3")] == ["yes", "no", "yes"]
    for kind, mean in (("k1", kl), ("k2", k2), ("k3", kl)):
        assert abs(mpmath.mpf(rows[kind][3]) - mean) < mpmath.mpf("5.1e-7")


def test_the_divergence_grows_as_the_reference_vanishes():
    rows = tables("kl-directions")[0].rows
    for (_, shown), power in zip(rows, (1, 3, 6, 12, 24), strict=True):
        small = F(1, 10**power)
        expected = real(P[0]) * log(P[0] / (1 - small)) + real(P[1]) * log(P[1] / small)
        assert abs(mpmath.mpf(shown) - expected) < mpmath.mpf("5.1e-7")


def test_the_trees_of_the_chain_rule():
    found = facts("kl-chain-rule")
    x = (1 - mpmath.sqrt(1 - mpmath.exp(-1))) / 2
    masses = (mpmath.mpf("0.4"), mpmath.mpf("0.4"), mpmath.mpf("0.1"), mpmath.mpf("0.1"))
    base = (mpmath.mpf("0.25"), mpmath.mpf("0.25"), x / 2, (1 - x) / 2)
    whole = sum(p * mpmath.log(p / q) for p, q in zip(masses, base, strict=True))
    assert near(found["enumerated"], whole, 20)
    assert near(found["right-again"], whole, 20)
    masses, base = (F(2, 5), F(2, 5), F(1, 10), F(1, 10)), (F(1, 4), F(1, 4), F(1, 16), F(7, 16))
    assert near(found["rational-enumerated"], sum(real(p) * log(p / q) for p, q in zip(masses, base, strict=True)))


def test_the_gradients_of_the_return():
    found = facts("return-with-kl")
    with mpmath.workdps(40):
        def objective(theta):
            return theta - mpmath.mpf("0.1") * (
                theta * mpmath.log(2 * theta) + (1 - theta) * mpmath.log(2 * (1 - theta))
            )

        slope = mpmath.diff(objective, mpmath.mpf("0.8"))
    assert near(found["gradient"], slope)
    assert abs(mpmath.mpf(found["difference"].decimals) - slope) < mpmath.mpf("1e-7")
    assert (found["own-first"].value, found["own-second"].value) == (F(-1, 8), F(1, 2))
    assert F(4, 5) * F(-1, 8) + F(1, 5) * F(1, 2) == 0
    lost = -mpmath.mpf("0.1") * (log(F(4, 5)) - log(F(1, 5)))
    assert near(found["through-error"], lost)
    assert near(found["through"], slope + lost)
    rows = {row[0]: row[1:] for row in tables("return-with-kl")[0].rows}
    assert [rows[label][1] for label in rows] == ["unbiased", "biased", "biased", "unbiased", "biased", "unbiased"]
    k3 = [real(q / p) - 1 + log(p / q) for p, q in zip(P, Q, strict=True)]
    expected = 1 - mpmath.mpf("0.1") * (k3[0] - k3[1])  # sum of grad p (R - beta k3)
    assert abs(mpmath.mpf(rows["k3 in the reward, detached"][0]) - expected) < mpmath.mpf("1e-8")
    assert rows["k3 in the loss"][0] == "0.8125"  # 1 - beta sum p score (1 - q/p) = 1 - 0.1 ((1 - 5/8) - (1 - 5/2))


def test_the_best_policy():
    found = facts("tilted-optimum")
    star = mpmath.exp(10) / (mpmath.exp(10) + 1)
    assert near(found["p-star"], star)
    assert near(found["value"], mpmath.log((mpmath.exp(10) + 1) / 2) / 10)
    gap = sum(real(p) * mpmath.log(real(p) / b) for p, b in zip(P, (star, 1 - star), strict=True)) / 10
    assert near(found["gap"], gap, 7)
    assert near(found["sum"], mpmath.log((mpmath.exp(10) + 1) / 2) / 10)
    assert found["log-odds"].value == 10


def test_the_share_of_groups_that_teach_nothing():
    (shares, advantages) = tables("zero-variance")
    for row in shares.rows:
        theta = F(row[0])
        for shown, size in zip(row[1:], (2, 4, 8, 16), strict=True):
            share = theta**size + (1 - theta) ** size
            assert abs(F(shown) - share) <= F(1, 2 * 10**6)
    assert [row[1] for row in advantages.rows] == ["1", "1", "1"]
    for row, difference in zip(advantages.rows, (1, mpmath.mpf("1e-4"), mpmath.mpf("1e-6")), strict=True):
        sample = difference / mpmath.sqrt(2)
        assert abs(mpmath.mpf(row[2]) - difference / 2 / (sample + mpmath.mpf("1e-4"))) < mpmath.mpf("5.1e-7")
    pulled = real(F(3, 5)) - real(F(1, 20)) * real(F(1, 2)) * log(F(3, 2))  # eta beta log(0.6/0.4)
    assert near(facts("zero-variance")["pulled"], pulled, 6)
    assert facts("zero-variance")["theta"].value == F(1, 2)


def test_the_three_runs_of_the_budget():
    rows = {row[0]: row[1:] for row in tables("budget")[0].rows}
    # T M G = 3 * 2 * 4 and T K = 3 * 2; one prompt, G = 2, K = 2: 3 * 2 and 3 * 2
    assert rows["two prompts"] == ("complete", "3", "24", "24", "6", "6", "6", "6")
    assert rows["a kink"] == ("undefined-gradient", "2", "4", "6", "4", "6", "3", "3")
    assert rows["out of U"] == ("invalid-update", "1", "2", "6", "1", "6", "0", "1")
    found = facts("budget")
    for name in ("draws-by-iterations", "attempts-by-steps", "membership-by-gradients"):
        assert found[name].exact == "yes"


def test_the_ledger_and_the_lies():
    found = facts("supplied-oracles")
    counts = {name: found[name].value for name in ("draws", "reward-evaluations", "gradient-attempts")}
    assert counts == {"draws": 2, "reward-evaluations": 2, "gradient-attempts": 2}
    assert found["mass-evaluations"].value == 6  # two responses at theta_0 and after each of two steps
    assert (found["membership-calls"].value, found["domain-own-count"].value) == (2, 3)
    assert found["caught"].value == 5
    # from 1/2 the gradient is 1/2 (1/theta + 1/(1-theta)) at the old masses: 2 in both steps, 1/80 each
    assert found["honest-theta"].value == F(1, 2) + 2 * 2 * F(1, 80)
    assert found["lying-theta"].value == F(1, 2) + 2 * 4 * F(1, 80)
    assert found["lying-status"].exact == "complete"
    clauses = [row[1] for row in tables("supplied-oracles")[0].rows]
    assert len(set(clauses)) == 5
    assert "none was noticed" not in clauses


def test_the_little_trainer_with_four_references():
    rows = {row[0]: row[1:] for row in tables("roles")[2].rows}
    theta = mpmath.mpf("0.5")
    for _ in range(4):
        theta += mpmath.mpf("0.05") * (1 - mpmath.mpf("0.5") * mpmath.log(theta / (1 - theta)))
    assert abs(mpmath.mpf(rows["deep copy"][3]) - theta) < mpmath.mpf("1e-6")
    assert rows["deep copy"][1] == rows["deep copy"][2]
    assert rows["deep copy"][4] == rows["deep copy"][5]
    for kind in ("shallow copy", "the model itself", "copy at each step"):
        assert rows[kind][3] == "0.7"  # four steps of 0.05 along the reward alone
        assert rows[kind][1] != rows[kind][2]
    true = mpmath.mpf("0.7") * mpmath.log("1.4") + mpmath.mpf("0.3") * mpmath.log("0.6")
    assert abs(mpmath.mpf(rows["shallow copy"][5]) - true) < mpmath.mpf("1e-6")
    assert [rows[kind][0] for kind in rows] == ["none", "theta", "theta", "none"]
    assert (rows["shallow copy"][4], rows["the model itself"][4]) == ("0", "0")
    last = mpmath.mpf("0.7") * mpmath.log(mpmath.mpf(70) / 65) + mpmath.mpf("0.3") * mpmath.log(mpmath.mpf(30) / 35)
    assert abs(mpmath.mpf(rows["copy at each step"][4]) - last) < mpmath.mpf("1e-6")
    assert (facts("roles")["old-digests"].value, facts("roles")["current-digests"].value) == (2, 4)
    assert facts("roles")["fresh-ratio"].value == 1


def test_the_bias_of_the_group_over_all_ordered_groups():
    """E of 1/G sum (R_i - mean) score_i, and of the same over s, theta = 1/4, rewards 1 and 0."""
    theta, found = F(1, 4), facts("bias-of-the-group")
    for size in (2, 3, 4):
        centred, over_s = F(0), mpmath.mpf(0)
        for group in product((1, 0), repeat=size):
            probability = theta ** sum(group) * (1 - theta) ** (size - sum(group))
            mean = F(sum(group), size)
            raw = sum((reward - mean) * (1 / theta if reward else -1 / (1 - theta)) for reward in group) / size
            variance = sum((reward - mean) ** 2 for reward in group) / size
            centred += probability * raw
            if variance:
                over_s += real(probability * raw) / mpmath.sqrt(real(variance))
        assert found[f"mean-{size}"].value == centred == F(size - 1, size)
        if size < 4:
            assert near(found[f"std-{size}"], over_s)
    assert (found["std-scaled"].value, found["true-scaled"].value) == (1, 2)
    assert found["area"].value == F(2, 3)
    assert (found["true-direction"].exact, found["expected-direction"].exact) == ("(-2, -3/2)", "(-4/3, -2/3)")
    methods = [row[1:] for row in tables("bias-of-the-group")[0].rows]
    assert methods[0] == ("1", "1", "1", "1")
    assert len(bias_of_the_group.METHODS) == len(methods)


def test_ten_by_ten_against_plain_floating_point():
    """The policy of the trained parameter, its E[R], KL and objective, enumerated once more without core."""
    found = facts("ten-by-ten")
    (trained,) = TRAINED
    logits = [real(entry) for entry in trained.theta]
    rows = [logits[10 * place : 10 * place + 10] for place in range(11)]  # the empty prefix, then each first digit
    weights = [[mpmath.exp(entry) for entry in row] for row in rows]
    first, *second = [[entry / sum(row) for entry in row] for row in weights]
    paths = {(u, v): first[u] * second[u][v] for u in range(10) for v in range(10)}
    reward = sum(mass for (u, v), mass in paths.items() if u + v == 9)
    kl = sum(mass * mpmath.log(100 * mass) for mass in paths.values())
    assert abs(sum(paths.values()) - 1) < mpmath.mpf("1e-40")
    assert near(found["reward-after"], reward)
    assert near(found["kl-after"], kl)
    assert near(found["kl-chain"], kl)
    assert near(found["objective-after"], reward - kl / 20)
    wrong = sum(p * mpmath.log(10 * p) for p in first) + sum(
        p * mpmath.log(10 * p) for row in second for p in row
    ) / 10
    assert near(found["kl-wrong"], wrong)
    best = mpmath.log(mpmath.mpf("0.9") + mpmath.exp(20) / 10) / 20
    assert near(found["best"], best)
    assert near(found["gap"], best - reward + kl / 20)
    assert found["objective-after"].value > found["objective-before"].value
    assert len(trained.rewards) == len(trained.objectives) == ten_by_ten.UPDATES + 1
    assert abs(trained.rewards[-1] - reward) < mpmath.mpf("1e-30")
    assert found["draws"].value == ten_by_ten.UPDATES * ten_by_ten.GROUP_SIZE == 1280
    assert sum(int(path[0]) + int(path[2]) == 9 for path in trained.first_group) == found["first-hits"].value


def test_ten_by_ten_moves_as_reinforce_does(monkeypatch):
    """The first update by hand: at the uniform policy, A times the score of each drawn path, averaged."""
    family = ten_by_ten.policy()
    prompt = ten_by_ten.task(family)
    monkeypatch.setattr(ten_by_ten, "UPDATES", 1)
    trained = ten_by_ten.train(family, prompt, Page())
    rewards = [int(int(path[0]) + int(path[2]) == 9) for path in trained.first_group]
    mean = F(sum(rewards), len(rewards))
    deviation = mpmath.sqrt(real(mean * (1 - mean)))  # at the start every log(p/q) is 0
    gradient = [mpmath.mpf(0)] * 110
    for path, reward in zip(trained.first_group, rewards, strict=True):
        advantage = real(reward - mean) / deviation
        u, v = int(path[0]), int(path[2])
        for k in range(10):
            gradient[k] += advantage * ((k == u) - mpmath.mpf("0.1")) / len(rewards)
            gradient[10 * (u + 1) + k] += advantage * ((k == v) - mpmath.mpf("0.1")) / len(rewards)
    for entry, slope in zip(trained.theta, gradient, strict=True):
        assert abs(real(entry) - 2 * slope) <= mpmath.mpf("0.51e-6")


def test_the_trajectory_ratio_is_a_power():
    found = facts("token-vs-trajectory")
    assert found["trajectory"].value == F(11, 10) ** 10
    assert found["down"].value == F(9, 10) ** 10
    assert found["geometric"].value == F(11, 10)
    assert found["by-trajectory"].value == found["under-current"].value == F(3, 5) ** 2
    # old mass 1/4 of "a a" times the mean of the two token ratios 6/5 and 6/5
    assert found["by-token"].value == F(1, 4) * F(6, 5)
    (plot,) = (b for b in page("token-vs-trajectory").blocks if isinstance(b, Plot))
    assert plot.series[0].points[9] == (10.0, pytest.approx(2.5937424601))


ANSWERS = {
    "clip-by-sign": ["-2.4", "-15"],
    "kl-directions": ["0.223"],  # log 5 - 2 log 2
    "single-sample-log-ratio": ["0.008"],
    "return-with-kl": ["0", "no"],
    "roles": ["0", "old"],
    "token-vs-trajectory": ["4"],  # 1.05^3 = 1.157625, 1.05^4 = 1.21550625
    "kl-chain-rule": ["0.1"],
    "tilted-optimum": ["0.731"],  # e/(e + 1)
    "zero-variance": ["0.6562"],  # 0.9^4 + 0.1^4
    "budget": ["48", "3"],
    "supplied-oracles": ["7", "no"],
    "bias-of-the-group": ["15/16"],
    "ten-by-ten": ["1000", "0.885"],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answers_by_hand_are_right(name):
    exercises = page(name).exercises
    assert len(exercises) == len(ANSWERS[name])
    for exercise, answer in zip(exercises, ANSWERS[name], strict=True):
        assert exercise.is_right(answer), exercise.question
        assert exercise.explanation


@pytest.mark.parametrize("name", [lesson.name for lesson in course()])
def test_habits_of_a_lesson(name):
    lesson, shown = lesson_named(name), page(name)
    names = [fact.name for fact in shown.facts]
    assert len(set(names)) == len(names) >= 1
    assert all(name == name.lower() and " " not in name for name in names)
    assert shown.exercises, "a lesson asks something"
    for block in shown.blocks:
        if isinstance(block, Fact):
            assert block.text.isascii()
            assert "\u2212" not in block.label
        if isinstance(block, Paragraph):
            assert "\u2212" not in block.text
            assert len(block.text) < 900, "a paragraph that is read in one go"
        if isinstance(block, Command):
            assert block.text.startswith("grpocheck ")
    words = sum(len(block.text.split()) for block in shown.blocks if isinstance(block, Paragraph))
    assert words < 130 * lesson.minutes, "prose at a reading speed that leaves time for the numbers"
    assert all(len(text) <= WIDTH for text in page_text(lesson, shown).splitlines())
