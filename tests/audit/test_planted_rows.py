"""Faults planted in the files of an ordinary user: each is found, at its place, with numbers worked out here."""

import json
import shutil
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.audit.planting import audited, by_rule, copied, edit_log, edit_table, tables_of


@pytest.fixture
def run(ordinary: Path, tmp_path: Path) -> Path:
    """a01: two groups of 4 a table, 8 tables, on policy, nothing wrong."""
    return copied(ordinary / "a01_grpo_mu1", tmp_path)


def added(name: str, row: int, amount: float):
    def edit(columns):
        columns[name][row] += amount

    return edit


def test_an_advantage_by_no_rule(run: Path) -> None:
    table = tables_of(run)[2]
    edit_table(table, added("advantage", 5, 0.01))
    (finding,) = [one for one in audited(run).findings if one.rule == "advantage-rule"]
    assert (finding.count, finding.first.where.file, finding.first.where.row) == (1, str(table), 5)
    found = pq.read_table(table).to_pydict()
    rewards = [F(a) + F(b) for a, b in zip(found["count_letters"][4:], found["verifier"][4:], strict=True)]
    mean = sum(rewards) / 4
    variance = sum((reward - mean) ** 2 for reward in rewards) / 3
    expected = float(rewards[1] - mean) / (float(variance) ** 0.5 + 1e-4)
    assert finding.first.expected.startswith(f"{expected:.6f}"[:7])
    assert finding.first.distance == pytest.approx(0.01, rel=1e-3)


def test_a_change_within_float_error_is_none(run: Path) -> None:
    edit_table(tables_of(run)[2], added("advantage", 5, 1e-7))
    assert "advantage-rule" not in by_rule(audited(run))


def test_a_group_of_equal_rewards_with_an_advantage(run: Path) -> None:
    def edit(columns):
        for name in ("count_letters", "verifier"):
            columns[name][:4] = [0.5] * 4
        columns["advantage"][:4] = [0.3, -0.1, -0.1, -0.1]

    edit_table(tables_of(run)[1], edit)
    found = by_rule(audited(run))
    assert found["zero-variance-advantage"].count == 4
    assert found["zero-variance-advantage"].first.expected.startswith("0 (")
    assert "float-mean-residue" not in found
    assert "advantage-rule" not in found


@pytest.mark.parametrize(
    ("rewards", "advantages", "why"),
    [
        # A rule with an epsilon of 1e-8 blows any float error up; these can be none all the same.
        ([1.0] * 4, [0.5] * 4, "exact in the trainer's format"),
        ([0.1] * 6, [0.25] * 5 + [0.125], "the same for the same rewards"),
        # Six times 0.1 in float32 is rounded, so that one and the same advantage may be what rounding left.
        ([0.1] * 6, [0.25] * 6, None),
        ([1.0] * 6, [0.25] * 6, None),  # 1/6 as a factor is rounded
    ],
)
def test_what_rounding_cannot_have_left_is_no_residue(
    tmp_path: Path, rewards: list[float], advantages: list[float], why: str | None
) -> None:
    varied = [{"step": step, "rewards": [1, 0], "advantages": [1, -1]} for step in range(8)]
    planted = {"step": 8, "rewards": [float(np.float32(reward)) for reward in rewards], "advantages": advantages}
    lines = [{"format": "grpocheck-groups", "version": 1}, *varied, planted]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = by_rule(audited(tmp_path))
    if why is None:
        assert "zero-variance-advantage" not in found
        assert found["float-mean-residue"].count == 1
    else:
        assert "float-mean-residue" not in found
        assert (found["zero-variance-advantage"].count, found["zero-variance-advantage"].first.where.row) == (1, 9)
        assert why in found["zero-variance-advantage"].first.expected


