"""Which files are read, as runs of which settings, and which are passed over; verl's; files that end too early."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from grpocheck.verifier.audit.auditing import audit
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.report import to_mapping
from grpocheck.verifier.audit.settings import read_settings

from tests.audit.lines import HEADER, drawn, written
from tests.audit.planting import audited, by_rule, copied


def test_two_recordings_in_one_folder_keep_their_settings(tmp_path: Path) -> None:
    """Advantages without a deviation, and by the population's: declared so, and each right by its own header."""
    written(
        tmp_path / "a.jsonl", {**HEADER, "settings": {"scale_rewards": "none"}, "dtype": "float64"}, *drawn(12, "none")
    )
    written(tmp_path / "b.jsonl", {**HEADER, "dtype": "float64"}, *drawn(12, "population"))
    written(tmp_path / "b_rank1.jsonl", {**HEADER, "dtype": "float64"}, *drawn(12, "population"))
    report = audited(tmp_path)
    assert set(report.inferred) == {str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")}
    assert [inferred["advantage_rule"][0] for inferred in report.inferred.values()] == [
        "reward minus the group's mean",
        "reward minus the group's mean over the group's population deviation",
    ]
    assert report.ok
    assert report.files == 3


def test_a_recording_gone_on_with_under_other_settings_is_read_under_each(tmp_path: Path) -> None:
    """Advantages without a deviation, then by the population's, in one file: each part right by its own header."""
    first = {**HEADER, "settings": {"scale_rewards": "none"}, "dtype": "float64"}
    path = written(
        tmp_path / "run.jsonl", first, *drawn(12, "none"), {**HEADER, "dtype": "float64"}, *drawn(12, "verl")
    )
    report = audited(path)
    assert set(report.inferred) == {str(path), f"{path} from line 14"}
    assert [inferred["advantage_rule"] for inferred in report.inferred.values()] == [
        ["reward minus the group's mean"],
        ["reward minus the group's mean over the group's sample deviation + 1e-06"],
    ]
    assert report.ok
    assert report.files == 1


def test_a_fault_after_the_second_header_is_at_its_line(tmp_path: Path) -> None:
    lines = drawn(12, "none")
    lines[3]["advantages"][0] += 1.0
    second = {**HEADER, "settings": {"scale_rewards": "none"}}
    finding = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, *drawn(12, "none"), second, *lines)))
    assert finding["advantage-rule"].first.where.row == 1 + 12 + 1 + 3


def test_a_recording_gone_on_with_counts_its_batches_anew(tmp_path: Path, recorded: Path) -> None:
    """The same slice of batch 0 in each session is no gradient attempt beyond the budget; twice in one it is."""
    meta = json.loads((recorded / "a01_grpo_mu1/calls/call_000.json").read_text())
    with np.load(recorded / "a01_grpo_mu1/calls/call_000.npz") as file:
        arrays = {name: file[name].tolist() for name in file.files}
    call = {"kind": "call", "meta": meta, "arrays": arrays}
    resumed = audited(written(tmp_path / "run.jsonl", HEADER, call, HEADER, call))
    assert (resumed.calls, "gradient-budget" in by_rule(resumed)) == (2, False)
    again = audited(written(tmp_path / "run.jsonl", HEADER, call, call)).findings
    assert "slice 0 in pass 0 once more" in [one.first.found for one in again if one.rule == "gradient-budget"]


def test_files_of_other_programs_are_passed_over_beside_a_run(ordinary: Path, tmp_path: Path) -> None:
    """A data set, an optimiser's arrays, a cut-off table of somebody else's, an empty log: what is TRL's is audited."""
    run = copied(ordinary / "a01_grpo_mu1", tmp_path)
    alone = audited(run)
    (run / "data").mkdir()
    pq.write_table(pa.table({"question": ["2 + 2"], "step": [1]}), run / "data" / "train-00000-of-00001.parquet")
    (run / "data" / "broken.parquet").write_bytes(b"PAR1 and no more")
    np.savez(run / "optimizer.npz", moments=np.zeros(3))
    (run / "other.npz").write_bytes(b"junk")
    (run / "empty.jsonl").write_text("")
    (run / "notes.jsonl").write_text("not JSON\n")
    report = audited(run)
    finding = by_rule(report)["file-passed-over"]
    assert (finding.count, finding.severity) == (6, "note")
    assert [one for one in to_mapping(report)["findings"] if one["rule"] != "file-passed-over"] == (
        to_mapping(alone)["findings"]
    )
    assert (report.ok, report.files) == (True, alone.files)
    for name in ("data/train-00000-of-00001.parquet", "data/broken.parquet", "optimizer.npz", "empty.jsonl"):
        with pytest.raises(Unreadable, match=name):
            audited(run / name)
        with pytest.raises(Unreadable, match=name):
            audited(run, run / name)
    with pytest.raises(Unreadable, match="broken"):
        audited(run / "data")


