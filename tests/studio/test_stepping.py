"""A run as views. The numbers are those of problems.py, worked out there by hand."""

import time
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from grpocheck.core import InvalidProblem, problem_from_mapping
from grpocheck.verifier.studio.checked import contracts_checked
from grpocheck.verifier.studio.stage import Recorder, staged
from grpocheck.verifier.studio.stepping import Stepper

from tests.studio.problems import bernoulli, triangle

KINDS = [
    "start", "outer-iteration", "draw", "draw", "reward", "reward", "group", "gradient", "membership", "apply",
    "gradient", "stop", "outcome",
]  # fmt: skip


@pytest.fixture(scope="module")
def stepper() -> Stepper:
    return Stepper(bernoulli())


def text_of(markup: str) -> str:
    """A formula without its markup, its fractions as over/under."""

    def written(element: ElementTree.Element) -> str:
        parts = [element.text or "", *(written(part) for part in element)]
        return "/".join(parts[1:]) if element.tag == "mfrac" else "".join(parts)

    return written(ElementTree.fromstring(markup))


def test_every_event_is_a_view_in_the_order_of_the_run(stepper: Stepper) -> None:
    assert [entry["kind"] for entry in stepper.summary()["timeline"]] == KINDS
    assert [stepper.view(place)["kind"] for place in range(len(stepper))] == KINDS
    assert stepper.summary()["stops"] == [11, 12]


def test_the_stop_returns_three_fifths_and_says_why(stepper: Stepper) -> None:
    view = stepper.view(11)
    assert view["title"] == "Stop: undefined-gradient"
    assert [entry["exact"] for entry in view["theta"]] == ["3/5"]
    assert view["theta"][0]["decimal"] == "0.6"
    assert "“good” (A = 1, ratio 6/5 = 1 + ε) and “bad” (A = −1, ratio 4/5 = 1 − ε)" in view["says"]
    assert "no gradient there (F2)" in view["says"]


def test_the_rules_have_their_numbers_put_in(stepper: Stepper) -> None:
    group, gradient, membership, applied = (stepper.view(place) for place in (6, 7, 8, 9))
    assert [text_of(formula) for formula in group["formulas"]] == [
        "R¯1=1+0/2=1/2",
        "s1=1/2((1−1/2)2+(0−1/2)2)=1/2",  # the root over it and the squares are markup
        "Ai=Ri−R¯/s;A=(1,−1)",
    ]
    assert text_of(gradient["formulas"][1]).endswith("=2")
    assert text_of(membership["formulas"][0]) == "θ+η1,1∇F=1/2+1/20·2=3/5"
    assert [(text_of(entry["formula"]), entry["holds"]) for entry in membership["conditions"]] == [
        ("0<3/5", True),
        ("3/5<1", True),
    ]
    assert applied["objective"]["exact"] == "1/5"  # (6/5 * 1 + 4/5 * -1) / 2


