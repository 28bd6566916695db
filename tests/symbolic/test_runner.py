"""The runner against planted traps and mistakes: what is wrong is never confirmed, what is refuted replays."""

import math
import subprocess
import time
from fractions import Fraction
from typing import Any

import pytest
from grpocheck.proofs.symbolic import runner
from grpocheck.proofs.symbolic.harness import Harness, HarnessError, harness, harnesses_in
from grpocheck.proofs.symbolic.runner import check
from grpocheck.proofs.symbolic.verdicts import Result, Verdict

from tests.symbolic import planted

REFUSED = (planted.raises_in_docstring, planted.without_annotation, planted.with_a_callable)
ENDLESS = ("hashed", "unbounded")
BUDGET = 30
LITTLE = 3


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    listed = [*harnesses_in("tests.symbolic.planted"), *map(planted.unchecked_by_decorator, REFUSED)]
    endless = [entry for entry in listed if entry.function in ENDLESS]
    found = check([entry for entry in listed if entry not in endless], budget=BUDGET) + check(endless, budget=LITTLE)
    return {result.harness.partition(":")[2]: result for result in found}


def arguments_of(result: Result) -> dict[str, Any]:
    assert result.counterexample is not None
    return {name: Fraction(value) for name, value in result.counterexample.arguments.items()}


@pytest.mark.parametrize("name", ["right", "caller_of_right", "logarithm_of_two"])
def test_what_is_right_is_confirmed(results: dict[str, Result], name: str) -> None:
    assert results[name].verdict is Verdict.CONFIRMED
    assert results[name].claims == ("E1",)
    assert results[name].paths >= 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("counter_of_module", "planted.COUNTER"),
        ("cache_of_module", "planted.CACHE"),
        ("cache_of_function", "planted.cache_of_function"),
        ("cache_in_a_default", "planted.remembering"),
    ],
)
def test_state_that_a_path_leaves_behind_is_an_error(results: dict[str, Result], name: str, value: str) -> None:
    assert results[name].verdict is Verdict.ERROR
    assert "left something behind" in results[name].detail
    assert value in results[name].detail


def test_a_wrong_contract_of_a_callee_does_not_hide_its_caller(results: dict[str, Result]) -> None:
    assert results["wrong_callee"].verdict is Verdict.REFUTED
    assert results["caller_of_wrong"].verdict is Verdict.UNDECIDED


def test_a_caller_rests_on_callees_confirmed_in_the_same_run(results: dict[str, Result]) -> None:
    assert results["caller_of_right"].callees == ("tests.symbolic.planted:right",)
    assert results["caller_of_unchecked"].verdict is Verdict.UNDECIDED
    assert "planted:no_harness, not confirmed in this run" in results["caller_of_unchecked"].detail
    alone = [entry for entry in harnesses_in("tests.symbolic.planted") if entry.function == "caller_of_right"]
    assert [result.verdict for result in check(alone, budget=BUDGET)] == [Verdict.UNDECIDED]


def test_a_precondition_that_nothing_satisfies_confirms_nothing(results: dict[str, Result]) -> None:
    assert results["never_called"].verdict is Verdict.NEVER_HELD


def test_a_precondition_that_raises_is_an_error(results: dict[str, Result]) -> None:
    assert results["raising_precondition"].verdict is Verdict.ERROR


@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_not_exhausted_is_undecided(results: dict[str, Result], name: str) -> None:
    assert results[name].verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("function", REFUSED)
def test_functions_that_cannot_be_trusted_are_refused_twice(results: dict[str, Result], function: Any) -> None:
    assert results[function.__name__].verdict is Verdict.ERROR
    with pytest.raises(HarnessError, match=function.__name__):
        harness(size="any x")(function)


@pytest.mark.parametrize(("name", "error"), [("raising", "ValueError"), ("through_a_float", "TypeError")])
def test_an_exception_refutes_only_where_it_is_raised_in_the_replay_too(
    results: dict[str, Result], name: str, error: str
) -> None:
    result = results[name]
    assert error in result.detail
    if name == "raising":
        assert result.verdict is Verdict.REFUTED
        assert arguments_of(result)["x"] < 0
    else:  # Fraction + float is a float outside the model, and no exception
        assert result.verdict is Verdict.UNDECIDED
        assert "does not replay" in result.detail


def test_a_refutation_through_the_logarithm_is_one_of_the_real_logarithm(results: dict[str, Result]) -> None:
    result = results["logarithm_too_small"]
    assert result.verdict is Verdict.REFUTED
    assert 3 * math.log(arguments_of(result)["x"]) > 2


@pytest.mark.parametrize("name", ["sample_deviation", "padded_deviation"])
def test_wrong_deviations_are_refuted_at_unequal_rewards(results: dict[str, Result], name: str) -> None:
    result = results[name]
    assert result.verdict is Verdict.REFUTED
    assert result.counterexample is not None
    assert len(set(result.counterexample.arguments["rewards"])) > 1


@pytest.mark.parametrize("name", ["clip_without_minimum", "minimum_on_the_wrong_side"])
def test_wrong_terms_are_refuted_where_the_clip_gains(results: dict[str, Result], name: str) -> None:
    assert results[name].verdict is Verdict.REFUTED
    found = arguments_of(results[name])
    rho, advantage, epsilon = found["rho"], found["advantage"], found["epsilon"]
    clipped = min(1 + epsilon, max(1 - epsilon, rho))
    assert rho > 0
    assert 0 < epsilon < 1
    assert clipped * advantage > rho * advantage


@pytest.mark.parametrize("name", ["reversed_divergence", "sampled_divergence"])
def test_wrong_divergences_are_refuted_away_from_the_reference(results: dict[str, Result], name: str) -> None:
    assert results[name].verdict is Verdict.REFUTED
    found = arguments_of(results[name])
    assert found["p"] != found["q"]


def test_a_counterexample_that_does_not_replay_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = runner._Children.answer

    def answer_kept(self: Any, module: str, *arguments: Any) -> dict[str, object]:
        if module.endswith(".replay"):
            return {"broken": False, "raised": None, "found": "it is kept"}
        return answer(self, module, *arguments)

    monkeypatch.setattr(runner._Children, "answer", answer_kept)
    wrong = [entry for entry in harnesses_in("tests.symbolic.planted") if entry.function == "wrong_callee"]
    (result,) = check(wrong, budget=BUDGET)
    assert result.verdict is Verdict.UNDECIDED
    assert result.counterexample is None
    assert "does not replay" in result.detail


def test_a_process_that_dies_is_an_error() -> None:
    (result,) = check([Harness("tests.symbolic.no_such_module", "f", "none", ("E1: nothing",))], budget=BUDGET)
    assert result.verdict is Verdict.ERROR
    assert "no_such_module" in result.detail


def test_an_interrupt_ends_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def recorded(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
        started.append(popen(*arguments, **options))
        return started[-1]

    def interrupt(result: Result, done: int, total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", recorded)
    listed = {entry.function: entry for entry in harnesses_in("tests.symbolic.planted")}
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        check([listed["unbounded"], listed["right"], listed["right"]], budget=600, progress=interrupt)
    assert time.monotonic() - before < 120
    assert started
    assert all(child.poll() is not None for child in started)


def test_claims_and_sizes_come_with_the_harness() -> None:
    with pytest.raises(HarnessError, match="does not start with the claims"):
        harness(size="any x")(planted.no_harness)
    with pytest.raises(HarnessError, match="size"):
        harness(size=" ")
