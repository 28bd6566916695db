"""Faults planted in recorded loss calls, generation batches and settings."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from grpocheck.verifier.audit.auditing import Piece, pieces_of
from grpocheck.verifier.audit.discovery import runs_of

from tests.audit.lines import HEADER, written
from tests.audit.planting import audited, by_rule, copied, edit_arrays, edit_json, edit_table, tables_of


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    """a06: dapo, four batches of 16 rows (4 groups of 4) in two micro-batches, each used three times; 24 calls."""
    return copied(recorded / "a06_dapo_mu3_ga2", tmp_path)


def errors(run: Path) -> set[str]:
    return {finding.rule for finding in audited(run).findings if finding.severity == "error"}


def call(run: Path, number: int) -> Path:
    return run / "calls" / f"call_{number:03d}.npz"


def test_a_loss_that_is_a_little_off(run: Path) -> None:
    edit_arrays(call(run, 3), lambda arrays: arrays.update(loss=arrays["loss"] * np.float32(1.001)))
    found = by_rule(audited(run))
    finding = found["loss-differs"]
    assert (finding.count, finding.first.where.file) == (1, str(call(run, 3)))
    with np.load(call(run, 3)) as file:
        assert finding.first.distance == pytest.approx(abs(float(file["loss"])) * (1 - 1 / 1.001), rel=1e-2)


def test_a_loss_off_by_its_last_bit_is_float_error(run: Path) -> None:
    edit_arrays(call(run, 3), lambda arrays: arrays.update(loss=np.nextafter(arrays["loss"], np.float32(9))))
    assert errors(run) == set()


def test_a_gradient_of_the_wrong_sign(run: Path) -> None:
    def edit(arrays):
        arrays["grad_logps"][2] = -arrays["grad_logps"][2]

    edit_arrays(call(run, 0), edit)
    finding = by_rule(audited(run))["gradient-differs"]
    assert (finding.count, finding.first.where.row) == (1, 2)


def test_other_numbers_than_declared(run: Path) -> None:
    """A clip bound of 0.3 declared where 0.28 was computed with: the same variant, and what would fit is said."""
    for number in range(24):
        edit_json(call(run, number).with_suffix(".json"), lambda meta: meta["config"].update(epsilon_high=0.3))
    found = [one for one in audited(run).findings if one.severity == "error"]
    assert {one.rule for one in found} == {"loss-differs", "gradient-differs", "metric-differs"}
    assert any("epsilon_high=0.28" in one.first.found for one in found)


def test_another_variant_than_declared(run: Path) -> None:
    """Declared grpo, computed as dapo: TRL's own numbers with another word beside them."""
    for number in range(24):
        edit_json(call(run, number).with_suffix(".json"), lambda meta: meta["config"].update(loss_type="grpo"))
    finding = by_rule(audited(run))["variant-differs"]
    assert "dapo token" in finding.first.found
    assert "grpo token" in finding.first.expected


def test_a_clip_fraction_of_the_other_side(run: Path) -> None:
    """Both sides counted whatever the advantage's sign: what a trainer that forgets the sign would log."""
    path = call(run, 4)
    with np.load(path) as file:
        ratio = np.exp(file["new_logps"].astype(np.float64) - file["old_logps"])
        share = float((((ratio < 0.8) | (ratio > 1.28)) & (file["mask"] == 1)).sum() / file["mask"].sum())

    def edit(meta):
        assert meta["trl_metrics_of_this_call"]["clip_ratio/region_mean"][0] < share
        meta["trl_metrics_of_this_call"]["clip_ratio/region_mean"] = [share]

    edit_json(path.with_suffix(".json"), edit)
    finding = by_rule(audited(run))["metric-differs"]
    assert finding.count == 1
    assert finding.first.expected.startswith("clip_ratio/region_mean")


def test_old_log_probabilities_that_were_refreshed(run: Path) -> None:
    edit_arrays(call(run, 4), lambda arrays: arrays.update(old_logps=arrays["new_logps"]))
    found = by_rule(audited(run))
    assert found["frozen-data"].first.where.file == str(call(run, 4))
    assert found["frozen-data"].first.expected.startswith("old_logps as at generation")


def test_advantages_of_other_rows(run: Path) -> None:
    edit_arrays(call(run, 2), lambda arrays: arrays.update(advantages=np.roll(arrays["advantages"], 1)))
    finding = by_rule(audited(run))["advantage-misplaced"]
    with np.load(call(run, 2)) as file:
        assert finding.count == int((np.roll(file["advantages"], -1) != file["advantages"]).sum())