def test_a_table_of_trl_that_is_damaged_is_not_passed_over(ordinary: Path, tmp_path: Path) -> None:
    run = copied(ordinary / "a01_grpo_mu1", tmp_path)
    (run / "completions" / "completions_00003.parquet").write_bytes(b"PAR1")
    with pytest.raises(Unreadable, match="completions_00003"):
        audited(run)


def test_lines_of_another_program_are_passed_over_and_said_to_be(tmp_path: Path) -> None:
    written(tmp_path / "run.jsonl", HEADER, *drawn(12, "none"))
    other = written(tmp_path / "dataset.jsonl", {"question": "2 + 2"})
    report = audited(tmp_path)
    finding = by_rule(report)["file-passed-over"]
    assert (finding.count, finding.severity, finding.first.where.file) == (1, "note", str(other))
    assert report.ok
    assert report.files == 1
    with pytest.raises(Unreadable, match="question"):
        audited(other)
    (tmp_path / "run.jsonl").unlink()
    with pytest.raises(Unreadable, match="question"):
        audited(tmp_path)


def test_a_file_that_was_cut_off_while_being_written(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", HEADER, *drawn(12, "none"))
    path.write_bytes(path.read_bytes()[:-20])
    report = audited(path)
    (inferred,) = report.inferred.values()
    assert inferred["groups"] == 11
    finding = by_rule(report)["line-cut-off"]
    size = len(path.read_bytes().splitlines()[-1])
    assert (finding.first.where.row, finding.first.found) == (12, f"the first {size} bytes of one")
    assert not report.ok


def test_a_last_line_that_only_lacks_its_end_is_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", HEADER, *drawn(12, "none"))
    path.write_bytes(path.read_bytes().rstrip())
    report = audited(path)
    assert report.ok
    assert next(iter(report.inferred.values()))["groups"] == 12


def test_rollouts_of_verl(tmp_path: Path) -> None:
    """Rows of a prompt in any order; scores only, so that nothing is said of advantages."""
    for step in (1, 2, 10):
        rows = [
            {
                "input": f"q{i % 2}",
                "output": f"answer {i} of {step}",
                "gts": "7",
                "score": float(i == 3),
                "step": step,
                "acc": i == 3,
            }
            for i in range(8)
        ]
        written(tmp_path / f"{step}.jsonl", *rows)
    report = audited(tmp_path)
    (inferred,) = report.inferred.values()
    assert (inferred["groups"], inferred["groups_of_equal_rewards"], inferred["responses"]) == (6, 3, 24)
    assert inferred["advantage_rule"] == []
    assert {finding.rule for finding in report.findings} <= {"rows-logged-twice"}


def rollouts(path: Path, sizes: dict[str, int]) -> None:
    rows = [
        {"input": prompt, "output": f"answer {i}", "score": i % 2, "step": int(path.stem)}
        for prompt, size in sizes.items()
        for i in range(size)
    ]
    written(path, *rows)


def test_rollouts_with_a_group_that_lacks_rows(tmp_path: Path) -> None:
    """Eight prompts a step in groups of 4; one of them has lost a row, one prompt stands in the data twice."""
    for step in (1, 2):
        rollouts(tmp_path / f"{step}.jsonl", {f"q{i}": 4 for i in range(8)})
    assert audited(tmp_path).ok
    rollouts(tmp_path / "3.jsonl", {**{f"q{i}": 4 for i in range(7)}, "short": 3, "twice": 8})
    found = by_rule(audited(tmp_path))
    missing, twice = found["rows-missing"], found["duplicate-prompts"]
    assert (missing.count, missing.severity, missing.first.where.row) == (1, "error", 28)
    assert (missing.first.expected, missing.first.found) == ("4 rows of a group", "3 of prompt 'short'")
    assert (twice.count, twice.first.found) == (1, "8 of prompt 'twice': 2 groups of one text")


def test_groups_of_many_sizes_lack_nothing_until_settings_say_how_many_there_are(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", HEADER, *drawn(12, "none"))
    assert audited(path).ok
    (tmp_path / "s.json").write_text('{"num_generations": 6}')
    finding = by_rule(audit(runs_of([path], read_settings(tmp_path / "s.json"))))["rows-missing"]
    assert finding.count == 9  # of 3, 4, 5 and 6 rows three groups each


def test_rollouts_that_were_cut_off(tmp_path: Path) -> None:
    for step in (1, 2):
        rows = [{"input": "q", "output": f"{i}", "score": i % 2, "step": step} for i in range(4)]
        written(tmp_path / f"{step}.jsonl", *rows)
    (tmp_path / "2.jsonl").write_bytes((tmp_path / "2.jsonl").read_bytes()[:-2])
    finding = by_rule(audited(tmp_path))["line-cut-off"]
    assert (finding.count, finding.first.where.file, finding.first.where.row) == (1, str(tmp_path / "2.jsonl"), 3)


def test_a_rollout_with_an_infinite_score(tmp_path: Path) -> None:
    path = written(tmp_path / "1.jsonl", {"input": "q", "output": "a", "gts": None, "score": float("-inf"), "step": 1})
    assert by_rule(audited(path))["reward-not-finite"].first.found == "-inf from score"
