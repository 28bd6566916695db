"""``grpocheck run`` and ``grpocheck replay`` as typer sees them; what they run is imported only when they run."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import arithmetics, problems, traces
from grpocheck.verifier.command_line.options import CallLimit, Isolate, Json, MaxBits, Supply


def run_command(
    problem: Annotated[Path, typer.Argument(metavar="PROBLEM", help="A problem file (TOML).", autocompletion=problems)],
    json: Json = False,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every oracle call and decision to a trace; replaces an earlier one."),
    ] = None,
    arithmetic: Annotated[
        str,
        typer.Option(
            metavar="auto|exact|enclosure|mp",
            autocompletion=arithmetics,
            help="auto: exact where the problem allows it, else certified enclosures. mp is not certified.",
        ),
    ] = "auto",
    digits: Annotated[
        int | None, typer.Option(min=1, help="Decimal digits that mp carries; of an enclosure two more are shown.")
    ] = None,
    max_digits: Annotated[
        int | None, typer.Option(min=1, help="Digits that an exact number may take before enclosures take over.")
    ] = None,
    max_bits: MaxBits = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the draws, before the problem's own.")] = None,
    supply: Supply = None,
    draw_law: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation
        typer.Option(
            metavar="ALPHA", help="End the run where supplied draws are rejected, at an error probability such as 1e-6."
        ),
    ] = None,
    isolate: Isolate = False,
    call_limit: CallLimit = None,
    cross_examine: Annotated[
        bool,
        typer.Option("--cross-examine", help="Compare every answer of the supply with the problem's own definition."),
    ] = False,
) -> int:
    """Run a problem: its status, its last valid parameter, and its oracle calls against their bounds.

    The status is complete, undefined-gradient or invalid-update; all three exit with 0.
    """
    from grpocheck.verifier.commands.run import RunRequest, run_problem

    return run_problem(
        RunRequest(
            problem=problem,
            json=json,
            trace=trace,
            arithmetic=arithmetic,
            digits=digits,
            max_digits=max_digits,
            max_bits=max_bits,
            seed=seed,
            supply=supply,
            draw_law=draw_law,
            isolate=isolate,
            call_limit=call_limit,
            cross_examine=cross_examine,
        )
    )


def replay_command(
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="A trace written by run --trace.", autocompletion=traces)
    ],
    json: Json = False,
    supply: Supply = None,
    isolate: Isolate = False,
    call_limit: CallLimit = None,
) -> int:
    """Run a trace's problem again with its recorded draws, and compare event by event.

    A trace is a function of its problem and of what the oracles answered, so that the same answers give the same run.
    """
    from grpocheck.verifier.commands.run import replay_trace

    return replay_trace(trace, json, supply, isolate, call_limit)
