"""Progress bars, on stderr and only where a person looks at it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds before a bar is drawn: short work stays quiet."""


def bars() -> "Progress":
    """Bars on stderr, none yet, which go away at the end: what is done, how much of how much, since when."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def progress_bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function that moves a bar on; the bar appears after PATIENCE seconds, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda amount: None
        return
    bar = bars()
    task = bar.add_task(label, total=total)
    began = time.monotonic()
    started = False

    def advance(amount: int) -> None:
        nonlocal started
        if not started and time.monotonic() - began > PATIENCE:
            started = True
            bar.start()
        bar.advance(task, amount)

    try:
        yield advance
    finally:
        if started:
            bar.stop()
