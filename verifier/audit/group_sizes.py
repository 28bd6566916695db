"""Groups that a log names, or that the texts of its prompts tell, by their number of rows: those that lack some."""

from collections import Counter

from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.model import Table
from grpocheck.verifier.audit.rules import seen

COMMON = 0.75
"""The share of groups of one size from which on it is taken for the size that all should have."""
MOST_PLACES = 1000


class GroupSizes:
    """How many groups have which size, and where those stand that are few."""

    def __init__(self, declared: int | None) -> None:
        """None yet; ``declared`` is the size that settings say."""
        self.declared = declared
        self.groups: Counter[int] = Counter()
        self.by_text = True
        self.places: dict[int, list[tuple[Where, str]]] = {}

    def take(self, table: Table) -> None:
        """Count the groups of a batch of training."""
        if table.groups is None or not table.trains:
            return
        self.by_text &= table.by_text
        first: dict[int, int] = {}
        rows: Counter[int] = Counter()
        for row, group in enumerate(table.groups):
            first.setdefault(group, row)
            rows[group] += 1
        for group, size in rows.items():
            self.groups[size] += 1
            known = self.places.setdefault(size, [])
            if len(known) < MOST_PLACES:
                prompt = "" if table.prompts is None else table.prompts[first[group]]
                known.append((table.group_at(first[group]), prompt))

    @property
    def expected(self) -> int | None:
        """The size that every group should have; None where nothing says that there is one.

        Lines of grpocheck-groups may be of any size where no setting says one.
        """
        if self.declared is not None or not self.groups or not self.by_text:
            return self.declared
        size, count = self.groups.most_common(1)[0]
        return size if count >= COMMON * self.groups.total() else None

    def finish(self, findings: Findings) -> None:
        """Say which groups have fewer rows, and which are several of one prompt's."""
        expected = self.expected
        if expected is None or expected < 2:
            return
        for size, places in sorted(self.places.items()):
            if size == expected:
                continue
            whole = size % expected == 0 and self.by_text
            for place, (where, prompt) in enumerate(places):
                rest = self.groups[size] - len(places) if place == 0 else 0
                shown = f" of prompt {prompt[:60]!r}" if prompt else ""
                findings.add(
                    seen(
                        "duplicate-prompts" if whole else "rows-missing",
                        where,
                        f"{counted(expected, 'row')} of a group",
                        f"{size}{shown}"
                        + (f": {size // expected} groups of one text" if whole else "")
                        + (": more than one group's" if size > expected and not whole else ""),
                        distance=float(-size % expected),
                    ),
                    count=1 + rest,
                )
