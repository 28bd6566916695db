"""``grpocheck draws`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated

import typer
from grpocheck.verifier.command_line.completing import traces as completed
from grpocheck.verifier.command_line.options import Json, Supply


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
    json: Json = False,
    supply: Supply = None,
) -> int:
    """Whether recorded draws have the law of the frozen policy (claim G3), with a stated error probability.

    Every draw is compared with the exact masses of its policy: its frequency, its place, and the draws before it. The
    test may be looked at after any draw: lawful draws are ever rejected with probability at most alpha.
    """
    from grpocheck.verifier.commands.draws import judge_draws

    return judge_draws(traces, alpha, supply, json)
