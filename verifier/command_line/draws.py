"""``grpocheck draws`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import traces as completed


def draws_command(
    traces: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE...", help="Traces written by run --trace, of different draws.", autocompletion=completed
        ),
    ],
    alpha: Annotated[
        str, typer.Option(metavar="NUMBER", help="The probability with which lawful draws may be rejected.")
    ] = "1e-6",
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")] = False,
    supply: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation
        typer.Option("--supply", metavar="MODULE:ATTRIBUTE", help="The supply of the runs, where replay needs it."),
    ] = None,
) -> int:
    """Whether recorded draws have the law of the frozen policy (claim G3), with a stated error probability.

    Every draw is compared with the exact masses of its policy: its frequency, its place, and the draws before it. The
    test may be looked at after any draw: lawful draws are ever rejected with probability at most alpha.
    """
    from grpocheck.verifier.commands.draws import judge_draws

    return judge_draws(traces, alpha, supply, json)
