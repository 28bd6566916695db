"""Faults of a trainer are called what they are: one change of the loss, a factor, a weight, rows out of order.

The losses and gradients of the faults are computed in numpy here, from their formulas; the rest is edited by hand.
"""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grpocheck.verifier.audit.candidates import Departure, pattern_of
from grpocheck.verifier.audit.mistakes import explained
from grpocheck.verifier.audit.model import Table
from grpocheck.verifier.audit.moments import drawn_once
from grpocheck.verifier.recompute import LossCall, LossSettings, recompute

from tests.audit.lines import HEADER, group, written
from tests.audit.planting import audited, by_rule, copied, edit_json, edit_log, edit_table, tables_of

RULE = "reward minus the group's mean over the group's sample deviation + 1e-04"
LENGTHS = (6, 4, 5, 2)
SETTINGS = LossSettings(epsilon=0.1, epsilon_high=0.3, beta=0.1, kl_weight="ratio", off_policy_mask_threshold=0.2)


def tensors() -> dict[str, Any]:
    """Four responses of up to six tokens, ratios from about 1/2 to 2."""
    source = np.random.default_rng(7)
    new, old, ref = (source.normal(-2.0, 0.3, (4, 6)).astype(np.float32).astype(np.float64) for _ in range(3))
    old[1] += 1.0  # far from the policy now, and of a negative advantage: the off-policy mask drops it
    mask = np.array([[float(token < length) for token in range(6)] for length in LENGTHS])
    return {"new": new, "old": old, "ref": ref, "mask": mask, "advantages": np.array([[1.0], [-0.5], [0.25], [-0.75]])}


def grpo(
    new: Any,
    old: Any,
    ref: Any,
    mask: Any,
    advantages: Any,
    clips: bool = True,
    drops: bool = True,
    beta: float = 0.1,
    estimator: str = "k3",
    detached: bool = False,
    weighted: bool = True,
) -> tuple[Any, Any]:
    """The mean over responses of the mean over their tokens of -min(rA, clip(r)A) + beta r kl, and its gradient."""
    ratio = np.exp(new - old)
    held = np.clip(ratio, 0.9, 1.3) if clips else ratio
    first = ratio * advantages <= held * advantages
    drift = ((old - new) * mask).sum(1, keepdims=True) / mask.sum(1, keepdims=True)
    keeps = (advantages >= 0) | (drift <= 0.2) if drops else np.ones_like(advantages)
    d = ref - new
    kl, slope = {"k3": (np.exp(d) - d - 1, 1 - np.exp(d)), "k2": (d * d / 2, -d), "k1": (-d, np.ones_like(d))}[
        estimator
    ]
    by_new = slope if not weighted else ratio * (slope if detached else slope + kl)
    each = -np.minimum(ratio * advantages, held * advantages) * keeps + beta * kl * (ratio if weighted else 1.0)
    slopes = -ratio * advantages * (first | (held == ratio)) * keeps + beta * by_new
    share = mask / mask.sum(1, keepdims=True) / len(mask)
    return (each * share).sum(), slopes * share


def said(loss: Any, gradient: Any, settings: LossSettings = SETTINGS, **more: Any) -> str:
    """What is said of numbers in the place of the declared loss and its gradient."""
    own = tensors()
    call = LossCall(
        own["new"],
        own["old"],
        own["mask"],
        own["advantages"],
        ref_logps=own["ref"],
        loss=np.float32(loss),
        grad_logps=gradient.astype(np.float32),
        settings=settings,
        **more,
    )
    return explained(call, recompute(call))


