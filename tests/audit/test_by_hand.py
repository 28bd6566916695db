"""Logs that somebody wrote by hand: what is wrong with them is found, named and located; values by hand."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from grpocheck.verifier.audit.auditing import audit
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.report import to_lines, to_mapping
from grpocheck.verifier.audit.settings import read_settings

from tests.audit.lines import HEADER, written
from tests.audit.planting import audited, by_rule

NAN = float("nan")
# A = 1 and -1. Of six tokens the ratio of one is e^0.5 > 1.2 with A > 0; all others are 1.
OLD = [[-1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]]
NEW = [[-0.5, -1.0, -1.0], [-1.0, -1.0, -1.0]]
GROUP: dict[str, Any] = {"step": 1, "prompt": "a", "rewards": [1, 0], "advantages": [1, -1]}
TOKENS = {"new_logps": NEW, "old_logps": OLD}
ASYMMETRIC = {"loss_type": "grpo", "epsilon": 0.2, "epsilon_high": 0.28, "beta": 0.04}


@pytest.mark.parametrize(
    "settings", [{"epsilon": 0.2}, ASYMMETRIC], ids=["alone", "with a penalty that nothing is logged for"]
)
@pytest.mark.parametrize(
    ("name", "value", "right"), [("low", 0.0, True), ("low", 0.083, False), ("high", 1 / 6, True), ("high", 0.5, False)]
)
def test_clip_fractions_of_a_group(tmp_path: Path, settings: object, name: str, value: float, right: bool) -> None:
    line = {**GROUP, "tokens": TOKENS, "logged": {f"clip_ratio/{name}_mean": value}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": settings}, line)))
    assert ("metric-differs" not in found) is right
    if not right:
        assert (
            found["metric-differs"].first.expected == f"clip_ratio/{name}_mean = {0.166666667 if name == 'high' else 0}"
        )


def test_a_kl_of_a_group(tmp_path: Path) -> None:
    """The reference is the old policy: one d = -1/2 in six, so that k1 is 1/12 and k3 is (e^(-1/2) - 1/2) / 6."""
    k3 = (math.exp(-0.5) - 0.5) / 6
    for beta, value, right in ((0, k3, True), (0, 1 / 12, True), (0, 7.0, False), (0.04, k3, True), (0.04, 7.0, False)):
        line = {**GROUP, "tokens": {**TOKENS, "ref_logps": OLD}, "logged": {"kl": value}}
        header = {**HEADER, "settings": {"beta": beta}}
        assert ("metric-differs" not in by_rule(audited(written(tmp_path / "run.jsonl", header, line)))) is right


@pytest.mark.parametrize("value", [0.0, 1 / 6, 0.9])
@pytest.mark.parametrize(("clip", "known"), [({}, False), ({"epsilon_high": 0.2}, True), ({"epsilon": 0.2}, True)])
def test_a_clip_fraction_without_a_clip_is_held_against_nothing(
    tmp_path: Path, clip: object, known: bool, value: float
) -> None:
    """The one ratio of e^0.5 is clipped by an epsilon of 0.2, and by none of 1: 0 and 1/6 are both right for some."""
    line = {**GROUP, "tokens": TOKENS, "clip": clip, "logged": {"clip_ratio/high_mean": value}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))
    assert ("metric-differs" in found) is (known and value != 1 / 6)
    assert ("metric-unchecked" in found) is not known
    if not known:
        assert "it needs epsilon or epsilon_high" in found["metric-unchecked"].first.found


def test_no_clip_makes_a_fraction_above_1(tmp_path: Path) -> None:
    line = {**GROUP, "tokens": TOKENS, "logged": {"clip_ratio/high_mean": 1.5}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))
    assert found["metric-differs"].first.expected == "clip_ratio/high_mean = a share from 0 to 1"


D = 0.5
ESTIMATES = {
    "k1": -D / 4,
    "k2": D * D / 2 / 4,
    "k3": (math.exp(D) - D - 1) / 4,
    "k3-reversed": (math.exp(-D) + D - 1) / 4,
    None: 7.0,
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_a_logged_kl_is_called_what_it_is(tmp_path: Path, name: str | None) -> None:
    """Of four tokens that count one has d = log(reference / policy) = 1/2, the others 0."""
    tokens = {"new_logps": [[-1.0, -1.0], [-1.0, -1.0]], "ref_logps": [[-1.0 + D, -1.0], [-1.0, -1.0]]}
    line = {**GROUP, "tokens": tokens, "logged": {"kl": ESTIMATES[name]}}
    header = {**HEADER, "dtype": "float64", "settings": {"beta": 0.04}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", header, line)))["kl-not-kl"]
    assert (found.severity.value, found.first.detail["estimator"]) == ("warning", name)
    words = {"k1": "(k1)", "k2": "(k2)", "k3": "(k3)", "k3-reversed": "exchanged", None: "none of the estimators"}
    assert words[name] in found.first.found.partition(";")[0]


def test_a_kl_over_masked_tokens_is_called_so(tmp_path: Path) -> None:
    """The token with d = 1/2 counts, one of the others does not: the mean of k3 over three, and over all four."""
    tokens = {
        "new_logps": [[-1.0, -1.0], [-1.0, -1.0]],
        "ref_logps": [[-1.0 + D, -1.0], [-1.0, -1.0]],
        "mask": [[1, 1], [1, 0]],
    }
    line = {**GROUP, "tokens": tokens, "logged": {"kl": ESTIMATES["k3"]}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": {"beta": 0.04}}, line)))
    assert "masked ones too" in found["kl-not-kl"].first.found


def test_log_probabilities_above_0(tmp_path: Path) -> None:
    """A probability of e^3 is none; one of 1 + 10^-7 is a float's."""
    for value, said in ((3.0, True), (1e-7, False), (0.0, False)):
        tokens = {"new_logps": [[value], [-1.0]], "old_logps": [[-0.5], [-1.0]], "ref_logps": [[-1.0], [value]]}
        found = audited(written(tmp_path / "run.jsonl", HEADER, {**GROUP, "tokens": tokens})).findings
        above = [finding for finding in found if finding.rule == "logps-above-zero"]
        assert [finding.first.where.response for finding in above] == ([1, 2] if said else [])
        assert {finding.severity.value for finding in above} <= {"warning"}


