"""What newcomers stumbled over in what the command says: each expectation is written by hand."""

import json
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands.new import STARTERS, TAIL
from grpocheck.verifier.failures import installed_with
from grpocheck.verifier.repl.session import Session
from typer.testing import CliRunner

HOUSE = Path(__file__).resolve().parents[2]
COMMAND = CliRunner()


@pytest.fixture(autouse=True)
def with_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(STARTERS["softmax"] + TAIL, encoding="utf-8")


def test_a_seed_that_is_no_whole_number_is_told_what_one_is() -> None:
    for value in ("1.5", "x"):
        refused = COMMAND.invoke(app, ["run", "mine.toml", "--seed", value])
        assert refused.exit_code == 2
        assert refused.stderr.startswith(f"grpocheck: --seed: '{value}'")
        assert "unable to parse" not in refused.stderr
        assert "whole number, such as 7" in refused.stderr or "is not a valid integer" in refused.stderr


def test_a_run_says_that_it_replaces_the_trace_of_an_earlier_one() -> None:
    first, second = (COMMAND.invoke(app, ["run", "mine.toml", "--trace", "run.jsonl"]) for _ in range(2))
    assert (first.exit_code, first.stderr) == (0, "")
    assert (second.exit_code, second.stderr) == (0, "grpocheck: run.jsonl: the trace of an earlier run was replaced\n")
    Path("mine.toml").write_text("epsilon = 1", encoding="utf-8")
    refused = COMMAND.invoke(app, ["run", "mine.toml", "--trace", "run.jsonl"])
    assert (refused.exit_code, "replaced" in refused.stderr) == (2, False)


def test_what_installs_an_extra_is_said_in_one_form() -> None:
    assert installed_with("ray") == "it to be installed: pip install '.[ray]' in a clone of grpocheck"
    files = (HOUSE / "verifier").rglob("*.py")
    assert [path.name for path in files if "pip install '." in path.read_text(encoding="utf-8")] == ["failures.py"]


def test_where_a_claim_is_from_is_a_page_that_there_is() -> None:
    told = " ".join(COMMAND.invoke(app, ["explain", "B2"]).output.split())
    assert "from [000] (a text that docs/specification.md restates); known evidence: " in told
    assert "[000] the finite-budget group-relative policy update" in " ".join(
        (HOUSE / "docs" / "specification.md").read_text(encoding="utf-8").split()
    )


def test_an_enumeration_that_is_too_large_is_json_where_json_is_asked_for() -> None:
    """Multisets of 4 draws from 3 responses: C(6, 4) = 15 of them, more than 2."""
    for command in (("law", "mine.toml", "--max-cases", "2"), ("estimator", "dr-grpo", "mine.toml", "--cases", "2")):
        done = COMMAND.invoke(app, [*command, "--json"])
        assert done.exit_code == 3
        told = json.loads(done.stdout)
        assert (told["kind"], told["limit"]) == ("too-large", 2)
    assert told["cases"] == "15"


def lines(capsys: pytest.CaptureFixture[str], *commands: str) -> list[str]:
    session = Session()
    for command in ("load mine.toml", *commands):
        session.onecmd(command)
    return capsys.readouterr().out.splitlines()[1:]


def test_a_misspelt_name_to_show_is_told_which_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = "there is nothing of that name to show; expected"
    assert lines(capsys, "show thet", "show advantge", "show zzz") == [
        f"error: show: 'thet': {nothing} theta (did you mean that?)",
        f"error: show: 'advantge': {nothing} advantage (did you mean that?)",
        f"error: show: 'zzz': {nothing} one of theta, groups, ledger, problem, names, or a name that show names lists, "
        "such as ratio",
    ]


def test_a_step_of_enclosed_numbers_is_short_and_says_how_to_see_all(capsys: pytest.CaptureFixture[str]) -> None:
    """Seven enclosures of ten digits; show theta has more digits of each of its three than the line of the step."""
    step, theta = lines(capsys, "step", "show theta")
    assert step.startswith("t = 1, k = 1: gradient ([")
    assert step.endswith(" (all digits: show theta, show F)")
    assert len(step) < 350
    lowest = theta.removeprefix("theta = ([").partition(",")[0]
    assert len(lowest) > 30
    assert lowest not in step
    assert lowest[:11] in step
    # two good and two bad of theta = 1/2: each A rho' is 1 * 2 or -1 * -2, and F = (6/5 - 4/5) / 2 at 1/2 + 2/20
    Path("mine.toml").write_text(STARTERS["bernoulli"] + TAIL, encoding="utf-8")
    assert lines(capsys, "step") == ["t = 1, k = 1: gradient 2, theta = 3/5, F = 1/5"]
