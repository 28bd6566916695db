"""The lesson tic: its numbers, its words, its plot and its time."""

from fractions import Fraction as F

import pytest
from grpocheck.verifier.lessons import lesson_named
from grpocheck.verifier.lessons.blocks import Paragraph, Plot, Table
from grpocheck.verifier.lessons.lesson import told


@pytest.fixture(scope="module")
def page():
    return told(lesson_named("tic"))


@pytest.fixture(scope="module")
def facts(page):
    return {fact.name: fact.value for fact in page.facts}


def tables(page, column):
    return [block for block in page.blocks if isinstance(block, Table) and column in block.columns]


def test_the_facts_by_hand(facts):
    assert facts["change-of-measure"] == 64 * F(1, 4)
    assert 0 < facts["capped"] <= F(96, 5)
    assert facts["token-variance"] == F(1, 16) + F(1, 24 * 64)
    assert facts["base"] == F(73, 9)
    assert (facts["two-sided-term"], facts["capped-term"]) == (-9, F(-6, 5))
    assert facts["group-level"] == F(127, 128) * F(1, 24 * 16)
    assert [facts[name] for name in ("within-bounds", "identities", "least-ratio", "lengths-agree")] == [True] * 4


def test_the_ratios_at_64_are_found(facts):
    assert F(161, 10) < facts["ratio-surrogate"] < F(162, 10)
    assert F(97, 10) < facts["ratio-score"] < F(985, 100)


def test_the_tables_have_every_row(page):
    for table in tables(page, "ratio of worst cases"):
        assert [row[0] for row in table.rows] == ["1", "2", "4", "8", "16", "32", "64"]
    assert len(tables(page, "ratio of worst cases")) == 2
    (growing,) = tables(page, "slope")
    slopes = {row[0]: (F(row[1]), F(row[3]), F(row[4])) for row in growing.rows}
    assert F(5, 24) < slopes["surrogate"][0] < F(26, 100)
    for affine, every, late in slopes.values():
        assert affine > F(1, 10)
        assert every < late < 1
    (words,) = tables(page, "both hold")
    assert {row[-1] for row in words.rows} == {"yes"}


def test_what_is_only_found_is_said_to_be(page):
    prose = " ".join(block.text for block in page.blocks if isinstance(block, Paragraph))
    for said in ("the largest found", "upper cap", "two-sided clip", "surrogate form", "score form"):
        assert said in prose


def test_the_plot_goes_through_all_64_horizons(page):
    (plot,) = [block for block in page.blocks if isinstance(block, Plot)]
    assert [len(line.points) for line in plot.series] == [64, 64, 64]
    assert plot.series[0].points[-1][1] > plot.series[2].points[-1][1]


def test_the_exercises_are_checked(page):
    variance, power = page.exercises
    assert variance.is_right("1/12")
    assert not variance.is_right("1/16")
    assert power.is_right("0.5")
