"""``grpocheck verify``, ``claims`` and ``explain`` as typer sees them; they import what they need when they run."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import claims, words
from grpocheck.verifier.command_line.options import Json, Ray


def verify_command(
    claim: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation
        typer.Argument(
            metavar="CLAIM",
            help="Claims such as A1 or F2; all of them when none is named.",
            autocompletion=claims,
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes at a time; the number of cores if not said.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=1, metavar="SECONDS", help="Seconds that one piece of evidence may take.")
    ] = None,
    json: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the report goes; - prints it instead of the tables.")
    ] = Path("verify.json"),
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as one page, too.")] = None,
    cache: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where findings are kept from one verification to the next.")
    ] = Path("build/evidence"),
    fresh: Annotated[bool, typer.Option("--fresh", help="Take nothing from the cache.")] = False,
    ray: Ray = None,
) -> int:
    """Gather the evidence for every claim and report the strongest of each, with its size and time.

    First the contracts of core are counted, then every piece of evidence runs in a process of its own. What ran before
    and depends on nothing that changed is taken from the cache, and the report says so. What cannot run on this machine
    is named with the command that enables it, and is never counted as held.
    """
    from grpocheck.verifier.verification import verify_claims

    return verify_claims(
        [each.upper() for each in claim or []], jobs, budget, json, html, None if fresh else cache, ray
    )


def claims_command(json: Json = False) -> int:
    """List every claim and non-claim, with the evidence that it is known to have."""
    from grpocheck.verifier.commands.claims import list_claims

    return list_claims(json)


def explain_command(
    word: Annotated[
        str,
        typer.Argument(
            metavar="WORD",
            help="B2, undefined-gradient, SupplyViolation, smt, dapo, reward-missing, ...",
            autocompletion=words,
        ),
    ],
    json: Json = False,
) -> int:
    """Explain a claim, a status, an error, a kind of evidence, a variant or a rule of the audit."""
    from grpocheck.verifier.commands.claims import explain

    return explain(word, json)
