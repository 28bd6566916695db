"""Progress of a verification on a terminal: one bar for the whole, one for each piece of evidence that runs."""

from types import TracebackType
from typing import Self

from grpocheck.verifier.evidence.gathering import Rows
from grpocheck.verifier.progress import bars
from rich.progress import TaskID


class Bars:
    """A watcher that draws bars on stderr and removes them at the end."""

    def __init__(self) -> None:
        """Bars that are not drawn yet."""
        self.progress = bars()
        self.total = 0
        self.whole = self.progress.add_task("pieces of evidence", total=None)
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

    def planned(self, pieces: int) -> None:
        """Draw the bar of the whole, or make it longer."""
        self.total += pieces
        self.progress.update(self.whole, total=self.total)

    def progressed(self, name: str, done: int, total: int) -> None:
        """Move the bar of one piece, drawing it the first time."""
        if name not in self.running:
            self.running[name] = self.progress.add_task(name.removeprefix("grpocheck."), total=total)
        self.progress.update(self.running[name], completed=done, total=total)

    def finished(self, rows: Rows) -> None:
        """Move the bar of the whole and remove that of the piece."""
        self.progress.advance(self.whole)
        for name in {row.name for row in rows.values()} & set(self.running):
            self.progress.remove_task(self.running.pop(name))
