"""Traces that are consistent from the first line to the last, of a run that is not the definition's: a checker that
compares lines with one another, or skips a rule, finds them right.

Most come from a run whose supplied oracle follows another rule, with the supply then denied in the first line: so every
later number, count and status follows from the lie. What is right is computed here, in fractions, from the definition.
"""

import copy
import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import Supply, TraceWriter, problem_from_mapping, run
from grpocheck.core.frozen import FrozenIteration
from grpocheck.verifier.check import check

from tests.check.corruption import Event, text_of

PROBLEM: dict[str, Any] = {
    "group_size": 2, "outer_iterations": 2, "inner_steps": 2, "epsilon": "1/5", "beta": "0",
    "step_sizes": [["3/40", "1/50"], ["1/100", "1/25"]], "theta": ["1/2"], "family": "bernoulli",
    "domain": {"kind": "open-box", "lower": ["1/10"], "upper": ["9/10"]},
    "prompts": [
        {"name": "q1", "responses": ["good", "bad"], "rewards": ["1", "0"], "reference": ["1/2", "1/2"]},
        {"name": "q2", "responses": ["good", "bad"], "rewards": ["1/3", "0"], "reference": ["3/5", "2/5"]},
    ],
    "draws": {"recorded": [[["good", "bad"], ["bad", "good"]], [["bad", "good"], ["good", "good"]]]},
}  # fmt: skip
"""Two prompts, one parameter: theta_1 = 1/2 + 3/40 * 2 = 13/20, where every ratio is outside [4/5, 6/5]."""

Rule = Callable[[Fraction, Fraction, Fraction, Fraction], Fraction]
"""From rho, A, epsilon and d rho / d theta to the slope of one term."""


def traced(tmp_path: Path, supply: Supply | None = None, **changed: Any) -> tuple[Path, list[Event]]:
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        run(problem_from_mapping(PROBLEM | changed), supply, observer=writer)
    return path, list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))


def verdict(path: Path, events: list[Event]) -> tuple[int, str]:
    path.write_text(text_of(events), encoding="utf-8")
    return check(str(path))


def slope(frozen: FrozenIteration, theta: Fraction, rule: Rule, scale: Fraction = Fraction(1)) -> Fraction:
    """The derivative of the mean over prompts and draws; pi(good) = theta, pi(bad) = 1 - theta."""
    total = Fraction(0)
    for group in frozen.groups:
        for position, advantage, old in zip(group.positions, group.advantages, group.old_masses, strict=True):
            mass, sign = ((theta, 1), (1 - theta, -1))[position]
            total += rule(mass / old, advantage, frozen.epsilon, sign / old) / len(group.positions)
    return scale * total / len(frozen.groups)


def defined(ratio: Fraction, advantage: Fraction, epsilon: Fraction, rate: Fraction) -> Fraction:
    bound = 1 + epsilon if advantage > 0 else 1 - epsilon
    return advantage * rate if ratio * advantage < bound * advantage else Fraction(0)


def unclipped(ratio: Fraction, advantage: Fraction, epsilon: Fraction, rate: Fraction) -> Fraction:
    return advantage * rate


def capped_above(ratio: Fraction, advantage: Fraction, epsilon: Fraction, rate: Fraction) -> Fraction:
    return advantage * rate if ratio < 1 + epsilon else Fraction(0)


def wrong_side(ratio: Fraction, advantage: Fraction, epsilon: Fraction, rate: Fraction) -> Fraction:
    bound = 1 + epsilon  # whatever the sign of the advantage
    return advantage * rate if ratio * advantage < bound * advantage else Fraction(0)


def without_ratio(ratio: Fraction, advantage: Fraction, epsilon: Fraction, rate: Fraction) -> Fraction:
    return defined(Fraction(1), advantage, epsilon, rate / ratio)  # the slope of A log pi


def gradient_of(rule: Rule, scale: Fraction = Fraction(1), stale: bool = False) -> Any:
    def oracle(frozen: FrozenIteration, theta: Any) -> list[Fraction]:
        return [slope(frozen, frozen.theta_old[0] if stale else theta[0], rule, scale)]

    return oracle