def test_advantages_that_are_all_0(run: Path) -> None:
    for table in tables_of(run):
        edit_table(table, lambda columns: columns.update(advantage=[0.0] * 8))
    found = by_rule(audited(run))
    assert found["advantages-all-zero"].first.found == "0 everywhere; 0 of 16 groups with equal rewards"
    assert found["advantage-rule"].count > 0


def test_a_lost_row(run: Path) -> None:
    table = tables_of(run)[3]
    edit_table(table, lambda columns: [column.pop(6) for column in columns.values()])
    finding = by_rule(audited(run))["rows-missing"]
    assert (finding.count, finding.first.expected, finding.first.found) == (1, "4 rows of a group", "3")
    assert finding.first.where.file == str(table)


def test_a_lost_table(run: Path) -> None:
    tables_of(run)[3].unlink()
    finding = by_rule(audited(run))["table-missing"]
    assert (finding.count, finding.first.expected) == (1, "a table for step 4")


def test_a_renamed_table(run: Path) -> None:
    tables = tables_of(run)
    tables[7].rename(tables[7].with_name("completions_00009.parquet"))
    finding = by_rule(audited(run))["table-step"]
    assert (finding.first.expected, finding.first.found) == ("step 9 in every row", "steps [8]")


def test_evaluation_that_wrote_over_a_table(run: Path) -> None:
    def edit(state):
        state["log_history"].insert(4, {"step": 4, "eval_loss": 0.0, "eval_reward": 0.5})

    edit_log(run, edit)
    finding = by_rule(audited(run))["rows-overwritten"]
    assert (finding.severity, finding.count) == ("error", 1)
    assert finding.first.where.file == str(tables_of(run)[3])


def test_rows_of_evaluation_that_stay_until_the_next_batch(ordinary: Path, tmp_path: Path) -> None:
    """a02 draws at steps 1, 4, 7, 10: an evaluation at step 4 is in the tables of steps 4 to 6."""
    run = copied(ordinary / "a02_grpo_mu3_kl", tmp_path)
    for table in tables_of(run)[3:6]:

        def edit(columns):
            columns["prompt"] = [f"q{i}" for i in range(8)]  # one response each: groups of another size
            columns["advantage"] = [0.0] * 8

        edit_table(table, edit)
    edit_log(run, lambda state: state["log_history"].insert(4, {"step": 4, "eval_reward": 0.5}))
    report = audited(run)
    found = by_rule(report)
    assert (found["rows-overwritten"].count, found["rows-overwritten"].first.where.file) == (3, str(tables_of(run)[3]))
    assert {rule for rule, finding in found.items() if finding.severity == "error"} == {"rows-overwritten"}
    (inferred,) = report.inferred.values()
    assert (inferred["distinct_batches"], inferred["group_size"]) == (3, 4)


def test_a_table_of_evaluation_alone_is_no_fault(run: Path) -> None:
    shutil.copy(tables_of(run)[0], run / "completions" / "completions_00000.parquet")
    edit_table(
        run / "completions" / "completions_00000.parquet",
        lambda columns: columns.update(step=[0] * 8, completion=["e"] * 8),
    )
    edit_log(run, lambda state: state["log_history"].insert(0, {"step": 0, "eval_reward": 0.5}))
    assert audited(run).ok


def test_a_reward_function_called_advantage(run: Path) -> None:
    """Its column is the trainer's own: the log has its mean, the table has not its rewards."""
    for table in tables_of(run):
        edit_table(table, lambda columns: columns.pop("count_letters"))

    def edit(state):
        for row in state["log_history"]:
            for word in ("mean", "std"):
                if f"rewards/count_letters/{word}" in row:
                    row[f"rewards/advantage/{word}"] = row.pop(f"rewards/count_letters/{word}")

    edit_log(run, edit)
    found = by_rule(audited(run))
    assert "the trainer's own column 'advantage' took its place" in found["column-lost"].first.found
    assert {rule for rule, finding in found.items() if finding.severity == "error"} == {"column-lost"}


