"""``grpocheck studio`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import problems


def studio_command(
    problem: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation
        typer.Argument(
            metavar="PROBLEM",
            help="A problem file to open with; an example if none is named.",
            autocompletion=problems,
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes any free one.")] = 8765,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    report: Annotated[
        Path, typer.Option(metavar="FILE", help="The report of grpocheck verify that the evidence page shows.")
    ] = Path("verify.json"),
) -> int:
    """Step through an update in the browser, state properties of it, and play the oracle.

    The page is served on 127.0.0.1 alone and needs no network. Ctrl+C ends it.
    """
    from grpocheck.verifier.studio.app import serve

    return serve(problem, port, browser, report)