def test_the_formula_here_is_that_of_the_declared_loss() -> None:
    own = tensors()
    call = LossCall(own["new"], own["old"], own["mask"], own["advantages"], ref_logps=own["ref"], settings=SETTINGS)
    loss, gradient = grpo(**own)
    found = recompute(call)
    assert found.loss == pytest.approx(loss, rel=1e-12)
    assert found.gradient == pytest.approx(gradient, rel=1e-10)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"clips": False}, "no clip"),
        ({"drops": False}, "no off-policy mask"),
        ({"beta": 0.0}, "no KL term or the policy's own log-probabilities as the reference's"),
        ({"estimator": "k1"}, "the KL estimator k1 times the importance ratio"),
        ({"estimator": "k2", "weighted": False}, "the KL estimator k2"),
        ({"weighted": False}, "the KL estimator k3"),
        ({"detached": True}, "the KL estimator k3 times the importance ratio, detached"),
        ({"old": "new"}, "the new log-probabilities as the old ones"),
        ({"mask": None}, "padding and masked tokens counted"),
    ],
)
def test_one_change_of_the_loss(change: dict[str, Any], words: str) -> None:
    own = tensors()
    for name in change.keys() & own.keys():
        change = {**change, name: np.ones((4, 6)) if change[name] is None else own[change[name]]}
    assert said(*grpo(**{**own, **change})) == f"they are those of the declared loss with {words}"


@pytest.mark.parametrize(
    ("loss", "gradient", "words"),
    [
        (0.5, 0.5, "loss and gradient are 0.5 times those of the declared loss (gradient_accumulation_steps is 2)"),
        (1.1, 1.1, "loss and gradient are 1.1 times those of the declared loss"),
        (1.0, -1.0, "the gradient is -1 times that of the declared loss, and the loss is the declared one"),
        (3.0, -1.0, "the gradient is -1 times that of the declared loss, and the loss is another"),
        (3.0, 1.0, "the gradient is that of the declared loss, and the loss is {:g} more"),
    ],
)
def test_a_factor(loss: float, gradient: float, words: str) -> None:
    value, slopes = (number / 2 for number in grpo(**tensors()))  # of two micro-batches
    expected = words.format(2 * value) if value > 0 else words.format(-2 * value).replace("more", "less")
    assert said(loss * value, gradient * slopes, gradient_accumulation_steps=2)[:70] == expected[:70]


def test_a_gradient_of_another_response_is_no_factor() -> None:
    value, slopes = grpo(**tensors())
    slopes[0] *= 2
    assert said(value, slopes) == ""


VALUES = (-1.0, 0.5, 0.25, 2.0)


@pytest.mark.parametrize(
    ("logged", "words"),
    [
        (lambda value: 1.1 * value, "all 4 are 1.1 times what is expected"),
        (lambda value: -value, "all 4 are -1 times what is expected"),
        (lambda value: value + 0.05, "all 4 are what is expected + 0.05"),
        (lambda value: value - 3, "all 4 are what is expected - 3"),
        (lambda value: value * value, ""),
        (lambda value: 1.1 * value + 0.05, ""),
    ],
)
def test_a_pattern_of_departures(logged: Callable[[float], float], words: str) -> None:
    departures = [Departure(0, place, logged(value), value, 1e-7) for place, value in enumerate(VALUES)]
    assert pattern_of(departures) == words
    assert pattern_of(departures[:3]) == ""


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("a02_grpo_mu3_kl", lambda value: 1.1 * value, "1.1 times what is expected"),
        ("a02_grpo_mu3_kl", lambda value: value + 0.05, "what is expected + 0.05"),
        ("a11_grpo_delta_mu3", lambda value: 1.1 * value, "1.1 times what is expected"),
        ("a12_none_rewards", lambda value: 1.1 * value, ""),
    ],
)
def test_advantages_that_are_off_alike(
    ordinary: Path, tmp_path: Path, name: str, change: Callable[[float], float], words: str
) -> None:
    """Without settings too, the groups are those of the prompts and the rule the nearest one.

    Of groups of two, whose rewards are often equal or missing, a rule may be left over that hardly anything tests.
    """
    run = copied(ordinary / name, tmp_path)
    for path in tables_of(run):
        edit_table(path, lambda columns: columns.update(advantage=list(map(change, columns["advantage"]))))
    report = audited(run)
    finding = by_rule(report)["advantage-rule"]
    assert not words or RULE in finding.first.expected
    assert finding.first.found.endswith(words)
    (inferred,) = report.inferred.values()
    assert (inferred["group_size"], inferred["advantage_rule"]) == (4, [])
    assert not by_rule(report).keys() & {"duplicate-prompts", "zero-variance-advantage", "float-mean-residue"}


