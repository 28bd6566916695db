"""The command: what it prints, what it refuses, and its exit status."""

import json
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
WITNESS = str(ROOT / "examples" / "non_claims" / "n6_external_given_group.toml")
CODING = str(ROOT / "examples" / "training_free" / "fizzbuzz.toml")
TABLED = """
prompt = "say b"
group_size = 2
iterations = 3
tests = ["is b"]

[[responses]]
text = "a"
mass = "1/2"
passes = []

[[responses]]
text = "b"
mass = "1/2"
passes = ["is b"]
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["training-free", *arguments])


@pytest.fixture
def tabled(tmp_path: Path) -> str:
    path = tmp_path / "tabled.toml"
    path.write_text(TABLED, encoding="utf-8")
    return str(path)


def test_an_outcome_for_people(tabled: str) -> None:
    # seed 1: the groups of two fair draws are decided by the bits of the seed; some group of three holds b
    done = invoke(tabled, "--seed", "1")
    assert done.exit_code == 0
    assert "all-tests-pass: a response passes all tests" in done.stdout
    assert "generations" in done.stdout
    assert "0.6931471 nats" in done.stdout  # log 2
    assert "draws       seed 1" in done.stdout


def test_an_outcome_for_programs() -> None:
    done = invoke(WITNESS, "--json")
    assert done.exit_code == 0
    outcome = json.loads(done.stdout)
    assert (outcome["stop"], outcome["solution"], outcome["seed"]) == ("iteration-budget", None, None)
    assert outcome["ledger"]["generations"] == outcome["bounds"]["generations"] == 4
    assert [pattern["tokens"] for pattern in outcome["bank"]] == [["y"], ["y"]]


def test_the_trace_is_written_kept_and_gone_on_with(tabled: str, tmp_path: Path) -> None:
    trace = tmp_path / "t.jsonl"
    assert invoke(tabled, "--seed", "1", "--trace", str(trace)).exit_code == 0
    content = trace.read_bytes()
    refused = invoke(tabled, "--seed", "1", "--trace", str(trace))
    assert refused.exit_code == 2
    assert "--resume to go on with it" in refused.stderr
    trace.write_bytes(content[:-30])
    assert invoke(tabled, "--trace", str(trace), "--resume").exit_code == 0  # the seed is the trace's own
    assert trace.read_bytes() == content
    other = invoke(tabled, "--seed", "2", "--trace", str(trace), "--resume")
    assert other.exit_code == 1
    assert "draws" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.toml"], "nowhere.toml"),
        ([WITNESS, "--resume"], "--trace FILE with it"),
        ([WITNESS, "--introspect", "oracle"], "embedded or http"),
        ([WITNESS, "--introspect", "http"], "OPENAI_BASE_URL"),
        ([WITNESS, "--seed", "1"], "no seed beside it"),
        ([WITNESS, "--trace", "/nowhere/t"], "no folder"),
        ([WITNESS, "--trace", "/nowhere/t", "--resume"], "No such file"),
        ([str(ROOT / "examples" / "two_paths.toml")], "which grpocheck run takes"),
    ],
)
def test_bad_input_is_named_and_exits_with_2(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    done = invoke(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_tests_that_run_beside_tests_that_are_listed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "both.toml"
    path.write_text(TABLED + '\n[runner.tests]\n"is b" = "pass"\n', encoding="utf-8")
    done = invoke(str(path))
    assert done.exit_code == 2
    assert "either tests that run" in done.stderr


def test_a_task_without_a_base_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bare.toml"
    path.write_text(TABLED.partition("[[")[0] + '[runner.tests]\n"is b" = "pass"\n', encoding="utf-8")
    done = invoke(str(path))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("grpocheck: tokens: None: expected a base model")


def test_the_embedded_introspection_goes_before_that_of_the_file() -> None:
    done = invoke(WITNESS, "--json", "--introspect", "embedded")
    assert json.loads(done.stdout)["bank"][0]["description"].startswith("prefer 'y'")


def test_the_coding_example_is_a_task_that_starts_with_an_empty_bank() -> None:
    text = Path(CODING).read_text(encoding="utf-8")
    assert "[[bank]]" not in text
    assert 'kind = "embedded"' in text