def test_first_passes_that_moved(run: Path) -> None:
    """One token by a hundredth of a nat, in the first pass; in the third pass it is nothing of note."""

    def edit(arrays):
        row, token = np.argwhere(arrays["mask"] == 1)[0]
        arrays["new_logps"][row, token] += 0.01

    edit_arrays(call(run, 0), edit)
    finding = by_rule(audited(run))["first-pass-ratio"]
    assert finding.count == 1
    assert finding.first.distance == pytest.approx(0.01, rel=1e-3)


def test_numbers_that_are_not_finite(run: Path) -> None:
    def edit(arrays):
        row, token = np.argwhere(arrays["mask"] == 1)[0]
        arrays["new_logps"][row, token] = np.nan

    edit_arrays(call(run, 5), edit)
    finding = by_rule(audited(run))["tensor-not-finite"]
    assert finding.first.found == "1 of new_logps are nan or infinite"


def test_nan_in_padding_is_nobodys_business(run: Path) -> None:
    def edit(arrays):
        assert (arrays["mask"] == 0).any()
        arrays["entropies"][arrays["mask"] == 0] = np.nan

    edit_arrays(call(run, 5), edit)
    assert errors(run) == set()


def test_a_response_that_is_masked_whole(run: Path) -> None:
    def edit(arrays):
        arrays["mask"][3] = 0

    edit_arrays(call(run, 5), edit)
    assert by_rule(audited(run))["rows-masked"].first.where.row == 3


def test_a_batch_that_was_drawn_once_more(run: Path) -> None:
    for suffix in (".npz", ".json"):
        shutil.copy(run / "gens" / f"gen_003{suffix}", run / "gens" / f"gen_004{suffix}")
    edit_json(run / "gens" / "gen_004.json", lambda meta: meta.update(gen=4))
    finding = by_rule(audited(run))["draws-budget"]
    # 12 steps of 2 micro-batches; a batch serves 2 slices 3 times: T = 24 / 6 = 4, M*G = 16.
    assert finding.first.expected == "T = 4 outer iterations in 12 steps, 64 draws"
    assert finding.first.found == "5 generation batches, 80 draws"


def test_a_slice_that_was_used_four_times(run: Path) -> None:
    for suffix in (".npz", ".json"):
        shutil.copy(call(run, 5).with_suffix(suffix), call(run, 24).with_suffix(suffix))
    edit_json(call(run, 24).with_suffix(".json"), lambda meta: meta.update(reuse_of_slice=3))
    found = [one for one in audited(run).findings if one.rule == "gradient-budget"]
    assert [one.first.found for one in found] == ["slice 1 in pass 3", "25"]
    assert found[1].first.expected.startswith("at most 24 loss calls")


def test_a_table_of_rows_that_nobody_drew(run: Path) -> None:
    """All rewards one more: the advantages still follow from them, but they are not those of the batch."""

    def edit(columns):
        columns["verifier"] = [reward + 1 for reward in columns["verifier"]]

    for table in tables_of(run)[:3]:
        edit_table(table, edit)
    found = by_rule(audited(run))
    assert found["table-differs"].first.where.file == str(tables_of(run)[0])
    assert found["batches-lost"].first.found == "1 of them in no table"
    assert "advantage-rule" not in found


def test_evaluation_is_not_counted(run: Path) -> None:
    """An evaluation's batch and call, recorded beside training's: no draw and no gradient of the budget."""
    for folder, name, new in (("gens", "gen_003", "gen_004"), ("calls", "call_018", "call_024")):
        for suffix in (".npz", ".json"):
            shutil.copy(run / folder / f"{name}{suffix}", run / folder / f"{new}{suffix}")
    edit_json(run / "gens" / "gen_004.json", lambda meta: meta.update(gen=4, mode="eval"))
    edit_json(run / "calls" / "call_024.json", lambda meta: meta.update(gen=4, mode="eval"))
    edit_arrays(run / "calls" / "call_024.npz", lambda arrays: [arrays.pop(key) for key in ("loss", "grad_logps")])
    report = audited(run)
    assert {finding.rule for finding in report.findings if finding.severity == "error"} == set()
    assert report.inferred[str(run)]["evaluation_calls"] == 1


