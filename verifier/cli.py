"""The command ``grpocheck``: what people type. Every command imports what it needs only when it runs."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer
from grpocheck import __version__
from grpocheck.verifier.command_line.audit import audit_command
from grpocheck.verifier.command_line.check import check_command
from grpocheck.verifier.command_line.claims import claims_command, explain_command, verify_command
from grpocheck.verifier.command_line.conform import conform_command
from grpocheck.verifier.command_line.dispute import dispute_command
from grpocheck.verifier.command_line.draws import draws_command
from grpocheck.verifier.command_line.estimator import estimator_command
from grpocheck.verifier.command_line.files import diff_command, new_command
from grpocheck.verifier.command_line.law import law_command
from grpocheck.verifier.command_line.lesson import lesson_command
from grpocheck.verifier.command_line.prove import prove_command
from grpocheck.verifier.command_line.repl import repl_command
from grpocheck.verifier.command_line.run import replay_command, run_command
from grpocheck.verifier.command_line.studio import studio_command
from grpocheck.verifier.command_line.training_free import training_free_command
from grpocheck.verifier.command_line.usage import Commands
from grpocheck.verifier.command_line.vectors import vectors_command
from grpocheck.verifier.failures import BAD_INPUT, emit, guarded, say, stop_printing
from grpocheck.verifier.isolation.threads import leaving_threads
from grpocheck.verifier.process import prepare

OVERVIEW = """The finite-budget group-relative policy update, which GRPO trainers make: run it exactly, see what is
known to hold of it, and hold your own loss, log or property against it.

\b
Exit status: 0 it holds (of run: any of the three statuses) · 1 refuted,
violated or evidence lost · 2 bad input · 3 undecided in the budget ·
130 interrupted
"""

FIRST = (
    "Three to try first, in any folder:",
    "  grpocheck new --out mine.toml      a problem file, with a word on every key",
    "  grpocheck run mine.toml            one update, exactly, and its oracle calls",
    "  grpocheck lesson clip-by-sign      the clipped term, in five minutes",
    "The help of each command ends with an example.",
    "What a word means: grpocheck explain undefined-gradient",
)

RUN = "One update, exactly"
TRACES = "What a run left behind"
TRUTH = "What holds, and what does not"
DRAWS = "Every run there could have been"
TRAINERS = "A trainer of yours"
LEARN = "To learn"


@dataclass(frozen=True)
class Verb:
    """A command: its name, what does it, where the help lists it, examples, and what its exit statuses mean."""

    name: str
    command: Callable[..., int]
    panel: str
    examples: tuple[str, ...]
    statuses: str

    @property
    def help(self) -> str:
        """What the command says of itself, a paragraph a line, which a terminal of any width breaks."""
        paragraphs = (inspect.getdoc(self.command) or "").split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

    @property
    def epilog(self) -> str:
        """What the command's help ends with, line by line."""
        examples = "\n".join(f"Example: {example}" for example in self.examples)
        return f"\b\n{examples}\nExit status: {self.statuses}"