def test_a_masked_log_probability_above_0_is_nobodys(tmp_path: Path) -> None:
    tokens = {"new_logps": [[3.0, -1.0], [-1.0]], "mask": [[0, 1], [1]]}
    assert not by_rule(audited(written(tmp_path / "run.jsonl", HEADER, {**GROUP, "tokens": tokens})))


def test_tokens_without_advantages_are_told_what_they_need(tmp_path: Path) -> None:
    line = {"step": 1, "rewards": [1, 0], "tokens": {"new_logps": [[-1.0], [-1.0]]}}
    with pytest.raises(Unreadable) as error:
        audited(written(tmp_path / "run.jsonl", HEADER, line))
    assert "line 2, advantages" in str(error.value)
    assert "a group with tokens needs its advantages" in str(error.value)


def test_a_nan_that_was_logged_differs(tmp_path: Path) -> None:
    line = {**GROUP, "tokens": TOKENS, "logged": {"clip_ratio/high_mean": NAN}}
    assert by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))["metric-differs"].first.found == "nan"


@pytest.mark.parametrize(
    ("more", "name", "why"),
    [
        ({"tokens": TOKENS}, "kl", "it needs ref_logps"),
        ({"tokens": TOKENS}, "entropy", "it needs entropies"),
        ({"tokens": TOKENS}, "grad_norm", "it is none of clip_ratio/low_mean"),
        ({}, "clip_ratio/high_mean", "the group has no tokens"),
    ],
)
def test_what_is_not_checked_is_said(tmp_path: Path, more: dict[str, Any], name: str, why: str) -> None:
    found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, {**GROUP, **more, "logged": {name: 0.25}})))
    finding = found["metric-unchecked"]
    assert (finding.severity, str(finding.first.where).endswith("run.jsonl, line 2")) == ("note", True)
    assert name in finding.first.found
    assert why in finding.first.found


