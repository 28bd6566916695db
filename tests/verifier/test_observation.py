"""Which contracts were evaluated is counted as it happens, and only what was decided counts as decided."""

from fractions import Fraction

import planted
import pytest
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.contracts.observation import Clause, clauses_of, observed_clauses
from grpocheck.core import problem_from_mapping, run
from grpocheck.proofs.evidence import Verdict
from grpocheck.proofs.examples import findings_by_claim

ROOT = Clause("planted.root_of_two", "B1, B2: the root of two squares to two")


def test_a_description_may_name_several_claims() -> None:
    assert ROOT.claims == ("B1", "B2")
    assert ROOT in [clause for clause, _ in clauses_of("planted")]


def test_evaluations_are_counted_while_the_block_runs_and_no_longer() -> None:
    planted.root_of_two()
    with observed_clauses("planted") as seen:
        planted.root_of_two()
        planted.root_of_two()
    planted.root_of_two()
    assert seen.decided == {ROOT: 2}
    assert not seen.open


def test_contracts_that_rest_within_another_do_not_count() -> None:
    with observed_clauses("planted") as seen:
        planted.one_more(Fraction(0))
    assert {clause.subject for clause in seen.decided} == {"planted.one_more"}


def test_what_is_only_consistent_is_open() -> None:
    with observed_clauses("planted") as seen:
        planted.undecidable()
    assert not seen.decided
    assert [clause.claims for clause in seen.open] == [("B4",)]
    finding = findings_by_claim(seen, 1)["B4"]
    assert finding.verdict == Verdict.UNDECIDED


def test_a_violation_still_shows_its_condition() -> None:
    with observed_clauses("planted"), pytest.raises(ContractViolation, match=r"result == 0"):
        planted.sum_of_advantages()


def test_contracts_of_a_real_run_speak_for_the_protocol() -> None:
    mapping = {
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 1,
        "epsilon": "1/5",
        "beta": 0,
        "step_size": "1/20",
        "theta": ["1/2"],
        "family": "bernoulli",
        "prompts": [{"name": "q", "responses": ["a", "b"], "rewards": [1, 0], "reference": ["1/2", "1/2"]}],
        "draws": {"seed": 1},
    }
    with observed_clauses("grpocheck.core") as seen:
        run(problem_from_mapping(mapping))
    findings = findings_by_claim(seen, 1)
    assert {"A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3", "C4", "D1", "D2"} <= set(findings)
    assert all(finding.verdict == Verdict.HELD for finding in findings.values())
    assert findings["C1"].pieces == findings["C1"].counts["clauses"]
