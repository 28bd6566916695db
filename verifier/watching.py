"""Progress of a verification on a terminal: one bar for the whole, one for each piece of evidence that runs."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from grpocheck.proofs.evidence import Evidence, Finding
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class Bars:
    """A watcher that draws bars on stderr and removes them at the end."""

    def __init__(self) -> None:
        """Bars that are not drawn yet."""
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.whole: TaskID | None = None
        self.running: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        """Start drawing."""
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        """Remove the bars."""
        self.progress.stop()

    def planned(self, entries: Sequence[Evidence]) -> None:
        """Draw the bar of the whole."""
        self.whole = self.progress.add_task("pieces of evidence", total=len(entries))

    def progressed(self, entry: Evidence, done: int, total: int) -> None:
        """Move the bar of one piece, drawing it the first time."""
        if entry.name not in self.running:
            self.running[entry.name] = self.progress.add_task(entry.name.removeprefix("grpocheck."), total=total)
        self.progress.update(self.running[entry.name], completed=done, total=total)

    def finished(self, entry: Evidence, findings: Mapping[str, Finding], cached: bool) -> None:
        """Move the bar of the whole and remove that of the piece."""
        if self.whole is not None:
            self.progress.advance(self.whole)
        if entry.name in self.running:
            self.progress.remove_task(self.running.pop(entry.name))
