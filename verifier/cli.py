"""The command ``grpocheck``: what people type. Every command imports what it needs only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck import __version__
from grpocheck.verifier.cli_audit import audit_command
from grpocheck.verifier.cli_check import check_command
from grpocheck.verifier.cli_conform import conform_command
from grpocheck.verifier.cli_estimator import estimator_command
from grpocheck.verifier.cli_files import diff_command, new_command
from grpocheck.verifier.cli_law import law_command
from grpocheck.verifier.cli_lesson import lesson_command
from grpocheck.verifier.cli_prove import prove_command
from grpocheck.verifier.cli_repl import repl_command
from grpocheck.verifier.cli_studio import studio_command
from grpocheck.verifier.cli_training_free import training_free_command
from grpocheck.verifier.cli_vectors import vectors_command
from grpocheck.verifier.failures import emit, guarded

OVERVIEW = """The finite-budget group-relative policy update: run it exactly, and see what is known to hold of it.

\b
Try:  grpocheck run examples/two_paths.toml
      grpocheck verify
      grpocheck explain undefined-gradient

\b
Exit status: 0 it holds (of run: any of the three statuses) · 1 refuted,
violated or evidence lost · 2 bad input · 3 undecided in the budget ·
130 interrupted
"""

app = typer.Typer(
    help=OVERVIEW,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables for people.")]
SupplyOption = Annotated[
    Optional[str],  # noqa: UP045 - typer reads the annotation
    typer.Option("--supply", metavar="MODULE:ATTRIBUTE", help="Your own oracles: a grpocheck.core.Supply."),
]


def print_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        emit(f"grpocheck {__version__}")
        raise typer.Exit(0)


@app.callback()
def overview(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Say what there is; the help text is OVERVIEW."""


@app.command("run")
@guarded
def run_command(
    problem: Annotated[Path, typer.Argument(metavar="PROBLEM", help="A problem file (TOML).")],
    json: Json = False,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every oracle call and decision to a trace.")
    ] = None,
    arithmetic: Annotated[
        str,
        typer.Option(
            metavar="auto|exact|enclosure|mp",
            help="auto: exact where the problem allows it, else certified enclosures. mp is not certified.",
        ),
    ] = "auto",
    digits: Annotated[
        int | None, typer.Option(min=1, help="Decimal digits that mp carries, and that are shown of an enclosure.")
    ] = None,
    max_digits: Annotated[
        int | None, typer.Option(min=1, help="Digits that an exact number may take before enclosures take over.")
    ] = None,
    max_bits: Annotated[
        int | None, typer.Option(min=1, help="The precision past which an enclosed comparison is undecided.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the draws, before the problem's own.")] = None,
    supply: SupplyOption = None,
) -> int:
    """Run a problem: its status, its last valid parameter, and its oracle calls against their bounds.

    The status is complete, undefined-gradient or invalid-update; all three exit with 0.
    """
    from grpocheck.verifier.runs import Request, run_problem

    return run_problem(Request(problem, json, trace, arithmetic, digits, max_digits, max_bits, seed, supply))


@app.command("replay")
@guarded
def replay_command(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace written by run --trace.")],
    json: Json = False,
    supply: SupplyOption = None,
) -> int:
    """Run a trace's problem again with its recorded draws, and compare event by event.

    Exit status 0: the same, bit for bit. 1: the first event that differs. 2: a file that is no whole trace.
    """
    from grpocheck.verifier.runs import replay_trace

    return replay_trace(trace, json, supply)


@app.command("verify")
@guarded
def verify_command(
    claim: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation
        typer.Argument(metavar="[CLAIM]...", help="Claims such as A1 or F2; all of them when none is named."),
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
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run the pieces as tasks of a Ray cluster; local starts one here."),
    ] = None,
) -> int:
    """Gather the evidence for every claim and report the strongest of each, with its size and time.

    First the contracts of core are counted, then every piece of evidence runs in a process of its own. What ran before
    and depends on nothing that changed is taken from the cache, and the report says so. What cannot run on this machine
    is named with the command that enables it, and is never counted as held.
    """
    from grpocheck.verifier.verification import verify_claims

    return verify_claims(claim or [], jobs, budget, json, html, None if fresh else cache, ray)


@app.command("claims")
@guarded
def claims_command(json: Json = False) -> int:
    """List every claim and non-claim, with the evidence that it is known to have."""
    from grpocheck.verifier.catalogue import list_claims

    return list_claims(json)


@app.command("explain")
@guarded
def explain_command(
    word: Annotated[
        str, typer.Argument(metavar="ID-or-STATUS", help="B2, undefined-gradient, SupplyViolation, smt, ...")
    ],
    json: Json = False,
) -> int:
    """Explain a claim, a status, an error or a kind of evidence: what it means, and where it is stated."""
    from grpocheck.verifier.catalogue import explain

    return explain(word, json)


app.command("audit")(guarded(audit_command))
app.command("new")(guarded(new_command))
app.command("diff")(guarded(diff_command))
app.command("check")(guarded(check_command))
app.command("conform")(guarded(conform_command))
app.command("estimator")(guarded(estimator_command))
app.command("law")(guarded(law_command))
app.command("studio")(guarded(studio_command))
app.command("lesson")(guarded(lesson_command))
app.command("prove")(guarded(prove_command))
app.command("repl")(guarded(repl_command))
app.command("training-free")(guarded(training_free_command))
app.command("vectors")(guarded(vectors_command))


def main() -> None:
    """The entry point of the command."""
    app(prog_name="grpocheck")


if __name__ == "__main__":
    main()
