import json
from pathlib import Path

import pytest
from grpocheck.core import TraceWriter, read_problem, run
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands.new import STARTERS
from typer.testing import CliRunner

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COMMAND = CliRunner()


@pytest.mark.parametrize("family", STARTERS)
def test_a_new_problem_runs_and_is_of_its_family(tmp_path: Path, family: str) -> None:
    path = tmp_path / "mine.toml"
    assert COMMAND.invoke(app, ["new", family, "--out", str(path)]).exit_code == 0
    problem = read_problem(path)
    assert (problem.family.name, problem.seed) == (family, 7)
    assert run(problem).ledger.draws in (4, 8)  # one or two outer iterations of G = 4, M = 1
    again = COMMAND.invoke(app, ["new", family, "--out", str(path)])
    assert again.exit_code == 2
    assert "it is there already" in again.output


def test_a_new_problem_is_printed_and_an_unknown_family_named() -> None:
    told = COMMAND.invoke(app, ["new"])
    assert told.exit_code == 0
    assert 'family = "bernoulli"' in told.output
    refused = COMMAND.invoke(app, ["new", "gaussian"])
    assert refused.exit_code == 2
    assert "'gaussian': no such family; expected one of bernoulli" in refused.output


def traced(path: Path, example: str, seed: int | None = None) -> Path:
    with TraceWriter(path) as writer:
        run(read_problem(EXAMPLES / example), seed=seed, observer=writer)
    return path


def test_the_first_difference_of_two_traces_is_named(tmp_path: Path) -> None:
    one = traced(tmp_path / "one.jsonl", "two_paths.toml", 1)
    same = traced(tmp_path / "same.jsonl", "two_paths.toml", 1)
    other = traced(tmp_path / "other.jsonl", "two_paths.toml", 2)
    told = COMMAND.invoke(app, ["diff", str(one), str(same)])
    assert told.exit_code == 0
    assert told.output.startswith("the same: ")
    parted = COMMAND.invoke(app, ["diff", str(one), str(other), "--json"])
    assert parted.exit_code == 1
    assert json.loads(parted.output) == {
        "same": False, "line": 1, "event": "start", "fields": [{"field": "draws.seed", "left": 1, "right": 2}]
    }  # fmt: skip
    assert COMMAND.invoke(app, ["diff", str(one), str(tmp_path / "none.jsonl")]).exit_code == 2


CHANGED = {
    "true is not 1": ('"answer": true', '"answer": 1', "answer"),
    "1 is not true": ('"k": 1,', '"k": true,', "k"),
    "1 is not 1.0": ('"k": 1,', '"k": 1.0,', "k"),
    "null is not absent": ('"k": 1,', '"k": 1, "more": null,', "more"),
}


@pytest.mark.parametrize(("was", "made", "field"), CHANGED.values(), ids=CHANGED)
def test_what_python_calls_equal_and_json_does_not_is_a_difference(
    tmp_path: Path, was: str, made: str, field: str
) -> None:
    one, other = traced(tmp_path / "one.jsonl", "two_paths.toml", 1), tmp_path / "other.jsonl"
    text = one.read_text(encoding="utf-8")
    assert was in text
    other.write_text(text.replace(was, made, 1), encoding="utf-8")
    for pair in ((one, other), (other, one)):
        parted = COMMAND.invoke(app, ["diff", *map(str, pair), "--json"])
        assert parted.exit_code == 1
        assert [entry["field"] for entry in json.loads(parted.output)["fields"]] == [field]
