"""``grpocheck prove`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import problems, ready_properties, scopes
from grpocheck.verifier.command_line.options import Json


def prove_command(
    stated: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation
        typer.Argument(
            metavar="PROPERTY",
            help="Such as 'F_next >= F', or the name of one on the shelf.",
            autocompletion=ready_properties,
        ),
    ] = None,
    problem: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(
            metavar="PROBLEM",
            help="A problem file (TOML); a property of the shelf has its own.",
            autocompletion=problems,
        ),
    ] = None,
    scope: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="run|draws|shape",
            autocompletion=scopes,
            help="This run, every draw of this problem, or every problem of its shape; run if not said.",
        ),
    ] = None,
    budget: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Seconds after which it is undecided.")
    ] = 60,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write a counterexample as a problem file."),
    ] = None,
    shelf: Annotated[bool, typer.Option("--shelf", help="List the ready properties, each with its verdict.")] = False,
    json: Json = False,
) -> int:
    """Whether a property holds of a run, of every draw, or of every problem of a shape; docs/properties.md says how.

    What is refuted comes with a problem file that shows it.
    """
    from grpocheck.verifier.commands.prove import ProveRequest, prove, show_shelf

    return show_shelf(json) if shelf else prove(ProveRequest(stated or "", problem, scope, budget, out, json))