def test_a_cap_that_nobody_set(recorded: Path, tmp_path: Path) -> None:
    """a04 divides by a maximum length of 14, which its responses reach; with the default of 256 it would not."""
    run = copied(recorded / "a04_drgrpo_nostd_mu3", tmp_path)
    assert "cap-shrinks-gradient" not in by_rule(audited(run))
    edit_json(run / "run.json", lambda found: found["args_effective"].update(max_completion_length=256))
    finding = by_rule(audited(run))["cap-shrinks-gradient"]
    assert finding.first.far == "18.3 times smaller"  # 256 / 14


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("min_p", 0.05, "min_p = 0.05"),
        ("repetition_penalty", 1.2, "repetition_penalty = 1.2"),
        ("top_k", 50, "top_k = 50"),
    ],
)
def test_sampling_that_is_cut(run: Path, key: str, value: float, found: str) -> None:
    edit_json(run / "run.json", lambda settings: settings["args_effective"].update({key: value}))
    assert by_rule(audited(run))["sampling-cut"].first.found == found


def test_a_declared_rule_that_was_not_used(recorded: Path, tmp_path: Path) -> None:
    run = copied(recorded / "a03_bnpo_mu3_batchstd", tmp_path)
    edit_json(run / "run.json", lambda settings: settings["args_effective"].update(scale_rewards="group"))
    finding = by_rule(audited(run))["advantage-rule-declared"]
    assert "the group's sample deviation" in finding.first.expected
    assert "the batch's sample deviation" in finding.first.found


def test_a_residue_of_rounding_is_as_large_as_worked_out(recorded: Path, tmp_path: Path) -> None:
    """A residue worked out here: 0.1 + 1/3 in float32, six of them added one after another, and divided by 6."""
    reward = np.float32(np.float32(0.1) + np.float32(1 / 3))
    total = np.float32(0)
    for _ in range(6):
        total = np.float32(total + reward)
    residue = float(np.float32(reward - np.float32(total / np.float32(6))))
    finding = by_rule(audited(recorded / "a15_zero_variance"))["float-mean-residue"]
    # The deviation of the residues is their size (times sqrt(6/5)), beside the epsilon of 1e-4.
    expected = residue / (abs(residue) * (6 / 5) ** 0.5 + 1e-4)
    assert finding.worst.distance == pytest.approx(abs(expected), rel=1e-3)
    assert finding.count == 8


def test_of_many_calls_the_first_are_identified_and_those_that_depart(run: Path) -> None:
    pieces = [Piece(piece.run, piece.calls, identifies=False) for piece in pieces_of(runs_of([run])[0]) if piece.calls]
    assert [piece.done().identified for piece in pieces] == [0]
    edit_arrays(run / "calls" / "call_004.npz", lambda arrays: arrays.update(loss=arrays["loss"] + 0.01))
    (result,) = (piece.done() for piece in pieces)
    assert result.identified == 1
    assert [finding.rule for finding in result.findings if finding.severity == "error"] == ["loss-differs"]


def test_log_probabilities_without_a_loss_are_not_recomputed(run: Path) -> None:
    """Nothing could be held against it, and a setting that a loss would need is not asked for."""
    for path in (run / "calls").glob("*.npz"):
        edit_arrays(path, lambda arrays: [arrays.pop("loss"), arrays.pop("grad_logps")])
        edit_json(path.with_suffix(".json"), lambda meta: meta.update(trl_metrics_of_this_call={}))
    report = audited(run)
    assert report.calls > 0
    assert "loss_declared" not in report.inferred[str(run)]
    assert not [one for one in report.findings if one.severity == "error"]


def test_another_estimator_than_declared_is_named(tmp_path: Path) -> None:
    """One token of ratio 1, advantage 0 and d = -1/2: k1 has the loss beta / 2, k3 beta (e^(-1/2) - 1/2)."""
    arrays = {
        **{"new_logps": [[-1.0]], "old_logps": [[-1.0]], "ref_logps": [[-1.5]], "mask": [[1]], "advantages": [0.0]},
        **{"loss": 0.5 * 0.04, "grad_logps": [[0.04]]},
    }
    meta = {"config": {"loss_type": "grpo", "epsilon": 0.2, "beta": 0.04}, "logps_dtype": "float64"}
    line = {"kind": "call", "arrays": arrays, "meta": meta}
    found = by_rule(audited(written(tmp_path / "run.jsonl", {**HEADER, "dtype": "float64"}, line)))
    assert "beta=0.04 kl=k1" in found["loss-differs"].first.found