def test_the_only_reward_function_is_lost(run: Path) -> None:
    for table in tables_of(run):
        edit_table(table, lambda columns: [columns.pop(name) for name in ("count_letters", "verifier")])
    found = by_rule(audited(run))
    assert {rule for rule, finding in found.items() if finding.severity.counts} == {"column-lost"}


def test_a_logged_mean_of_other_rows(run: Path) -> None:
    def edit(state):
        state["log_history"][2]["rewards/verifier/mean"] += 0.125

    edit_log(run, edit)
    finding = by_rule(audited(run))["log-mean"]
    assert (finding.first.where.row, finding.first.found) == (2, "0.375")
    assert finding.first.expected.startswith("0.25, the mean of verifier")


def test_steps_that_draw_several_batches(run: Path) -> None:
    """The log averages over the batches of a step, the table keeps the last: no single mean is wrong, rows are lost."""

    def edit(state):
        for row in state["log_history"][:8]:
            for name in ("count_letters", "verifier"):
                row[f"rewards/{name}/mean"] += 0.125 * (1 + row["step"] % 3)

    edit_log(run, edit)
    found = by_rule(audited(run))
    assert found["batches-lost"].count == 8
    assert "log-mean" not in found


def test_batches_lost_of_which_a_mean_happens_to_be_right(run: Path) -> None:
    """One mean of a batch that is lost may be that of the one that is kept: most others still disagree."""

    def edit(state):
        for row in state["log_history"][:8]:
            row["rewards/count_letters/mean"] += 0.125
            row["rewards/verifier/mean"] += 0.125 * (row["step"] > 1)

    edit_log(run, edit)
    found = by_rule(audited(run))
    assert found["batches-lost"].count == 8
    assert "log-mean" not in found


def test_a_logged_column_that_is_wrong_at_every_step_is_no_lost_batch(run: Path) -> None:
    def edit(state):
        for row in state["log_history"][:8]:
            row["rewards/count_letters/mean"] += 0.125

    edit_log(run, edit)
    found = by_rule(audited(run))
    assert found["log-mean"].count == 8
    assert "batches-lost" not in found


def test_why_a_gradient_is_0(run: Path) -> None:
    edit_log(run, lambda state: state["log_history"][3].update(grad_norm=0.0, frac_reward_zero_std=1.0))
    finding = by_rule(audited(run))["gradient-zero"]
    assert "every group of the batch has equal rewards" in finding.first.found


def test_a_share_of_groups_without_variance(run: Path) -> None:
    edit_log(run, lambda state: state["log_history"][5].update(frac_reward_zero_std=0.5))
    finding = by_rule(audited(run))["zero-std-share"]
    assert (finding.first.expected, finding.count) == ("0/2: groups whose rewards are equal", 1)


@pytest.mark.parametrize("weights", [(1.0, 0.5), (0.25, 2.0)])
@pytest.mark.parametrize("logged", [True, False])
def test_weights_that_no_settings_say(run: Path, weights: tuple[float, float], logged: bool) -> None:
    """Advantages and the log's reward rewritten for other weights: they are found from either."""
    totals = []
    for table in tables_of(run):

        def edit(columns):
            rows = zip(columns["count_letters"], columns["verifier"], strict=True)
            rewards = [weights[0] * a + weights[1] * b for a, b in rows]
            totals.append(sum(rewards) / 8)
            for start in (0, 4):
                group = rewards[start : start + 4]
                mean = sum(group) / 4
                deviation = (sum((one - mean) ** 2 for one in group) / 3) ** 0.5
                columns["advantage"][start : start + 4] = [(one - mean) / (deviation + 1e-4) for one in group]

        edit_table(table, edit)

    def relog(state):
        for row, total in zip(state["log_history"], totals, strict=False):
            row["reward"] = total

    edit_log(run, relog)
    if not logged:
        (run / "trainer_state.json").unlink()
    report = audited(run)
    assert "advantage-rule" not in by_rule(report)
    (inferred,) = report.inferred.values()
    found = inferred["reward_weights"]
    assert found[0] * weights[1] == pytest.approx(found[1] * weights[0])
    assert not logged or tuple(found) == weights


