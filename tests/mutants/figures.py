"""What a sample of mutants says: the proportions with their intervals, and every mutant that lived."""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

FAST_TARGET, BOTH_TARGET = 0.85, 0.95


class Figures:
    """The results of a sample, with the equivalents that are argued."""

    def __init__(self, out: Path) -> None:
        """Read the results and the arguments."""
        head, *self.entries = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        argued = json.loads(Path(__file__).with_name("equivalents.json").read_text(encoding="utf-8"))
        self.why = {(entry["file"], entry["before"], entry["after"]): entry["why"] for entry in argued}
        self.revision, self.seed, self.seconds = head["revision"], head["seed"], head["seconds"]
        self.population, self.size = head["population"], len(self.entries)

    def reason(self, entry: dict[str, Any]) -> str | None:
        """Why a mutant is equivalent, None where nobody says so; one that something kills is not."""
        if entry["fast"] or entry["tests"]:
            return None
        return self.why.get((entry["file"], entry["before"], entry["after"]))

    @cached_property
    def known(self) -> list[dict[str, Any]]:
        """The mutants that are not equivalent."""
        return [entry for entry in self.entries if self.reason(entry) is None]

    @property
    def argued(self) -> list[tuple[dict[str, Any], str]]:
        """The equivalent ones, with their arguments."""
        return [(entry, why) for entry in self.entries if (why := self.reason(entry)) is not None]

    @property
    def fast(self) -> int:
        """How many die on verification alone."""
        return sum(bool(entry["fast"]) for entry in self.known)

    @property
    def both(self) -> int:
        """How many die on verification or on the tests."""
        return sum(bool(entry["fast"] or entry["tests"]) for entry in self.known)

    @property
    def passed(self) -> list[dict[str, Any]]:
        """Those that verification alone does not kill."""
        return [entry for entry in self.known if not entry["fast"]]

    def interval(self, killed: int) -> tuple[float, float]:
        """The Wilson 95% interval of a proportion."""
        z, size = 1.96, len(self.known)
        p = killed / size
        centre, spread = p + z * z / (2 * size), z * ((p * (1 - p) + z * z / (4 * size)) / size) ** 0.5
        return (centre - spread) / (1 + z * z / size), (centre + spread) / (1 + z * z / size)

    def place(self, entry: dict[str, Any]) -> str:
        """A mutant in words."""
        return f"core/{entry['file']}:{entry['line']}: `{entry['before']}` becomes `{entry['after']}`"

    def said(self, entry: dict[str, Any]) -> str:
        """A mutant that verification let pass, and what became of it."""
        killer = entry["tests"].get("test") or "they do not end" if entry["tests"] else None
        return f"{self.place(entry)}: " + (f"dies with the tests ({killer})" if killer else "SURVIVES")


def report(figures: Figures) -> int:
    """Print the proportions and the survivors; the exit status says whether the targets are met."""
    print(f"core at {figures.revision[:12]}: {figures.size} of {figures.population} mutants, seed {figures.seed}")
    print(f"{len(figures.argued)} argued equivalent")
    known = len(figures.known)
    for name, killed in (("verification alone", figures.fast), ("with the tests", figures.both)):
        low, high = figures.interval(killed)
        print(f"{name}: {killed} of {known} die, {killed / known:.1%} (95%: {low:.1%} to {high:.1%})")
    for entry in figures.passed:
        print(figures.said(entry))
    return 0 if figures.fast >= FAST_TARGET * known and figures.both >= BOTH_TARGET * known else 1