LIES = {
    "no clip": gradient_of(unclipped),
    "a cap above only": gradient_of(capped_above),
    "the clip of a positive advantage for a negative one": gradient_of(wrong_side),
    "no ratio": gradient_of(without_ratio),
    "the gradient at theta_old in every step": gradient_of(defined, stale=True),
    "a sum over prompts": gradient_of(defined, Fraction(2)),
    "advantages over deviation + 10^-8": gradient_of(defined, 1 / (1 + Fraction(2, 10**8))),
    "downhill": gradient_of(defined, Fraction(-1)),
}
"""Gradients of other objectives, each a function."""


@pytest.mark.parametrize("name", LIES)
def test_the_gradient_of_another_objective_is_found_where_it_first_differs(tmp_path: Path, name: str) -> None:
    asked: list[tuple[Fraction, Fraction]] = []

    def oracle(frozen: FrozenIteration, theta: Any) -> Any:
        asked.append((slope(frozen, theta[0], defined), LIES[name](frozen, theta)[0]))
        return LIES[name](frozen, theta)

    path, events = traced(tmp_path, Supply(gradient=oracle))
    assert verdict(path, events)[0] == 0  # as a supplied gradient it is what the run was given
    events[0]["supplied"] = []
    status, why = verdict(path, events)
    lines = [line for line, event in enumerate(events, start=1) if event["event"] == "gradient"]
    first = next(line for line, (right, told) in zip(lines, asked, strict=True) if right != told)
    assert (status, why.split(": ")[:2]) == (1, [f"line {first}", "answer"])


def test_the_gradient_of_the_definition_is_right(tmp_path: Path) -> None:
    path, events = traced(tmp_path, Supply(gradient=gradient_of(defined)))
    events[0]["supplied"] = []
    assert verdict(path, events)[0] == 0


def test_a_dropped_penalty_is_found(tmp_path: Path) -> None:
    path, events = traced(tmp_path, Supply(gradient=gradient_of(defined)), beta="1/10")
    events[0]["supplied"] = []
    status, why = verdict(path, events)
    line = next(n for n, event in enumerate(events, start=1) if event["event"] == "gradient")
    assert (status, why.split(": ")[:2]) == (1, [f"line {line}", "answer"])


@pytest.mark.parametrize(
    ("supply", "upper", "event", "field"),
    [
        (Supply(reward=lambda prompt, response: Fraction(response == "good")), "9/10", "reward", "reward"),
        (Supply(domain=lambda theta: True), "3/5", "membership", "answer"),  # it goes to 13/20
        (Supply(domain=lambda theta: theta[0] == Fraction(1, 2)), "9/10", "membership", "answer"),
        (Supply(draws=lambda masses, prompt, t, i: "good"), "9/10", "draw", "response"),
    ],
)
def test_an_oracle_that_is_not_the_problems_and_is_not_named(
    tmp_path: Path, supply: Supply, upper: str, event: str, field: str
) -> None:
    path, events = traced(tmp_path, supply, domain={"kind": "open-box", "lower": ["1/10"], "upper": [upper]})
    assert verdict(path, events)[0] == 0
    events[0]["supplied"] = []
    if supply.draws:
        events[0]["draws"] = events[-1]["draws"] = {"source": "recorded"}
    status, why = verdict(path, events)
    line, what = why.removeprefix("line ").split(": ")[:2]
    assert (status, events[int(line) - 1]["event"], what) == (1, event, field), why


def honest(tmp_path: Path, **changed: Any) -> tuple[Path, list[Event]]:
    path, events = traced(tmp_path, **changed)
    assert verdict(path, events)[0] == 0
    return path, events


def of_kind(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event["event"] == kind]


def swapped_names(events: list[Event]) -> None:
    """Both prompts' events under each other's name, of the same length."""
    other = {"q1": "q2", "q2": "q1"}
    for event in events:
        if "prompt" in event:
            event["prompt"] = other[event["prompt"]]


def swapped_prompts(events: list[Event]) -> None:
    """The groups of the first iteration in the other order, each under its own name."""
    first, last = 2, 2 + 10  # four draws, four rewards and two groups
    block = events[first:last]
    events[first:last] = block[5:] + block[:5]


