"""Witness files of the training-free non-claims: a task file under a header that says what it shows, exactly.

The header is generated. Reading a witness back means running its task again, over every group that can be drawn where
an expectation is stated: it is lost unless it still refutes and its header states exactly what the runs show.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grpocheck.contracts.claims import claim
from grpocheck.core import InvalidProblem
from grpocheck.core.training_free.reading import read_task
from grpocheck.core.training_free.task import Task
from grpocheck.core.training_free.writing import task_to_toml
from grpocheck.proofs.evidence import Budget, Finding, broken, not_run, refuted
from grpocheck.proofs.non_claims.files import FOLDER, WitnessLost, comment, fact_line

Facts = tuple[str, ...]
"""What a task shows, one fact a line, exactly."""

Refute = Callable[[Task], Facts | None]


@dataclass(frozen=True)
class TaskWitness:
    """A stored witness: its file's name, its claim, what it shows in paragraphs, what refutes, and how it is found."""

    name: str
    claim: str
    shows: tuple[str, ...]
    refute: Refute
    search: Callable[[], "FoundTask"]

    @property
    def path(self) -> str:
        """Where the witness is stored."""
        return f"{FOLDER}/{self.name}.toml"


@dataclass(frozen=True)
class FoundTask:
    """What a search found, and in which sense it is the smallest, in paragraphs."""

    task: Task
    smallness: tuple[str, ...]
    cases: int
    """How many smaller cases were looked at before it and do not refute."""


def text_of(witness: TaskWitness, found: FoundTask, facts: Facts) -> str:
    """A witness file."""
    entry = claim(witness.claim)
    blocks = [
        comment(f"Against {entry.id}, which is not promised: {entry.statement}"),
        *map(comment, witness.shows),
        ["# Exactly:", *map(fact_line, facts)],
        *map(comment, found.smallness),
        [
            f"# Replayed by: grpocheck verify {entry.id}",
            f"# One run alone: grpocheck training-free {witness.path}",
            "# Searched by: python -m grpocheck.proofs.non_claims.task_search",
        ],
    ]
    header = "\n#\n".join("\n".join(block) for block in blocks)
    return f"{header}\n\n{task_to_toml(found.task)}"


def replay(witness: TaskWitness) -> Facts:
    """Run a stored witness again. Raises WitnessLost, or InvalidProblem for a file that is missing or no task."""
    task = read_task(witness.path)
    facts = witness.refute(task)
    if facts is None:
        raise WitnessLost(f"{witness.path}: the runs no longer refute {witness.claim}")
    with open(witness.path, encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    for fact in facts:
        if fact_line(fact) not in lines:
            raise WitnessLost(f"{witness.path}: the runs show {fact!r}, and its header states something else")
    return facts


def replayed(witnesses: Sequence[TaskWitness], budget: Budget) -> Finding:
    """Refuted by all of these witnesses; broken where one of them is lost."""
    if not FOLDER.is_dir():
        return not_run(f"there is no folder {FOLDER} with task files here", "run it in a clone of the project")
    shown, lost = [], []
    for done, witness in enumerate(witnesses, start=1):
        try:
            facts = replay(witness)
        except (WitnessLost, InvalidProblem) as error:
            lost.append(str(error))
        else:
            shown.append(f"{witness.path}: {'; '.join(facts)} (grpocheck training-free {witness.path})")
        budget.step(done, len(witnesses))
    if lost:
        return broken("; ".join(lost))
    return replace(refuted("\n".join(shown), witnesses=len(shown)), pieces=len(shown))
