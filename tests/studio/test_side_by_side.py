"""Two variants on the same groups: at theta = 3/5 of problems.py both ratios are on their bounds, at 13/20 beyond."""

import pytest
from grpocheck.core import InvalidProblem
from grpocheck.verifier.studio import side_by_side
from grpocheck.verifier.studio.stage import staged

from tests.studio.problems import bernoulli, triangle


def test_at_theta_old_the_terms_are_the_advantages_and_both_step_to_three_fifths() -> None:
    found = side_by_side.compared(staged(bernoulli()), ["section-1", "tic-surrogate"], "")
    for side in found["sides"]:
        assert [row["advantage"]["exact"] for row in side["rows"]] == ["1", "-1"]
        assert [row["term"]["exact"] for row in side["rows"]] == ["1", "-1"]
        assert [row["slope"]["exact"] for row in side["rows"]] == ["1/2", "-1/2"]  # rho A / G
        assert [entry["exact"] for entry in side["gradient"]] == ["2"]
        assert ([entry["exact"] for entry in side["next"]], side["inside"]) == (["3/5"], True)
    assert [(entry["label"], entry["at"]) for entry in found["visited"]] == [
        ("θ old", "1/2"),
        ("θ after 1 step", "3/5"),
    ]


def test_on_its_bound_the_two_sided_clip_has_no_gradient() -> None:
    two_sided, _ = side_by_side.compared(staged(bernoulli()), ["section-1", "tic-surrogate"], "3/5")["sides"]
    assert two_sided["gradient"] is None
    assert two_sided["next"] is None


def test_beyond_the_bounds_they_part() -> None:
    """At 13/20 rho = 13/10 and 7/10. Two-sided: both cut, gradient 0. An upper cap alone leaves the bad one alive.

    Its gradient is 1/G * A * grad pi / pi_old = 1/2 * (-1) * (-1) / (1/2) = 1.
    """
    sides = side_by_side.compared(staged(bernoulli()), ["section-1", "tic-surrogate"], "13/20")["sides"]
    assert [entry["exact"] for entry in sides[0]["gradient"]] == ["0"]
    assert [entry["exact"] for entry in sides[1]["gradient"]] == ["1"]
    assert [row["term"]["exact"] for row in sides[0]["rows"]] == ["6/5", "-4/5"]
    assert [row["term"]["exact"] for row in sides[1]["rows"]] == ["6/5", "-7/10"]
    assert [entry["exact"] for entry in sides[1]["next"]] == ["7/10"]  # 13/20 + 1/20


def test_bias_and_variance_are_over_every_group_that_could_be_drawn() -> None:
    """Groups good-good and bad-bad (1/4 each) give 0, mixed ones (1/2) give 2: mean 1, variance 1; E[R] = theta."""
    found = side_by_side.compared(staged(bernoulli()), ["section-1", "reinforce-mean"], "")["sides"]
    assert [entry["exact"] for entry in found[0]["moments"]["expected"]] == ["1"]
    assert [entry["exact"] for entry in found[0]["moments"]["truth"]] == ["1"]
    assert found[0]["moments"]["variance"]["exact"] == "1"
    assert found[0]["moments"]["verdict"] == "unbiased"
    assert {side["moments"]["cases"] for side in found} == {3}


def test_too_many_groups_are_counted_and_not_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "MOST_CASES", 2)
    side, _ = side_by_side.compared(staged(bernoulli()), ["section-1", "dr-grpo"], "")["sides"]
    assert (side["moments"]["cases"], side["moments"]["sentence"]) == (3, None)


def test_a_variant_that_cannot_be_had_here_says_why() -> None:
    alike = bernoulli(draws={"recorded": [[["good", "good"]]]})
    left, right = side_by_side.compared(staged(alike), ["dapo-dynamic", "section-1"], "")["sides"]
    assert "mixed rewards" in left["error"]
    assert right["error"] is None


def test_vectors_are_compared_too() -> None:
    left, right = side_by_side.compared(staged(triangle()), ["section-1", "dr-grpo"], "")["sides"]
    assert len(left["gradient"]) == len(right["gradient"]) == 2


@pytest.mark.parametrize(
    ("names", "at", "key"),
    [
        (["section-1", "secton-1"], "", "variant"),
        (["section-1", 5], "", "variant"),
        (["section-1", "dr-grpo"], "half", "at"),
        (["section-1", "dr-grpo"], 5, "at"),
    ],
)
def test_what_is_no_name_or_no_number_is_refused(names: list[object], at: object, key: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        side_by_side.compared(staged(bernoulli()), names, at)
    assert caught.value.key == key


@pytest.mark.parametrize("at", ["2", "1/2, 1/2"])
def test_a_parameter_outside_u_says_so_on_both_sides(at: str) -> None:
    sides = side_by_side.compared(staged(bernoulli()), ["section-1", "dr-grpo"], at)["sides"]
    assert all(side["error"].startswith("at: ") for side in sides)


def test_every_variant_can_be_chosen() -> None:
    names = [entry["name"] for entry in side_by_side.variants()]
    assert {"section-1", "tic-score", "gspo"} <= set(names)
    stage = staged(bernoulli())
    for name in names:
        side = side_by_side.compared(stage, [name, "section-1"], "")["sides"][0]
        assert side["error"] is None, (name, side["error"])
