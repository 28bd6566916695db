"""The page of the documentation: its blocks in Markdown, and that it is what the command writes today."""

from fractions import Fraction as F
from pathlib import Path

import pytest
from grpocheck.verifier.lessons.lesson import Page, line
from grpocheck.verifier.pages import tic as document
from grpocheck.verifier.pages.tic import main, markdown

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_blocks_in_markdown():
    page = Page()
    page.heading("A part")
    page.say("Where A < 0 and more.")
    page.fact("third", "a third", F(1, 3), places=3)
    page.table(("what ", "|S|"), [("a", F(1, 2))], right=("|S|",))
    page.plot("ratio", "A plot", "H", "ratio", line("one", [(1, F(1))]))
    page.command("grpocheck claims")
    page.exercise("1 + 1?", F(2), "2.")
    written = "\n".join(text for block in page.blocks for text in markdown(block))
    assert written == (
        "## A part\n\nWhere A &lt; 0 and more.\n\n- a third: **1/3, about 0.333**\n"
        "| what | \\|S\\| |\n|---|---:|\n| a | 0.5 |\n\n![A plot](tic-ratio.svg)\n\n    grpocheck claims\n"
    )


def test_a_page_is_asked_for(capsys):
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_the_page_and_its_plot_are_written(monkeypatch, tmp_path):
    monkeypatch.setattr(document, "document", lambda: ("# page", {"tic-ratio.svg": "<svg/>"}))
    assert main([str(tmp_path / "tic.md")]) == 0
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "tic.md": "# page",
        "tic-ratio.svg": "<svg/>",
    }


@pytest.mark.slow
def test_the_documentation_is_what_the_command_writes():
    text, plots = document.document()
    assert (DOCS / "tic.md").read_text(encoding="utf-8") == text
    for name, plot in plots.items():
        assert (DOCS / name).read_text(encoding="utf-8") == plot
