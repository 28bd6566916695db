"""N6 and N8: the stored witnesses, by hand, and what is no witness."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import mpmath
import pytest
from grpocheck.contracts.claims import NON_CLAIMS, Kind
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.reading import read_task
from grpocheck.core.training_free.responses import ResponseTable
from grpocheck.core.training_free.reward import Weights
from grpocheck.proofs.evidence import Budget, Verdict
from grpocheck.proofs.non_claims import n6, n6_condition, n8
from grpocheck.proofs.non_claims.files import FOLDER
from grpocheck.proofs.non_claims.n6_condition import Case, expected_best, is_monotone
from grpocheck.proofs.non_claims.n6_law import law, premises_hold
from grpocheck.proofs.non_claims.n6_search import QUALITIES, falls_on_average, in_order, task_of
from grpocheck.proofs.non_claims.n6_search import Case as SearchCase
from grpocheck.proofs.non_claims.task_files import replayed
from grpocheck.proofs.non_claims.task_search import main
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

STORED = Path(__file__).parents[2] / FOLDER


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of witness files to spoil, with the working folder above it."""
    shutil.copytree(STORED, tmp_path / FOLDER)
    monkeypatch.chdir(tmp_path)
    return tmp_path / FOLDER


def by_hand(masses: list[F], rewards: list[F]) -> F:
    """E[max] of two ordered independent draws, term by term."""
    places = range(len(masses))
    return sum((masses[i] * masses[j] * max(rewards[i], rewards[j]) for i, j in product(places, places)), start=F(0))


@pytest.mark.parametrize(
    ("claim", "witnesses", "count"), [("N6", n6.WITNESSES, 3), ("N8", n8.WITNESSES, 2)]
)
def test_every_stored_witness_still_refutes(copy: Path, claim: str, witnesses: tuple, count: int) -> None:  # type: ignore[type-arg]
    finding = replayed(witnesses, Budget(100))
    assert (finding.verdict, finding.broken) == (Verdict.REFUTED, False)
    assert finding.pieces == finding.counts["witnesses"] == count == NON_CLAIMS[claim].requires[Kind.WITNESS]
    for witness in witnesses:
        assert f"grpocheck training-free examples/non_claims/{witness.name}.toml" in finding.detail


def test_a_given_group_by_hand() -> None:
    # x, y, z with qualities 1, 1/2, 0 and r_ext a fifth of that; the group (y, z) doubles y: 1/6, 1, 1/3 over 3/2
    rewards = [F(1, 5), F(1, 10), F(0)]
    before, after = [F(1, 6), F(1, 2), F(1, 3)], [F(1, 9), F(2, 3), F(2, 9)]
    task = read_task(STORED / "n6_external_given_group.toml")
    entry = run(task).iterations[1]
    assert [mass for _, mass in entry.distribution.law()] == after
    assert by_hand(before, rewards) == F(43, 360)
    assert by_hand(after, rewards) == F(47, 405)
    assert F(47, 405) < F(43, 360)
    assert sum(m * r for m, r in zip(after, rewards, strict=True)) == F(4, 45) > F(1, 12)


def test_the_average_by_hand() -> None:
    # 1/12, 1/4, 2/3 in the file's order; factor 3/2 on the better of each group; equal groups change nothing
    task = read_task(STORED / "n6_external_on_average.toml")
    assert isinstance(task.model, ResponseTable)
    assert task.answers is not None
    masses = [mass for _, mass in task.model.listed]
    rewards = [task.answers.qualities[response.text] / 5 for response, _ in task.model.listed]
    assert sorted(masses) == [F(1, 12), F(1, 4), F(2, 3)]
    assert sorted(rewards) == [0, F(1, 40), F(1, 5)]
    after = F(0)
    for i, j in product(range(3), range(3)):
        weights = list(masses)
        if rewards[i] != rewards[j]:
            weights[max(i, j, key=lambda place: rewards[place])] *= F(3, 2)
        after += masses[i] * masses[j] * by_hand([weight / sum(weights) for weight in weights], rewards)
    assert by_hand(masses, rewards) == F(37, 720)
    assert after == F(207131, 4050000)
    assert after < F(37, 720)


