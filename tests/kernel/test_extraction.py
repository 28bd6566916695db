"""The comparison of core with the extracted model: what is written for the model, and which mistakes it notices."""

import json
import os
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import pytest
from grpocheck.proofs.coq_session import BUILDS, SOURCES, Development, missing_tools
from grpocheck.proofs.evidence import Budget, Finding, Verdict, broken, held, not_run, refuted
from grpocheck.proofs.extraction import definitions, draws, evidence, runs
from grpocheck.proofs.extraction.model import DRIVER, ModelFailure, ask_model, word
from grpocheck.proofs.extraction.runs import Script, Step

HOUSE = Path(__file__).resolve().parent.parent.parent
needs_coq = pytest.mark.skipif(bool(missing_tools()), reason=f"not installed: {missing_tools()}; make proofs-setup")

# One prompt with responses of rewards 1 and 0, two draws, K = 2: a step of 1/2 * 3 from 1/3 is applied; then the
# gradient is undefined.
SCRIPT = Script(
    group_size=2,
    theta=(F(1, 3),),
    rewards=((F(1), F(0)),),
    references=((F(1, 2), F(1, 2)),),
    draws=(((1, 0),),),
    steps=((Step(F(1, 2), (F(3),), True), Step(F(1, 4), None, True)),),
)
FROZEN = {
    "theta_old": ["1/11"],
    "reference": [["1/10", "1/10"]],
    "groups": [[0, [[1, "0/1"], [0, "1/1"]]]],
}
TRACE = [
    ["started", 1, ["1/11"]],
    ["drew", 1, 0, 1, 1],
    ["drew", 1, 0, 2, 0],
    ["rewarded", 1, 0, 1, "0/1"],
    ["rewarded", 1, 0, 2, "1/1"],
    ["asked_gradient", 1, 1, FROZEN, ["1/11"], ["11/1"]],
    ["asked_membership", 1, 1, ["1011/110"], True],
    ["applied", 1, 1, ["1011/110"]],
    ["asked_gradient", 1, 2, FROZEN, ["1011/110"], None],
]


def test_numbers_are_written_in_binary() -> None:
    assert [word(F(-5, 3)), word(0), word(F(7))] == ["-101/11", "0/1", "111/1"]


def test_a_script_is_written_in_the_order_in_which_the_model_reads_it() -> None:
    expected = "run 1 1 2 2 1 2 1/11 1/1 0/1 1/10 1/10 1 0 1/10 g 11/1 1 1/100 u 1"
    assert SCRIPT.line() == expected


def test_core_leaves_the_trace_of_its_script() -> None:
    found = runs.core_run(SCRIPT)
    assert found.trace == TRACE
    assert (found.status, found.theta) == ("undefined-gradient", ["1011/110"])
    assert dict(found.ledger) == {
        "outer_iterations_started": 1,
        "draws": 2,
        "reward_evaluations": 2,
        "gradient_attempts": 2,
        "membership_calls": 1,
        "steps_applied": 1,
    }


def model_answer(**changes: object) -> dict[str, object]:
    return {"status": "undefined-gradient", "theta": ["1011/110"], "trace": TRACE, **changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"status": "complete"}, "undefined-gradient; the model ['1011/110'], complete"),
        ({"theta": ["1/11"]}, "the model ['1/11']"),
        ({"trace": TRACE[:-1]}, "core has 9 events, the model 8"),
        ({"trace": [*TRACE[:2], ["drew", 1, 0, 2, 1], *TRACE[3:]]}, "event 3: core has ['drew', 1, 0, 2, 0]"),
    ],
)
def test_the_first_difference_is_told(changes: dict[str, object], said: str) -> None:
    found = runs.difference(SCRIPT, model_answer(**changes))
    assert found == "" if not said else said in found


def test_a_ledger_that_does_not_count_the_trace_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = runs.core_run(SCRIPT)
    off = runs.CoreRun(honest.status, honest.theta, honest.trace, {**honest.ledger, "draws": 3})
    monkeypatch.setattr(runs, "core_run", lambda script: off)
    assert runs.difference(SCRIPT, model_answer()) == "core's ledger has draws = 3, the model's trace 2"


def test_random_scripts_reach_every_status_and_several_iterations() -> None:
    found = [runs.core_run(script) for script in runs.random_scripts(1, 60)]
    assert {run.status for run in found} == {"complete", "undefined-gradient", "invalid-update"}
    assert {run.ledger["outer_iterations_started"] for run in found} == {1, 2, 3}
    assert [script.line() for script in runs.random_scripts(1, 3)] == [s.line() for s in runs.random_scripts(1, 9)][:3]


def test_the_stand_in_root_is_exact_where_the_root_is_rational() -> None:
    arithmetic = definitions.StandIn()
    assert arithmetic.sqrt(F(9, 4)) == F(3, 2)
    assert arithmetic.sqrt(F(2)) == 2
    assert arithmetic.log(F(1)) == 0
    assert arithmetic.log(F(2)) == F(3, 2)


def test_without_coq_the_comparison_says_that_it_did_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "missing_tools", lambda: ["coqc"])
    finding = evidence.compare(iter([SCRIPT]), 1, runs.difference, Budget(1))
    assert finding.verdict is Verdict.NOT_RUN
    assert finding.enable == "make proofs-setup"


