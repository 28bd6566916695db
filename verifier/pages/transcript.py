"""The transcript of the documentation: every command as a newcomer meets it, run, with what it prints.

    python -m grpocheck.verifier.pages.transcript docs/transcript.md

runs the commands in a folder of their own that holds a copy of examples/, and writes the page. Durations are masked, so
that the page changes only when what the commands say does. Nothing in it is written by hand but the sentences between.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grpocheck.verifier.failures import BAD_INPUT, say
from grpocheck.verifier.files import write_text

DURATION = re.compile(r"\b\d+(?:\.\d+)?(?= (?:s|ms|seconds)\b)")
BLOCK = re.compile(r"```console\n\$ (.*)\n(?:.*\n)*?```\n")
QUICK = "--quick"
HEAD = """# Every command, and what it prints

As a newcomer meets them; `tutorial.md` explains the way. This page is made by a script that runs the commands:

    python -m grpocheck.verifier.pages.transcript docs/transcript.md

Durations are masked, long outputs are cut where it says so, and an exit status other than 0 is shown. Lines of both
output streams are shown together.
"""


@dataclass(frozen=True)
class Step:
    """One command; ``most`` lines of its output are shown.

    One that is ``compared`` is run again by a test; the others are slow, or show what grows elsewhere.
    """

    command: str
    most: int | None = None
    compared: bool = True
    slow: bool = False


@dataclass(frozen=True)
class Part:
    """A heading, a few sentences, and the commands below them."""

    title: str
    text: str
    steps: tuple[Step, ...]


PARTS = (
    Part(
        "What is there",
        "grpocheck is one command with verbs. Its own help is short, and each verb has more.",
        (Step("grpocheck --version"), Step("grpocheck --help", compared=False), Step("grpocheck run --help", 14)),
    ),
    Part(
        "One run",
        "A problem is a file with exact numbers: 0.2 is 1/5. This one is small enough to follow by hand.",
        (
            Step("cat examples/undefined_gradient.toml"),
            Step("grpocheck run examples/undefined_gradient.toml"),
            Step("grpocheck run examples/undefined_gradient.toml --json", 24),
        ),
    ),
    Part(
        "When logarithms come in",
        "With beta above 0 there are logarithms, and numbers are enclosed: every digit that is shown is certain.",
        (Step("grpocheck run examples/two_paths.toml"),),
    ),
    Part(
        "When the input is wrong",
        "An error names the key, the value and what was expected. Bad input is exit status 2, and never a traceback.",
        (
            Step("sed 's/epsilon = 0.2/epsilon = 2/' examples/undefined_gradient.toml > wide.toml"),
            Step("grpocheck run wide.toml"),
            Step("grpocheck run examples/undefined_gradent.toml"),
        ),
    ),
    Part(
        "What a run leaves behind",
        "A trace holds every oracle call and decision, one JSON line each. It can be replayed. Where a number was "
        "changed, the replay says at which event.",
        (
            Step("grpocheck run examples/undefined_gradient.toml --trace run.jsonl | head -n 2"),
            Step("sed -n 2,5p run.jsonl"),
            Step("grpocheck replay run.jsonl | head -n 3"),
            Step("""sed '/"i": 1/s/"reward": "1"/"reward": "2"/' run.jsonl > bent.jsonl"""),
            Step("grpocheck replay bent.jsonl"),
            Step("grpocheck run examples/undefined_gradient.toml --seed 4 --trace other.jsonl | head -n 1"),
            Step("grpocheck diff run.jsonl other.jsonl"),
        ),
    ),
    Part(
        "Checking a trace without the code that made it",
        "The checker is one file with no dependencies. It derives every draw, number and count once more.",
        (Step("grpocheck check run.jsonl"), Step("grpocheck check bent.jsonl")),
    ),
    Part(
        "A problem of one's own, step by step",
        "new writes a file to begin with. repl walks through a run, and reads what to do from a person or from a pipe.",
        (
            Step("grpocheck new --out mine.toml", compared=False),
            Step("head -n 12 mine.toml", compared=False),
            Step(
                "printf 'step\\nstep\\nshow theta\\n' | grpocheck repl examples/undefined_gradient.toml",
                compared=False,
            ),
        ),
    ),
    Part(
        "Oracles of one's own",
        "A policy, a domain, a gradient or draws may be supplied. The file says what the example does.",
        (
            Step("cat examples/supplied_family.py"),
            Step("cd examples; grpocheck run supplied_family.toml --supply supplied_family:supply"),
        ),
    ),
    Part(
        "What a word means",
        "Claims, statuses, errors and kinds of evidence: ask.",
        (
            Step("grpocheck explain undefined-gradient"),
            Step("grpocheck explain B2"),
            Step("grpocheck explain N3"),
        ),
    ),
    Part(
        "What is claimed, and what is not",
        "A1 to G5 are promised. N1 to N8 are not, and each of those is to be refuted by a witness.",
        (Step("grpocheck claims", 16, compared=False),),
    ),
    Part(
        "The evidence",
        "verify gathers it and says how strong it is. Here for one claim and one non-claim; without names, for all.",
        (Step("grpocheck verify G5 N4", compared=False, slow=True),),
    ),
    Part(
        "A property of one's own",
        "Write what you believe of a run. It is judged on this run, on every draw, or on every problem of its shape; "
        "what is refuted comes with a problem file that shows it.",
        (
            Step("grpocheck prove 'F_next >= F' examples/undefined_gradient.toml"),
            Step("grpocheck prove 'abs(ratio - 1) <= epsilon / 2' examples/undefined_gradient.toml"),
            Step("grpocheck prove --shelf", 12, compared=False),
        ),
    ),
    Part(
        "Every run there could have been",
        "A run depends on its draws. The law goes through all of them, with their probabilities.",
        (
            Step("grpocheck law examples/undefined_gradient.toml"),
            Step("grpocheck law examples/two_paths.toml --samples 40 --seed 1"),
        ),
    ),
    Part(
        "Whether draws have the law that they should have",
        "Recorded draws are compared with the exact masses of their policy. Fair draws are rejected with probability "
        "at most alpha, however long one goes on looking.",
        (
            Step("grpocheck run examples/complete_three_iterations.toml --seed 4 --trace drawn.jsonl | head -n 1"),
            Step("grpocheck draws run.jsonl drawn.jsonl"),
        ),
    ),
    Part(
        "What a method estimates",
        "The methods that people use are compositions of named parts. What they expect is computed, not sampled.",
        (
            Step("grpocheck estimator --methods", 14),
            Step(
                "grpocheck estimator reinforce-mean examples/undefined_gradient.toml --compare reinforce-leave-one-out "
                "--no-neighbours"
            ),
        ),
    ),
    Part(
        "A loss function",
        "conform finds out which objective somebody's loss computes, and the smallest input on which it departs. The "
        "file has two losses: one with the minimum of the clip, and one that forgot it.",
        (
            Step(
                "cd examples/lessons; grpocheck conform clip_losses:with_minimum --variant grpo-token --with kl=none",
                compared=False,
            ),
            Step(
                "cd examples/lessons; grpocheck conform clip_losses:without_minimum --variant grpo-token "
                "--with kl=none",
                compared=False,
            ),
        ),
    ),
    Part(
        "A training log",
        "audit reads what a trainer wrote down. In the third group of this log all rewards are equal, and it moved the "
        "policy all the same.",
        (
            Step("cut -c 1-110 examples/lessons/training_log.jsonl"),
            Step("grpocheck audit examples/lessons/training_log.jsonl", compared=False),
        ),
    ),
    Part(
        "Without a parameter",
        "The other group-relative system moves no parameter: a bank of expert factors re-weights a base model. Here "
        "the tests of a small coding task really run.",
        (Step("grpocheck training-free examples/training_free/fizzbuzz.toml --seed 1", 48, compared=False, slow=True),),
    ),
    Part(
        "Lessons",
        "Short pages with numbers computed as they are printed. Exercises have checked answers.",
        (
            Step("grpocheck lesson"),
            Step("grpocheck lesson clip-by-sign"),
            Step("grpocheck lesson clip-by-sign --answer -1.5"),
            Step("grpocheck lesson clip-by-sign --answer -2.4"),
            Step("grpocheck lesson kl-directions --json | sed -n '/\"kl-p-q\"/,/}/p'"),
        ),
    ),
    Part(
        "Vectors for another implementation",
        "Inputs with exact outputs, for anyone who writes the update in another language. The runner beside them needs "
        "nothing of grpocheck.",
        (
            Step("grpocheck vectors vectors.json", compared=False, slow=True),
            Step("head -c 400 vectors.json", compared=False, slow=True),
            Step("python3 examples/vectors/run_vectors.py vectors.json | tail -n 3", compared=False, slow=True),
        ),
    ),
)


def commands_shown() -> set[str]:
    """The verbs that some step uses."""
    found = set()
    for part in PARTS:
        for step in part.steps:
            found.update(re.findall(r"\bgrpocheck ([a-z][a-z-]*)", step.command))
    return found


def parts() -> tuple[Part, ...]:
    """The parts, and the help of every command that none of them uses."""
    from grpocheck.verifier.cli import app

    rest = [str(entry.name) for entry in app.registered_commands if entry.name not in commands_shown()]
    if not rest:
        return PARTS
    steps = tuple(Step(f"grpocheck {name} --help", compared=False) for name in rest)
    return (*PARTS, Part("And further", "What else there is, in its own words.", steps))


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder with a copy of examples/, and a ``grpocheck`` on its path that is this one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "work"
        shutil.copytree("examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        command = Path(name) / "bin" / "grpocheck"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m grpocheck "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        yield folder


def spoken(command: str, folder: Path) -> tuple[str, int]:
    """What a command line prints on either stream in a folder of workshop, and its exit status."""
    environment = {
        "PATH": f"{folder.parent / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(folder.parent),
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "100",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec 2>&1; {command}"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.returncode


def printed(step: Step, folder: Path) -> str:
    """What a command prints, durations masked, on either stream, with its exit status where that is not 0."""
    output, status = spoken(step.command, folder)
    return shortened(DURATION.sub(masked, output), status, step.most)


def shortened(output: str, status: int, most: int | None) -> str:
    """The first lines of an output, how many more there are, and the exit status where it is not 0."""
    lines = [line.rstrip() for line in output.rstrip("\n").splitlines()]
    if most is not None and len(lines) > most:
        lines = [*lines[:most], f"... ({len(lines) - most} more lines)"]
    if status:
        lines.append(f"[exit status {status}]")
    return "\n".join(lines)


def masked(match: re.Match[str]) -> str:
    """A duration whose digits are hidden."""
    return re.sub(r"\d", "#", match.group())


def block(step: Step, folder: Path) -> str:
    """A command and its output as a fenced block."""
    return "\n".join(filter(None, ["```console", f"$ {step.command}", printed(step, folder), "```\n"]))


def recorded_blocks(page: str) -> dict[str, str]:
    """The blocks of a page that was made before, by their commands."""
    return {found.group(1): found.group() for found in BLOCK.finditer(page)}


def transcript(chosen: Sequence[Part], kept: Mapping[str, str]) -> str:
    """The whole page; slow steps are taken from ``kept`` where they are in it."""
    pieces = [HEAD]
    with workshop() as folder:
        for part in chosen:
            pieces.append(f"## {part.title}\n\n{textwrap.fill(part.text, 118)}\n")
            for step in part.steps:
                known = kept.get(step.command) if step.slow else None
                pieces.append(block(step, folder) if known is None else known)
    return "\n".join(pieces)


def main(arguments: Sequence[str]) -> int:
    """Write the page to the path that is given; with --quick what is slow is kept from before."""
    names = [argument for argument in arguments if argument != QUICK]
    if len(names) != 1 or not Path("examples").is_dir():
        say(f"usage, where the folder examples is: python -m grpocheck.verifier.pages.transcript [{QUICK}] FILE")
        return BAD_INPUT
    path = Path(names[0])
    kept = recorded_blocks(path.read_text(encoding="utf-8")) if QUICK in arguments and path.exists() else {}
    write_text(path, transcript(parts(), kept))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
