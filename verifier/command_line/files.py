"""``grpocheck new`` and ``grpocheck diff`` as typer sees them; what they run is imported only when they run."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import families, traces
from grpocheck.verifier.command_line.options import Json


def new_command(
    family: Annotated[
        str,
        typer.Argument(
            metavar="FAMILY",
            help="bernoulli, simplex, softmax, log-linear or autoregressive.",
            autocompletion=families,
        ),
    ] = "bernoulli",
    out: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation
        typer.Option(metavar="FILE", help="Write it there, where no file is yet, instead of printing it."),
    ] = None,
) -> int:
    """A problem file to begin with, with a word on every key."""
    from grpocheck.verifier.commands.new import new_problem

    return new_problem(family, out)


def diff_command(
    left: Annotated[
        Path, typer.Argument(metavar="TRACE", help="A trace written by run --trace.", autocompletion=traces)
    ],
    right: Annotated[Path, typer.Argument(metavar="TRACE", help="Another one.", autocompletion=traces)],
    json: Json = False,
) -> int:
    """Compare two traces event by event: where they part, field by field."""
    from grpocheck.verifier.commands.diff import diff_traces

    return diff_traces(left, right, json)
