"""Open domains: inside, outside and, above all, the boundary."""

from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.domains import HalfSpaces, Intersection, OpenBall, OpenBox, WholeSpace, domain_from_mapping
from grpocheck.core.invalid import InvalidProblem
from hypothesis import given
from hypothesis import strategies as st

from .strategies import domains, rationals

EXACT = ExactArithmetic()


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (OpenBox((0, None), (1, 2)), [("1/2", -99), ("1/1000", "1999/1000")], [(0, 0), (1, 0), ("1/2", 2), (-1, 3)]),
        (OpenBall((1, 1), 5), [(1, 1), (3, "4.9")], [(4, 5), (-4, 1), (6, 1), (5, 5)]),
        (OpenBall((0,), "1/3"), [("333/1000",)], [("1/3",), ("-1/3",)]),
        (HalfSpaces(((1, 1), (-1, 0)), (1, 0)), [("1/2", "1/3")], [("1/2", "1/2"), (0, 0), (2, 2)]),
        (WholeSpace(2), [(10**9, "-1/7")], []),
        (Intersection((OpenBox((0,), (None,)), OpenBall((0,), 1))), [("1/2",)], [(0,), (1,), (2,), ("-1/2",)]),
    ],
)
def test_inside_and_outside_by_hand(domain, inside, outside):
    assert all(domain.contains(tuple(map(F, point)), EXACT) for point in inside)
    assert not any(domain.contains(tuple(map(F, point)), EXACT) for point in outside)


def test_intersections_are_flat():
    box, ball, space = OpenBox((0,), (2,)), OpenBall((0,), 1), WholeSpace(1)
    assert Intersection((box, Intersection((ball, space)))) == Intersection((box, ball, space))


def test_a_boundary_of_square_roots_is_decided():
    """The diagonal of the unit square is exactly on the ball of radius sqrt 2, which is theta^2 < 2."""
    root = EXACT.sqrt(F(2))
    disc = OpenBall((0, 0), "3/2")
    assert disc.contains((root, F(0)), EXACT)
    assert not disc.contains((root, root), EXACT)
    assert not OpenBall((0, 0), 2).contains((root, root), EXACT)
    assert not HalfSpaces(((1, 1),), (0,)).contains((root, -root), EXACT)
    assert HalfSpaces(((1, 1),), ("1/100000000",)).contains((root, -root), EXACT)


@given(st.data(), st.lists(rationals, min_size=1, max_size=3))
def test_a_described_domain_is_read_back(data, theta):
    domain = data.draw(domains(tuple(theta)))
    assert domain_from_mapping(domain.describe()) == domain
    assert domain.contains(theta, EXACT)


def test_an_infinite_bound_is_written_and_read():
    read = domain_from_mapping({"kind": "open-box", "lower": ["-inf", "1/3"], "upper": [0, "inf"]})
    assert read == OpenBox((None, F(1, 3)), (F(0), None))
    assert read.describe() == {"kind": "open-box", "lower": ["-inf", "1/3"], "upper": ["0", "inf"]}


@pytest.mark.parametrize(
    ("mapping", "key"),
    [
        ({"kind": "box"}, "domain.kind"),
        ({"lower": [0], "upper": [1]}, "domain.kind"),
        ({"kind": "open-box", "lower": [0]}, "domain.upper"),
        ({"kind": "open-box", "lower": [0], "upper": [1], "radius": 1}, "domain.radius"),
        ({"kind": "open-box", "lower": [0], "upper": [1], "uper": 1}, "domain.uper"),
        ({"kind": "open-box", "lower": [], "upper": []}, "domain.lower"),
        ({"kind": "open-box", "lower": [0], "upper": [1, 2]}, "domain.upper"),
        ({"kind": "open-box", "lower": [0, 1], "upper": [1, 1]}, "domain.upper[1]"),
        ({"kind": "open-box", "lower": ["inf"], "upper": [1]}, "domain.lower[0]"),
        ({"kind": "open-box", "lower": [0], "upper": ["-inf"]}, "domain.upper[0]"),
        ({"kind": "open-ball", "centre": [0], "radius": 0}, "domain.radius"),
        ({"kind": "open-ball", "centre": [0], "radius": 0.5}, "domain.radius"),
        ({"kind": "open-ball", "centre": [], "radius": 1}, "domain.centre"),
        ({"kind": "open-ball", "centre": 0, "radius": 1}, "domain.centre"),
        ({"kind": "half-spaces", "normals": [[1]], "offsets": []}, "domain.offsets"),
        ({"kind": "half-spaces", "normals": [[0, 0]], "offsets": [1]}, "domain.normals[0]"),
        ({"kind": "half-spaces", "normals": [[1, 0], [1]], "offsets": [1, 1]}, "domain.normals[1]"),
        ({"kind": "half-spaces", "normals": [], "offsets": []}, "domain.normals"),
        ({"kind": "whole-space", "dimension": 0}, "domain.dimension"),
        ({"kind": "intersection", "parts": []}, "domain.parts"),
        (
            {"kind": "intersection", "parts": [{"kind": "open-ball", "centre": [0], "radius": -1}]},
            "domain.parts[0].radius",
        ),
        (
            {"kind": "intersection", "parts": [{"kind": "whole-space", "dimension": d} for d in (1, 2)]},
            "domain.parts[1]",
        ),
        (
            {"kind": "intersection", "parts": [{"kind": "intersection", "parts": []}]},
            "domain.parts[0].kind",
        ),
        ([], "domain"),
        ({1: 2}, "domain"),
    ],
)
def test_what_is_no_open_domain_is_refused(mapping, key):
    with pytest.raises(InvalidProblem) as error:
        domain_from_mapping(mapping)
    assert error.value.key == key
