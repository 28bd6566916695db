"""Our own JSON Lines, and the reports: JSON, SARIF, the page, text."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grpocheck.verifier.audit.auditing import Audit, Piece, audit
from grpocheck.verifier.audit.crews import processes
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.model import Run
from grpocheck.verifier.audit.report import to_mapping, to_sarif
from grpocheck.verifier.audit.rules import RULES
from grpocheck.verifier.cli import app
from grpocheck.verifier.pages.rules import with_table
from typer.testing import CliRunner

from tests.audit.lines import HEADER, drawn, group, written
from tests.audit.planting import audited, by_rule

HOUSE = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("population", "reward minus the group's mean over the group's population deviation"),
        ("verl", "reward minus the group's mean over the group's sample deviation + 1e-06"),
        ("none", "reward minus the group's mean"),
    ],
)
def test_groups_of_different_sizes_and_their_rule(tmp_path: Path, rule: str, name: str) -> None:
    path = written(tmp_path / "run.jsonl", {**HEADER, "dtype": "float64"}, *drawn(24, rule))
    report = audited(path)
    (inferred,) = report.inferred.values()
    assert inferred["advantage_rule"][0] == name
    # Population deviations: normalised groups have mean 0 and deviation 1 already, so whitening them changes nothing.
    assert len(inferred["advantage_rule"]) == (2 if rule == "population" else 1)
    assert (inferred["groups"], inferred["responses"]) == (24, sum(3 + i % 4 for i in range(24)))
    assert report.ok


def test_bfloat16_cannot_tell_small_epsilons_apart_and_says_so(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", {**HEADER, "dtype": "bfloat16"}, *drawn(24, "verl"))
    (inferred,) = audited(path).inferred.values()
    assert len(inferred["advantage_rule"]) > 1
    assert "rules fit every row" in inferred["advantage_rule_undecided"]


@pytest.mark.parametrize(("off", "dtype", "right"), [(1e-7, None, True), (1e-7, "float64", False), (1e-5, None, False)])
def test_where_nothing_is_said_advantages_are_float32(
    tmp_path: Path, off: float, dtype: str | None, right: bool
) -> None:
    """Half a unit in the last place is 6e-8 of a number, of which a formula may lose a few; 1e-5 is none of them."""
    lines = drawn(24, "none")
    lines[7]["advantages"][1] *= 1 + off  # type: ignore[index]
    report = audited(written(tmp_path / "run.jsonl", HEADER if dtype is None else {**HEADER, "dtype": dtype}, *lines))
    assert ("advantage-rule" not in by_rule(report)) is right


def test_advantages_of_four_digits_follow_no_rule(tmp_path: Path) -> None:
    """Rewards 3, 1, 0: mean 4/3, variance (25 + 1 + 16)/27 = 14/9, so that A = 5, -1 and -4 over sqrt(14)."""
    for digits, found in ((9, False), (4, True)):
        advantages = [round(each / 14**0.5, digits) for each in (5, -1, -4)]
        lines = [{"step": step, "rewards": [3, 1, 0], "advantages": advantages} for step in range(4)]
        assert ("advantage-rule" in by_rule(audited(written(tmp_path / "run.jsonl", HEADER, *lines)))) is found


def test_the_line_of_a_fault(tmp_path: Path) -> None:
    lines = drawn(12, "none")
    lines[7]["advantages"][1] += 1.0
    report = audited(written(tmp_path / "run.jsonl", HEADER, *lines))
    finding = by_rule(report)["advantage-rule"]
    assert (finding.count, finding.first.where.row) == (1, 8)  # counted from 0, after the header


def test_a_missing_reward_is_null(tmp_path: Path) -> None:
    line = {
        "step": 0,
        "prompt": "p",
        "rewards": {"a": [1, 0, None], "b": [None, 0, None]},
        "advantages": [0.5, -0.5, 0],
    }
    found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))
    assert found["reward-missing"].count == 1
    assert found["response-unscored"].count == 1
    assert "advantage-rule" not in found  # 1 and 0 around 1/2, the unscored response outside


def tokens(new: list[list[float]], old: list[list[float]]) -> dict[str, object]:
    return {"new_logps": new, "old_logps": old}


def test_tokens_of_a_first_pass(tmp_path: Path) -> None:
    old = [[-1.0, -2.0], [-0.5]]
    moved = [[-1.0, -1.75], [-0.5]]
    first = group(0, "p", [1.0, 0.0], "none", tokens=tokens(old, old), **{"pass": 0})
    second = group(0, "p", [1.0, 0.0], "none", tokens=tokens(moved, old), **{"pass": 1})
    path = written(tmp_path / "run.jsonl", HEADER, first, second)
    assert "first-pass-ratio" not in by_rule(audited(path))
    second["pass"] = 0
    finding = by_rule(audited(written(path, HEADER, first, second)))["first-pass-ratio"]
    assert (finding.count, finding.first.where.row, finding.first.distance) == (1, 2, 0.25)


def test_a_logged_clip_fraction_is_of_the_side_that_counts(tmp_path: Path) -> None:
    """Ratios e^0.5 and 1 for A > 0, e^0.5 for A < 0: above 1.2 on the side that counts for 1 token of 3."""
    new, old = [[-0.5, -1.0], [-0.5]], [[-1.0, -1.0], [-1.0]]
    line = group(0, "p", [1.0, 0.0], "none", tokens=tokens(new, old), clip={"epsilon": 0.2}, **{"pass": 1})
    for share, wrong in ((1 / 3, False), (2 / 3, True)):
        line["logged"] = {"clip_ratio/high_mean": share}
        found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))
        assert ("metric-differs" in found) is wrong


def test_a_recorded_call_in_lines(tmp_path: Path, recorded: Path) -> None:
    """A call of the loss, nested lists in place of an .npz file, is checked as that is."""
    meta = json.loads((recorded / "a06_dapo_mu3_ga2/calls/call_004.json").read_text())
    with np.load(recorded / "a06_dapo_mu3_ga2/calls/call_004.npz") as file:
        arrays = {name: file[name].tolist() for name in file.files}
    line = {"kind": "call", "meta": meta, "arrays": arrays}
    report = audited(written(tmp_path / "run.jsonl", HEADER, line))
    assert report.calls == 1
    assert {finding.rule for finding in report.findings if finding.severity == "error"} == set()
    arrays["loss"] += 0.01
    assert "loss-differs" in by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))


def passes_over_a_batch(
    tmp_path: Path, recorded: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None]
) -> Audit:
    """a02 as a recorder of our own would have written it: the groups of batch 0, then the three passes over it."""
    run = recorded / "a02_grpo_mu3_kl"
    with np.load(run / "gens" / "gen_000.npz") as file:
        rewards, advantages = file["rewards_per_func"].tolist(), file["advantages"].tolist()
    functions = ("count_letters", "verifier")
    lines: list[Any] = [HEADER]
    for start in (0, 4):
        columns = {name: [row[k] for row in rewards[start : start + 4]] for k, name in enumerate(functions)}
        lines.append({"batch": 0, "step": 0, "rewards": columns, "advantages": advantages[start : start + 4]})
    for number in range(3):
        meta = json.loads((run / "calls" / f"call_{number:03d}.json").read_text())
        with np.load(run / "calls" / f"call_{number:03d}.npz") as file:
            arrays = {name: file[name].tolist() for name in file.files}
        meta["first_pass"] = number == 0
        lines.append({"kind": "call", "meta": meta, "arrays": arrays})
    edit(lines[1], lines[3 + 2])
    return audited(written(tmp_path / "run.jsonl", *lines))


def test_passes_over_a_batch_that_are_as_they_should(tmp_path: Path, recorded: Path) -> None:
    report = passes_over_a_batch(tmp_path, recorded, lambda group, call: None)
    assert {finding.rule for finding in report.findings} == {"kl-not-kl", "objective-departs"}


def test_log_probabilities_that_changed_between_passes(tmp_path: Path, recorded: Path) -> None:
    def edit(group, call):
        call["arrays"]["old_logps"][3][1] += 0.25

    finding = by_rule(passes_over_a_batch(tmp_path, recorded, edit))["frozen-data"]
    assert (finding.count, finding.first.where.row, finding.first.distance) == (1, 5, pytest.approx(0.25, rel=1e-6))


def test_an_advantage_of_a_later_pass_that_is_another(tmp_path: Path, recorded: Path) -> None:
    def edit(group, call):
        call["arrays"]["advantages"][2] += 1.0

    found = by_rule(passes_over_a_batch(tmp_path, recorded, edit))["advantage-misplaced"]
    assert (found.count, found.first.where.row, found.first.distance) == (1, 5, pytest.approx(1.0))


def test_an_advantage_that_the_loss_had_otherwise_than_its_group(tmp_path: Path, recorded: Path) -> None:
    def edit(group, call):
        group["advantages"][1] += 0.5

    found = by_rule(passes_over_a_batch(tmp_path, recorded, edit))["advantage-misplaced"]
    assert (found.count, found.first.distance) == (1, pytest.approx(0.5))
    assert "line 2, response 2" in found.first.expected


def test_a_log_in_lines(tmp_path: Path) -> None:
    log = {"kind": "log", "step": 1, "numbers": {"loss": 0.5, "grad_norm": float("inf")}}
    finding = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, log)))["log-not-finite"]
    assert finding.first.found.startswith("grad_norm = inf at step 1")


def test_one_file_is_one_file(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", HEADER, *drawn(12, "none"))
    done = CliRunner().invoke(app, ["audit", str(path)])
    assert done.stdout.rstrip().endswith("nothing found in 1 file: ok")


def test_json_report(recorded: Path) -> None:
    done = CliRunner().invoke(app, ["audit", str(recorded / "a18_same_name_rewards"), "--json"])
    report = json.loads(done.stdout)
    assert done.exit_code == 1
    assert set(report) == {"findings", "inferred", "read", "ok"}
    assert report["ok"] is False
    (lost,) = [one for one in report["findings"] if one["rule"] == "column-lost"]
    assert {"rule", "severity", "where", "expected", "found", "claim", "advice"} <= set(lost)
    assert lost["where"]["file"].endswith("completions_00001.parquet")


def test_exit_status_0_and_notes(recorded: Path) -> None:
    done = CliRunner().invoke(app, ["audit", str(recorded / "a01_grpo_mu1")])
    assert done.exit_code == 0
    assert done.stdout.rstrip().endswith(": ok")
    assert "note objective-departs" in done.stdout


def test_sarif(recorded: Path, tmp_path: Path) -> None:
    path = tmp_path / "found.sarif"
    CliRunner().invoke(app, ["audit", str(recorded / "a15_zero_variance"), "--sarif", str(path)])
    (run,) = json.loads(path.read_text())["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(RULES)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
    lines = [one["locations"][0]["physicalLocation"] for one in run["results"] if one["ruleId"] == "float-mean-residue"]
    assert lines[0]["region"]["startLine"] == 1


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.outside += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_self_contained(recorded: Path, tmp_path: Path) -> None:
    path = tmp_path / "found.html"
    CliRunner().invoke(app, ["audit", str(recorded / "a26_inf_reward_nostd"), "--html", str(path)])
    tags = Tags()
    tags.feed(path.read_text())
    assert tags.open == []
    assert tags.outside == []
    for rule in ("advantage-not-finite", "loss-not-finite", "reward-not-finite"):
        assert rule in path.read_text()


def test_hostile_text_is_escaped_in_the_page(tmp_path: Path) -> None:
    lines = [group(0, "<script>alert(1)</script>", [1.0, 0.0], "none") for _ in range(2)]
    path = written(tmp_path / "run.jsonl", HEADER, *lines)
    page = tmp_path / "page.html"
    CliRunner().invoke(app, ["audit", str(path), "--html", str(page)])
    assert "&lt;script&gt;" in page.read_text()
    assert "<script>" not in page.read_text()


def test_several_paths_are_several_runs_and_files_of_one_run_are_one(recorded: Path) -> None:
    first, second = recorded / "a01_grpo_mu1", recorded / "a23_conversational"
    assert [run.name for run in runs_of([first, second])] == [str(first), str(second)]
    loose = runs_of([first / "completions", first / "trainer_state.json"])
    assert [(run.name, len(run.tables), run.calls) for run in loose] == [(str(first), 8, ())]


def test_the_state_of_the_last_checkpoint_is_taken(recorded: Path, tmp_path: Path) -> None:
    state = json.loads((recorded / "a01_grpo_mu1" / "trainer_state.json").read_text())
    for step in (9, 10):  # by their names 10 comes before 9
        (tmp_path / f"checkpoint-{step}").mkdir()
        short = {**state, "log_history": state["log_history"][: step - 2]}
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(json.dumps(short))
    (run,) = runs_of([tmp_path])
    assert run.state == tmp_path / "checkpoint-10" / "trainer_state.json"


def test_processes_report_what_one_process_does(recorded: Path) -> None:
    runs = runs_of([recorded / "a13_gpt2_dropout_mu2", recorded / "a15_zero_variance"])
    together, alone = audit(runs, processes(2)), audit(runs)
    assert to_mapping(together) == to_mapping(alone)
    assert to_sarif(together) == to_sarif(alone)


@dataclass(frozen=True)
class Told(Piece):
    """A piece of work that says which process did it."""

    def done(self) -> Any:
        return os.getpid()


def test_with_two_processes_pieces_are_done_by_others_and_with_one_by_this_one() -> None:
    pieces = [Told(Run("run"))] * 2
    assert os.getpid() not in set(processes(2)(pieces))
    assert set(processes(1)(pieces)) == {os.getpid()}


def test_the_rules_are_listed_and_documented() -> None:
    done = CliRunner().invoke(app, ["audit", "--rules"])
    assert done.exit_code == 0
    listed = json.loads(CliRunner().invoke(app, ["audit", "--rules", "--json"]).stdout)
    assert [rule["rule"] for rule in listed] == list(RULES)
    assert all(f"{name} (" in done.stdout for name in RULES)
    page = (HOUSE / "docs" / "audit.md").read_text(encoding="utf-8")
    assert with_table(page) == page, "python -m grpocheck.verifier.pages.rules docs/audit.md"
    first = next(iter(RULES))
    assert f"| `{first}` |" in with_table(page.replace(f"| `{first}` |", "| `gone` |"))


def test_a_claim_that_a_rule_names_exists() -> None:
    from grpocheck.contracts.claims import REGISTRY

    assert {rule.claim for rule in RULES.values() if rule.claim} <= set(REGISTRY)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.jsonl")
    done = CliRunner().invoke(app, ["audit", str(tmp_path / "x.jsonl")])
    assert done.exit_code == 2
    assert "'neither a file nor a folder': expected its content in a file: TRL's" in done.stderr


def test_the_example_is_what_its_writer_writes_and_shows_its_residue() -> None:
    folder = HOUSE / "examples" / "audit"
    done = subprocess.run([sys.executable, folder / "write_groups.py"], capture_output=True, text=True, check=True)
    assert done.stdout == (folder / "run.jsonl").read_text()
    found = {finding.rule: finding for finding in audited(folder / "run.jsonl").findings if finding.severity.counts}
    assert set(found) == {"float-mean-residue"}
    assert found["float-mean-residue"].first.where.row == 3
