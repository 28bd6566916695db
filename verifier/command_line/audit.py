"""``grpocheck audit`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.options import Json, Keep, Ray


def audit_command(
    paths: Annotated[
        Optional[list[Path]],  # noqa: UP045 - typer reads the annotation
        typer.Argument(metavar="PATH", help="Files, or folders of a run or of runs."),
    ] = None,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules and stop.")] = False,
    settings: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--settings", metavar="FILE", help="The trainer's settings as JSON (GRPOConfig.to_dict())."),
    ] = None,
    sarif: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0 too."),
    ] = None,
    html: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--html", metavar="FILE", help="Write the report as one self-contained page too."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, metavar="N", help="Processes to work with.")] = 1,
    ray: Ray = None,
    keep: Keep = None,
    json: Json = False,
) -> int:
    """What a training log shows: advantages, ratios, losses, budgets, held against the definition in exact arithmetic.

    Reads TRL's completions tables and trainer_state.json, recorded runs, verl's rollout_data_dir, and grpocheck-groups
    (docs/audit.md). Exit status 1 for any finding that is an error or a warning; notes do not count.
    """
    from grpocheck.verifier.commands.audit import AuditRequest, audit_command, list_rules

    if rules:
        return list_rules(json)
    return audit_command(AuditRequest(paths or [], json, sarif, html, settings, jobs, ray, keep))
