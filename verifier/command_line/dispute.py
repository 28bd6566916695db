"""``grpocheck dispute`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.options import Json


def dispute_command(
    cases: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation
        typer.Argument(metavar="CASES", help="A dispute, or a list of them (JSON)."),
    ] = None,
    kinds: Annotated[bool, typer.Option("--kinds", help="List the kinds of input, and what each needs.")] = False,
    files: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Write the files of the commands that settle a case there."),
    ] = None,
    page: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write everything as a page in Markdown as well."),
    ] = None,
    json: Json = False,
) -> int:
    """Settle a dispute: what the right and the wrong numbers of a small case are the values of, exactly.

    A case states an input, the numbers that one side calls right, and those that the other side's fault gives. Each is
    recomputed by a command or a formula, which is shown; what a name does not say stays undecided.
    docs/own_disputes.md says how a case is written.
    """
    from grpocheck.verifier.commands.dispute import DisputeRequest, dispute

    return dispute(DisputeRequest(cases, files, page, kinds, json))
