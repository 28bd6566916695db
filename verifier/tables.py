"""Tables and text for people: rich where there is a terminal, plain text elsewhere."""

from collections.abc import Iterable
from io import StringIO

from grpocheck.verifier.printing import Drawn, without_commands
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.table import Table

WIDTH = 118
"""The width of tables that are not printed to a terminal."""


def drawn(parts: Iterable[RenderableType]) -> Drawn:
    """The parts as text, with colours where stdout is a terminal, and no other commands to it."""
    text = StringIO()  # and not the console's own capture, which touches stdout
    terminal = Console().is_terminal
    console = Console(file=text, highlight=False, markup=False, emoji=False, width=width(), force_terminal=terminal)
    for part in parts:
        shown_as = console.render_str(part) if isinstance(part, str) else part
        segments = [Segment(without_commands(s.text), s.style) for s in console.render(shown_as)]
        console.print(Segments(segments), end="")
    return Drawn("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


def width() -> int:
    """The columns that there are to draw in: the terminal's, or as many as are usual elsewhere."""
    shown = Console()
    return shown.width if shown.is_terminal else WIDTH


def table(*columns: str, right: Iterable[str] = ()) -> Table:
    """An empty table; the columns named in ``right`` hold numbers."""
    drawn_table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        drawn_table.add_column(column, justify="right" if column in set(right) else "left", overflow="fold")
    return drawn_table


def abbreviated(text: str, most: int = 100) -> str:
    """A long number cut in the middle, saying how long it is."""
    if len(text) <= most:
        return text
    half = (most - 30) // 2
    return f"{text[:half]}...{text[-half:]} ({len(text)} characters)"
