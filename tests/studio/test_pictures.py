"""Pictures: their curves are core's objective, and what they mark is where it is."""

import re
import xml.etree.ElementTree as ElementTree
from math import log

import pytest
from grpocheck.core import Problem
from grpocheck.verifier.studio import pictures, svg
from grpocheck.verifier.studio.contours import level_lines
from grpocheck.verifier.studio.landscape import Landscape
from grpocheck.verifier.studio.stage import staged
from grpocheck.verifier.studio.terms_plot import term_plot

from tests.studio.problems import bernoulli, triangle


def land_of(problem: Problem) -> Landscape:
    return Landscape(staged(problem), 1)


def objective_by_hand(theta: float, beta: float) -> float:
    """F of problems.bernoulli: both old masses 1/2, A = 1 and -1, epsilon 1/5, the reference fair."""
    good, bad = 2 * theta, 2 * (1 - theta)
    divergence = theta * log(2 * theta) + (1 - theta) * log(2 * (1 - theta))
    return (min(good, 1.2) - max(bad, 0.8)) / 2 - beta * divergence


@pytest.mark.parametrize(
    "changes", [{"beta": "1e400"}, {"theta": ["1e-400"]}, {"step_size": "1e400"}, {"theta": ["1e-3000"]}]
)
def test_numbers_that_no_float_holds_have_no_picture(changes: dict[str, object]) -> None:
    found = pictures.of_iteration(staged(bernoulli(**changes)), 1)
    assert found["picture"] is None
    assert "beyond what can be drawn" in found["says"]


@pytest.mark.parametrize("radius", ["1e-10", "1e-30"])
@pytest.mark.parametrize("shape", [{"theta": ["1/3"]}, {"family": "softmax", "theta": ["1/3", "1/3"]}], ids=["1", "2"])
def test_a_domain_too_narrow_for_floats_has_no_picture(radius: str, shape: dict[str, object]) -> None:
    domain = {"kind": "open-ball", "centre": shape["theta"], "radius": radius}
    found = pictures.of_iteration(staged(bernoulli(**shape, domain=domain)), 1)
    assert found == {"picture": None, "says": "No picture: so narrow a U is beyond what can be drawn."}


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.55, 0.6, 0.9])
@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_the_landscape_is_the_objective(theta: float, beta: float) -> None:
    land = land_of(bernoulli(beta=str(beta)))
    assert land.value([theta]) == pytest.approx(objective_by_hand(theta, beta), abs=1e-12)


def test_the_edge_of_u_is_found() -> None:
    land = land_of(bernoulli())
    assert land.edge([0.5], [1.0]) == pytest.approx(0.5, abs=1e-9)
    assert land.edge([0.5], [-0.25]) == pytest.approx(2.0, abs=1e-9)
    logits = bernoulli(family="softmax", theta=[0, 0])
    assert land_of(logits).edge([0.0, 0.0], [1.0, 0.0]) is None


def test_the_kinks_are_where_the_ratios_reach_their_bounds() -> None:
    """Both at theta = 3/5: 2 theta = 6/5 and 2 (1 - theta) = 4/5."""
    land = land_of(bernoulli())
    found = pictures.kinks_along(land, lambda s: [s], [0.05 * i + 0.01 for i in range(20)])
    assert [(curve.response, curve.sign) for curve, _ in found] == [("good", 1), ("bad", -1)]
    assert [place for _, place in found] == pytest.approx([0.6, 0.6], abs=1e-7)


def test_beyond_its_bound_is_where_the_clip_cuts() -> None:
    """At 7/10 the ratios are 7/5 > 6/5 and 3/5 < 4/5: both cut, by 1/5; at 1/2 both are alive, by 1/5 as well."""
    land = land_of(bernoulli())
    assert [land.beyond(curve, [0.7]) for curve in land.curves] == pytest.approx([0.2, 0.2])
    assert [land.beyond(curve, [0.5]) for curve in land.curves] == pytest.approx([-0.2, -0.2])


def test_the_way_is_that_of_the_run() -> None:
    land = land_of(bernoulli())
    assert [entry for theta in land.way for entry in theta] == pytest.approx([0.5, 0.6])
    assert land.refused is None
    assert land_of(bernoulli(step_size=1)).refused == pytest.approx([2.5])