def test_draws_that_repeat(run: Path) -> None:
    """Both halves of a group are the same responses, as when two processes share a seed."""
    for table in tables_of(run):

        def edit(columns):
            for start in (0, 4):
                columns["completion"][start : start + 4] = [f"{start} a b c", f"{start} d e f"] * 2

        edit_table(table, edit)
    finding = by_rule(audited(run))["identical-draws"]
    assert finding.first.found.startswith("in 16 of 16 groups")


def test_one_response_with_two_rewards(run: Path) -> None:
    def edit(columns):
        columns["prompt"][1] = columns["prompt"][0]
        columns["completion"][1] = columns["completion"][0]
        columns["verifier"][1] = 1.0 - columns["verifier"][0]

    edit_table(tables_of(run)[0], edit)
    finding = by_rule(audited(run))["reward-not-function"]
    assert (finding.severity, finding.first.where.row) == ("note", 1)


def test_steps_that_are_missing_or_come_twice(run: Path) -> None:
    def edit(state):
        rows = state["log_history"]
        rows.insert(6, dict(rows[5]))
        del rows[2]

    edit_log(run, edit)
    finding = by_rule(audited(run))["log-gap"]
    assert finding.count == 2
    assert (finding.first.expected, finding.first.found) == ("a step after 2, 1 on", "step 4")


def test_a_clip_at_the_first_step(run: Path) -> None:
    edit_log(run, lambda state: state["log_history"][0].update({"clip_ratio/region_mean": 0.25}))
    finding = by_rule(audited(run))["first-pass-ratio"]
    assert (finding.count, finding.first.far) == (1, "25.0%")


def test_a_clip_at_a_later_step_may_be_as_it_should(ordinary: Path, tmp_path: Path) -> None:
    """a06 clips at steps 2 and 3 of each batch, which it uses three times."""
    assert "first-pass-ratio" not in by_rule(audited(ordinary / "a06_dapo_mu3_ga2"))


def test_a_sampler_that_differs(run: Path) -> None:
    name = "sampling/sampling_logp_difference/mean"
    edit_log(run, lambda state: [row.update({name: 0.01 * row["step"]}) for row in state["log_history"][:8]])
    finding = by_rule(audited(run))["sampler-differs"]
    assert (finding.count, finding.worst.distance) == (8, 0.08)


def test_an_infinite_reward_whose_group_got_advantages_of_0(run: Path) -> None:
    """TRL divides infinity by infinity and replaces the nan by 0: the group is left out and nothing says so."""

    def edit(columns):
        columns["count_letters"][1] = float("-inf")
        columns["advantage"][:4] = [0.0] * 4

    edit_table(tables_of(run)[1], edit)
    finding = by_rule(audited(run))["advantage-swallowed"]
    assert (finding.count, finding.severity, finding.first.where.row) == (4, "error", 0)
    assert finding.examples[1].found.startswith("0 for rewards of -inf + ")
    assert "advantage-rule" not in by_rule(audited(run))


def test_an_infinite_reward_takes_a_batch_along_whose_deviation_is_shared(run: Path) -> None:
    """One infinite reward, and all eight advantages are 0; the group of unequal finite rewards is swallowed, too."""

    def edit(columns):
        columns["count_letters"][1] = float("inf")
        columns["advantage"][:] = [0.0] * 8

    edit_table(tables_of(run)[0], edit)
    finding = by_rule(audited(run))["advantage-swallowed"]
    assert finding.count == 8
    assert finding.worst.expected == "no number: the mean of the group is infinite"
    assert finding.examples[-1].where.row == 4
    assert finding.examples[-1].expected == "no number: the mean of the batch is infinite"