def a_seed_that_was_not(events: list[Event]) -> None:
    """Recorded draws said to be of a seed."""
    events[0]["draws"] = events[-1]["draws"] = {"source": "seed", "seed": 7, "generator": "sha256-counter/1"}


def unnamed_source(events: list[Event]) -> None:
    """Draws said to be supplied, by no oracle."""
    events[0]["draws"] = events[-1]["draws"] = {"source": "supplied"}


def short_of_an_iteration(events: list[Event]) -> None:
    """Complete after one of two outer iterations, with the counts of one."""
    second = next(n for n, event in enumerate(events) if event["event"] == "outer-iteration" and event["t"] == 2)
    del events[second:-1]
    end = events[-1]
    end["theta"], end["steps"] = events[-2]["theta"], [step for step in end["steps"] if step["t"] == 1]
    end["ledger"] |= {"draws": 4, "reward_evaluations": 4, "square_roots": 2, "outer_iterations_started": 1}
    end["ledger"] |= {"steps_applied": 2, "gradient_attempts": 2, "membership_calls": 2, "mass_evaluations": 12}


def short_of_a_step(events: list[Event]) -> None:
    """Complete after three of four inner steps, with the counts of three."""
    del events[-4:-1]
    end = events[-1]
    end["theta"] = events[-2]["theta"]
    end["steps"].pop()
    end["ledger"] |= {"steps_applied": 3, "gradient_attempts": 3, "membership_calls": 3, "mass_evaluations": 16}


def two_counts(events: list[Event]) -> None:
    """One call too many in one count and one too few in another."""
    events[-1]["ledger"]["draws"] += 1
    events[-1]["ledger"]["reward_evaluations"] -= 1


def two_budgets(events: list[Event]) -> None:
    """A budget that is exceeded nowhere."""
    events[-1]["bounds"]["draws"] += 4
    events[-1]["bounds"]["gradient_attempts"] += 2


def almost(events: list[Event]) -> None:
    """1/6 rounded to thirty decimals, wherever it stands."""
    for event in events:
        if event.get("mean") == "1/6":
            event["mean"] = str(Fraction(round(Fraction(1, 6) * 10**30), 10**30))


def sample_deviation(events: list[Event]) -> None:
    """The deviation of a sample, 1/2 * sqrt(2) for rewards 1 and 0, and advantages that fit it."""
    for event in of_kind(events, "group")[:1]:
        event |= {"deviation": "1/2*sqrt(2)", "advantages": ["1/2*sqrt(2)", "-1/2*sqrt(2)"]}


def signs_for_no_deviation(events: list[Event]) -> None:
    """Advantages of a group of equal rewards that still sum to 0."""
    event = of_kind(events, "group")[-1]
    assert event["deviation"] == "0"
    event["advantages"] = ["1", "-1"]


def stale_masses(events: list[Event]) -> None:
    """The old masses of the second iteration are those of theta_0."""
    for event in of_kind(events, "group")[2:]:
        event["old_masses"] = ["1/2", "1/2"]


def another_step_size(events: list[Event]) -> None:
    """The third step with the step size of the fourth."""
    proposal = of_kind(events, "membership")[2]
    theta, answer = (Fraction(of_kind(events, "gradient")[2][key][0]) for key in ("theta", "answer"))
    proposal["proposal"] = [str(theta + Fraction(1, 25) * answer)]


def objective_before(events: list[Event]) -> None:
    """F at the parameter before the step, in the event and in the outcome."""
    steps, ends = of_kind(events, "apply"), events[-1]["steps"]
    steps[1]["objective"] = ends[1]["objective"] = "0"


def objective_not_divided(events: list[Event]) -> None:
    """F summed over the prompts, in the event and in the outcome."""
    for step in (of_kind(events, "apply")[0], events[-1]["steps"][0]):
        step["objective"] = str(2 * Fraction(step["objective"]))


def two_outcomes(events: list[Event]) -> None:
    """The parameter of the outcome is the one before the last step, and so is its last line."""
    events[-1]["theta"] = events[-1]["steps"][-1]["theta"] = events[-1]["steps"][-2]["theta"]


