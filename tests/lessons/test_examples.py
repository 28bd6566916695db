"""The files of examples/lessons do what the lessons say of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "lessons"
pytest.importorskip("numpy")


def grpocheck(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "grpocheck", *arguments], cwd=EXAMPLES, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("loss", "status"), [("with_minimum", 0), ("without_minimum", 1)])
def test_only_the_loss_with_the_minimum_conforms(loss, status):
    done = grpocheck("conform", f"clip_losses:{loss}", "--variant", "grpo-token", "--with", "kl=none")
    assert (done.returncode, done.stderr) == (status, "")
    assert ("conforms" in done.stdout) == (status == 0)


def test_the_two_losses_differ_exactly_where_a_bad_response_became_likelier(monkeypatch):
    import numpy as np

    monkeypatch.syspath_prepend(str(EXAMPLES))
    losses = __import__("clip_losses")
    mask, zero = np.ones((1, 1)), np.zeros((1, 1))
    # ratio, advantage, and what either objective is there: the four cases of the lesson clip-by-sign
    cases = ((1.4, 2, 2.4, 2.4), (0.6, -2, -1.6, -1.6), (1.4, -2, -2.8, -2.4), (0.6, 2, 1.2, 1.6))
    for ratio, advantage, right, wrong in cases:
        new, advantages = np.full((1, 1), np.log(ratio)), np.array([float(advantage)])
        assert -losses.with_minimum(new, zero, zero, advantages, mask) == pytest.approx(right)
        assert -losses.without_minimum(new, zero, zero, advantages, mask) == pytest.approx(wrong)


def test_the_log_has_a_group_of_equal_rewards_that_moved_the_policy():
    done = grpocheck("audit", "training_log.jsonl", "--json")
    assert done.returncode == 1
    wrong = [finding for finding in json.loads(done.stdout)["findings"] if finding["severity"] == "error"]
    assert [(finding["where"]["line"], finding["claim"]) for finding in wrong] == [(4, "B2")]
