"""Properties of one run, on numbers worked out by hand.

The kink: theta = 1/2, the group good (reward 1), bad (0), so A = 1, -1; grad F = (1 * 2 + (-1) * (-2)) / 2 = 2; the
step 0.05 * 2 lands on 3/5, where rho is 6/5 = 1 + epsilon of good and 4/5 = 1 - epsilon of bad, and F is (6/5 - 4/5)/2.
"""

import pytest
from grpocheck.core.procedure import run
from grpocheck.core.reading import read_problem
from grpocheck.verifier.properties import Place, Scope, Verdict, answers, check
from grpocheck.verifier.properties.runs import read_text

from tests.properties.problems import bernoulli, kink, simplex

HOLD = (
    "F = 0 and F_next = 1/5",
    "theta = 1/2 and theta_next = 3/5 and theta_old = 0.5 and theta_0 = 0.5",
    "ratio_next[1] = 1.2 and ratio_next[2] = 4/5",
    "ratio = 1 and old_mass = 1/2 and mass = 1/2 and k = 1 and t = 1 and step_size = 0.05",
    "term_next[1] = 6/5 and term_next[2] = -4/5",
    "reward[1] = 1 and reward[2] = 0 and advantage[1] = 1 and advantage[2] = -1",
    "mean_reward = 1/2 and deviation = 1/2",
    "status = undefined-gradient and draws = 2 and attempts = 2 and membership = 1 and steps = 1 and iterations = 1",
    "T = 1 and M = 1 and G = 2 and K = 2 and d = 1 and epsilon = 1/5 and beta = 0",
    "1 - epsilon <= ratio <= 1 + epsilon",
    "any responses: ratio_next = 1 + epsilon",
    "all i, j: reward[i] > reward[j] implies ratio_next[i] > ratio_next[j]",
    "sum(responses: advantage) = 0 and mean(responses: advantage^2) = 1",
    "sum(support: mass_next) = 1 and min(support: mass_next) = 2/5 and max(support: mass_next) = 3/5",
    "min(ratio_next[1], 1, 2) = 1 and max(ratio_next[2], 1) = 1 and abs(advantage[2]) = 1 and sqrt(4/9) = 2/3",
    "2^-2 = 1/4 and -2^2 = -4 and (-2)^2 = 4 and 1 - 2 - 3 = -4 and 8 / 4 / 2 = 1 and 0^0 = 1 and 2 * 3 + 4 = 10",
    "1e-2 = 1/100 and 0.2 = 1/5 and not 1/3 = 0.333",
    "kl = 0 and kl_next > 0 and log(1) = 0 and log(6) = log(2) + log(3)",
    "status = complete implies F_next = 7",
    "F > 5 iff F_next > 5",
)


@pytest.mark.parametrize("text", HOLD)
def test_what_holds_of_the_kink(text: str) -> None:
    result = check(text, kink())
    assert result.reason == (answers.UNMET if text.startswith("status = complete implies") else "")
    assert (result.verdict, result.method, result.counterexample) == (Verdict.HOLDS, "evaluation", None)


REFUTED = {
    "F_next = F": (Place(1, 1), {"F_next": "1/5", "F": "0"}),
    "ratio < 1 + epsilon": (Place(1, 1, 1, 1), {"ratio[1]": "6/5", "epsilon": "1/5"}),
    "ratio > 1 - epsilon": (Place(1, 1, 1, 2), {"ratio[2]": "4/5", "epsilon": "1/5"}),
    "k = 0": (Place(1, 1), {"k": "1"}),
    "status = complete": (Place(), {"status": "undefined-gradient"}),
    "attempts = steps": (Place(), {"attempts": "2", "steps": "1"}),
    "all support: mass >= 1/2": (Place(1, 1, 1), {"mass['bad']": "2/5"}),
    "sum(responses: advantage) = 1": (Place(1, 0), {"sum(responses: advantage)": "0"}),
    "not F_next > 0": (Place(1, 1), {"F_next": "1/5"}),
    "F = 0 and F_next = 0": (Place(1, 1), {"F_next": "1/5"}),
    "F > 1 or F_next > 1": (Place(1, 1), {"F": "0", "F_next": "1/5"}),
    "F = 0 implies F_next = 0": (Place(1, 1), {"F": "0", "F_next": "1/5"}),
    "F = 0 iff F_next = 0": (Place(1, 1), {"F": "0", "F_next": "1/5"}),
    "any i: ratio_next[i] = 1": (Place(1, 1, 1, 1), {"ratio_next[1]": "6/5", "ratio_next[2]": "4/5"}),
}