VERBS = (
    Verb("new", new_command, RUN,
         ("grpocheck new softmax --out mine.toml",),
         "0 printed or written · 2 no such family, or the file is there already"),
    Verb("run", run_command, RUN,
         ("grpocheck run mine.toml --trace run.jsonl",
          "grpocheck run mine.toml --supply oracles:supply --cross-examine",
          "grpocheck run mine.toml --supply oracles:supply --isolate --call-limit 5 --draw-law 1e-6"),
         "0 any of the three statuses · 1 a supplied oracle broke its clause · 2 bad input · 3 undecided"),
    Verb("studio", studio_command, RUN,
         ("grpocheck studio mine.toml",),
         "0 ended · 2 bad input, or the port is taken"),
    Verb("repl", repl_command, RUN,
         ("grpocheck repl mine.toml",),
         "0 ended · 2 a line that came from a pipe was refused"),
    Verb("replay", replay_command, TRACES,
         ("grpocheck replay run.jsonl",),
         "0 the same, bit for bit · 1 the first event that differs · 2 no whole trace · 3 undecided"),
    Verb("check", check_command, TRACES,
         ("grpocheck check run.jsonl",),
         "0 right · 1 the first line that is not, and why · 2 no whole trace · 3 something was not decided"),
    Verb("draws", draws_command, TRACES,
         ("grpocheck draws run.jsonl other.jsonl --alpha 1e-6",),
         "0 consistent with the policy's law · 1 rejected · 2 no trace of draws to test · 3 not enough draws"),
    Verb("diff", diff_command, TRACES,
         ("grpocheck diff run.jsonl other.jsonl",),
         "0 the same · 1 the first event that differs, field by field · 2 no whole trace"),
    Verb("explain", explain_command, TRUTH,
         ("grpocheck explain undefined-gradient",),
         "0 explained · 2 no such word"),
    Verb("claims", claims_command, TRUTH,
         ("grpocheck claims --json",),
         "0 listed"),
    Verb("verify", verify_command, TRUTH,
         ("grpocheck verify B2 N4 --html verify.html",),
         "0 nothing is refuted and no evidence is lost · 1 something is · 2 bad input · 3 some is undecided"),
    Verb("prove", prove_command, TRUTH,
         ("grpocheck prove 'F_next >= F' mine.toml --scope shape --out witness.toml",
          "grpocheck prove N2"),
         "0 it holds · 1 refuted, by a problem whose run was repeated from its file · 2 bad input · 3 undecided"),
    Verb("law", law_command, DRAWS,
         ("grpocheck law mine.toml",
          "grpocheck law mine.toml --samples 1000 --seed 7 --confidence 0.95 --jobs 2"),
         "0 the law, or what was sampled of it · 2 bad input · 3 too many cases, or undecided"),
    Verb("estimator", estimator_command, DRAWS,
         ("grpocheck estimator section-1 mine.toml --compare reinforce-leave-one-out",
          "grpocheck estimator section-1 mine.toml --with advantage=mean --at 0.6"),
         "0 computed, biased or not · 2 bad input · 3 too many groups, or undecided"),
    Verb("dispute", dispute_command, TRAINERS,
         ("grpocheck dispute examples/disputes/own.json",),
         "0 settled · 1 a number is not what its name says · 2 bad input · 3 a number stays undecided"),
    Verb("audit", audit_command, TRAINERS,
         ("grpocheck audit output/my-run --html audit.html",
          "grpocheck audit output/* --jobs 2 --keep audited"),
         "0 nothing but notes · 1 an error or a warning was found · 2 something cannot be read"),
    Verb("conform", conform_command, TRAINERS,
         ("grpocheck conform mypackage.losses:grpo_loss --variant dr-grpo",
          "grpocheck conform mypackage.losses:grpo_loss --variant grpo-token --with kl=k3 --beta 0.04"),
         "0 it conforms · 1 it departs · 2 no such function or variant · 3 undecided"),
    Verb("vectors", vectors_command, TRAINERS,
         ("grpocheck vectors vectors.json",),
         "0 written · 2 it cannot be written there"),
    Verb("lesson", lesson_command, LEARN,
         ("grpocheck lesson clip-by-sign --answer -2.4",),
         "0 told, or the answer is right · 1 the answer is wrong · 2 no such lesson, or no answer at all"),
    Verb("training-free", training_free_command, LEARN,
         ("grpocheck training-free examples/training_free/fizzbuzz.toml --seed 1",
          "grpocheck training-free examples/training_free/fizzbuzz.toml --trace run.jsonl --resume"),
         "0 any of the three reasons to stop · 1 an oracle broke its clause · 2 bad input · 3 undecided"),
)  # fmt: skip
"""The commands in the order in which a newcomer meets them; the help lists them so, under their panels."""

app = typer.Typer(
    cls=Commands,
    help=OVERVIEW,
    epilog="\b\n" + "\n".join(FIRST),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    pretty_exceptions_enable=False,
)

for verb in VERBS:
    app.command(verb.name, help=verb.help, rich_help_panel=verb.panel, epilog=verb.epilog)(guarded(verb.command))


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


def main() -> None:
    """The entry point of the command."""
    prepare()
    leaving_threads(answer)


def answer() -> None:
    """Do what was asked. A help or a version that stdout does not take is one line on stderr, and exit status 2."""
    try:
        app(prog_name="grpocheck")
    except OSError as error:
        stop_printing()
        say(f"grpocheck: stdout: {error.strerror}; expected somewhere for the result")
        raise SystemExit(BAD_INPUT) from error


if __name__ == "__main__":
    main()
