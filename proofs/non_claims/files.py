"""Witness files: a problem file under a header that says what it shows, the numbers, and how small it is.

The header is generated. Reading a witness back means running its problem again: it is lost unless it still refutes and
its header states exactly what the run shows.
"""

from pathlib import Path
from textwrap import wrap

from grpocheck.contracts.claims import claim
from grpocheck.core import Problem, problem_to_toml, read_problem
from grpocheck.core.whole_files import Draft
from grpocheck.proofs.non_claims.grid import Grid
from grpocheck.proofs.non_claims.refutations import Refutation
from grpocheck.proofs.non_claims.searcher import Excluded, Found, Search
from grpocheck.proofs.non_claims.truth import Stopped
from grpocheck.proofs.non_claims.witnesses import Witness
from grpocheck.proofs.shipped import examples

FOLDER = examples() / "non_claims"
WIDTH = 116

ORDER = (
    "Small means: first the size M + n + G + K + T (prompts, responses, draws of a group, inner steps, outer "
    "iterations), among equals the fewest outer iterations, then inner steps, draws, responses; then the height, the "
    "sum of |numerator| + denominator over all numbers of the file but the counts; then the order of theta, prompts "
    "and the rest."
)


class WitnessLost(Exception):  # noqa: N818 - named for what it says
    """A stored witness that no longer shows what its file says."""


def path_of(witness: Witness) -> Path:
    """Where a witness is stored."""
    return FOLDER / f"{witness.name}.toml"


def replay(witness: Witness) -> Refutation:
    """Run a stored witness again. Raises WitnessLost, or InvalidProblem for a file that is missing or no problem."""
    path = path_of(witness)
    problem = read_problem(path)
    try:
        refutation = witness.refute(problem)
    except Stopped as stop:
        raise WitnessLost(f"{path}: {stop}: it no longer refutes {witness.claim}") from stop
    if refutation is None:
        raise WitnessLost(f"{path}: the run no longer refutes {witness.claim}")
    lines = path.read_text(encoding="utf-8").splitlines()
    for fact in refutation.facts:
        if fact_line(fact) not in lines:
            raise WitnessLost(f"{path}: the run shows {fact!r}, and its header states something else")
    return refutation


def store(path: Path, text: str) -> None:
    """Write a witness file as a whole: a search that is stopped leaves the old one. Raises CannotWrite."""
    draft = Draft(path)
    try:
        draft.write(text)
        draft.finish()
    finally:
        draft.abandon()


def fact_line(fact: str) -> str:
    """The line of a header that states a fact."""
    return f"#     {fact}"


def text_of(witness: Witness, problem: Problem, refutation: Refutation, smallness: list[str]) -> str:
    """A witness file."""
    entry = claim(witness.claim)
    blocks = [
        comment(f"Against {entry.id}, which is not promised: {entry.statement}"),
        *map(comment, witness.shows),
        ["# Exactly:", *map(fact_line, refutation.facts)],
        *([smallness] if smallness else []),
        [f"# Replayed by: grpocheck verify {entry.id}", f"# The run alone:   grpocheck run {path_of(witness)}"],
    ]
    header = "\n#\n".join("\n".join(block) for block in blocks)
    return f"{header}\n\n{problem_to_toml(problem)}"


def comment(paragraph: str) -> list[str]:
    """A paragraph as comment lines."""
    return [f"# {line}" for line in wrap(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)]


def smallness(found: Found, done: Search, grid: Grid) -> list[str]:
    """In which sense a found problem is the smallest, as comment lines."""
    return [
        *comment(f"The smallest of its grid: {found.shape}, height {found.height}. {ORDER}"),
        *comment(
            f"Run before it, and refuting nothing: {done.cases} cases. With the orders of the draws and prompts, and "
            f"the two responses exchanged, they stand for {done.stands_for}."
        ),
        *(f"#     {excluded_line(entry)}" for entry in done.excluded),
        *comment(f"The grid: {grid.describe()}."),
    ]


def excluded_line(entry: Excluded) -> str:
    """One shape's excluded cases."""
    which = f"all {entry.cases} cases" if entry.whole else f"the {entry.cases} cases before it"
    return f"{entry.shape}: {which} ({entry.stopped} of them stop), standing for {entry.stands_for}"
