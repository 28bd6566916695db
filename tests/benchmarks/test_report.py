"""The page of the benchmarks: what it says of a target is computed from what was measured."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import report
from benchmarks.measuring import Comparison, Growth, Spending
from benchmarks.plots import svg


def entry(found: Comparison | Growth | Spending) -> dict[str, object]:
    """What the fixture of the benchmarks keeps, after its way through JSON."""
    kept = {**asdict(found), "kind": type(found).__name__.lower()}
    if isinstance(found, Comparison):
        kept |= {"median": found.median, "low": found.spread[0], "high": found.spread[1]}
    if not isinstance(found, Spending):
        kept["met"] = found.met
    return json.loads(json.dumps(kept))


FAST = Comparison("work", "ours", "torch", [1.0, 2.0, 1.2], 1.5)
SLOW = Comparison("other work", "ours", "torch", [2.0, 2.0, 1.2], 1.5, limit="it has to add up twice")
FREE = Comparison("verify", "cold", "warm", [9.0, 4.0, 6.0, 5.0, 8.0], None)
SQUARE = Growth("squares", "n", [(2.0, 0.012), (4.0, 0.048), (8.0, 0.192)], "at most linear", most=1.2)


def test_medians_spreads_and_targets() -> None:
    assert (FAST.median, FAST.spread, FAST.met) == (1.2, (1.0, 2.0), True)
    assert (SLOW.median, SLOW.met) == (2.0, False)
    assert Comparison("", "", "", [1.8, 1.6, 1.7], 1.7, at_most=False).met is True
    # quartiles of 4 5 6 8 9 by (n + 1) p: 4.5 and 8.5
    assert (FREE.median, FREE.spread, FREE.met) == (6.0, (4.5, 8.5), None)


def test_exponents_are_fitted() -> None:
    assert SQUARE.exponent == pytest.approx(2)
    assert SQUARE.met is False
    assert Growth("", "n", [(1.0, 3.0), (10.0, 3.0), (100.0, 3.0)], most=0.1).met is True
    # least squares through (0, 0), (1, 1), (2, 1) on logarithms to the base 2: slope 1/2
    assert Growth("", "n", [(1.0, 1.0), (2.0, 2.0), (4.0, 2.0)]).exponent == pytest.approx(0.5)


def test_the_page_says_what_is_met_and_explains_what_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spent = Spending("a run", [("contracts", 0.75), ("the rest", 0.25)])
    found = {"benchmarks": [{"extra_info": entry(one)} for one in (FAST, SLOW, FREE, SQUARE, spent)]}
    source, target = tmp_path / "found.json", tmp_path / "page.md"
    source.write_text(json.dumps(found), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["report", str(source), str(target)])
    assert report.main() == 1
    assert "5 measurements; targets missed: ['other work', 'squares n']" in capsys.readouterr().out
    page = target.read_text(encoding="utf-8")
    assert "| work | ours / torch | 1.2 | 1 to 2 in 3 | at most 1.5 | yes |" in page
    assert "| other work | ours / torch | 2 | 1.2 to 2 in 3 | at most 1.5 | **no** |" in page
    assert "- other work, ours beside torch: it has to add up twice" in page
    assert "| verify | cold / warm | 6 | 4.5 to 8.5 in 5 |  |  |" in page
    wanted = "at most linear (exponent at most 1.2)"
    assert f"| squares | n | 2.00 | {wanted} | **no** | 2: 12 ms, 4: 48 ms, 8: 192 ms |" in page
    assert "- 75% contracts" in page
    assert "![growths, log-log](page.svg)" in page
    assert str(tmp_path) not in page


def test_the_plot_of_a_growth_is_a_picture() -> None:
    root = ElementTree.fromstring(svg([entry(SQUARE)] * 4))
    circles = root.findall(".//{*}circle")
    assert len(circles) == 12
    # equal steps on both axes, as sizes and times go by constant factors, and the last point in the upper right corner
    (x1, y1), (x2, y2), (x3, y3) = [(float(c.get("cx")), float(c.get("cy"))) for c in circles[:3]]
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2)
    assert x1 < x3
    assert y3 < y1
    assert int(root.get("height")) == 2 * 190
