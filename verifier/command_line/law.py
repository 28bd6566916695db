"""``grpocheck law`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import problems
from grpocheck.verifier.command_line.options import Json, Keep, MaxBits, Ray


def law_command(
    problem: Annotated[Path, typer.Argument(metavar="PROBLEM", help="A problem file (TOML).", autocompletion=problems)],
    max_cases: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation
        typer.Option("--max-cases", min=1, help="The most outer iterations to go through; 30000 if not said."),
    ] = None,
    samples: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Do not enumerate: make N exact runs and give confidence intervals."),
    ] = None,
    seed: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=0, help="Seed of the first sampled run, the next ones counting on; a fresh one if not said."),
    ] = None,
    confidence: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NUMBER", help="Confidence of each interval of a sampled law; 0.99 if not said."),
    ] = None,
    arithmetic: Annotated[
        str,
        typer.Option(
            metavar="exact|enclosure",
            help="enclosure: exact where numbers stay rational or square roots, certified enclosures elsewhere.",
        ),
    ] = "enclosure",
    max_bits: MaxBits = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, metavar="N", help="Processes to work with.")] = 1,
    ray: Ray = None,
    keep: Keep = None,
    json: Json = False,
) -> int:
    """The exact law of a run's outcome: statuses, theta, objective, calls, with their probabilities.

    Every combination of groups that can be drawn is gone through, up to the order of the draws; what core makes of one
    prompt's group is asked once for all of them, and some are made by core as a whole, to compare. The probabilities
    sum to exactly 1. Parameters and values of F that are found equal are one row; rows that neither that nor their
    enclosures decide are said to be not told apart, and counted with a lower and an upper bound. What would be too
    large says how large it is (exit status 3). With --samples the law is sampled instead, and the output says so:
    shares of N exact runs, with Clopper-Pearson intervals for the three statuses.
    """
    from grpocheck.verifier.commands.law import LawRequest, law
    from grpocheck.verifier.law.exact import MOST_CASES

    limit = MOST_CASES if max_cases is None else max_cases
    return law(LawRequest(problem, limit, samples, seed, confidence, arithmetic, max_bits, json, jobs, ray, keep))
