"""Every recorded run: exactly these findings, from the whole record and from the files that an ordinary user has.

The table was written by hand from what the runs are (their settings and reward functions), not from the output.
"""

from fractions import Fraction as F
from pathlib import Path

import pytest
from grpocheck.verifier.audit.auditing import Audit, audit
from grpocheck.verifier.audit.discovery import runs_of

# What settings of TRL's always bring along: the objective is not section 1's (from run.json).
OBJECTIVE = {("objective-departs", "note")}
AGAIN = {("rows-logged-twice", "note")}
KL = {("kl-not-kl", "warning")}
STUCK = {("gradient-zero", "warning")}
MISSING = {("reward-missing", "warning")}

# Rewards that are no multiples of a power of 2 (a share of 16 among three, 1000.003, 1/3): their float mean is rounded.
SUM = {("float-sum-residue", "note")}

# The faults of each run that both kinds of files show, and those that only the whole record shows.
FAULTS: dict[str, tuple[set[tuple[str, str]], set[tuple[str, str]]]] = {
    "a01_grpo_mu1": (set(), set()),
    "a02_grpo_mu3_kl": (KL | AGAIN, set()),
    "a03_bnpo_mu3_batchstd": (AGAIN, set()),
    "a04_drgrpo_nostd_mu3": (AGAIN, set()),
    "a05_trl_defaults": (set(), set()),
    "a06_dapo_mu3_ga2": (AGAIN, set()),
    "a07_cispo_mu3_high5": (AGAIN, set()),
    "a08_sapo_mu3": (AGAIN, set()),
    "a09_luspo_seq_mu3": (AGAIN | STUCK, set()),
    "a10_gspo_seq_spg4": (AGAIN | STUCK, set()),
    "a11_grpo_delta_mu3": (AGAIN, set()),
    "a12_none_rewards": (AGAIN | MISSING | SUM | {("response-unscored", "warning")}, set()),
    "a13_gpt2_dropout_mu2": (AGAIN | {("first-pass-ratio", "error")}, set()),
    "a14_dup_prompts": ({("duplicate-prompts", "warning")}, set()),
    "a15_zero_variance": (
        AGAIN
        | {
            ("float-mean-residue", "warning"),
            ("residue-is-the-signal", "error"),
            ("zero-std-share", "warning"),
            ("reward-constant", "note"),
        },
        set(),
    ),
    "a16_vespo_mu3": (AGAIN, set()),
    "a17_gdpo": (AGAIN, set()),
    "a18_same_name_rewards": ({("column-lost", "error")}, set()),
    "a19_temp_topk": (AGAIN, {("sampling-cut", "warning"), ("sampling-temperature", "note")}),
    "a20_ddp2_dapo": (AGAIN, set()),
    "a21_rollout_bf16": (AGAIN, {("sampler-differs", "warning")}),
    "a22_entropy_quantile": (AGAIN, set()),
    "a23_conversational": (set(), set()),
    "a24_logging_every_4": ({("batches-lost", "warning")}, set()),
    "a25_big_offset": (SUM | {("reward-float-loss", "warning"), ("epsilon-dominates", "warning")}, set()),
    "a26_inf_reward_nostd": (
        MISSING
        | {("reward-not-finite", "error"), ("advantage-not-finite", "error"), ("log-not-finite", "error")}
        | {("advantage-swallowed", "error")},
        {("loss-not-finite", "error")},
    ),
    "a27_drgrpo_seq_kl_ga2": (AGAIN | KL, set()),
    "a28_bnpo_none_g8": (AGAIN, set()),
    "a29_third_plus_verifier_g8": (AGAIN | SUM | {("reward-constant", "note")}, set()),
}
# Of no interest here, and found in many runs: gradients over the norm of 1, responses cut at 14 tokens, settings that
# no rule is about (shuffle_dataset).
COMMON = {("gradient-clipped", "note"), ("responses-cut", "note"), ("key-unknown", "note")}
NO_ERROR = {f"a{number}" for number in ("01", "02", "04", "06", "10", "17")}


def found_in(folder: Path) -> tuple[Audit, set[tuple[str, str]]]:
    report = audit(runs_of([folder]))
    return report, {(finding.rule, finding.severity.value) for finding in report.findings} - COMMON


def test_every_run_is_in_the_table(recorded: Path) -> None:
    assert {run.name for run in recorded.iterdir()} == set(FAULTS)
    assert len(FAULTS) == 29


@pytest.mark.parametrize("run", sorted(FAULTS))
def test_the_whole_record(recorded: Path, run: str) -> None:
    both, whole = FAULTS[run]
    report, found = found_in(recorded / run)
    assert found == both | whole | OBJECTIVE
    assert report.ok == all(severity == "note" for _, severity in both | whole)
    if run[:3] in NO_ERROR:
        assert all(finding.severity.value != "error" for finding in report.findings)


def test_the_residue_that_a_reward_without_variance_leaves(ordinary: Path) -> None:
    """a29: 1/3 for every response beside 0 or 1, eight to a group: no group is equal, and the sums are not 0.

    The advantages of one group, as the table has them, summed here exactly: seven of one response, one of another.
    """
    report, _ = found_in(ordinary / "a29_third_plus_verifier_g8")
    (finding,) = [one for one in report.findings if one.rule == "float-sum-residue"]
    assert next(iter(report.inferred.values()))["groups_of_equal_rewards"] == 0
    residue = 7 * F(0.35345378518104553) - F(2.4741737842559814)
    assert (
        finding.worst.found == f"{float(residue):.3g}; constant_third (0.333333343) tells no response from another here"
    )
    assert float(residue) > 3 * 2.0**-24 * (7 * 0.3535 + 2.4742)


@pytest.mark.parametrize("run", sorted(FAULTS))
def test_the_files_of_an_ordinary_user(ordinary: Path, run: str) -> None:
    report, found = found_in(ordinary / run)
    assert found == FAULTS[run][0]
    assert report.calls == 0
