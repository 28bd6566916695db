"""The command: what it prints, its exit statuses, and errors that say what to do."""

import json
import sys
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from typer.testing import CliRunner


@pytest.fixture(autouse=True)
def from_here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setattr(sys, "path", list(sys.path))


def run(*arguments):
    return CliRunner().invoke(app, ["conform", *arguments])


def test_a_loss_that_conforms():
    found = run("tests.conform.losses:grpo", "--variant", "GRPO", "--epsilon", "0.2")
    assert found.exit_code == 0
    assert found.output.startswith("tests.conform.losses:grpo conforms to grpo-token")
    assert "beyond the ordinary range: NaN at padding" in found.output


def test_a_loss_that_departs_shows_the_smallest_input():
    found = run("tests.conform.losses:minimum_before_the_product", "--variant", "grpo")
    assert found.exit_code == 1
    assert "departs from grpo" in found.output
    assert "1 response of 1 token" in found.output
    assert "the definition, in certified enclosures" in found.output
    assert "rewards" not in found.output


@pytest.mark.slow
def test_a_method_without_a_divergence_misses_no_beta():
    departs = run("tests.conform.losses:minimum_before_the_product", "--variant", "grpo", "--with", "kl=none")
    assert departs.exit_code == 1
    assert "departs from grpo" in departs.output
    assert "beta" not in departs.output


@pytest.mark.slow
def test_a_loss_that_is_another_variant_is_named():
    """dapo divides by all tokens; with k3 and no --beta the variant is right and its divergence is not said."""
    found = run("tests.conform.losses:dapo", "--variant", "grpo", "--json")
    assert found.exit_code == 1
    assert "dapo" in [each["variant"] for each in json.loads(found.output)["instead"]]
    silent = run("tests.conform.losses:with_k3", "--variant", "grpo")
    assert silent.exit_code == 1
    assert "no --beta was given" in silent.output
    assert "it is     grpo-token (two-sided,low=1/5,high=1/5; token; own-length; k3, beta 1/25)" in silent.output
    assert run("tests.conform.losses:with_k3", "--variant", "grpo", "--beta", "0.04").exit_code == 0


def test_json_is_the_same_report():
    found = run("tests.conform.losses:mask_ignored", "--variant", "grpo", "--json")
    assert found.exit_code == 1
    report = json.loads(found.output)
    assert report["verdict"] == "departs"
    assert report["nearest"]["variant"] == "grpo-token"
    assert report["witness"]["mask"] == [[1.0, 0.0]] or report["witness"]["mask"] == [[0.0, 1.0]]
    assert "gradient" in {each["quantity"] for each in report["witness"]["departures"]}
    assert run("tests.conform.losses:a_little_off", "--variant", "grpo", "--json").exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "module:function"),
        (["nowhere:loss"], "No module named 'nowhere'"),
        (["tests.conform.losses:nothing"], "has no attribute 'nothing'"),
        (["tests.conform.losses:SEEN"], "not callable"),
        (["tests.conform.losses:grpo", "--variant", "dapoo"], "dapo (did you mean that?)"),
        (["tests.conform.losses:grpo", "--with", "kl=k3"], "--variant NAME"),
        (["tests.conform.losses:grpo", "--variant", "grpo", "--with", "kl=k9"], "k9"),
        (["tests.conform.losses:grpo", "--epsilon", "1.5"], "strictly between 0 and 1"),
        (["tests.conform.losses:grpo", "--beta", "much"], "beta"),
        (["tests.conform.losses:grpo", "--arrays", "jax"], "auto, torch or numpy"),
        (["tests.conform.losses:grpo", "--precision", "float8"], "one of float64, float32"),
        (["tests.conform.losses:grpo", "--site", "."], "trl, verl or openrlhf"),
        (["tests.conform.losses:of_rewards", "--variant", "gdpo"], "one reward for each response"),
    ],
)
def test_bad_input(arguments, words):
    found = run(*arguments)
    assert found.exit_code == 2
    assert words in found.output
    assert "Traceback" not in found.output
    assert "defect" not in found.output