def test_weights_that_a_trainer_ignores(tmp_path: Path) -> None:
    """Advantages of the plain sums of two rewards, of which the second is declared to count twice."""
    settings = {"scale_rewards": "none", "reward_weights": [1.0, 2.0]}
    lines = []
    for step in range(4):
        one, two = [0.0, 1.0, 0.5], [float(step % 2), 0.25, 1.0]
        lines.append(
            {
                **group(step, f"p{step}", [a + b for a, b in zip(one, two, strict=True)], "none"),
                "rewards": {"one": one, "two": two},
            }
        )
    found = by_rule(
        audited(written(tmp_path / "run.jsonl", {**HEADER, "dtype": "float64", "settings": settings}, *lines))
    )
    assert found["advantage-rule-declared"].first.found.endswith("reward minus the group's mean with weights 1, 1")
    assert "advantage-rule" not in found


def test_rows_that_do_not_stand_group_by_group(ordinary: Path, tmp_path: Path) -> None:
    """Two groups of four, first in pairs, then with their last row cut off."""
    run = copied(ordinary / "a01_grpo_mu1", tmp_path)
    table = tables_of(run)[2]

    def order(*rows: int) -> Callable[[dict[str, list[Any]]], None]:
        return lambda columns: columns.update({name: [values[i] for i in rows] for name, values in columns.items()})

    edit_table(table, order(0, 1, 4, 5, 2, 3, 6, 7))
    finding = by_rule(audited(run))["rows-missing"]
    assert finding.count == 4
    assert finding.first.found == "2 in a row: all are there, in another order"
    edit_table(table, order(*range(7)))
    assert by_rule(audited(run))["rows-missing"].first.found == "2"


def test_a_table_that_goes_back_to_an_earlier_batch(ordinary: Path, tmp_path: Path) -> None:
    """Three passes over each batch of a02: the second table is the fourth's, step and all but the rows."""
    run = copied(ordinary / "a02_grpo_mu3_kl", tmp_path)
    tables = tables_of(run)
    shutil.copy(tables[3], tables[1])
    edit_table(tables[1], lambda columns: columns.update(step=[2] * len(columns["step"])))
    finding = by_rule(audited(run))["table-step"]
    assert [Path(where.file).stem for where in finding.places] == ["completions_00003", "completions_00004"]
    assert finding.first.found.startswith(f"those of {tables[0]} again")


def low_min(arrays: dict[str, Any]) -> float:
    """The least share of a response's tokens whose ratio is below 4/5 and whose advantage is negative."""
    ratio = np.exp(arrays["new_logps"].astype(float) - arrays["old_logps"])
    held = (ratio < 0.8) & (arrays["advantages"][:, None] < 0) & (arrays["mask"] == 1)
    return float((held.sum(1) / arrays["mask"].sum(1)).min())


def high_max(arrays: dict[str, Any]) -> float:
    ratio = np.exp(arrays["new_logps"].astype(float) - arrays["old_logps"])
    held = (ratio > 1.2) & (arrays["advantages"][:, None] > 0) & (arrays["mask"] == 1)
    return float((held.sum(1) / arrays["mask"].sum(1)).max())


def weight_of_vespo(arrays: dict[str, Any]) -> float:
    """The mean of w^k exp(rate (1 - w)): k and rate are 2 and 3 for A of at least 0, else 3 and 2."""
    difference = arrays["new_logps"].astype(float) - arrays["old_logps"]
    w = np.exp((difference * arrays["mask"]).sum(1))
    gains = arrays["advantages"] >= 0
    return float((w ** np.where(gains, 2, 3) * np.exp(np.where(gains, 3, 2) * (1 - w))).mean())