@pytest.mark.parametrize(("text", "found"), REFUTED.items())
def test_what_is_refuted_says_where_and_with_which_numbers(text: str, found: tuple[Place, dict[str, str]]) -> None:
    result = check(text, kink())
    assert (result.verdict, result.undefined) == (Verdict.REFUTED, False)
    assert (result.at, dict(result.values)) == found
    assert result.counterexample is not None
    again = read_text(result.counterexample)
    assert check(text, again).verdict is Verdict.REFUTED
    assert run(again).status == "undefined-gradient"


UNDEFINED = ("F / 0 > 1", "0^-1 > 1", "log(0) < 1", "log(-1) < 1", "sqrt(-1) = 0", "F_next / F > 1", "not F / 0 > 1",
             "F / 0 > 1 or F_next > 1", "F_next = 1/5 and F / 0 > 1", "F / 0 > 1 iff F = 0")  # fmt: skip


@pytest.mark.parametrize("text", UNDEFINED)
def test_a_division_by_zero_is_a_refutation_that_says_so(text: str) -> None:
    result = check(text, kink())
    assert (result.verdict, result.undefined) == (Verdict.REFUTED, True)
    assert "undefined (" in result.reason
    assert check(text, read_text(str(result.counterexample))).undefined


UNKNOWN = "2 * log(sqrt(2)) = log(2)"
"""True, and no enclosure tells: the two are not written alike."""


@pytest.mark.parametrize("unknown", ["F / 0 > 1", UNKNOWN])
def test_what_decides_decides_whichever_side_it_stands_on(unknown: str) -> None:
    true = "F_next = 1/5"
    sides = (f"{unknown} or {true}", f"{true} or {unknown}")
    for text in (*sides, f"F_next = 1 implies {unknown}", f"{unknown} implies {true}"):
        assert check(text, kink()).verdict is Verdict.HOLDS, text
    for text in (f"{unknown} and F_next = 0", f"F_next = 0 and {unknown}"):
        result = check(text, kink())
        assert (result.verdict, result.undefined, result.reason) == (
            Verdict.REFUTED,
            False,
            "F_next = 0: F_next = 1/5",
        )


@pytest.mark.parametrize(
    "text",
    [UNKNOWN, f"not {UNKNOWN}", f"{UNKNOWN} and F >= 0", f"F = 1 or {UNKNOWN}", f"{UNKNOWN} iff F >= 0",
     "log(sqrt(2)) * 2 > log(2)", f"{UNKNOWN} and F / 0 > 1", f"F / 0 > 1 or {UNKNOWN}",
     "1 / (2 * log(sqrt(2)) - log(2)) > 0"],
)  # fmt: skip
def test_what_no_enclosure_tells_is_undecided(text: str) -> None:
    result = check(text, kink())
    assert (result.verdict, result.counterexample) == (Verdict.UNDECIDED, None)
    assert "log(" in result.reason


def test_a_later_refutation_is_found_after_an_undecided_moment() -> None:
    result = check(f"k = 0 and {UNKNOWN}", kink())
    assert (result.verdict, result.at) == (Verdict.REFUTED, Place(1, 1))


def test_a_run_without_a_step_proves_nothing_of_steps() -> None:
    stopped = read_problem("examples/invalid_update.toml")
    result = check("F_next >= F", stopped)
    assert (result.verdict, result.cases) == (Verdict.UNDECIDED, 0)
    assert "no step is applied" in result.reason
    assert check("F >= 0", stopped).cases == 1


