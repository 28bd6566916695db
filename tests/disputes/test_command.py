"""The command ``dispute``: what it prints, writes and exits with."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

HOUSE = Path(__file__).resolve().parents[2]
OWN = HOUSE / "examples" / "disputes" / "own.json"
COMMAND = CliRunner()


def invoked(*arguments):
    return COMMAND.invoke(app, ["dispute", *map(str, arguments)])


def test_the_example_is_settled_by_formulas_that_are_shown():
    done = invoked(OWN)
    assert done.exit_code == 0, done.output
    assert "aggregation settled" in done.output
    assert "2 mean([sum(flat(b)) / len(flat(b)) for b in parted(L, micro_size)])" in done.output
    assert "nan" in done.output


def test_json_names_the_computation_of_each_number(tmp_path):
    case = {"id": "mine", "input": {"rewards": [1, 0], "G": 2}, "right": {"advantages": [1, -1], "flummoxed": 1}}
    (tmp_path / "mine.json").write_text(json.dumps(case))
    done = invoked(tmp_path / "mine.json", "--json")
    assert done.exit_code == 3
    (dispute,) = json.loads(done.output)["disputes"]
    assert dispute["verdict"] == "undecided"
    first, second = dispute["numbers"]
    assert (first["verdict"], first["found"]) == ("agrees", ["1", "-1"])
    assert "std(g)" in first["by"]
    assert (second["verdict"], second["found"]) == ("undecided", None)
    assert "flummoxed" in second["note"]


def test_the_files_of_commands_and_the_page_are_written(tmp_path):
    cases = json.loads((HOUSE / "tests" / "data" / "cases.json").read_text(encoding="utf-8"))
    (tmp_path / "cases.json").write_text(json.dumps([case for case in cases if case["id"] in ("C10", "C21")]))
    done = invoked(tmp_path / "cases.json", "--files", tmp_path / "files", "--page", tmp_path / "page.md")
    assert done.exit_code == 0, done.output
    assert {path.name for path in (tmp_path / "files").iterdir()} == {"C10-group.toml", "C21-problem.toml"}
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "2 of 2 settled." in page
    assert f"grpocheck estimator grpo-token {(tmp_path / 'files').as_posix()}/C10-group.toml  # 1" in page


def test_a_wrong_number_of_another_thing_than_its_name_says_is_told_as_such(tmp_path):
    """E[grad k3] = pi - ref = (1/4, -1/4) and E[grad k1] = 0 (the score has mean 0)."""
    case = {"id": "k", "input": {"pi": [0.5, 0.5], "ref": [0.25, 0.75]}}
    case |= {"right": {"E_grad_k3": ["1/4", "-1/4"]}, "wrong": {"E_grad_k3": [0, 0]}}
    (tmp_path / "k.json").write_text(json.dumps(case))
    (dispute,) = json.loads(invoked(tmp_path / "k.json", "--json").output)["disputes"]
    right, wrong = dispute["numbers"]
    assert (right["verdict"], wrong["verdict"]) == ("agrees", "agrees")
    assert "not what it is named" not in right["note"]
    assert wrong["note"].startswith("not what it is named, but by its value: ")


def test_the_kinds_are_listed_for_programs_too():
    kinds = json.loads(invoked("--kinds", "--json").output)["kinds"]
    assert {"kind": "clipped terms", "needs": "ratios + advantages"} in kinds


def test_a_file_that_is_not_there_is_named_as_the_argument_it_is(tmp_path):
    done = invoked(tmp_path / "none.json")
    assert done.exit_code == 2
    assert done.stderr.startswith("grpocheck: CASES: ")
    assert "none.json': No such file or directory; expected" in done.stderr


def test_a_missing_key_is_said_with_what_a_case_needs(tmp_path):
    (tmp_path / "x.json").write_text('{"id": "x"}')
    done = invoked(tmp_path / "x.json")
    assert done.exit_code == 2
    where = f"{tmp_path / 'x.json'}: x.input"
    assert done.stderr.startswith(f"grpocheck: {where}: expected a value: the key is missing (a case has id and input,")


def test_standard_input_is_read_and_a_pipe_that_waits_for_a_writer_is_not(tmp_path):
    program = "from grpocheck.__main__ import main; main()"
    command = [sys.executable, "-c", program, "dispute", "--json", "/dev/stdin"]
    case = {"id": "mine", "input": {"rewards": [1, 0], "G": 2}, "right": {"advantages": [1, -1]}}
    done = subprocess.run(command, input=json.dumps(case), capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["disputes"][0]["verdict"]) == (0, "settled"), done.stderr
    os.mkfifo(tmp_path / "pipe")
    refused = invoked(tmp_path / "pipe")
    assert refused.exit_code == 2
    assert "a pipe or a device: write its content to a file first" in refused.stderr


def test_statuses_of_a_number_that_differs_and_of_bad_input(tmp_path):
    case = {"id": "mine", "input": {"rewards": [1, 0], "G": 2}, "right": {"advantages": [7, -7]}}
    (tmp_path / "mine.json").write_text(json.dumps(case))
    assert invoked(tmp_path / "mine.json").exit_code == 1
    for text in ("[]", "{", "[1]", json.dumps({**case, "input": {"wobble": 1}})):
        (tmp_path / "mine.json").write_text(text)
        done = invoked(tmp_path / "mine.json")
        assert done.exit_code == 2, text
        assert "Traceback" not in done.output
    assert invoked().exit_code == 2
    assert invoked(tmp_path / "absent.json").exit_code == 2


def test_the_kinds_are_listed():
    done = invoked("--kinds")
    assert done.exit_code == 0
    assert "surrogates of stated draws" in done.output
    assert "losses or advantages + lengths" in done.output


def test_the_examples_of_the_page_are_what_it_says(tmp_path):
    """The formulas of docs/own_disputes.md: half of the true gradient, and not a number."""
    page = (HOUSE / "docs" / "own_disputes.md").read_text(encoding="utf-8")
    formulas = [line.strip() for line in page.splitlines() if line.startswith(("    expected(", "    in_format("))]
    assert len(formulas) == 2
    case = {
        "id": "page",
        "input": {"pi": ["1/2", "1/2"], "old": ["1/2", "1/2"], "r": [1, 0], "G": 2, "log_ratio": 200, "mask": 0},
        "define": {"A": "r[y] - mean(r[y])"},
        "compute": {"right.gradient": formulas[0], "wrong.product": formulas[1]},
        "right": {"gradient": ["1/8", "-1/8"]},
        "wrong": {"product": "nan"},
    }
    (tmp_path / "page.json").write_text(json.dumps(case))
    assert invoked(tmp_path / "page.json").exit_code == 0


def test_a_key_that_is_said_twice_is_settled_by_neither(tmp_path):
    """Of two tables of right numbers only the second was read, which agrees; the first, 5, is none of 1."""
    file = tmp_path / "case.json"
    file.write_text(
        '{"id": "x", "topic": "t", "input": {"a": 1}, "compute": {"right.n": "a"}, '
        '"right": {"n": 5}, "right": {"n": 1}, "wrong": {}}'
    )
    found = invoked(file)
    assert found.exit_code == 2
    assert "a key that is said twice" in found.output


@pytest.mark.parametrize(
    ("given", "right", "said"),
    [
        ({"rewards": [1, "O"]}, {"mean": "1/2"}, "z.input.rewards[1]: 'O': expected a number"),
        ({"rewards": "1,0"}, {"mean": "1/2"}, "z.input.rewards: '1,0': expected a number"),
        ({"rewards": [1, 0]}, {"mean": "0,5"}, "z.right.mean: '0,5': expected a number, with a point"),
        ({"rewards": [1, 0]}, {"mean": "banana"}, "none is in mean: 'banana'"),
        ({"rewards": [1, 0]}, {"k3": ["x"]}, "none is in k3: ['x']"),
    ],
)
def test_a_text_in_the_place_of_a_number_is_named(tmp_path: Path, given: Any, right: Any, said: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{"id": "z", "input": given, "right": right}]), encoding="utf-8")
    done = CliRunner().invoke(app, ["dispute", str(path)])
    assert done.exit_code == 2
    assert said in done.stderr
