"""``grpocheck estimator`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import arithmetics, exchanges, problems, variants
from grpocheck.verifier.command_line.options import Json, MaxBits

Parts = Optional[list[str]]  # noqa: UP045 - typer reads the annotation
Word = Optional[str]  # noqa: UP045


def estimator_command(
    variant: Annotated[
        Word,
        typer.Argument(
            metavar="VARIANT",
            help="A method such as section-1, dapo or reinforce-leave-one-out.",
            autocompletion=variants,
        ),
    ] = None,
    problem: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(
            metavar="PROBLEM", help="A problem file, or a file of sampled groups (TOML).", autocompletion=problems
        ),
    ] = None,
    methods: Annotated[bool, typer.Option("--methods", help="List the methods and the parts each is made of.")] = False,
    parts: Annotated[
        Parts,
        typer.Option(
            "--with",
            metavar="PART=WORD",
            help="Exchange a part, such as advantage=leave-one-out.",
            autocompletion=exchanges,
        ),
    ] = None,
    compare: Annotated[
        Parts, typer.Option(metavar="VARIANT", help="Another method beside the first.", autocompletion=variants)
    ] = None,
    compare_parts: Annotated[
        Parts,
        typer.Option(
            "--compare-with",
            metavar="PART=WORD",
            help="Exchange a part of the other method.",
            autocompletion=exchanges,
        ),
    ] = None,
    at: Annotated[
        Word, typer.Option(metavar="NUMBERS", help="Where the gradient is taken, if not where the draws come from.")
    ] = None,
    coordinates: Annotated[
        str, typer.Option(metavar="theta|logits", help="The problem's parameters, or one logit for each response.")
    ] = "theta",
    group_size: Annotated[Optional[int], typer.Option(min=2, help="Another group size.")] = None,  # noqa: UP045
    neighbours: Annotated[
        bool, typer.Option("--neighbours/--no-neighbours", help="Look for a bias on small problems around this one.")
    ] = True,
    plot: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Bias and variance by group size, as an SVG file."),
    ] = None,
    cases: Annotated[
        Optional[int], typer.Option(min=1, help="The most groups to run through.")  # noqa: UP045
    ] = None,
    arithmetic: Annotated[
        str,
        typer.Option(
            metavar="auto|exact|enclosure|mp",
            help="auto: exact numbers, certified enclosures beside.",
            autocompletion=arithmetics,
        ),
    ] = "auto",
    digits: Annotated[
        Optional[int], typer.Option(min=1, help="Decimal digits that mp carries; of an enclosure two more are shown.")  # noqa: UP045
    ] = None,
    max_bits: MaxBits = None,
    json: Json = False,
) -> int:
    """What a method's gradient is an estimate of: exact expectation, bias, covariance, over all draws.

    The draws come from the problem's theta. "Unbiased" and "biased" are about this problem; a word about others is
    only said after a search of small ones, and names the smallest that shows a bias. On a file of groups: advantages,
    ratios, terms and gradients of the method on those groups.
    """
    from grpocheck.verifier.commands.estimator import EstimatorRequest, estimator, table_of_variants
    from grpocheck.verifier.estimator.moments import MOST_CASES
    from grpocheck.verifier.failures import BadOption

    if methods:
        return table_of_variants(json)
    if variant is None:
        raise BadOption("VARIANT", None, "none is named", "a method (--methods lists them)")
    return estimator(
        EstimatorRequest(
            name=variant,
            problem=problem,
            parts=parts or (),
            compare=compare or (),
            compare_parts=compare_parts or (),
            at=at,
            coordinates=coordinates,
            group_size=group_size,
            neighbours=neighbours,
            plot=plot,
            cases=cases or MOST_CASES,
            arithmetic=arithmetic,
            digits=digits,
            max_bits=max_bits,
            json=json,
        )
    )
