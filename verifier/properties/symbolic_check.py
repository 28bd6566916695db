"""Explore the harnesses of a property in a process of their own, and what a counterexample of theirs is as a problem.

This process never loads CrossHair.
"""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from queue import Empty
from typing import Any

from grpocheck.contracts.clauses import SWITCH
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import Problem
from grpocheck.core.writing import problem_to_toml
from grpocheck.proofs.symbolic.verdicts import Verdict as Explored
from grpocheck.verifier.properties.checking import Property, counted
from grpocheck.verifier.properties.child import child
from grpocheck.verifier.properties.symbolic_model import Part, blocks, parts
from grpocheck.verifier.properties.verdicts import Watch

WORKER = "grpocheck.verifier.properties.symbolic_worker"
TICK = 0.05
STARTING = 5.0
"""Seconds beyond the budget that the process may take, to load and to write its answer."""


@dataclass(frozen=True)
class Exploration:
    """What became of the harnesses: how many there are and were confirmed, over how many paths, and what ended it."""

    harnesses: int
    confirmed: int = 0
    paths: int = 0
    reason: str = ""
    counterexample: Mapping[str, Any] | None = None
    part: Part | None = None

    @property
    def holds(self) -> bool:
        """Whether every harness was confirmed on every path."""
        return self.confirmed == self.harnesses > 0

    @property
    def size(self) -> str:
        """How much was explored."""
        return f"{counted(self.paths, 'path')} of {counted(self.harnesses, 'harness').replace('harnesss', 'harnesses')}"


def explored(stated: Property, problem: Problem, watch: Watch, left: float) -> Exploration:
    """Explore the harnesses of a property in so many seconds. Raises Stopped when it is cancelled."""
    every = parts(stated, problem)
    found = Exploration(len(every))
    request = {"property": stated.text, "problem": problem_to_toml(problem), "budget": left}
    with child(WORKER, json.dumps(request), {SWITCH: "off"}, leads=False) as lines:
        end = time.monotonic() + left + STARTING
        while found.confirmed < found.harnesses:
            try:
                line = lines.get(timeout=TICK)
            except Empty:
                watch.look()
                if time.monotonic() > end:
                    return replace(found, reason=f"the time was over after {found.size}")
                continue
            if line is None:
                return replace(found, reason="the process of the exploration ended without an answer")
            answer = json.loads(line)
            found = replace(found, paths=found.paths + answer["paths"])
            if answer["verdict"] != Explored.CONFIRMED:
                arguments = answer["arguments"] if answer["verdict"] == Explored.REFUTED else None
                return replace(
                    found,
                    reason=f"{answer['verdict']}: {'' if arguments else answer['detail']}".rstrip(": "),
                    counterexample=arguments,
                    part=every[answer["number"]] if arguments else None,
                )
            found = replace(found, confirmed=found.confirmed + 1)
    return found


def problems_of(problem: Problem, found: Exploration) -> Iterator[Problem]:
    """Problems whose runs may come by a symbolic counterexample: those that begin at its theta_old or its theta."""
    if found.counterexample is None or found.part is None:
        return
    values = {name: numbers(value) for name, value in found.counterexample.items()}
    rewards, references = blocks(values["rewards"], problem), blocks(values["reference"], problem)
    prompts = tuple(
        replace(prompt, rewards=row, reference=base)
        for prompt, row, base in zip(problem.prompts, rewards, references, strict=True)
    )
    record = tuple(
        tuple(prompt.responses[position] for position in positions)
        for prompt, positions in zip(problem.prompts, found.part.script, strict=True)
    )
    for theta in dict.fromkeys((values["old"], values["here"])):
        for eta in (values["eta"], *map(Fraction, ("1/2", "1/4", "1/16", "1", "4"))):
            try:
                yield replace(
                    problem, prompts=prompts, theta=theta, epsilon=values["epsilon"], beta=values["beta"],
                    domain=None, seed=None, recorded=(record,) * problem.outer_iterations,
                    step_sizes=((eta,) * problem.inner_steps,) * problem.outer_iterations,
                )  # fmt: skip
            except InvalidProblem:
                break


def numbers(value: Any) -> Any:
    """A rational, or a tuple of them, as a counterexample writes it."""
    return tuple(map(Fraction, value)) if isinstance(value, list) else Fraction(value)
