"""Runs of TRL 1.16.0 with settings that the other recorded runs do not have, and with a trainer that was broken.

The table says what each run is, and what has to be found in it: written from the settings, the reward functions and the
breakage, not from the output. The same tiny policies, prompts and rewards were used as for the other runs.
"""

import shutil
import tarfile
from pathlib import Path

import pytest

from tests.audit.planting import audited, by_rule, edit_table
from tests.audit.test_recorded_runs import AGAIN, COMMON, KL, OBJECTIVE, STUCK

ARCHIVE = Path(__file__).resolve().parent.parent / "data" / "trl_variations.tar.xz"
INFINITE = {("reward-not-finite", "error"), ("log-not-finite", "error"), ("advantage-swallowed", "error")}
OTHER_LOSS = {("loss-differs", "error"), ("gradient-differs", "error")}

RUNS: dict[str, tuple[str, set[tuple[str, str]]]] = {
    "b05_mask_truncated": ("cut responses are masked whole, of 6 tokens at most", AGAIN | {("rows-masked", "warning")}),
    "b08_advantage_named": ("a reward function called advantage", {("column-lost", "error")}),
    "b10_eval_same": (
        "evaluation at every second step, where it writes over the table of training",
        {("rows-overwritten", "error")},
    ),
    "b12_bf16_mu2_kl": ("bf16 autocast, two passes, beta", AGAIN | KL),
    "b13_entropyq": ("half of the tokens by entropy, three passes", AGAIN),
    "b15_ga2_spg1": ("two batches are drawn for each step; the table keeps one", {("batches-lost", "warning")}),
    "b17_gpt2_drop_kl": ("dropout, three passes, beta", AGAIN | KL | {("first-pass-ratio", "error")}),
    "b20_third_first_g8": (
        "1/3 for all and a hit that never comes, eight to a group: every advantage is a residue",
        AGAIN
        | {("float-mean-residue", "warning"), ("residue-is-the-signal", "error")}
        | {("zero-std-share", "warning"), ("reward-constant", "note")},
    ),
    "b22_same_three": ("two of three functions have one name", AGAIN | {("column-lost", "error")}),
    "b42_three_w": ("weights 1, 1/2, 1/4, no deviation", AGAIN),
    "b43_seq_delta": ("sequence level with delta; a step with every ratio clipped", AGAIN | STUCK),
    "c05_bf16_model": ("weights in bfloat16", AGAIN),
    "c07_rollout_hot": ("drawn at temperature 1.7, trained at 1", AGAIN | {("sampler-differs", "warning")}),
    "c10_neg_weight": ("weights 1 and -1/2", AGAIN),
    "c24_batch_inf": (
        "the log of 0 as a reward, deviations of the batch: every advantage is 0",
        AGAIN | INFINITE | STUCK,
    ),
    "c26_gdpo_inf": ("the log of 0 as one of two rewards, each normalised", AGAIN | INFINITE),
    "c44_fp16": ("fp16 autocast", AGAIN),
    "x01_loss_other": ("grpo is declared and bnpo computed", AGAIN | {("variant-differs", "error")}),
    "x03_old_recomputed": (
        "old log-probabilities that drift from pass to pass",
        AGAIN | {("frozen-data", "error"), ("first-pass-ratio", "error")},
    ),
    "x04_shuffled": ("advantages handed to the loss in reverse order", AGAIN | {("advantage-misplaced", "error")}),
    "x09_noclip": ("ratios that are not clipped", AGAIN | OTHER_LOSS | {("metric-differs", "error")}),
}
ALONE = {
    "b08_advantage_named",
    "b10_eval_same",
    "b12_bf16_mu2_kl",
    "b15_ga2_spg1",
    "b20_third_first_g8",
    "c24_batch_inf",
}
"""Those in which TRL's own files, without settings and tensors, show the same."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variations")
    with tarfile.open(ARCHIVE, "r:xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def faults(folder: Path) -> set[tuple[str, str]]:
    return {(finding.rule, finding.severity.value) for finding in audited(folder).findings} - COMMON


def test_every_run_is_in_the_table(runs: Path) -> None:
    assert {run.name for run in runs.iterdir()} == set(RUNS)


@pytest.mark.parametrize("run", sorted(RUNS))
def test_the_whole_record(runs: Path, run: str) -> None:
    assert faults(runs / run) == RUNS[run][1] | OBJECTIVE


@pytest.mark.parametrize("run", sorted(ALONE))
def test_the_files_of_an_ordinary_user(runs: Path, tmp_path: Path, run: str) -> None:
    shutil.copytree(runs / run / "completions", tmp_path / "completions")
    shutil.copy(runs / run / "trainer_state.json", tmp_path)
    assert faults(tmp_path) == RUNS[run][1]


def test_a_rule_that_is_broken_is_named_as_declared(runs: Path, tmp_path: Path) -> None:
    """Advantages a tenth too long, by no rule: what is expected is what settings declare."""
    shutil.copytree(runs / "c10_neg_weight", tmp_path / "run")
    for path in sorted((tmp_path / "run" / "completions").iterdir()):
        edit_table(path, lambda columns: columns.update(advantage=[value * 1.1 for value in columns["advantage"]]))
    found = by_rule(audited(tmp_path / "run"))
    assert (
        "reward minus the group's mean over the group's sample deviation + 1e-04"
        in found["advantage-rule"].first.expected
    )


@pytest.mark.parametrize(("run", "weights"), [("a17_gdpo", (1.0, 2.0, 0.5)), ("a12_none_rewards", (1.0, 0.5))])
def test_weights_are_told_by_tables_alone(recorded: Path, run: str, weights: tuple[float, ...]) -> None:
    """Neither a log nor settings: three rewards each normalised before the sum; two of which some are missing."""
    report = audited(recorded / run / "completions")
    (inferred,) = report.inferred.values()
    found = inferred["reward_weights"]
    assert [one / found[0] for one in found] == pytest.approx([one / weights[0] for one in weights])
    assert inferred["advantage_rule"][0].startswith(
        "each reward" if run == "a17_gdpo" else "reward minus the group's mean"
    )
    assert not [finding for finding in report.findings if finding.severity == "error"]


def test_settings_beside_the_calls_say_how_rows_were_weighed(recorded: Path, tmp_path: Path) -> None:
    for part in ("completions", "calls"):
        shutil.copytree(recorded / "a17_gdpo" / part, tmp_path / part)
    (inferred,) = audited(tmp_path).inferred.values()
    assert inferred["reward_weights"] == [1.0, 2.0, 0.5]
    assert inferred["reward_weights_from"] == "settings"