def test_quantifiers_within_a_prompt_range_over_its_own_responses() -> None:
    """p: rewards 3, 1, so A = 1, -1 and s = 1; q: both draws have reward 2, so A = 0 and s = 0."""
    assert check("all prompts: sum(responses: reward) = 4 and sum(support: mass) = 1", simplex()).verdict == "holds"
    assert check("sum(responses: reward) = 8 and sum(support: mass) = 2", simplex()).verdict == "holds"
    assert check("deviation[1] = 1 and deviation[2] = 0 and advantage[2,1] = 0 and advantage[1,2] = -1",
                 simplex()).verdict == "holds"  # fmt: skip
    assert check("any p in prompts: advantage[p,1] = 1 and deviation[p] = 1", simplex()).verdict == "holds"
    refuted = check("all prompts: deviation > 0", simplex())
    assert (refuted.at, dict(refuted.values)) == (Place(1, 0, 2), {"deviation[2]": "0"})
    refuted = check("reward > 2", simplex())
    assert (refuted.at, dict(refuted.values)) == (Place(1, 0, 1, 2), {"reward[1,2]": "1"})
    refuted = check("all j: theta[j] > 1/4", simplex())
    assert dict(refuted.values) == {"theta[2]": "1/4"}


def test_kl_without_an_index_is_the_mean_and_within_a_prompt_its_own() -> None:
    """p: masses 1/2, 1/4, 1/4; q: uniform, as its reference, so that its divergence is 0."""
    value = "(1/2 * log(3/2) + 1/2 * log(3/4))"
    assert check(f"k = 0 implies kl = {value} / 2 and kl[1] = {value} and kl[2] = 0", simplex()).verdict == "holds"
    assert check("k = 0 implies (any prompts: kl = 0)", simplex()).verdict == "holds"
    assert check("k = 0 implies kl = 0", simplex()).verdict == "refuted"


def test_every_iteration_has_its_own_old_masses() -> None:
    three = read_problem("examples/complete_three_iterations.toml")
    assert check("k = 0 implies ratio = 1 and theta[1] = theta_old[1]", three).verdict == "holds"
    assert check("theta_old[1] = theta_0[1]", three).verdict == "refuted"
    assert check("t = 1 implies theta_old[1] = theta_0[1]", three).verdict == "holds"


def test_a_fresh_seed_is_recorded_in_the_counterexample() -> None:
    result = check("reward[1] + reward[2] = 7", bernoulli(recorded=None))
    assert "seed" in result.scope_text
    assert "recorded = [[[" in str(result.counterexample)


def test_a_refutation_that_does_not_replay_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    other = (("good", "good"),)
    monkeypatch.setattr(answers, "drawn", lambda problem, iterations: (other,))
    result = check("advantage = 0", kink())
    assert (result.verdict, result.counterexample) == (Verdict.UNDECIDED, None)
    assert "run again" in result.reason


def test_a_check_can_be_cancelled_and_has_a_budget() -> None:
    result = check("F >= 0", kink(), cancelled=lambda: True)
    assert (result.verdict, result.reason) == (Verdict.UNDECIDED, "cancelled")
    result = check("F >= 0", kink(), budget=-1)
    assert (result.verdict, result.reason) == (Verdict.UNDECIDED, "the budget of -1 s is spent")


def test_a_scope_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of run, draws, shape"):
        check("F >= 0", kink(), scope="everything")
    assert list(Scope) == ["run", "draws", "shape"]


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("k = 7 implies ratio < 0", False),
        ("all prompts: (deviation = 5 implies mean_reward = 2)", False),
        ("ratio_next > 1 and advantage < 0 implies F_next < F", False),  # the worse one has 4/5
        ("status = invalid-update implies steps = 7", False),
        ("k = 1 implies ratio > 1/2", True),
        ("advantage > 0 implies ratio >= 1", True),  # of one draw of two
        ("k != 7 or ratio < 0", True),
        ("1 / (k - 1) > 5 implies F = 0 or k = 0 or k = 1", True),  # without a value it is not said to be false
    ],
)
@pytest.mark.parametrize("scope", [Scope.RUN, Scope.DRAWS])
def test_a_property_that_holds_for_want_of_its_condition_says_so(text, met, scope):
    found = check(text, kink(), scope=scope)
    assert found.verdict is Verdict.HOLDS, found.reason
    assert found.reason == ("" if met else answers.UNMET)