def test_the_novelty_witness_by_hand() -> None:
    # x has mass 1/3 and r_ext 1/5, y 2/3 and 0. After (x, y), probability 4/9, x is doubled: 1/2 and 1/2, and all is
    # seen; after (x, x), 1/9, y is new with probability 8/9; after (y, y), 4/9, x is new with probability 5/9. A bonus
    # of 3/10 outweighs the 7/50 of r_ext, so wherever there is one it makes the best.
    bonus = F(1, 9) * F(8, 9) + F(4, 9) * F(5, 9)
    external = F(4, 9) * F(3, 4) * F(1, 5) + F(1, 9) * F(1, 9) * F(1, 5) + F(4, 9) * F(5, 9) * F(1, 5)
    exact = F(7, 10) * external + F(3, 10) * bonus
    header = (STORED / "n6_novelty.toml").read_text(encoding="utf-8")
    lower, upper = re.search(r"E\[max r\], averaged .* after \[(\S+), (\S+)\];", header).groups()  # type: ignore[union-attr]
    with mpmath.workdps(40):
        third, half = mpmath.mpf(1) / 3, mpmath.mpf(1) / 2
        skewed = -third * mpmath.log(third) - 2 * third * mpmath.log(2 * third)
        entropy = 5 * skewed / 9 - 4 * mpmath.log(half) / 9
        expected = mpmath.mpf(exact.numerator) / exact.denominator + 3 * entropy / 10
        assert mpmath.mpf(lower) - mpmath.mpf(10) ** -29 < expected < mpmath.mpf(upper) + mpmath.mpf(10) ** -29


def test_the_whitened_variances_by_hand() -> None:
    # the deviation of 20 and 0 is 10 sqrt 2, and s^2/(s + 1e-8)^2 < 1; twice the mean square at G = 2
    first = run(read_task(STORED / "n8_half_at_large_rewards.toml")).iterations[0]
    assert first.deviation**2 == 200
    square = sum(member.advantage**2 for member in first.members) / 2
    assert square * (first.deviation + F(1, 10**8)) ** 2 * 2 == first.deviation**2
    tiny = run(read_task(STORED / "n8_vanishing_at_tiny_rewards.toml")).iterations[0]
    assert tiny.deviation**2 == 2 * F(1, 10**20)
    variance = sum(member.advantage**2 for member in tiny.members)
    assert F(1, 10**4) < variance < F(1, 5 * 10**3)  # about 2e-20 / 1e-16


@pytest.mark.parametrize(
    ("witnesses", "name", "old", "new", "complaint"),
    [
        # the group holds the best response
        (n6.WITNESSES, "n6_external_given_group", '[["y", "z"], ["y", "z"]]', '[["x", "z"], ["y", "z"]]', "no longer"),
        # the best response is not rare
        (n6.WITNESSES, "n6_external_on_average", 'mass = "1/12"', 'mass = "1/4"', "responses"),
        # the whole reward is no external reward
        (n6.WITNESSES, "n6_external_on_average", 'epistemic = "0"', 'epistemic = "1/10"', "no longer refute"),
        # no bonus
        (n6.WITNESSES, "n6_novelty", 'epistemic = "3/10"', 'epistemic = "0"', "no longer refute"),
        # still a witness, but not with the numbers that the header states
        (n6.WITNESSES, "n6_novelty", 'external = "7/10"', 'external = "1/2"', "states something else"),
        # no premise: even odds are refused
        (n6.WITNESSES, "n6_novelty", 'confidence = "1"', 'confidence = "1/2"', "confidence"),
        # rewards of ordinary size
        (n8.WITNESSES, "n8_vanishing_at_tiny_rewards", 'external = "1/1000000000"', 'external = "1"', "no longer"),
        (n8.WITNESSES, "n8_half_at_large_rewards", 'external = "100"', 'external = "1"', "no longer"),
    ],
)
def test_a_spoilt_witness_is_lost(copy: Path, witnesses: tuple, name: str, old: str, new: str, complaint: str) -> None:  # type: ignore[type-arg]
    path = copy / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert text.count(f"\n{old}") + text.count(f"= {old}") >= 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    finding = replayed(witnesses, Budget(100))
    assert (finding.verdict, finding.broken) == (Verdict.UNDECIDED, True)
    assert complaint in finding.detail