HELD, DIFFERENT = held(cases=1), refuted("a difference", cases=1)
UNRUN, FAILED = not_run("no Coq", "make proofs-setup"), broken("the model cannot be run")


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ((HELD, HELD, HELD), 0),
        ((HELD, FAILED, HELD), 3),
        ((UNRUN, HELD, HELD), 3),
        ((FAILED, DIFFERENT, UNRUN), 1),
    ],
)
def test_the_command_ends_with_the_worst_that_was_found(
    found: tuple[Finding, ...], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = iter(found)
    monkeypatch.setattr(evidence, "ENABLED", False)
    monkeypatch.setattr(evidence, "compare", lambda *_: next(findings))
    assert evidence.main([]) == status


def test_random_data_has_kinks_and_irrational_deviations() -> None:
    data = list(definitions.random_data(1, 80))
    deviations = []
    for case in data:
        for prompt in case.prompts:
            rewards = [reward for _, reward in prompt.group]
            centre = sum(rewards) / len(rewards)
            deviations.append(sum((reward - centre) ** 2 for reward in rewards) / len(rewards))
    root = definitions.StandIn().sqrt
    assert any(value and root(value) ** 2 == value for value in deviations)
    assert any(root(value) ** 2 != value for value in deviations)
    ratios = {
        prompt.current[y] / prompt.old[y] - (1 + sign * case.epsilon)
        for case in data
        for prompt in case.prompts
        for y, _ in prompt.group
        for sign in (1, -1)
    }
    assert 0 in ratios


@pytest.mark.parametrize(
    ("bits", "drawn"),
    [((), None), ((0,), 0), ((1,), None), ((1, 1), 2), ((1, 0), None), ((1, 0, 0), 1), ((1, 0, 1), None)],
)
def test_core_draws_from_bits_as_by_hand(bits: tuple[int, ...], drawn: int | None) -> None:
    # Cells [0, 1/2), [1/2, 2/3), [2/3, 1): 0 = [0, 1/2), 11 = [3/4, 1) and 100 = [1/2, 5/8) decide, 101 = [5/8, 3/4)
    # does not.
    case = draws.Bits((F(1, 2), F(1, 6), F(1, 3)), bits)
    assert draws.difference(case, drawn) == ""
    assert draws.difference(case, 7) != ""


def test_bits_are_written_for_the_model() -> None:
    half = (F(1, 2), F(1, 2))
    lines = [draws.Bits(half, (1, 0)).line(), draws.Bits(half, ()).line()]
    assert lines == ["draw 2 1/10 1/10 10", "draw 2 1/10 1/10 -"]


@pytest.fixture(scope="module")
def built() -> Path:
    """The build folder of the proofs, built here if nobody has."""
    development = Development(SOURCES, HOUSE / BUILDS)
    development.build(900)
    return development.folder


@needs_coq
@pytest.mark.slow
def test_a_second_build_leaves_the_program_alone(built: Path) -> None:
    """Two pieces of evidence build at the same time as far as they see, and the first may be running it."""
    driver = built / DRIVER
    before = driver.stat()
    Development(SOURCES, HOUSE / BUILDS).build(900)
    assert (driver.stat().st_ino, driver.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@needs_coq
@pytest.mark.slow
def test_the_model_gives_the_hand_made_trace(built: Path) -> None:
    (answer,) = ask_model(built, [SCRIPT.line()], 60)
    assert answer == model_answer()


@needs_coq
@pytest.mark.slow
def test_the_model_gives_hand_made_values(built: Path) -> None:
    # Two responses of old mass 1/2, current 3/5 and 2/5, rewards 1 and 0, epsilon 1/5: ratios 6/5 and 4/5, both on
    # their bounds; with x - 1/x for log and reference 1/2 the divergence is 3/5 (6/5 - 5/6) + 2/5 (4/5 - 5/4).
    half = (F(1, 2), F(1, 2))
    group = ((0, F(1)), (1, F(0)))
    flat = definitions.PromptData(half, half, (F(3, 5), F(2, 5)), ((F(0),), (F(0),)), group)
    moving = definitions.PromptData(half, half, (F(3, 5), F(2, 5)), ((F(1),), (F(-1),)), group)
    cases = [definitions.Data(F(1, 5), F(2), (prompt,)) for prompt in (flat, moving)]
    first, second = ask_model(built, [case.line() for case in cases], 60)
    divergence = F(3, 5) * F(11, 30) + F(2, 5) * F(-9, 20)
    assert first["advantages"] == [[word(1), word(-1)]]
    assert first["ratios"] == [[word(F(6, 5)), word(F(4, 5))]]
    assert first["terms"] == [[word(F(6, 5)), word(F(-4, 5))]]
    assert first["divergences"] == [word(divergence)]
    assert first["objective"] == word(F(1, 5) - 2 * divergence)
    assert first["gradient"] == [word(0)]
    assert second["gradient"] is None


@needs_coq
@pytest.mark.slow
def test_a_line_that_is_no_case_is_an_error(built: Path) -> None:
    with pytest.raises(ModelFailure, match="not a case"):
        ask_model(built, ["walk 1 2"], 60)
    with pytest.raises(ModelFailure, match="words left over"):
        ask_model(built, [SCRIPT.line() + " 1"], 60)


@needs_coq
@pytest.mark.slow
def test_every_planted_mistake_is_noticed(built: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernel.mutants", str(built)],
        capture_output=True,
        text=True,
        cwd=HOUSE,
        env={**os.environ, "GRPOCHECK_CONTRACTS": "off"},
        check=True,
    )
    found = json.loads(done.stdout)
    assert found.pop("none") == ""
    assert len(found) == 11
    assert [name for name, difference in found.items() if not difference] == []
    assert not [name for name, difference in found.items() if "core raises" in difference]