def a_frozen_reward(events: list[Event]) -> None:
    """The same reward for both draws of a group, with its mean, deviation and advantages."""
    rewards, group = of_kind(events, "reward")[:2], of_kind(events, "group")[0]
    rewards[1]["reward"] = rewards[0]["reward"]
    group |= {"mean": rewards[0]["reward"], "deviation": "0", "advantages": ["0", "0"]}


def stops_early(events: list[Event]) -> None:
    """No gradient where there is one, then a stop, with the counts of a stop."""
    place = events.index(of_kind(events, "gradient")[1])
    events[place]["answer"] = "undefined-gradient"
    stop = {"event": "stop", "t": 1, "k": 2, "status": "undefined-gradient"}
    end = events[-1]
    events[place + 1 :] = [stop, end]
    end |= {"status": "undefined-gradient", "theta": events[place]["theta"], "steps": end["steps"][:1]}
    end["ledger"] |= {"draws": 4, "reward_evaluations": 4, "square_roots": 2, "outer_iterations_started": 1}
    end["ledger"] |= {"steps_applied": 1, "gradient_attempts": 2, "membership_calls": 1, "mass_evaluations": 8}


def another_start(events: list[Event]) -> None:
    """The run begins at another parameter than the problem's."""
    events[0]["problem"]["theta"] = ["51/100"]


def another_epsilon(events: list[Event]) -> None:
    """A clip range in the header under which a clipped term was none."""
    events[0]["problem"]["epsilon"] = "1/2"


EDITS = {
    swapped_names: (3, "prompt"),
    swapped_prompts: (3, "prompt"),
    a_seed_that_was_not: (None, "response"),
    unnamed_source: (1, "source"),
    short_of_an_iteration: (None, "event"),
    short_of_a_step: (None, "event"),
    two_counts: (None, "draws"),
    two_budgets: (None, "draws"),
    almost: (None, "mean"),
    sample_deviation: (None, "deviation"),
    signs_for_no_deviation: (None, "advantages"),
    stale_masses: (None, "old_masses"),
    another_step_size: (None, "proposal"),
    objective_before: (None, "objective"),
    objective_not_divided: (None, "objective"),
    two_outcomes: (None, "theta"),
    a_frozen_reward: (None, "reward"),
    stops_early: (None, "answer"),
    another_start: (1, "theta"),
    another_epsilon: (None, "objective"),
}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_a_consistent_edit_is_found(tmp_path: Path, edit: Callable[[list[Event]], None]) -> None:
    path, events = honest(tmp_path)
    before = copy.deepcopy(events)
    edit(events)
    status, why = verdict(path, events)
    line, field = int(why.split(": ")[0].removeprefix("line ")), why.split(": ")[1]
    wanted, what = EDITS[edit]
    assert (status, field) == (1, what), why
    assert line == (wanted or line)
    # Nothing before the line was touched, but for the header and the names.
    assert wanted or events[1 : line - 1] == before[1 : line - 1]


def test_a_number_a_hair_beside_a_root_is_not_the_root(tmp_path: Path) -> None:
    """Rewards 1, 0, 0: the deviation is sqrt(2)/3, and 665857/470832 is sqrt(2) to twelve digits."""
    draws = {"recorded": [[["good", "bad", "bad"], ["bad", "bad", "bad"]]] * 2}
    path, events = honest(tmp_path, group_size=3, draws=draws)
    group = of_kind(events, "group")[0]
    assert group["deviation"] == "1/3*sqrt(2)"
    group["deviation"] = str(Fraction(665857, 470832) / 3)
    assert verdict(path, events)[1].startswith(f"line {events.index(group) + 1}: deviation: 665857/1412496: expected")


def test_an_enclosure_beside_its_number_by_one_digit(tmp_path: Path) -> None:
    path, events = honest(tmp_path, beta="1/10")
    step = of_kind(events, "apply")[0]
    low, high = map(Decimal, step["objective"])
    apart = high - low
    assert 0 < apart < Decimal("1e-28")
    step["objective"] = events[-1]["steps"][0]["objective"] = [f"{end + 2 * apart:f}" for end in (low, high)]
    status, why = verdict(path, events)
    assert (status, why.split(": ")[:2]) == (1, [f"line {events.index(step) + 1}", "objective"])
