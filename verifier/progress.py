"""Progress bars, on stderr and only where a person looks at it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0
"""Seconds before a bar is drawn: short work stays quiet."""


@contextmanager
def progress_bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function that moves a bar on; the bar appears after PATIENCE seconds, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda amount: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
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
