"""From which size on a rule speaks, as docs/audit.md states it: just below it says nothing, just above it does."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

from tests.audit.lines import HEADER, written
from tests.audit.planting import audited, by_rule, copied

GROUP: dict[str, Any] = {"step": 1, "rewards": [1, 0], "advantages": [0.5, -0.5]}
CONFIG = {"loss_type": "grpo", "beta": 0}


def call(off: float, **meta: object) -> dict[str, Any]:
    """A first pass over two responses of one token; the new log-probability of one of them is off."""
    arrays = {"new_logps": [[-1.0 + off], [-1.0]], "old_logps": [[-1.0], [-1.0]], "mask": [[1], [1]]}
    more = {"config": CONFIG, "first_pass": True, **meta}
    return {"kind": "call", "arrays": {**arrays, "advantages": [1, -1]}, "meta": more}


@pytest.mark.parametrize(
    ("precision", "off", "said"),
    [
        ("float32", 0.0009, False),
        ("float32", 0.0011, True),
        ("float64", 0.0009, True),
        ("bfloat16", 0.14, False),
        ("bfloat16", 0.16, True),
        ("float16", 0.14, False),
    ],
)
def test_ratios_of_a_first_pass(tmp_path: Path, precision: str, off: float, said: bool) -> None:
    for size in (off, -off):
        line = call(size, logps_dtype=f"torch.{precision}")
        found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))
        assert ("first-pass-ratio" in found) is said


def test_ratios_of_a_first_pass_in_half_precision_of_its_products(tmp_path: Path) -> None:
    """bf16 autocast keeps log-probabilities in float32; what was rounded before is the same."""
    line = call(0.14)
    line["meta"]["config"] = {**CONFIG, "bf16": True}
    assert "first-pass-ratio" not in by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))


@pytest.mark.parametrize(
    ("rule", "settings", "numbers", "said"),
    [
        ("responses-cut", {}, {"completions/clipped_ratio": 0.09}, None),
        ("responses-cut", {}, {"completions/clipped_ratio": 0.1}, "10% at step 1"),
        ("gradient-clipped", {"max_grad_norm": 2}, {"grad_norm": 2.0}, None),
        ("gradient-clipped", {"max_grad_norm": 2}, {"grad_norm": 3.0}, "3 at step 1: the step was made 1.50 times sh"),
        ("gradient-clipped", {}, {"grad_norm": 3.0}, None),
        ("gradient-zero", {}, {"grad_norm": 0.0}, "grad_norm = 0 at step 1"),
        ("gradient-zero", {}, {"grad_norm": 1e-30}, None),
        ("sampler-differs", {}, {"sampling/sampling_logp_difference/mean": 0.0}, None),
        ("first-pass-ratio", {}, {"clip_ratio/region_mean": 0.0}, None),
    ],
)
def test_numbers_of_the_log(tmp_path: Path, rule: str, settings: object, numbers: object, said: str | None) -> None:
    log = {"kind": "log", "step": 1, "numbers": numbers}
    found = by_rule(audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": settings}, GROUP, log)))
    assert (rule in found) is (said is not None)
    if said is not None:
        assert found[rule].first.found.startswith(said)


@pytest.mark.parametrize(("temperature", "said"), [(1, False), (1.0, False), (0.7, True), (1.2, True)])
def test_a_temperature_of_1_is_none(tmp_path: Path, temperature: float, said: bool) -> None:
    path = written(tmp_path / "run.jsonl", {**HEADER, "settings": {"temperature": temperature}}, GROUP)
    finding = by_rule(audited(path)).get("sampling-temperature")
    assert (finding is not None) is said
    assert finding is None or finding.severity == "note"


@pytest.mark.parametrize(("deviation", "said"), [(8e-4, True), (1e-3, False)])
def test_an_epsilon_beside_a_deviation(tmp_path: Path, deviation: float, said: bool) -> None:
    """1e-4 beside 8e-4 leaves 8/9 of the advantages, beside 1e-3 it leaves 10/11: a tenth is between them.

    Rewards x and 0 have the sample deviation x / sqrt(2); others of a deviation of 1 / sqrt(2) show the rule.
    """
    lines = []
    for step, size in enumerate([2**-0.5] * 6 + [deviation]):
        apart = size * 2**0.5
        advantage = apart / 2 / (size + 1e-4)
        lines.append({"step": step, "rewards": [apart, 0], "advantages": [advantage, -advantage]})
    settings = {"scale_rewards": "group"}
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": settings, "dtype": "float64"}, *lines))
    assert "advantage-rule" not in by_rule(report)
    finding = by_rule(report).get("epsilon-dominates")
    assert (finding is not None) is said
    assert finding is None or (finding.severity, finding.count, finding.first.where.row) == ("warning", 1, 7)


@pytest.mark.parametrize(("off", "said"), [(0.0009, False), (0.01, True)])
def test_a_sampler_of_a_group_that_differs(tmp_path: Path, off: float, said: bool) -> None:
    logps = [[-1.0], [-2.0]]
    tokens = {"new_logps": logps, "old_logps": logps, "sampling_logps": [[-1.0], [-2.0 + off]]}
    path = written(tmp_path / "run.jsonl", HEADER, {**GROUP, "tokens": tokens})
    finding = by_rule(audited(path)).get("sampler-differs")
    assert (finding is not None) is said
    assert finding is None or finding.first.where.within == "line 2, response 2"


@pytest.mark.parametrize(("bound", "share"), [(1.6, 1 / 6), (1.7, 0.0)])
def test_the_upper_bound_of_a_group_is_the_one_that_it_states(tmp_path: Path, bound: float, share: float) -> None:
    """One ratio of six is e^0.5 = 1.6487: above 1.6 and below 1.7; A = 1 there."""
    tokens = {"new_logps": [[-0.5, -1.0, -1.0], [-1.0] * 3], "old_logps": [[-1.0] * 3] * 2}
    for logged, right in ((share, True), (1 / 6 - share, False)):
        line = {**GROUP, "tokens": tokens, "clip": {"epsilon": 0.2, "epsilon_high": bound - 1}}
        line["logged"] = {"clip_ratio/high_mean": logged, "clip_ratio/region_mean": logged}
        report = audited(written(tmp_path / "run.jsonl", HEADER, line))
        wrong = [one.first.expected.split(" = ")[0] for one in report.findings if one.rule == "metric-differs"]
        assert wrong == ([] if right else list(line["logged"]))


def test_the_size_of_verls_groups_is_the_one_that_settings_say(tmp_path: Path) -> None:
    """Of six prompts three have 4 rows, three have 3: by themselves no size is that of three in four of them."""
    sizes = {f"q{i}": 4 - i % 2 for i in range(6)}
    rows = [
        {"input": prompt, "output": f"answer {i}", "score": i % 2, "step": 1}
        for prompt, size in sizes.items() for i in range(size)
    ]  # fmt: skip
    written(tmp_path / "1.jsonl", *rows)
    assert "rows-missing" not in by_rule(audited(tmp_path))
    (tmp_path / "args.json").write_text('{"num_generations": 4}')
    assert by_rule(audited(tmp_path))["rows-missing"].count == 3


def files_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Everything under a folder: what is in it, and when it was written."""
    return {
        str(path.relative_to(folder)): (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
    }


def test_an_audit_changes_nothing_where_it_reads(recorded: Path, tmp_path: Path) -> None:
    run = copied(recorded / "a01_grpo_mu1", tmp_path / "logs")
    before = files_of(run)
    reports = ["--html", str(tmp_path / "page.html"), "--sarif", str(tmp_path / "page.sarif")]
    assert CliRunner().invoke(app, ["audit", str(run), *reports, "--keep", str(tmp_path / "kept")]).exit_code == 0
    assert files_of(run) == before
    assert {path.name for path in tmp_path.iterdir()} == {"logs", "page.html", "page.sarif", "kept"}


class Opened:
    """An object that makes a folder when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("name", ["calls/call_000.npz", "gens/gen_000.npz"])
def test_no_log_is_unpickled(recorded: Path, tmp_path: Path, name: str) -> None:
    run = copied(recorded / "a01_grpo_mu1", tmp_path)
    made = tmp_path / "made"
    with np.load(run / name) as file:
        arrays = {key: file[key] for key in file.files}
    arrays["advantages"] = np.array([Opened(str(made))] * 8, dtype=object)
    np.savez(run / name, **arrays)
    done = CliRunner().invoke(app, ["audit", str(run)])
    assert (done.exit_code, made.exists()) == (2, False)
    assert name in done.stderr
    with np.load(run / name, allow_pickle=True) as file:
        assert len(file["advantages"]) == 8
    assert made.exists()  # as a reader that unpickles would have done
