"""Trainers' own losses, of the installed versions, against the variants that they are documented to be."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from grpocheck.verifier.conform.conforming import conform
from grpocheck.verifier.conform.targets import target_of
from grpocheck.verifier.recompute import LossCall, LossSettings, compare, recompute

from tests.conform.needs import needs


def verdicts(adapter, site=None):
    made = list(adapter.adapted(site))
    assert len({each.target.name for each in made}) == len(made)
    found = [conform(each.target, each.variant, each.parts, each.numbers) for each in made]
    return made, {each.target: each for each in found}


def test_every_loss_of_trl():
    needs("torch", "trl")
    from grpocheck.verifier.conform.adapters import trl

    made, found = verdicts(trl)
    assert len(made) >= 30
    wrong = {name: [str(entry) for entry in each.witness.departures] for name, each in found.items() if each.witness}
    assert not wrong
    assert {each.verdict for each in found.values()} == {"conforms"}


def test_the_code_under_test_is_trl_s_own():
    """The extracted methods are the source that an import of trl has."""
    needs("torch", "trl")
    import inspect

    from grpocheck.verifier.conform.adapters import trl
    from grpocheck.verifier.conform.adapters.extraction import package_folder
    from trl import GRPOTrainer

    folder, _ = package_folder("trl", None)
    extracted = trl._trainer_class(folder / "trainer" / "grpo_trainer.py")
    own = inspect.unwrap(GRPOTrainer._compute_loss)
    assert extracted._compute_loss.__code__.co_filename == own.__code__.co_filename
    assert inspect.getsource(extracted._compute_loss) == inspect.getsource(own)


def test_a_mistake_in_trl_s_place_departs():
    """The same stand-in with the wrong loss type: what conforms above conforms for a reason."""
    needs("torch", "trl")
    from grpocheck.verifier.conform.adapters import trl

    by_name = {each.target.name.split(" ", 2)[2]: each for each in trl.adapted()}
    pairs = (("dr_grpo token", "bnpo token"), ("grpo token", "grpo sequence"), ("cispo token", "dapo token"))
    for given, demanded in pairs:
        target, wanted = by_name[given].target, by_name[demanded]
        assert conform(target, wanted.variant, wanted.parts, wanted.numbers, up_to_scale=True).verdict == "departs"


def test_every_loss_of_verl():
    needs("torch", "verl")
    from grpocheck.verifier.conform.adapters import verl

    made, found = verdicts(verl)
    assert len(made) >= 10
    assert {each.verdict for each in found.values()} == {"conforms"}
    assert any("rloo" in name for name in found)
    means = [each for name, each in found.items() if "seq-mean" in name]
    assert means  # a response without tokens is left out of verl's means, which is no mean over the group
    assert all("empty-response" in {limit.case.name for limit in each.limits} for each in means)


def test_every_loss_of_openrlhf():
    needs("torch", "openrlhf")
    from grpocheck.verifier.conform.adapters import openrlhf

    _, found = verdicts(openrlhf)
    assert len(found) >= 4
    assert {each.verdict for each in found.values()} == {"conforms"}


OTHER_VERSIONS = os.environ.get("GRPOCHECK_TRAINERS")


def other(name):
    needs("torch")
    if OTHER_VERSIONS is None:
        message = "no other versions of trainers here; to run this: tests/trainers/fetch.sh F; GRPOCHECK_TRAINERS=F"
        if "versions" in os.environ.get("GRPOCHECK_REQUIRE", "").split(","):
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return Path(OTHER_VERSIONS) / name


@pytest.mark.parametrize(
    ("version", "departing"),
    [
        ("0.19.1", set()),
        ("0.24.0", set()),
        # the mask is left out of LUSPO's sum over tokens: padding counts
        ("1.8.0", {"luspo token", "luspo token with beta", "luspo sequence with beta"}),
    ],
)
def test_other_versions_of_trl(version, departing):
    from grpocheck.verifier.conform.adapters import trl

    _, found = verdicts(trl, other(f"trl-{version}"))
    wrong = {name.split(" ", 2)[2] for name, each in found.items() if each.verdict != "conforms"}
    assert wrong == departing
    for each in found.values():
        if each.witness:
            assert each.witness.case.shape == (1, 2)
            assert each.witness.case.mask.min() == 0


@pytest.mark.parametrize(
    ("version", "departing"),
    [
        # divides by the width of the batch, and not by the number of responses
        ("0.4.1", {"vanilla seq-mean-token-sum-norm"}),
        # GSPO aggregates over each response whatever it is told
        ("0.7.1", {"gspo token-mean", "gspo seq-mean-token-sum", "gspo seq-mean-token-sum-norm"}),
    ],
)
def test_other_versions_of_verl(version, departing):
    from grpocheck.verifier.conform.adapters import verl

    _, found = verdicts(verl, other(f"verl-{version}"))
    assert {name.split(" ", 2)[2] for name, each in found.items() if each.verdict != "conforms"} == departing


def torch_grpo(new, old, ref, advantages, mask):
    import torch

    ratio = torch.exp(new - old)
    held = torch.clamp(ratio, 0.8, 1.2)
    terms = torch.min(ratio * advantages[:, None], held * advantages[:, None])
    return -((terms * mask).sum(1) / mask.sum(1).clamp(min=1)).mean()


def test_inputs_are_rounded_as_torch_rounds_them():
    needs("torch")
    import torch
    from grpocheck.verifier.conform.inputs import in_format, ordinary_cases

    for precision in ("bfloat16", "float16"):
        for case in ordinary_cases():
            own = torch.tensor(case.new).to(torch.float32).to(getattr(torch, precision)).double().numpy()
            assert np.array_equal(in_format(case, precision).new, own)


def test_half_precision_tells_formulas_apart():
    needs("torch")
    assert conform(target_of(torch_grpo, precision="bfloat16"), "grpo").verdict == "conforms"
    assert conform(target_of(torch_grpo, precision="bfloat16"), "dr_grpo").verdict == "departs"


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_loss_of_torch(precision):
    needs("torch")
    found = conform(target_of(torch_grpo, precision=precision))
    assert found.verdict == "conforms"
    assert "grpo-token" in {matched.wanted.variant.name for matched in found.matches}
    assert conform(target_of(torch_grpo, precision=precision), "dapo").verdict == "departs"


def test_exp_log_and_division_are_as_trusted():
    """The assumption of the bounds: exp and log within 4 units, division within 1, of what float64 gives."""
    needs("torch")
    import torch

    points = torch.linspace(-87, 88, 400_001)
    exact = np.exp(points.double().numpy())
    assert units(torch.exp(points), exact) <= 4
    positive = torch.exp(torch.linspace(-80, 80, 400_001))
    logs = np.log(positive.double().numpy())
    away = np.abs(logs) > 1e-3
    assert units(torch.log(positive)[torch.tensor(away)], logs[away]) <= 4
    divisor = torch.linspace(0.37, 91.7, 400_001)
    assert units(points / divisor, points.double().numpy() / divisor.double().numpy()) <= 1
    gates = 1 / (1 + np.exp(-points.double().numpy()))
    normal = gates > 2.0**-120
    assert units(torch.sigmoid(points)[torch.tensor(normal)], gates[normal]) <= 4 + 1 + 0.5


def units(found, exact):
    """The largest distance in units in the last place of float32."""
    spacing = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    normal = np.abs(exact) > 2.0**-125
    return float(np.max(np.abs(found.double().numpy() - exact)[normal] / spacing[normal]))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_large_batches_of_torch_are_within_the_bound(dtype):
    """Sums of thousands of terms in torch's own order, and half precision, whose rounding is 2^-8."""
    needs("torch")
    import torch

    draw = torch.Generator().manual_seed(5)
    shape = (16, 700)
    kind = getattr(torch, dtype)
    old = (-2 + torch.randn(shape, generator=draw)).to(kind)
    new = (old.float() + 0.3 * torch.randn(shape, generator=draw)).to(kind).requires_grad_(True)
    mask = (torch.rand(shape, generator=draw) < 0.8).to(kind)
    advantages = torch.randn(16, generator=draw).to(kind)
    loss = torch_grpo(new, old, None, advantages, mask)
    (gradient,) = torch.autograd.grad(loss, [new])
    call = LossCall(
        new_logps=new.detach().double().numpy(), old_logps=old.double().numpy(), mask=mask.double().numpy(),
        advantages=advantages.double().numpy(), loss=float(loss.detach()), grad_logps=gradient.double().numpy(),
        settings=LossSettings(), precision=dtype,
    )  # fmt: skip
    result = recompute(call)
    assert compare(call, result) == []
    if dtype == "float32":
        assert result.loss_bound < 1e-3
        shifted = LossCall(**{**vars(call), "loss": call.loss + 0.01})
        assert [entry.quantity for entry in compare(shifted, result)] == ["loss"]


TRAIN = Path(__file__).parents[1] / "trainers" / "train_tiny.py"


def test_a_run_recorded_and_audited(tmp_path):
    """A real training of a random model on this machine, with the recorder attached, then the audit of its file."""
    needs("torch", "trl")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, str(TRAIN), str(tmp_path)], capture_output=True, text=True, timeout=600, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["calls"] == report["steps"] == 8
    assert report["share"] < 0.02, "the recorder took more than 2% of the training"
    audit = subprocess.run(
        [sys.executable, "-m", "grpocheck.verifier.cli", "audit", str(tmp_path / "run.jsonl"), "--json"],
        capture_output=True, text=True, timeout=300, env=environment,
    )  # fmt: skip
    found = json.loads(audit.stdout)
    # beta is not 0, and what TRL logs as kl then is an estimate
    assert {each["rule"] for each in found["findings"] if each["severity"] != "note"} == {"kl-not-kl"}
    assert "dapo token" in audit.stdout
    assert found["read"]["loss_calls"] == 8