@pytest.mark.parametrize("value", [[0.5], 0.5])
def test_a_number_is_as_good_as_a_list_of_one(tmp_path: Path, value: object) -> None:
    arrays = {**TOKENS, "mask": [[1, 1, 1], [1, 1, 1]], "advantages": [1, -1]}
    meta = {
        "config": {"loss_type": "grpo", "epsilon": 0.2},
        "trl_metrics_of_this_call": {"clip_ratio/high_mean": value},
    }
    call = {"kind": "call", "arrays": arrays, "meta": meta}
    finding = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, call)))["metric-differs"]
    assert (finding.first.expected, finding.first.found) == ("clip_ratio/high_mean = 0.166666667", "0.5")


@pytest.mark.parametrize(
    ("header", "line", "wrong", "meant", "place"),
    [
        ({}, {"step": 1, "prompt": "a", "rewards": [1, 0], "advantage": [5, 5]}, "advantage", "advantages", 2),
        ({"setings": {}}, GROUP, "setings", "settings", 1),
        ({"settings": {"epsilonn": 0.2}}, GROUP, "epsilonn", "epsilon", 1),
        ({}, {**GROUP, "tokens": TOKENS, "logged": {"low_mean": 7}}, "low_mean", "clip_ratio/low_mean", 2),
    ],
)
def test_a_misspelt_key(tmp_path: Path, header: Any, line: Any, wrong: str, meant: str, place: int) -> None:
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, **header}, line))
    finding = by_rule(report)["key-misspelt"]
    assert (finding.severity, report.ok) == ("error", False)
    assert (finding.first.expected, finding.first.where.within) == (f"{meant} (did you mean that?)", f"line {place}")
    assert finding.first.found.startswith(repr(wrong))


def test_a_misspelt_setting_of_a_file(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", HEADER, GROUP)
    (tmp_path / "s.json").write_text(json.dumps({"loss_typ": "grpo", "learning_rate": 0.1, "adam_beta1": 0.9}))
    finding = by_rule(audit(runs_of([path], read_settings(tmp_path / "s.json"))))["key-misspelt"]
    assert (finding.count, finding.first.expected) == (1, "loss_type (did you mean that?)")
    assert finding.first.where.file == str(tmp_path / "s.json")


def test_an_unknown_key_is_named_once(tmp_path: Path) -> None:
    report = audited(
        written(tmp_path / "run.jsonl", HEADER, *({**GROUP, "step": i, "colour": "red"} for i in range(3)))
    )
    (finding,) = report.findings
    assert (finding.rule, finding.severity, finding.count) == ("key-unknown", "note", 3)
    assert finding.first.found == "'colour'"


@pytest.mark.parametrize(
    ("more", "key", "home"),
    [
        ({"completions": ["a", "b"]}, "completions", "responses"),
        ({"logps": NEW}, "logps", "tokens.new_logps"),
        ({"old_logps": OLD}, "old_logps", "tokens.old_logps"),
        ({"epsilon_high": 0.28}, "epsilon_high", "clip.epsilon_high"),
        ({"tokens": {**TOKENS, "ref_per_token_logps": OLD}}, "ref_per_token_logps", "tokens.ref_logps"),
        ({"completions": ["a", "b"], "responses": ["a", "b"]}, "completions", None),  # they are there
        ({"tokens": TOKENS, "logps": NEW}, "logps", None),
    ],
)
def test_where_what_a_well_known_key_holds_belongs(
    tmp_path: Path, more: dict[str, Any], key: str, home: str | None
) -> None:
    report = audited(written(tmp_path / "run.jsonl", HEADER, {**GROUP, **more}))
    finding = by_rule(report)["key-unknown"]
    assert (finding.severity, finding.count, finding.first.found.startswith(f"'{key}'")) == ("note", 1, True)
    assert ("not audited" in finding.first.found) is (home is not None)
    advice = f"log what it holds as {home}, where it is read (docs/audit.md)"
    assert finding.advice == (advice if home else "nothing, if it is for somebody else")


def test_a_log_without_advantages_and_one_without_groups(tmp_path: Path) -> None:
    bare = {key: value for key, value in GROUP.items() if key != "advantages"}
    found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, bare)))
    assert "not checked: advantage-rule, " in found["advantages-not-logged"].first.found
    report = audited(written(tmp_path / "run.jsonl", HEADER))
    assert ([finding.rule for finding in report.findings], report.ok) == (["log-empty"], False)


