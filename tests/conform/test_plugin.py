"""The pytest plugin as somebody's tests use it, in a pytest of its own."""

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest
from grpocheck.verifier.conform.pytest_plugin import GrpoConformance

HOUSE = Path(__file__).parents[2]
MODULE = "grpocheck.verifier.conform.pytest_plugin"

SOMEBODY = """
import numpy as np

def loss(new, old, ref, advantages, mask):
    ratio = np.exp(new - old) * advantages[:, None]
    clipped = np.clip(np.exp(new - old), 0.8, 1.2) * advantages[:, None]
    return -((np.minimum(ratio, clipped) * mask).sum(1) / mask.sum(1).clip(1)).mean()

def test_right(grpo_conformance):
    found = grpo_conformance.check(loss, variant="grpo", epsilon=0.2)
    assert found.verdict == "conforms"

def test_wrong(grpo_conformance):
    grpo_conformance.check(loss, variant="dr_grpo")

def test_misspelt(grpo_conformance):
    grpo_conformance.check(loss, variant="dr_grppo")

def test_strict(grpo_conformance):
    grpo_conformance.check(loss, variant="grpo", strict=True)
"""


def test_the_plugin_is_declared():
    declared = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert declared["pytest11"] == {"grpocheck": MODULE}


def test_the_plugin_costs_other_tests_nothing():
    heavy = ("numpy", "torch", "icontract", "mpmath", "z3")
    script = f"import sys; import {MODULE}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_a_failing_test_shows_the_smallest_input(tmp_path):
    (tmp_path / "test_somebody.py").write_text(SOMEBODY, encoding="utf-8")
    installed = any(entry.value == MODULE for entry in entry_points(group="pytest11"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *([] if installed else ["-p", MODULE])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "3 failed" in done.stdout
    assert "loss departs from dr_grpo" in done.stdout
    assert "the smallest input found:" in done.stdout
    assert "expected" in done.stdout
    assert "NaN at padding" in done.stdout  # of the strict one
    assert "During handling" not in done.stdout  # of the misspelt one
    assert "conforming.py" not in done.stdout  # no traceback through grpocheck


def test_a_name_that_is_none_fails_with_the_names_there_are():
    with pytest.raises(pytest.fail.Exception, match="did you mean"):
        GrpoConformance().check(lambda new, old, ref, advantages, mask: 0.0, variant="grpoo")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"variant": 3}, "variant: 3: expected the name of a variant"),
        ({"variant": "grpo", "parts": [3]}, "parts: .*3.*: expected texts such as"),
        ({"variant": "grpo", "parts": None}, "parts: None: expected texts such as"),
        ({"variant": "grpo", "parts": "kl=k1"}, "parts: 'kl=k1': expected texts such as"),
        ({"variant": "grpo", "maximum_length": "8"}, "maximum-length: '8': expected a count of at least 1"),
        ({"variant": "dr_grpo", "maximum_length": 2.5}, "maximum-length: 2.5: expected a count of at least 1"),
        ({"variant": "dr_grpo", "maximum_length": True}, "maximum-length: True: expected a count of at least 1"),
    ],
)
def test_what_cannot_be_asked_is_named(asked: dict[str, object], said: str):
    with pytest.raises(pytest.fail.Exception, match=said):
        GrpoConformance().check(loss_of_numpy, **asked)


def loss_of_numpy(new, old, ref, advantages, mask):
    return -float(np.mean(new))