def test_the_condition_holds_in_every_case_of_its_scope_and_is_not_idle() -> None:
    # positive masses with a common denominator of at most 6: 11 on two responses, 19 on three; 4 factors for each
    # response, 10 and 20 rising rows of rewards out of 4, two group sizes
    size = 11 * 4**2 * 10 * 2 + 19 * 4**3 * 20 * 2
    done = subprocess.run(
        [sys.executable, "-m", "grpocheck.proofs.non_claims.n6_condition"],
        capture_output=True, text=True, check=True, env={**os.environ, "GRPOCHECK_CONTRACTS": "off"},
    )  # fmt: skip
    cases, monotone, others = done.stdout.splitlines()
    assert cases.startswith(f"{size} cases")
    assert monotone.startswith("29176 with factors that never fall")
    fall, rest, with_better_mean = map(int, re.findall(r"\d+", others))
    assert rest == size - 29176
    assert rest > fall > with_better_mean > 0


def test_a_case_that_meets_the_condition_and_falls_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(n6_condition, "is_monotone", lambda case: True)
    with pytest.raises(n6_condition.ConditionFails, match="become"):
        n6_condition.counted()


def test_the_stored_witness_does_not_meet_the_condition() -> None:
    masses, rewards = (F(1, 3), F(1, 2), F(1, 6)), (F(0), F(1, 10), F(1, 5))
    case = Case(masses, (F(1), F(2), F(1)), rewards, 2)
    assert not is_monotone(case)
    assert is_monotone(case._replace(factors=(F(1), F(2), F(2))))
    assert expected_best(masses, rewards, 2) == F(43, 360)


def test_two_responses_never_refute_with_the_external_reward() -> None:
    two = [case for case in in_order(12, QUALITIES) if len(case.masses) == 2]
    assert len(two) > 100
    assert not any(falls_on_average(case) for case in two)


def test_a_second_reading_agrees_with_the_runs_of_core() -> None:
    case = SearchCase(0, (F(1, 4), F(1, 4), F(1, 2)), (F(1), F(1, 4), F(0)), F(3, 4))
    task = task_of(case, Weights(external=F(1), epistemic=F(0)))
    branches = law(task)
    assert sum(entry.probability for entry in branches) == 1
    assert premises_hold(branches)
    before = sum((entry.probability * entry.first_best for entry in branches), start=F(0))
    after = sum((entry.probability * entry.second_best for entry in branches), start=F(0))
    assert (after < before) == falls_on_average(case)
    assert before == by_hand(list(case.masses), [quality / 5 for quality in case.qualities])


def test_naming_the_worse_response_meets_no_premise() -> None:
    task = read_task(STORED / "n6_external_given_group.toml")
    branches = law(task)
    first = branches[1].outcome.iterations[0]
    assert first.patterns != ()
    wrong = replace(first.patterns[0], tokens=("z",))
    iterations = (replace(first, patterns=(wrong,)), branches[1].outcome.iterations[1])
    spoilt = replace(branches[1].outcome, iterations=iterations)
    assert premises_hold([branches[1]])
    assert not premises_hold([replace(branches[1], outcome=spoilt)])


def test_the_claims_command_lists_the_files() -> None:
    done = CliRunner().invoke(app, ["claims", "--json"])
    witnesses = {entry["id"]: entry["witnesses"] for entry in json.loads(done.stdout) if not entry["promised"]}
    names = ("external_on_average", "external_given_group", "novelty")
    assert witnesses["N6"] == [f"{FOLDER}/n6_{name}.toml" for name in names]
    assert len(witnesses["N8"]) == 2
    assert all((STORED.parents[1] / path).is_file() for listed in witnesses.values() for path in listed)
    assert "examples/non_claims/n6_novelty.toml" in CliRunner().invoke(app, ["claims"]).stdout


@pytest.mark.slow
def test_the_searches_find_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(STORED.parents[1])
    said: list[str] = []
    assert main([], said.append) == 0
    assert sum("as stored" in line for line in said) == 5