def test_the_objective_departs_by_each_setting(tmp_path: Path) -> None:
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": ASYMMETRIC}, GROUP))
    finding = by_rule(report)["objective-departs"]
    assert (finding.severity, report.ok) == ("note", True)
    for words in ("by 4 settings", "own tokens", "a ratio for each token", "epsilon_high = 0.28", "estimator k3"):
        assert words in finding.first.found


def test_settings_that_a_group_does_not_state_are_not_taken_for_stated(tmp_path: Path) -> None:
    report = audited(written(tmp_path / "run.jsonl", HEADER, {**GROUP, "tokens": TOKENS, "clip": {"epsilon": 0.2}}))
    assert "objective-departs" not in by_rule(report)


@pytest.mark.parametrize("advantages", [[1, -1], [1, 1], [2, 2]])
def test_a_group_of_equal_rewards_alone(tmp_path: Path, advantages: list[float]) -> None:
    line = {"step": 1, "prompt": "a", "rewards": [1, 1], "advantages": advantages}
    found = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, line)))
    assert found["zero-variance-advantage"].severity == "error"
    assert found["zero-variance-advantage"].first.expected.startswith("0")
    assert "advantage-rule" not in found


def test_a_rule_without_a_mean_moves_groups_of_equal_rewards_and_that_is_a_note(tmp_path: Path) -> None:
    """Advantages that are the rewards: of unequal groups, too, so that the rule is theirs."""
    varied = [{"step": i, "rewards": [1, 0, i], "advantages": [1, 0, i]} for i in range(2, 9)]
    level = {"step": 9, "rewards": [1, 1], "advantages": [1, 1]}
    report = audited(written(tmp_path / "run.jsonl", HEADER, *varied, level))
    finding = by_rule(report)["zero-variance-advantage"]
    assert (finding.severity, finding.count, finding.first.where.within) == ("note", 1, "line 9")
    assert report.ok


@pytest.mark.parametrize("settings", [{}, {"num_generations": 1}, {"scale_rewards": "group"}])
def test_groups_of_one_response(tmp_path: Path, settings: dict[str, Any]) -> None:
    """Each reward is its own mean: 0 for all of them, of which no rule can be told."""
    lines = [{"step": i, "prompt": f"p{i}", "rewards": [i / 2], "advantages": [0]} for i in range(1, 6)]
    path = written(tmp_path / "run.jsonl", {**HEADER, "settings": settings}, *lines)
    report = audited(path)
    finding = by_rule(report)["advantages-all-zero"]
    assert (finding.severity, finding.first.found) == ("warning", "0 everywhere; 5 groups of one response")
    assert finding.first.what.startswith("groups have one response")
    inferred = report.inferred[str(path)]
    assert inferred["advantage_rule"] == []
    assert inferred["advantage_rule_from"].startswith("nothing: groups have one response")
    said = "\n".join(to_lines(report))
    assert "    do        draw several responses for each prompt (num_generations), or log them in one group" in said
    assert "equal ones" not in said
    assert "mean of the others" not in said


def test_a_rule_of_groups_of_one_response_is_of_the_batch_or_of_none(tmp_path: Path) -> None:
    """Rewards 0, 1, 2, 3 in a batch of four groups: their mean is 3/2, and -3/2, -1/2, 1/2, 3/2 are left."""
    lines = [{"step": 1, "prompt": f"p{i}", "rewards": [i], "advantages": [i]} for i in range(4)]
    inferred = audited(written(tmp_path / "none.jsonl", HEADER, *lines)).inferred[str(tmp_path / "none.jsonl")]
    assert inferred["advantage_rule"] == ["the reward itself"]
    lines = [{**line, "advantages": [i - 1.5]} for i, line in enumerate(lines)]
    inferred = audited(written(tmp_path / "batch.jsonl", HEADER, *lines)).inferred[str(tmp_path / "batch.jsonl")]
    assert inferred["advantage_rule"] == ["reward minus the batch's mean"]


