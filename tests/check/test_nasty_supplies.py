"""Supplied oracles that change their answers, or say what the family's masses do not: as test_nasty, of one supply."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import UNDEFINED_GRADIENT, Supply, TraceWriter, problem_from_mapping, run
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.replaying import replay
from grpocheck.core.trace_errors import TraceMismatch
from grpocheck.verifier.check import check

from tests.check.test_nasty import PROBLEM, of_kind, traced, verdict


def test_a_supplied_reward_that_changes_is_no_function(tmp_path: Path) -> None:
    path, events = traced(tmp_path, Supply(reward=lambda prompt, response: Fraction(len(response))))
    assert verdict(path, events)[0] == 0
    changed = next(n for n, event in enumerate(events) if event["event"] == "reward" and event["t"] == 2)
    again = {"4": "3", "3": "4"}  # both draws of q1 exchanged: mean and deviation stay, the advantages are exchanged
    for event in events[changed : changed + 2]:
        event["reward"] = again[event["reward"]]
    events[changed + 2]["advantages"].reverse()
    status, why = verdict(path, events)
    assert (status, why.split(": ")[:2]) == (1, [f"line {changed + 1}", "reward"])
    assert "as on line" in why


def test_a_supplied_domain_that_changes_its_mind_about_theta_0(tmp_path: Path) -> None:
    path, events = traced(tmp_path, Supply(gradient=lambda frozen, theta: [Fraction(0)], domain=lambda theta: True))
    assert verdict(path, events)[0] == 0
    place = events.index(of_kind(events, "membership")[0])
    stop = {"event": "stop", "t": 1, "k": 1, "status": "invalid-update"}
    end = events[-1]
    events[place]["answer"] = False
    events[place + 1 :] = [stop, end]
    end |= {"status": "invalid-update", "steps": []}
    end["ledger"] |= {"draws": 4, "reward_evaluations": 4, "square_roots": 2, "outer_iterations_started": 1}
    end["ledger"] |= {"steps_applied": 0, "gradient_attempts": 1, "membership_calls": 1, "mass_evaluations": 4}
    status, why = verdict(path, events)
    assert (status, why) == (1, f"line {place + 1}: answer: False: expected True, as on line 1")


def test_a_supplied_gradient_that_changes_at_one_parameter(tmp_path: Path) -> None:
    path, events = traced(tmp_path, Supply(gradient=lambda frozen, theta: [Fraction(0)]))
    last = of_kind(events, "gradient")[-1]
    last["answer"] = ["1"]
    place = events.index(last)
    theta = str(Fraction(1, 2) + Fraction(1, 25))
    events[place + 1]["proposal"] = events[place + 2]["theta"] = [theta]
    status, why = verdict(path, events)
    assert (status, why.split(": ")[:2]) == (1, [f"line {place + 1}", "answer"])
    assert "as on line" in why


def test_a_supplied_domain_beyond_the_masses(tmp_path: Path) -> None:
    """theta = 13/10 said to be in U: the mass of "bad" there is -3/10. Every number after it is the formula's."""
    changed: Any = {"outer_iterations": 1, "inner_steps": 1, "step_size": "2/5"}
    changed |= {"draws": {"recorded": [[["good", "bad"]]]}}
    changed |= {"prompts": PROBLEM["prompts"][:1], "domain": {"kind": "whole-space", "dimension": 1}}
    problem = {key: value for key, value in (PROBLEM | changed).items() if key != "step_sizes"}
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        run(problem_from_mapping(problem), Supply(domain=lambda theta: theta[0] < 1), observer=writer)
    events = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    assert verdict(path, events)[0] == 0
    place = events.index(of_kind(events, "membership")[0])
    assert events[place]["proposal"] == ["13/10"]
    events[place]["answer"] = True
    # rho is 13/5 and -3/5: min(13/5, 6/5) and max(-3/5, 4/5) of A = 1 and -1, so F = (6/5 - 4/5) / 2 = 1/5
    apply = {"t": 1, "k": 1, "theta": ["13/10"], "objective": "1/5"}
    end = events[-1] | {"status": "complete", "theta": ["13/10"], "steps": [apply]}
    end["ledger"] |= {"steps_applied": 1, "mass_evaluations": 4}
    events[place + 1 :] = [{"event": "apply", **apply}, end]
    status, why = verdict(path, events)
    assert (status, why.split(": ")[:2]) == (1, [f"line {place + 1}", "answer"])


def test_the_trace_of_an_oracle_that_was_let_change_its_answers(tmp_path: Path) -> None:
    """``one_answer=False`` is no word of the trace; both readers of it hold the oracle to a function."""
    answers = iter(range(100))
    path = tmp_path / "trace.jsonl"
    supply = Supply(reward=lambda prompt, response: Fraction(next(answers)))
    problem = problem_from_mapping(PROBLEM | {"draws": {"recorded": [[["good", "bad"], ["bad", "good"]]] * 2}})
    with TraceWriter(path) as writer:
        run(problem, supply, observer=writer, one_answer=False)
    status, why = check(str(path))
    assert (status, why.split(": ")[1:2], "as on line" in why) == (1, ["reward"], True)
    with pytest.raises(TraceMismatch, match="line 22: event"):  # where the run ends now
        replay(path)