@pytest.mark.parametrize(
    ("run", "name", "number"),
    [
        ("a02_grpo_mu3_kl", "clip_ratio/low_min", low_min),
        ("a02_grpo_mu3_kl", "clip_ratio/high_max", high_max),
        ("a16_vespo_mu3", "vespo/phi_seq_mean", weight_of_vespo),
    ],
)
def test_shares_of_single_responses_and_weights_are_held_against_the_tensors(
    recorded: Path, tmp_path: Path, run: str, name: str, number: Callable[[dict[str, Any]], float]
) -> None:
    """TRL's own number is right in every call of the run, and one that is 1/100 more is found in each."""
    shutil.copytree(recorded / run / "calls", tmp_path / "calls")
    calls = sorted((tmp_path / "calls").glob("*.npz"))
    assert "metric-differs" not in by_rule(audited(tmp_path))
    for path in calls:
        edit_json(
            path.with_suffix(".json"),
            lambda meta: meta["trl_metrics_of_this_call"].update(
                {name: [meta["trl_metrics_of_this_call"][name][0] + 0.01]}
            ),
        )
    finding = by_rule(audited(tmp_path))["metric-differs"]
    assert finding.count == len(calls)
    wanted = {path.name: number(dict(np.load(path))) for path in calls}
    for seen in finding.examples:
        assert seen.expected.startswith(f"{name} = ")
        assert float(seen.expected.split(" = ")[1]) == pytest.approx(wanted[Path(seen.where.file).name], abs=1e-6)


def test_a_quantile_over_processes_is_said_to_be_unchecked(recorded: Path, tmp_path: Path) -> None:
    """The same call as one of two processes, whose entropies are a part of those that the quantile is one of."""
    shutil.copytree(recorded / "a22_entropy_quantile" / "calls", tmp_path / "calls")
    for path in sorted((tmp_path / "calls").iterdir())[2:]:
        path.unlink()
    assert "metric-unchecked" not in by_rule(audited(tmp_path))
    edit_json(tmp_path / "calls" / "call_000.json", lambda meta: meta.update(world_size=2))
    assert "the entropies of the other processes" in by_rule(audited(tmp_path))["metric-unchecked"].first.found


@pytest.mark.parametrize(("factor", "found"), [(2.0, True), (1.001, True), (1.0, False)])
def test_a_logged_reward_that_is_not_the_weighted_sum_of_its_means(
    recorded: Path, tmp_path: Path, factor: float, found: bool
) -> None:
    """Three functions weighed 1, 2 and 1/2, each with its right mean in the log."""
    run = copied(recorded / "a17_gdpo", tmp_path)
    shutil.rmtree(run / "calls")
    logged: list[tuple[float, float]] = []

    def edit(state: dict[str, Any]) -> None:
        for row in state["log_history"]:
            if "reward" in row:
                one, two, three = (
                    row[f"rewards/{name}/mean"] for name in ("count_letters", "verifier", "length_near_8")
                )
                row["reward"] *= factor
                logged.append((one + 2 * two + three / 2, row["reward"]))

    edit_log(run, edit)
    finding = by_rule(audited(run)).get("log-mean")
    assert (finding is not None) is found
    if finding is not None:
        assert finding.count == len(logged)
        assert float(finding.first.expected.split(",")[0]) == pytest.approx(logged[0][0], rel=1e-5)
        assert finding.first.found == f"reward = {logged[0][1]:.9g}"


@pytest.mark.parametrize(("response", "told"), [("yes", False), ("4 c 5 2 h 7", True)])
def test_short_responses_may_well_be_drawn_again(response: str, told: bool) -> None:
    """Eight rows of three letters are 2^8 batches or so; eight of six tokens are not drawn twice."""
    table = Table("completions_00002.parquet", 2, ("r",), np.eye(8)[:, :1], np.arange(8.0), ["p"] * 8, [response] * 8)
    assert drawn_once(table) is told
    assert not drawn_once(replace(table, advantages=np.zeros(8)))