def departing(tmp_path: Path) -> Any:
    """Lines 4 and 6 have two wrong signs each, of responses 3 and 4."""
    lines = [
        {
            "step": i,
            "prompt": f"p{i}",
            "rewards": [1, 0, 0, 1],
            "advantages": [1, -1, *([1, -1] if i in (2, 4) else [-1, 1])],
        }
        for i in range(6)
    ]
    return audited(written(tmp_path / "run.jsonl", HEADER, *lines))


def test_every_response_that_departs_has_a_place(tmp_path: Path) -> None:
    report = departing(tmp_path)
    finding = by_rule(report)["advantage-rule"]
    assert (finding.count, finding.first.where.within) == (4, "line 4, response 3")
    assert finding.elsewhere() == "line 4, response 4; line 6, responses 3, 4"
    assert "    also at   line 4, response 4; line 6, responses 3, 4" in list(to_lines(report))
    (mapping,) = [one for one in to_mapping(report)["findings"] if one["rule"] == "advantage-rule"]
    assert mapping["where"] == {"file": str(tmp_path / "run.jsonl"), "line": 4, "response": 3}
    assert [(one["line"], one["response"]) for one in mapping["places"]] == [(4, 3), (4, 4), (6, 3), (6, 4)]


def test_the_worst_is_shown_with_what_was_expected_of_it(tmp_path: Path) -> None:
    """Declared: no deviation. Rewards 1, 0: 1/2 is expected, 0.625 is there; rewards 0, 4: 2 is expected, -2 is."""
    lines = [
        {"step": 1, "prompt": "a", "rewards": [1, 0], "advantages": [0.625, -0.5]},
        {"step": 2, "prompt": "b", "rewards": [0, 4], "advantages": [-2, -2]},
    ]
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": {"scale_rewards": "none"}}, *lines))
    text = list(to_lines(report))
    assert next(line for line in text if line.startswith("    found ")) == "    found     0.625"
    worst = next(line for line in text if line.startswith("    worst "))
    assert worst.startswith("    worst     -2; expected 2 (reward minus the group's mean)")


def test_places_beyond_the_first_are_counted(tmp_path: Path) -> None:
    """20 groups with 2 infinite rewards each: 24 places are named, 16 are not."""
    lines = [{"step": i, "rewards": [math.inf, -math.inf]} for i in range(20)]
    finding = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, *lines)))["reward-not-finite"]
    assert (finding.count, finding.unplaced) == (40, 16)
    assert finding.elsewhere().endswith("line 13, responses 1, 2; and 16 more")


@pytest.mark.parametrize(
    ("advantages", "said"),
    [
        ([2**-0.5, -(2**0.5), 0, 2**-0.5], "follow that, and not what"),  # 1, 0, 1: mean 2/3, deviation sqrt(2)/3
        ([1, -1, -1, 1], "not that but a reward of 0"),  # 1, 0, 0, 1
        ([3, -1, 0, 3], "neither that nor"),
    ],
)
def test_by_which_reading_of_a_nan_advantages_follow(tmp_path: Path, advantages: list[float], said: str) -> None:
    lines = [{"step": i, "rewards": [1, 0, 0, 1], "advantages": [1, -1, -1, 1]} for i in range(8)]
    line = {"step": 8, "rewards": [1, 0, NAN, 1], "advantages": advantages}
    header = {**HEADER, "dtype": "float32"}
    finding = by_rule(audited(written(tmp_path / "run.jsonl", header, *lines, line)))["response-unscored"]
    assert (finding.count, finding.first.where.within) == (1, "line 10, response 3")
    assert "in the group of 4 at line 10; advantages were recomputed from the 3 other responses" in finding.first.found
    assert said in finding.first.found
