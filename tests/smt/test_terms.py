"""The terms that core makes of z3's reals: proved as they are, refuted with values when core has a mistake."""

from fractions import Fraction
from typing import Any

import pytest
import z3
from grpocheck.proofs.evidence import Budget
from grpocheck.proofs.smt import checks, folds
from grpocheck.proofs.smt.obligations import Decision, discharge
from grpocheck.proofs.smt.reals import RealArithmetic, divisors, paths

CLAIMS_BROKEN = {
    "none": set(),
    "clip without the min": {"E1", "E2"},
    "max for the min": {"E1", "E2"},
    "clip above only": {"E1"},
    "sample deviation": {"B2"},
    "deviation padded": {"B2"},
    "divided anyway": {"B2"},
    "not centred": {"B2"},
}


@pytest.mark.parametrize("mistake", CLAIMS_BROKEN)
def test_a_wrong_formula_is_refuted_and_a_right_one_is_not(mistake: str, answers: dict[str, Any]) -> None:
    assert {about for about, _, _ in answers["terms"][mistake]["refuted"]} == CLAIMS_BROKEN[mistake]


@pytest.mark.parametrize(
    ("mistake", "is_fold"),
    [("none", True), ("sample deviation", False), ("deviation padded", False), ("not centred", False)],
)
def test_core_is_the_fold_unless_it_has_a_mistake(mistake: str, is_fold: bool, answers: dict[str, Any]) -> None:
    assert answers["terms"][mistake]["fold"] is is_fold


def test_the_values_shown_do_break_the_formula(answers: dict[str, Any]) -> None:
    """Without the min the term is clip(rho) A, which exceeds rho A at the values that refute E2."""
    (detail,) = [d for about, _, d in answers["terms"]["clip without the min"]["refuted"] if about == "E2"]
    values = {name: Fraction(value) for name, value in (entry.split(" = ") for entry in detail.split(", "))}
    rho, advantage, epsilon = values["rho"], values["A"], values["epsilon"]
    assert rho > 0
    assert 0 < epsilon < 1
    assert min(1 + epsilon, max(1 - epsilon, rho)) * advantage > rho * advantage


def test_terms_are_not_made_with_contracts_on() -> None:
    with pytest.raises(RuntimeError, match="GRPOCHECK_CONTRACTS=off"):
        checks.clipped_terms(Budget(10))


def test_every_branch_of_a_computation_is_taken_once_with_its_conditions() -> None:
    x = z3.Real("x")

    def sign(arithmetic: RealArithmetic) -> int:
        if arithmetic.less(0, x):
            return 1
        return 0 if arithmetic.equal(x, 0) else -1

    found = {result: arithmetic.known for arithmetic, result in paths(sign)}
    assert set(found) == {1, 0, -1}
    for value, expected in ((z3.RealVal(3), 1), (z3.RealVal(0), 0), (z3.RealVal("-1/2"), -1)):
        holding = [
            result
            for result, known in found.items()
            if z3.is_true(z3.simplify(z3.substitute(z3.And(known), (x, value))))
        ]
        assert holding == [expected]


def test_divisors_are_found_wherever_they_are() -> None:
    x, y = z3.Reals("x y")
    term = z3.If(x > 1 / y, x / 2, (x + 1) / (x * y))
    assert {str(divisor) for divisor in divisors(term)} == {"y", "x*y"}


def test_the_induction_over_the_group_is_proved() -> None:
    results = [discharge(obligation) for obligation in folds.fold_obligations()]
    assert {result.decision for result in results} == {Decision.PROVED}
    # eight invariants: for no reward, one more, the marked one; three statements for B1 and four for B2
    assert len(results) == 8 * 3 + 3 + 4


def test_cauchy_schwarz_needs_the_invariants_that_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without squares >= 0 the step is false: n = 0, no deviations, squares = -1."""
    monkeypatch.setattr(folds, "USED", {})
    refuted = [r for r in map(discharge, folds.fold_obligations()) if r.decision is Decision.REFUTED]
    assert {r.name.partition(":")[0] for r in refuted} == {"Cauchy-Schwarz"}


def test_a_bound_that_is_too_tight_is_refuted() -> None:
    """A^2 <= G - 2 fails at G = 2: the advantages are 1 and -1."""
    group, folded, _ = folds.symbols()
    invariants = tuple(folds.invariants(group, folded).values())
    (bound,) = [o for o in folds.whole_group(group, folded, invariants) if o.name.endswith("A^2 <= G - 1")]
    advantage = folds.advantage_of(group.marked_reward, group.mean, group.deviation)
    tight = folds.Obligation("B2", "too tight", bound.hypotheses, advantage * advantage <= group.size - 2)
    assert discharge(tight).decision is Decision.REFUTED