def test_a_reference_that_only_the_reason_for_enclosures_depends_on(tmp_path: Path) -> None:
    """No gradient is supplied, so that the penalty enters no number; its first logarithm is log((1/2) / (1/3))."""
    prompts = [PROBLEM["prompts"][0] | {"reference": ["1/3", "2/3"]}]
    changed: Any = {"beta": "1/25", "prompts": prompts, "draws": {"recorded": [[["good", "good"]]] * 2}}
    path, events = traced(tmp_path, Supply(gradient=lambda frozen, theta: UNDEFINED_GRADIENT), **changed)
    assert verdict(path, events)[0] == 0
    (said,) = of_kind(events, "arithmetic")
    assert said["reason"] == "log(3/2) is not exact: choose --arithmetic enclosure"
    place = f"line {events.index(said) + 1}: "
    turned = json.loads(json.dumps(events))
    turned[0]["problem"]["prompts"][0]["reference"].reverse()
    assert verdict(path, turned) == (1, f"{place}{said['reason']}: expected the first number here that no exact one "
                                        "equals, if any")  # fmt: skip
    for other in ("log(6/4)", "log(3)", "exp(3/2)", "log(3/2", "log(3/2) and log(3/4)", ""):
        lie = json.loads(json.dumps(events).replace("log(3/2)", other))
        assert verdict(path, lie)[1].startswith(place)
        assert check(str(path))[0] == 1


@pytest.mark.parametrize("answer", ["0", {"0": None}, [["0"]], [0], [True], ["0", "0"], None])
def test_a_supplied_gradient_of_another_form(tmp_path: Path, answer: Any) -> None:
    path, events = traced(tmp_path, Supply(gradient=lambda frozen, theta: [Fraction(0)]))
    event = of_kind(events, "gradient")[-1]
    event["answer"] = answer
    status, why = verdict(path, events)
    assert (status, why.partition(":")[0]) == (1, f"line {events.index(event) + 1}")


def enclosed(path: Path, supply: Supply, **changed: Any) -> str:
    """The text of a trace in which numbers are stated by their enclosures."""
    with TraceWriter(path) as writer:
        run(problem_from_mapping(PROBLEM | changed), supply, arithmetic=EnclosureArithmetic(), observer=writer)
    return path.read_text(encoding="utf-8")


def test_two_supplied_slopes_that_look_the_same_are_two(tmp_path: Path) -> None:
    # F is (rho(a) - rho(b)) / 2 at theta + 1/100 * slope, with masses of 1/4 before: F = (slope(a) - slope(b)) / 50
    slope, tiny = EnclosureArithmetic().exp(Fraction(1)), Fraction(1, 10**60)
    prompt = {"name": "q", "responses": ["a", "b", "c"], "rewards": ["1", "0", "0"], "reference": ["1/3"] * 3}
    changed = {"family": "simplex", "theta": ["1/4", "1/4"], "prompts": [prompt], "step_sizes": [["1/100"]]}
    changed |= {"outer_iterations": 1, "inner_steps": 1, "draws": {"recorded": [[["a", "b"]]]}}
    changed |= {"domain": {"kind": "whole-space", "dimension": 2}}
    path = tmp_path / "trace.jsonl"
    text = enclosed(path, Supply(gradient=lambda frozen, theta: (slope, slope + tiny)), **changed)
    first, second = json.loads(text.splitlines()[-4])["answer"]
    assert first == second  # the case that this is about
    objective = f'"objective": "{-tiny / 50}"'
    assert text.count(objective) == 2
    for said in (objective, '"objective": "0"'):  # neither follows from the enclosures
        path.write_text(text.replace(objective, said), encoding="utf-8")
        assert check(str(path))[0] == 3


def test_one_supplied_reward_is_one_number(tmp_path: Path) -> None:
    # all of a group are the same: the deviation is 0, though only enclosures are stated
    good, bad = EnclosureArithmetic().exp(Fraction(1)), EnclosureArithmetic().exp(Fraction(2))
    draws = {"recorded": [[["good", "good"], ["bad", "bad"]], [["bad", "bad"], ["good", "good"]]]}
    supply = Supply(reward=lambda prompt, response: good if response == "good" else bad)
    text = enclosed(tmp_path / "trace.jsonl", supply, draws=draws)
    assert '"reward": ["2.718' in text  # the case that this is about
    assert check(str(tmp_path / "trace.jsonl"))[0] == 0


@pytest.mark.parametrize(("score", "status"), [("-10000000", 0), ("10000000000", 0), ("-3000000000000000000", 3)])
def test_masses_that_are_nearly_nothing(tmp_path: Path, score: str, status: int) -> None:
    # exp(-10^7) has an exponent beyond those that Python's decimals have by default, exp(-10^10) one of ten digits, and
    # exp(-3 * 10^18) one beyond all
    prompt = {"name": "q", "responses": ["a", "b", "c"], "rewards": ["1", "0", "0"], "reference": ["1/3"] * 3}
    changed = {"family": "softmax", "theta": ["0", score, "1"], "prompts": [prompt], "step_sizes": [["1/100"]]}
    changed |= {"outer_iterations": 1, "inner_steps": 1, "draws": {"recorded": [[["a", "b"]]]}}
    changed |= {"domain": {"kind": "whole-space", "dimension": 3}}
    enclosed(tmp_path / "trace.jsonl", Supply(), **changed)
    assert check(str(tmp_path / "trace.jsonl"))[0] == status
