"""The command ``law``: the exact law of a run's outcome, or a sampled one that says so."""

import json
import secrets
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from grpocheck.contracts.clauses import ENABLED
from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import FRESH_SEED_BITS
from grpocheck.core.values import rational
from grpocheck.verifier.commands.arithmetics import chosen_arithmetic
from grpocheck.verifier.executors import executor
from grpocheck.verifier.failures import UNDECIDED, BadOption, emit, say
from grpocheck.verifier.files import problem_at
from grpocheck.verifier.keeping import going_on
from grpocheck.verifier.law.branches import size_of
from grpocheck.verifier.law.elsewhere import Helpers, Kept
from grpocheck.verifier.law.exact import MOST_CASES, ExpectedGradient, TooLarge, exact_law, expected_first_gradient
from grpocheck.verifier.law.keeping import KeptStretches
from grpocheck.verifier.law.passage import uncollected
from grpocheck.verifier.law.report import (
    Json,
    json_text,
    law_mapping,
    law_parts,
    sampled_mapping,
    sampled_parts,
    too_large_mapping,
)
from grpocheck.verifier.law.samples import sampled_law
from grpocheck.verifier.prime_logs import PrimeLogs
from grpocheck.verifier.printing import printable
from grpocheck.verifier.progress import progress_bar
from grpocheck.verifier.tables import drawn

CONFIDENCE = Fraction(99, 100)

CERTIFIED = ("exact", "enclosure")

MANY_CASES = 2_000
"""From so many on, a command whose contracts are on says that it would be faster without."""

SLOW = (
    "grpocheck: the contracts of core are checked on the way, which takes most of the time; "
    "GRPOCHECK_CONTRACTS=off leaves them out, and the output says so"
)
NOTHING_KEPT = "grpocheck: nothing of this law was kept; with --keep FOLDER the next one goes on from what is done"


@dataclass(frozen=True)
class LawRequest:
    """What was asked of ``law``."""

    problem: Path
    max_cases: int = MOST_CASES
    samples: int | None = None
    seed: int | None = None
    confidence: str | None = None
    arithmetic: str = "enclosure"
    max_bits: int | None = None
    json: bool = False
    jobs: int = 1
    ray: str | None = None
    keep: Path | None = None


def law(request: LawRequest) -> int:
    """Print the law of a run; 0, or 3 where the enumeration would be too large and no samples were asked for."""
    if request.samples is None:
        for option, value in (("--seed", request.seed), ("--confidence", request.confidence)):
            if value is not None:
                raise BadOption(option, value, "no effect on an enumeration", "--samples N with it")
    elif request.keep is not None and request.seed is None:
        raise BadOption("--keep", request.keep, "a sampled law has a fresh seed each time", "--seed N with it")
    confidence = read_confidence(request.confidence)
    problem = problem_at(request.problem)
    arithmetic = PrimeLogs(certified_arithmetic(request))
    work = request.samples or size_of(problem).cases
    kept = None
    if request.keep is not None:
        kept = KeptStretches(request.keep, problem, request.arithmetic, request.max_bits)
    try:
        if ENABLED and work >= MANY_CASES and (request.samples or work <= request.max_cases):
            say(SLOW)
        with executor(request.jobs, request.ray) as found:
            helpers = None if found is None else Helpers(found)
            if request.samples is None:
                with uncollected():
                    enumerated = exact_law(problem, arithmetic, request.max_cases, progress_bar, helpers, kept)
                    mapping = law_mapping(enumerated, arithmetic)
            else:
                mapping = sampled(problem, request.samples, request, confidence, arithmetic, helpers, kept)
    except TooLarge as error:
        say(f"grpocheck: {error}")
        if request.json:
            emit(json.dumps(too_large_mapping(error), indent=2))
        return UNDECIDED
    except KeyboardInterrupt:
        say(NOTHING_KEPT if request.keep is None else going_on(request.keep))
        raise
    mapping["contracts"] = "on" if ENABLED else "off"
    if request.json:
        emit(json_text(mapping))
    else:
        parts = law_parts if request.samples is None else sampled_parts
        emit(drawn(parts(mapping, printable(request.problem))))
    return 0


def certified_arithmetic(request: LawRequest) -> Arithmetic:
    """The arithmetic that was asked for: one in which equal parameters can be told from different ones."""
    if request.arithmetic not in CERTIFIED:
        problem = "no law is made of numbers without certified error, nor of two arithmetics"
        raise BadOption("--arithmetic", request.arithmetic, problem, " or ".join(CERTIFIED))
    return chosen_arithmetic(request.arithmetic, lambda reason: None, max_bits=request.max_bits)


def sampled(
    problem: Problem, runs: int, request: LawRequest, confidence: Fraction, arithmetic: Arithmetic,
    helpers: Helpers | None, kept: Kept | None,
) -> Json:  # fmt: skip
    """The sampled law for programs, with the expected gradient exactly where the groups of one prompt are few."""
    seed = secrets.randbits(FRESH_SEED_BITS) if request.seed is None else request.seed
    found = sampled_law(problem, runs, seed, confidence, arithmetic, progress_bar, helpers, kept)
    gradient: ExpectedGradient | None = None
    if found.size.single_prompt_cases <= request.max_cases:
        gradient = expected_first_gradient(problem, arithmetic)
    return sampled_mapping(found, gradient, arithmetic)


def read_confidence(text: str | None) -> Fraction:
    """The confidence of the intervals, strictly between 0 and 1."""
    if text is None:
        return CONFIDENCE
    confidence = rational("--confidence", text)
    if not 0 < confidence < 1:
        raise BadOption("--confidence", text, "it is no confidence", "a number strictly between 0 and 1, such as 0.99")
    return confidence