def numbers(kind: str, picture: str, attribute: str) -> list[float]:
    """An attribute of every part of a class."""
    found = re.findall(rf'<[a-z]+ class="{kind}"[^>]*? {attribute}="([-0-9.]+)"', picture)
    return [float(number) for number in found]


@pytest.mark.parametrize(
    "problem",
    [
        bernoulli(),
        bernoulli(step_size=1),
        bernoulli(beta="1/2"),
        triangle(),
        bernoulli(family="softmax", theta=[0, 0]),
        bernoulli(
            family="simplex",
            theta=["1/4", "1/4", "1/4"],
            prompts=[{"name": "q", "responses": list("abcd"), "rewards": [1, 0, 0, 0], "reference": ["1/4"] * 4}],
            draws={"recorded": [[["a", "b"]]]},
            step_size="1/50",
        ),
    ],
    ids=["interval", "refused", "penalty", "triangle", "plane", "way"],
)
def test_every_picture_is_well_formed_and_shows_each_step(problem: Problem) -> None:
    stage = staged(problem)
    found = pictures.of_iteration(stage, 1)
    root = ElementTree.fromstring(found["picture"])
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"]
    assert "nan" not in found["picture"]
    assert found["picture"].count("data-step=") == len(Landscape(stage, 1).way)
    sizes = [float(size) for size in re.findall(r'font-size="([0-9.]+)"', found["picture"])]
    assert sizes == []  # the page's own, which its style sheet keeps readable


def test_a_step_stands_at_its_parameter() -> None:
    picture = pictures.of_iteration(staged(bernoulli()), 1)["picture"]
    places = numbers("step", picture, "cx")
    kink = numbers("kink-line", picture, "x1")
    assert len(places) == 2
    assert kink == pytest.approx([places[1]] * 2, abs=0.2)  # the second step is the kink
    outside = numbers("outside", picture, "x")
    assert len(outside) == 2


def test_names_cannot_become_markup() -> None:
    name = "<script>"
    prompts = [{"name": "q", "responses": [name, "b"], "rewards": [1, 0], "reference": ["1/2", "1/2"]}]
    stage = staged(bernoulli(prompts=prompts, draws={"recorded": [[[name, "b"]]]}))
    assert "<script" not in pictures.of_iteration(stage, 1)["picture"]


def test_contours_of_a_plane_are_straight() -> None:
    xs = ys = [0.0, 1.0, 2.0]
    lines = level_lines([[x + y for x in xs] for y in ys], xs, ys, 1.5)
    assert lines
    assert all(x + y == pytest.approx(1.5) for piece in lines for x, y in piece)


def test_a_cell_with_a_corner_outside_has_no_contour() -> None:
    assert level_lines([[0.0, None], [1.0, 1.0]], [0.0, 1.0], [0.0, 1.0], 0.5) == []


def test_the_terms_stand_on_their_curve() -> None:
    rows = [
        {"ratio": {"drawn": 1.3, "decimal": "1.3"}, "term": {}, "sign": 1, "gradient": "cut", "response": "a"},
        {"ratio": {"drawn": 1.2, "decimal": "1.2"}, "term": {}, "sign": 1, "gradient": "kink", "response": "b"},
        {"ratio": {"drawn": 0.9, "decimal": "0.9"}, "term": {}, "sign": -1, "gradient": "alive", "response": "c"},
    ]
    picture = term_plot(rows, 0.2)
    cut, kink = numbers("response cut", picture, "cy"), numbers("response kink", picture, "cy")
    assert cut == kink  # min(rho, 1 + eps) is 1.2 at both
    assert len(numbers("response alive", picture, "cy")) == 1


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1e-9, 3e-9), (-250, 1000), (0.1, 0.1000001)])
def test_ticks_are_round_and_inside(low: float, high: float) -> None:
    found = svg.ticks(low, high)
    assert 2 <= len(found) <= 8
    assert all(low - 1e-9 * abs(high) <= value <= high + 1e-9 * abs(high) for value in found)
