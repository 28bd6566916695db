"""``grpocheck training-free`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import problems
from grpocheck.verifier.command_line.options import Json


def training_free_command(
    task: Annotated[Path, typer.Argument(metavar="TASK", help="A task file (TOML).", autocompletion=problems)],
    introspect: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation
        typer.Option(metavar="embedded|http", help="Who compares the responses; the task's own, or embedded."),
    ] = None,
    seed: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=0, help="Seed of the draws, before the task's own; a fresh one if there is none."),
    ] = None,
    trace: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write every oracle call and decision to a new trace, as they happen."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the trace, whatever ended it.")] = False,
    json: Json = False,
) -> int:
    """Run a training-free task to its stop: no parameter moves, a bank of expert factors re-weights a base model.

    It stops when all tests pass, at its iteration budget, or when the best reward's improvement falls below delta; all
    three exit with 0. What is promised, and what is not, is in docs/training-free.md.
    """
    from grpocheck.verifier.commands.training_free import TrainingFreeRequest, run_task

    return run_task(TrainingFreeRequest(task, introspect, seed, trace, resume, json))
