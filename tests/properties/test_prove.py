"""The command prove: verdicts and exit statuses, counterexamples that run, bad input on one line or with a caret."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands.prove import verdict_lines
from grpocheck.verifier.properties import SHELF, Result, Scope, Verdict
from typer.testing import CliRunner

from tests.properties.test_language import HOSTILE

KINK = "examples/undefined_gradient.toml"
FALLS = "examples/non_claims/n1_objective_falls.toml"


def called(*arguments: object):
    return CliRunner().invoke(app, ["prove", *map(str, arguments)])


def test_what_holds_exits_with_0_and_says_for_how_many() -> None:
    done = called("F >= 0", KINK, "--scope", "draws")
    assert done.exit_code == 0
    first, scope, cases = done.stdout.splitlines()[:3]
    assert first == "holds (by enumeration): F >= 0"
    assert "3 cases up to the order of the draws" in scope
    assert cases == "  cases     3, standing for 4"


def test_what_is_refuted_exits_with_1_and_its_file_refutes(tmp_path: Path) -> None:
    """By hand: -5/81, as the header of the witness says."""
    out = tmp_path / "counterexample.toml"
    done = called("F_next >= F", FALLS, "--out", out)
    assert done.exit_code == 1
    assert "refuted (by evaluation): F_next >= F" in done.stdout
    assert "  at        t = 1, k = 1" in done.stdout
    assert "  value     F_next = -5/81" in done.stdout
    assert f"grpocheck run {out}" in done.stdout
    assert CliRunner().invoke(app, ["run", str(out)]).exit_code == 0
    assert called("F_next >= F", out).exit_code == 1
    assert called("F_next < F", out).exit_code == 0


def test_without_a_file_the_counterexample_is_printed() -> None:
    done = called("F_next >= F", FALLS)
    assert "# Against the property: F_next >= F" in done.stdout
    assert 'recorded = [[["a", "b"], ["a", "b"], ["a", "b"]]]' in done.stdout


def test_what_is_undecided_exits_with_3_and_says_why() -> None:
    done = called("2 * log(sqrt(2)) = log(2)", KINK)
    assert done.exit_code == 3
    assert "undecided (by evaluation)" in done.stdout
    assert "because   2 * log(sqrt(2)) = log(2)" in done.stdout
    done = called("F_next >= F", "examples/invalid_update.toml")
    assert done.exit_code == 3
    assert "no step is applied" in done.stdout


def test_a_division_by_zero_is_a_verdict() -> None:
    done = called("1 / F > 0", KINK)
    assert done.exit_code == 1
    assert "refuted for having no value there (by evaluation)" in done.stdout
    assert "division by F, which is 0" in done.stdout


def test_json_is_the_result() -> None:
    done = called("ratio < 1 + epsilon", KINK, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["verdict"] == "refuted"
    assert found["property"] == "all responses: ratio < 1 + epsilon"
    assert found["at"] == {"t": 1, "k": 1, "prompt": 1, "i": 1}
    assert found["values"] == {"ratio[1]": "6/5", "epsilon": "1/5"}
    assert found["counterexample"].startswith("# Against the property")


@pytest.mark.parametrize("name", ["N7", "C4"])
def test_a_name_of_the_shelf_brings_its_problem_and_scope(name: str) -> None:
    done = called(name, "--json")
    found = json.loads(done.stdout)
    assert (found["verdict"], found["scope"]) == (SHELF[name].verdict, SHELF[name].scope)
    assert done.exit_code == {"holds": 0, "refuted": 1}[found["verdict"]]


def test_the_shelf_is_listed() -> None:
    entries = json.loads(called("--shelf", "--json").stdout)
    assert [entry["name"] for entry in entries] == list(SHELF)
    assert "Admissibility" in called("--shelf").stdout


@pytest.mark.parametrize("text", list(HOSTILE)[::6], ids=lambda text: text[:20])
def test_hostile_texts_are_bad_input_without_a_traceback(text: str) -> None:
    done = called("--", text, KINK)
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    if text:
        assert done.stderr.startswith("grpocheck: property, column ")
        assert done.stderr.rstrip("\n").endswith("^")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("F > 0", "there_is_none.toml"), "expected a file that can be read"),
        (("F > 0",), "expected a problem file, or one of the shelf: A1"),
        (
            (KINK, "F > 0"),
            f"PROPERTY: '{KINK}': it is a file; expected the property before it: grpocheck prove 'F > 0' {KINK}",
        ),
        ((), "PROPERTY: none is given; expected one and a problem file, such as 'F_next >= F' mine.toml"),
        (("F > 0", KINK, "--scope", "all"), "one of run, draws, shape"),
        (("F > 0", KINK, "--out", "no/such/folder.toml"), "there is no folder"),
        (("F > 0", KINK, "--budget", "soon"), "budget"),
        (("theta[2] > 0", KINK), "theta has 1 coordinate here"),
        (("F > 0", "examples/supplied_family.toml"), "a built-in family"),
    ],
)
def test_bad_input_says_what_was_expected(arguments: tuple[str, ...], said: str) -> None:
    done = called(*arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output


def test_contracts_that_a_search_of_a_shape_never_has_on_are_no_setting_of_the_users() -> None:
    found = Result("F_next >= F", Scope.SHAPE, Verdict.REFUTED, "search", "a shape", 1, contracts=False)
    assert list(verdict_lines(found))[-1] == "  took      0.0 s, contracts off, as in every search of a shape"
    assert list(verdict_lines(replace(found, contracts=True)))[-1].endswith("s, contracts on")
