"""Which contracts were checked on the way to each event of a run."""

from collections import Counter
from typing import Any

from grpocheck.contracts.clauses import ENABLED
from grpocheck.contracts.observation import Clause, Observation, observed_clauses
from grpocheck.core import Event, Problem
from grpocheck.verifier.studio.stage import Recorder, staged


class CountingRecorder(Recorder):
    """A recorder that notes at each event which clauses were evaluated since the one before."""

    def __init__(self, seen: Observation) -> None:
        """Count from what was seen so far."""
        super().__init__()
        self.seen = seen
        self.before: tuple[Counter[Clause], Counter[Clause]] = (Counter(seen.decided), Counter(seen.open))
        self.noted: list[tuple[Counter[Clause], Counter[Clause]]] = []

    def __call__(self, event: Event) -> None:
        """Note the clauses, then keep the event."""
        self.note()
        super().__call__(event)

    def note(self) -> None:
        """Note what was evaluated since the last time."""
        decided, left_open = self.before
        self.noted.append((self.seen.decided - decided, self.seen.open - left_open))
        self.before = (Counter(self.seen.decided), Counter(self.seen.open))


def contracts_checked(problem: Problem) -> dict[str, Any]:
    """The clauses that a run evaluates, and for each event which of them, how often decided and how often left open.

    A clause is counted at the first event that is told after its evaluation; what is evaluated after the last event
    (the postconditions of the whole run) is counted there.
    """
    with observed_clauses("grpocheck.core") as seen:
        recorder = CountingRecorder(seen)
        stage = staged(problem, recorder=recorder)
        recorder.note()
    last = recorder.noted.pop()
    recorder.noted[-1] = (recorder.noted[-1][0] + last[0], recorder.noted[-1][1] + last[1])
    numbers: dict[Clause, int] = {}
    events = [
        [
            [numbers.setdefault(clause, len(numbers)), decided[clause], left_open[clause]]
            for clause in sorted(decided.keys() | left_open.keys(), key=lambda c: (not c.claims, c.description))
        ]
        for decided, left_open in recorder.noted
    ]
    return {
        "on": ENABLED,
        "clauses": [
            {"of": clause.subject.removeprefix("grpocheck.core."), "says": clause.description, "claims": clause.claims}
            for clause in numbers
        ],
        "events": events,
        "ended": stage.ended,
    }
