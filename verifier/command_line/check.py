"""``grpocheck check`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated

import typer
from grpocheck.verifier.command_line.completing import traces
from grpocheck.verifier.command_line.options import Json


def check_command(
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="A trace written by run --trace.", autocompletion=traces)
    ],
    json: Json = False,
    model: Annotated[
        bool, typer.Option("--model", help="Ask the model extracted from the Coq proofs as well: the two must agree.")
    ] = False,
) -> int:
    """Check a trace with none of the code that made it: every draw, number, decision and count is derived once more.

    The checker is one file on the standard library, verifier/check.py, and runs here as a program of its own.
    """
    from grpocheck.verifier.commands.check import check_trace
    return check_trace(trace, json, model)
