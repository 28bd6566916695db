"""What the checker does not decide (docs/check.md): status 3 and the reason, neither right nor wrong."""

import json
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import Supply, SupplyViolation, TraceWriter, run
from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.arithmetic.surd import Surd
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

from tests.hostile.test_table import Policy, answers, of_a_policy, problem


def good(value: object) -> Supply:
    """A reward oracle that gives the good response this, the bad one 1."""
    return Supply(reward=lambda prompt, response: value if response == "good" else F(1))


def rounded(writer: TraceWriter) -> None:
    run(problem(), arithmetic=arithmetic_named("mp"), observer=writer)


def of_an_oracle(writer: TraceWriter) -> None:
    run(of_a_policy(), Supply(policy=Policy()), observer=writer)


def broken(writer: TraceWriter) -> None:
    run(problem(), Supply(gradient=answers([0.5])), observer=writer)


def irrational(writer: TraceWriter) -> None:
    """Rewards sqrt(2) and 1: the variance ((sqrt(2) - 1) / 2)^2 = (3 - 2 sqrt(2)) / 4 is irrational."""
    run(problem(), good(Surd({(2,): F(1)})), observer=writer)


RUNS: dict[str, tuple[Callable[[TraceWriter], None], str]] = {
    "numbers that are rounded": (rounded, "mp, or a supplied policy"),
    "the masses of a supplied policy": (of_an_oracle, "mp, or a supplied policy"),
    "a run that ended in an error": (broken, "the run ended in an error, which is not derived again"),
    "the root of an irrational variance": (irrational, "the square root of an irrational"),
}


def checked(path: Path) -> tuple[int, Any]:
    done = CliRunner().invoke(app, ["check", str(path), "--json"])
    assert done.stderr == ""
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.parametrize("name", RUNS)
def test_what_is_not_decided_is_neither_right_nor_wrong(tmp_path: Path, name: str) -> None:
    body, reason = RUNS[name]
    with suppress(SupplyViolation), TraceWriter(tmp_path / "t.jsonl") as writer:  # the error is written as it passes
        body(writer)
    status, found = checked(tmp_path / "t.jsonl")
    assert (status, found["verdict"], found["status"]) == (3, "undecided", 3)
    assert reason in found["reason"]


@pytest.mark.parametrize(("digits", "status"), [(20_000, 1), (20_001, 3)])
def test_a_number_of_more_digits_than_are_read_is_not_decided(tmp_path: Path, digits: int, status: int) -> None:
    """One of as many as are read is wrong here: the mean of the group is 1/2."""
    path = tmp_path / "t.jsonl"
    with TraceWriter(path) as writer:
        run(problem(), observer=writer)
    text = path.read_text()
    assert '"mean": "1/2"' in text
    path.write_text(text.replace('"mean": "1/2"', f'"mean": "{"7" * digits}"'))
    found, told = checked(path)
    assert (found, told["line"]) == (status, 7)
    assert ("a number of over 20000 digits" in told["reason"]) is (status == 3)
    assert len(told["reason"]) < 1000


def test_before_what_is_not_decided_a_fault_is_found(tmp_path: Path) -> None:
    """A run that ended in an error at its first gradient, and whose first draw is of no support."""
    path = tmp_path / "t.jsonl"
    with pytest.raises(SupplyViolation), TraceWriter(path) as writer:
        broken(writer)
    path.write_text(path.read_text().replace('"response": "good"', '"response": "ugly"', 1))
    status, found = checked(path)
    assert (status, found["verdict"], found["line"]) == (1, "wrong", 3)
