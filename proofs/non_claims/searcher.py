"""The searcher: the smallest problem of a grid that refutes a non-claim, and how many smaller ones do not.

Shapes are taken in their order, the cases of a shape by their heights; every case before the one that is found has been
run and did not refute. Without a find, every case of the grid has been run.
"""

from collections.abc import Callable
from dataclasses import dataclass

from grpocheck.core import Problem
from grpocheck.proofs.non_claims.grid import Grid, problem_of
from grpocheck.proofs.non_claims.refutations import Refutation, Refute
from grpocheck.proofs.non_claims.shapes import Shape, shapes
from grpocheck.proofs.non_claims.truth import Stopped


@dataclass(frozen=True)
class Excluded:
    """The cases of one shape that were run and did not refute, and for how many they stand by symmetry."""

    shape: Shape
    cases: int
    stopped: int
    """How many of the cases have a run that does not complete, and so say little."""
    stands_for: int
    whole: bool
    """Whether these are all cases of the shape; else those before the case that was found."""


@dataclass(frozen=True)
class Found:
    """The smallest refuting problem."""

    problem: Problem
    refutation: Refutation
    shape: Shape
    height: int


@dataclass(frozen=True)
class Search:
    """What a search found, None for nothing, and everything that it excluded on the way."""

    found: Found | None
    excluded: tuple[Excluded, ...]

    @property
    def cases(self) -> int:
        """How many cases were run without refuting."""
        return sum(entry.cases for entry in self.excluded)

    @property
    def stands_for(self) -> int:
        """For how many problems of the grid those stand."""
        return sum(entry.stands_for for entry in self.excluded)


def search(refute: Refute, grid: Grid, watch: Callable[[Excluded], None] = lambda excluded: None) -> Search:
    """Search a grid in its order; ``watch`` is told each shape that is done."""
    excluded: list[Excluded] = []
    for shape in filter(grid.admits, shapes(grid.most)):
        found, done = search_shape(refute, grid, shape)
        excluded.append(done)
        watch(done)
        if found is not None:
            return Search(found, tuple(excluded))
    return Search(None, tuple(excluded))


def search_shape(refute: Refute, grid: Grid, shape: Shape) -> tuple[Found | None, Excluded]:
    """The first case of a shape that refutes, and those before it; all of the shape where none does."""
    cases = grid.cases(shape)
    stopped = stands_for = 0
    for number, case in enumerate(cases):
        problem = problem_of(case, shape)
        try:
            refutation = refute(problem)
        except Stopped:
            refutation = None
            stopped += 1
        if refutation is not None:
            found = Found(problem, refutation, shape, case.height)
            return found, Excluded(shape, number, stopped, stands_for, whole=False)
        stands_for += case.stands_for
    return None, Excluded(shape, len(cases), stopped, stands_for, whole=True)
