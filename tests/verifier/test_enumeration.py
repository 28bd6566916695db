"""The enumeration finds mistakes, and blames the claims that they break; its reference is held to numbers by hand."""

from collections.abc import Callable
from fractions import Fraction as F
from itertools import islice
from typing import Any

import pytest
from grpocheck.contracts.claims import Kind
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.proofs.enumeration import CHECKS, FIFTH, HALF, TWENTIETH, compare_all, one_prompt, onto_kinks, ordered
from grpocheck.proofs.evidence import Budget, Evidence, Finding, Verdict
from grpocheck.proofs.reference import Case, Number, run, same
from grpocheck.verifier.workers import findings_of


def number(a: F | int, b: F | int = 0, v: F | int = 0) -> Number:
    return Number(F(a), F(b), F(v))


def test_the_reference_on_the_design_problem() -> None:
    # theta 1/2, gradient 1/2 (1/(1/2) + 1/(1/2)) = 2, step 1/20 to 3/5, where the ratios are 6/5 and 4/5: a kink
    case = Case(((HALF, HALF),), ((F(1), F(0)),), (((0, 1),),), FIFTH, TWENTIETH, 2)
    (found,) = run(case)
    assert found.attempts == ((number(2),), None)
    assert found.applied == ((number(F(3, 5)),),)
    assert found.objectives == (number(FIFTH),)
    assert found.status == "undefined-gradient"


def test_the_reference_with_an_irrational_deviation() -> None:
    # rewards 1, 0, 0: mean 1/3, variance 2/9, advantages (2/3)/(sqrt(2)/3) = sqrt 2 and -1/sqrt 2
    case = Case(((HALF, HALF),), ((F(1), F(0)),), (((0, 1, 1),),), FIFTH, TWENTIETH, 1)
    (found,) = run(case)
    squares = [advantage * advantage for advantage in found.groups[0].advantages]
    assert [(square.a, square.b) for square in squares] == [(2, 0), (HALF, 0), (HALF, 0)]
    # gradient 1/3 (sqrt 2 * 2 + 2 * (1/sqrt 2) * 2) = 4/3 sqrt 2
    assert same("4/3*sqrt(2)", found.attempts[0][0])


@pytest.mark.parametrize(
    ("text", "value", "equal"),
    [
        ("3/5", number(F(3, 5)), True),
        ("-3/5", number(F(3, 5)), False),
        ("1/2 + 1/15*sqrt(2)", number(HALF, F(1, 5), F(2, 9)), True),
        ("1/2 - 1/15*sqrt(2)", number(HALF, F(1, 5), F(2, 9)), False),
        ("1/2 - 1/15*sqrt(2)", number(HALF, F(-1, 5), F(2, 9)), True),
        ("sqrt(2)", number(0, 3, F(2, 9)), True),
        ("-sqrt(2)", number(0, 3, F(2, 9)), False),
        ("sqrt(2)", number(0, 1, 3), False),
        ("2/15*sqrt(2)", number(2, 5, 2), False),
    ],
)
def test_texts_are_compared_exactly(text: str, value: Number, equal: bool) -> None:
    assert same(text, value) is equal


def test_a_text_that_is_no_number_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"0\.6"):
        same("0.6", number(F(3, 5)))


def refuted_by(scope: list[Case]) -> set[str]:
    """The claims that the ladder would report as refuted."""

    def check(budget: Budget) -> dict[str, Finding]:
        return compare_all(budget, scope)

    findings = findings_of(Evidence("x:y", tuple(CHECKS), Kind.ENUMERATION, "some", 60, (), True, check), Budget(60))
    return {claim for claim, finding in findings.items() if finding.verdict == Verdict.REFUTED}


def some_runs() -> list[Case]:
    kinks = islice(onto_kinks(one_prompt(2, 2, 2, FIFTH, TWENTIETH)), 6)
    leaves_u = Case(((HALF, HALF),), ((F(1), F(0)),), (((0, 1),),), FIFTH, F(1), 2)
    return [*kinks, leaves_u, *islice(ordered(one_prompt(2, 2, 2, FIFTH, HALF)), 60, 75)]


def test_nothing_is_refuted_where_nothing_is_wrong() -> None:
    assert refuted_by(some_runs()) == set()


def test_nothing_is_held_of_cases_that_were_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: Any) -> bool:
        raise RuntimeError("planted")

    monkeypatch.setattr("grpocheck.core.procedure.BuiltInDomain.__call__", fails)
    found = compare_all(Budget(60), some_runs())
    assert found["C4"].verdict is Verdict.REFUTED
    assert "planted" in found["C4"].detail
    assert {finding.verdict for claim, finding in found.items() if claim != "C4"} == {Verdict.UNDECIDED}
    assert "core raised in" in found["B1"].detail


def no_kinks(*_arguments: Any) -> tuple[int, ...]:
    return ()


def always_inside(*_arguments: Any) -> bool:
    return True


def sample_deviation(values: list[F], arithmetic: ExactArithmetic) -> object:
    mean = sum(values, F(0)) / len(values)
    return arithmetic.sqrt(sum(((value - mean) ** 2 for value in values), F(0)) / (len(values) - 1))


@pytest.mark.parametrize(
    ("place", "mistake", "blamed"),
    [
        ("grpocheck.core.gradient.kinked_draws", no_kinks, {"C4", "F2"}),
        ("grpocheck.core.procedure.BuiltInDomain.__call__", always_inside, {"A1", "A2", "C4"}),
        ("grpocheck.core.update.population_standard_deviation", sample_deviation, {"B1", "B2"}),
    ],
)
def test_a_mistake_in_core_is_found_and_blamed_on_a_claim_that_it_breaks(
    place: str, mistake: Callable[..., object], blamed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, mistake)
    assert blamed & refuted_by(some_runs())
