"""``grpocheck repl`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import problems


def repl_command(
    problem: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation
        typer.Argument(metavar="PROBLEM", help="A problem file to begin with.", autocompletion=problems),
    ] = None,
) -> int:
    """Walk a run step by step, change anything, and prove properties of it; help lists what can be typed.

    Reads from a pipe as well as from a terminal; at a terminal with history and completion.
    """
    from grpocheck.verifier.repl.session import repl

    return repl(problem)