def test_the_ledger_counts_up_to_its_bounds(stepper: Stepper) -> None:
    calls = [stepper.view(place)["calls"] for place in range(len(stepper))]
    assert [c["draws"] for c in calls] == [0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    assert [c["gradient_attempts"] for c in calls] == [0] * 7 + [1, 1, 1, 2, 2, 2]
    assert [c["membership_calls"] for c in calls] == [0] * 8 + [1] * 5
    assert [c["steps_applied"] for c in calls] == [0] * 9 + [1] * 4
    assert stepper.summary()["bounds"]["draws"] == 2
    assert stepper.summary()["bounds"]["gradient_attempts"] == 2


def test_the_start_states_the_budget_and_that_theta_is_in_u(stepper: Stepper) -> None:
    view = stepper.view(0)
    assert [text_of(formula) for formula in view["formulas"]] == [
        "θ0=1/2",
        "draws ≤ T·M·G=1·1·2=2",
        "gradient attempts ≤ T·K=1·2=2",
    ]
    inequalities = [(text_of(entry["formula"]), entry["holds"]) for entry in view["conditions"]]
    assert inequalities == [("0<1/2", True), ("1/2<1", True)]


def test_what_events_count_is_what_the_ledger_counts() -> None:
    problem = bernoulli(
        outer_iterations=3, inner_steps=2, step_size="1/100", draws={"recorded": [[["good", "bad"]]] * 3}
    )
    stepper = Stepper(problem)
    outcome = stepper.stage.outcome
    assert outcome is not None
    ledger = outcome.ledger.to_mapping()
    last = stepper.view(len(stepper) - 1)["calls"]
    assert {name: ledger[name] for name in last} == last
    assert last["draws"] == 6


def test_each_response_says_what_it_does(stepper: Stepper) -> None:
    before, after = stepper.view(7)["rows"], stepper.view(10)["rows"]
    assert [(row["response"], row["side"], row["gradient"]) for row in before] == [
        ("good", "inside", "alive"),
        ("bad", "inside", "alive"),
    ]
    assert [(row["ratio"]["exact"], row["side"], row["gradient"]) for row in after] == [
        ("6/5", "on 1 + ε", "kink"),
        ("4/5", "on 1 − ε", "kink"),
    ]
    assert [row["advantage"]["exact"] for row in after] == ["1", "-1"]
    assert [row["term"]["exact"] for row in after] == ["6/5", "-4/5"]
    undrawn = stepper.view(2)["rows"]
    assert [(row["response"], row["reward"]) for row in undrawn] == [("good", None)]
    assert "advantage" not in undrawn[0]


def test_a_ratio_beyond_its_bound_is_cut_and_one_beyond_the_other_is_not() -> None:
    """A step of 3/40 goes to 1/2 + 6/40 = 13/20: ratios 13/10 and 7/10, both beyond the bound that cuts them."""
    cut = Stepper(bernoulli(step_size="3/40", inner_steps=1)).view(9)["rows"]
    assert [(row["ratio"]["exact"], row["side"], row["gradient"]) for row in cut] == [
        ("13/10", "above 1 + ε", "cut"),
        ("7/10", "below 1 − ε", "cut"),
    ]
    # three prompts share theta: two want good, one wants bad; its ratio rises above 1 + epsilon with A < 0, uncut
    prompts = [
        {"name": str(i), "responses": ["a", "b"], "rewards": rewards, "reference": ["1/2", "1/2"]}
        for i, rewards in enumerate([[1, 0], [1, 0], [0, 1]])
    ]
    draws = {"recorded": [[["a", "b"]] * 3]}
    stepper = Stepper(bernoulli(prompts=prompts, draws=draws, step_size="3/8", inner_steps=1))
    last = stepper.view(len(stepper) - 1)["rows"]
    assert [row["gradient"] for row in last if row["prompt"] == "2"] == ["alive", "alive"]
    assert [row["side"] for row in last if row["prompt"] == "2"] == ["above 1 + ε", "below 1 − ε"]


def test_equal_rewards_have_advantage_zero_and_say_so() -> None:
    stepper = Stepper(bernoulli(draws={"recorded": [[["good", "good"]]]}))
    group = next(stepper.view(i) for i in range(len(stepper)) if stepper.view(i)["kind"] == "group")
    assert "s is exactly 0" in group["says"]
    assert [row["gradient"] for row in group["rows"]] == ["zero", "zero"]


def test_a_proposal_outside_u_shows_the_inequality_that_fails() -> None:
    stepper = Stepper(bernoulli(step_size=1))
    asked = next(stepper.view(i) for i in range(len(stepper)) if stepper.view(i)["kind"] == "membership")
    assert asked["title"] == "Is 5/2 in U? No"
    assert [(text_of(entry["formula"]), entry["holds"]) for entry in asked["conditions"]] == [
        ("0<5/2", True),
        ("5/2<1", False),
    ]
    assert stepper.summary()["status"] == "invalid-update"


def test_vectors_and_penalties_have_views_too() -> None:
    stepper = Stepper(triangle(beta="1/10"))
    views = [stepper.view(place) for place in range(len(stepper))]
    assert {view["kind"] for view in views} >= {"gradient", "membership", "apply", "outcome"}
    assert [len(view["theta"]) for view in views] == [2] * len(views)


def test_names_cannot_become_markup() -> None:
    """What the page takes as markup: formulas, conditions and the plot of the terms, whose dots have titles."""
    name, other = "<script>", "a</text><img>"
    prompts = [{"name": "<b>q", "responses": [name, other], "rewards": [1, 0], "reference": ["1/2", "1/2"]}]
    stepper = Stepper(bernoulli(prompts=prompts, draws={"recorded": [[[name, other]]]}))
    drawn = ""
    for view in map(stepper.view, range(len(stepper))):
        drawn += "".join(view["formulas"]) + "".join(entry["formula"] for entry in view["conditions"]) + view["terms"]
    assert "&lt;script&gt;: ratio" in drawn
    assert "&lt;b&gt;q" in drawn
    assert not any(tag in drawn for tag in ("<script", "<img", "<b>"))


def test_a_long_run_is_cut_and_says_so() -> None:
    stage = staged(bernoulli(), recorder=Recorder(most=5))
    assert [event.kind.value for event in stage.events] == KINDS[:5]
    assert stage.outcome is None
    assert stage.ended == "only its first 5 events are shown: the run goes on"


def test_a_run_that_takes_too_long_is_cut_and_says_so() -> None:
    stage = staged(bernoulli(), recorder=Recorder(until=time.monotonic()))
    assert len(stage.events) == 1
    assert "the run goes on" in (stage.ended or "")


def test_a_supplied_family_is_refused_with_its_key() -> None:
    problem = bernoulli(family="supplied", domain={"kind": "open-box", "lower": [0], "upper": [1]})
    with pytest.raises(InvalidProblem, match="family: 'supplied': expected a built-in family"):
        Stepper(problem)


def test_the_contracts_of_an_event_are_those_evaluated_since_the_one_before() -> None:
    found = contracts_checked(bernoulli())
    assert len(found["events"]) == len(KINDS)
    says = [{found["clauses"][clause]["says"] for clause, _, _ in event} for event in found["events"]]
    assert "C1: a draw is counted once" not in says[2]  # a postcondition is evaluated when the call returns:
    assert "C1: a draw is counted once" in says[3]  # between this draw and the next
    assert "C4: a run ends in one of exactly three statuses" in says[-1]
    assert all(decided + left_open >= 1 for event in found["events"] for _, decided, left_open in event)


def test_a_step_of_three_prompts_six_responses_and_eight_draws_is_shown_in_a_tenth_of_a_second() -> None:
    problem = problem_from_mapping({
        "group_size": 8, "outer_iterations": 1, "inner_steps": 3, "epsilon": "1/5", "beta": 0, "step_size": "1/50",
        "theta": ["1/6"] * 15, "family": "simplex", "draws": {"seed": 3},
        "prompts": [
            {"name": str(i), "responses": list("abcdef"), "rewards": [1, 2, 3, "1/2", 0, 5], "reference": ["1/6"] * 6}
            for i in range(3)
        ],
    })  # fmt: skip
    stepper = Stepper(problem)
    took: list[float] = []
    for place in range(len(stepper)):
        began = time.process_time()
        view: dict[str, Any] = stepper.view(place)
        took.append(time.process_time() - began)
        assert len(view["rows"]) <= 24
    assert sorted(took)[len(took) // 2] < 0.1
