"""Coq as a tool: what is missing, a build folder named by content, the build, coqchk, and questions to the kernel.

Nothing here knows which theorems are wanted. A build folder is a copy of the sources under the digest of their
content, so that what is checked is what stands in the sources, whatever the times of the files.
"""

import fcntl
import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent / "coq"
BUILDS = Path("build/kernel")
"""Where build folders are made: below the working folder, like everything else that is built."""

TOOLS = ("coqc", "coqchk", "coq_makefile", "ocamlfind", "make")
ENABLE = "make proofs-setup"

FORBIDDEN = re.compile(r"\b(?:admit|give_up|bypass_check)\b|-type-in-type|-impredicative-set")
"""Tactics that leave something unproved, and flags that switch a check of the kernel off."""

DEFINING = ("Definition", "Fixpoint", "Record", "Inductive")
"""The commands that define something; each definition is recorded."""

COMMANDS = {
    *DEFINING,
    *("Lemma", "Theorem", "Corollary", "Proof", "Qed", "Defined"),
    *("Section", "End", "Variable", "Variables", "Hypothesis", "Context", "Implicit", "Arguments", "Notation", "Ltac"),
    *("From", "Require", "Import", "Open", "Extraction"),
}
"""The commands that the sources may use. Others leave something unproved (Admitted, Axiom), switch a check off (Unset),
define what is not recorded (Example, Instance, Module), or put other code in the place of the model's (Extract)."""

PRELUDE = ("From Coquelicot Require Import Coquelicot.", "Require Import Reals List.", "Open Scope R_scope.")
"""What comes before a question, so that answers are printed in the notations of the sources."""

PRINTING = ("Set Printing Width 110.", "Set Printing Depth 1000000.")
"""How answers are printed, after everything that might have it otherwise: whole, whatever their depth."""

COMMENT = re.compile(r'"[^"]*"|\(\*|\*\)')
COMMAND = re.compile(r"[-+*{}\s]*+(?:\d+\s*:[\s{]*+)?+([A-Z]\w*|[^\s\w(]\S*)(?:\s+(\w+))?")
"""A command at the beginning of a sentence, behind the marks that open or close a part of a proof, and the word after
it. Tactics begin with a small letter."""


class CoqFailure(Exception):  # noqa: N818 - what Coq says, not an error of ours
    """Coq refuses something; the message is its own, in one line."""


def missing_tools() -> list[str]:
    """What has to be installed before anything can be checked; empty where all is there."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return missing
    where = subprocess.run(["coqc", "-where"], capture_output=True, text=True, check=False)
    library = Path(where.stdout.strip()) / "user-contrib" / "Coquelicot"
    return [] if library.is_dir() else ["Coquelicot"]


def sources(folder: Path) -> list[Path]:
    """The files of a development: those of its _CoqProject in their order, then what the build needs beside them."""
    project = folder / "_CoqProject"
    listed = [line.strip() for line in project.read_text(encoding="utf-8").splitlines() if line.strip().endswith(".v")]
    return [folder / name for name in (*listed, "_CoqProject", "Makefile", "driver.ml")]


def modules(folder: Path) -> list[str]:
    """The modules of a development, in the order of its _CoqProject."""
    return [path.stem for path in sources(folder) if path.suffix == ".v"]


def without_comments(text: str) -> str:
    """Coq source with its comments, which nest, replaced by blanks; marks in a text between quotes are no comments."""
    kept, depth, position = [], 0, 0
    for mark in COMMENT.finditer(text):
        if mark.group().startswith('"'):
            continue
        if depth == 0:
            kept.append(text[position : mark.start()])
        depth = depth + 1 if mark.group() == "(*" else max(0, depth - 1)
        position = mark.end()
    return " ".join([*kept, text[position:] if depth == 0 else ""])


def commands(path: Path) -> Iterator[tuple[str, str]]:
    """Every command of a file, in order, with the word that follows it: the name of what it defines, if it does."""
    text = without_comments(path.read_text(encoding="utf-8"))
    for sentence in re.split(r"\.(?=\s|$)", text):
        if command := COMMAND.match(sentence):
            yield command.group(1), command.group(2) or ""


def forbidden_words(folder: Path) -> list[str]:
    """Every place in the sources, comments aside, where something may be left unproved, unchecked or unrecorded."""
    found = []
    for path in sources(folder):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".v":
            text = without_comments(text)
            found += [f"{path.name}: {command}" for command, _ in commands(path) if command not in COMMANDS]
        found += [f"{path.name}: {match.group()}" for match in FORBIDDEN.finditer(text)]
    return found


def content_digest(folder: Path) -> str:
    """SHA-256 over the names and contents of the sources."""
    total = hashlib.sha256()
    for path in sources(folder):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


@dataclass(frozen=True)
class Summary:
    """What coqchk says of everything that was loaded: its axioms by their whole names, and what escaped a check."""

    axioms: tuple[str, ...]
    unchecked: tuple[str, ...]


class Development:
    """A development in a build folder of its own."""

    def __init__(self, source: Path, builds: Path) -> None:
        """The development whose sources are in a folder, to be built in a folder below ``builds``."""
        self.source = source
        self.folder = builds / content_digest(source)[:16]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the build folder against other processes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def build(self, seconds: float) -> None:
        """Compile every theorem and the extracted model; what is built already is not built again."""
        with self._alone():
            for path in sources(self.source):
                copy = self.folder / path.name
                if not copy.exists() or copy.read_bytes() != path.read_bytes():
                    shutil.copyfile(path, copy)
            self._call(["make", "--no-print-directory", "build"], seconds)

    def check(self, seconds: float) -> Summary:
        """Have coqchk check all that was built, and everything that it rests on, once more."""
        names = [f"Grpo.{module}" for module in modules(self.source)]
        output = self._call(["coqchk", "-silent", "-o", "-Q", ".", "Grpo", *names], seconds)
        return read_summary(output)

    def ask(self, questions: Mapping[str, str], seconds: float) -> dict[str, str | CoqFailure]:
        """The answer to each question, a command of Coq under a name; CoqFailure where the kernel has none."""
        answers: dict[str, str | CoqFailure] = {}
        waiting = dict(questions)
        while waiting:
            text, failure = self._answers(waiting, seconds)
            answered = dict(split_answers(text))
            if failure is None:
                return {**answers, **answered}
            # The question under the last mark is the one that failed: leave it out and ask the others again.
            *_, failed = answered
            answers[failed] = CoqFailure(failure)
            del waiting[failed]
        return answers

    def _answers(self, questions: Mapping[str, str], seconds: float) -> tuple[str, str | None]:
        """What Coq prints on a file of questions, and its error message if it stops."""
        lines = [*PRELUDE, f"From Grpo Require Import {' '.join(modules(self.source))}.", *PRINTING]
        for name, command in questions.items():
            lines += [f'Goal True. idtac "@@ {name}". Abort.', command]
        with self._alone():
            (self.folder / "Questions.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
            done = self._run(["coqc", "-q", "-w", "none", "-Q", ".", "Grpo", "Questions.v"], seconds)
        if done.returncode != 0 and "@@ " not in done.stdout:
            raise CoqFailure(one_line(done.stderr))
        return done.stdout, None if done.returncode == 0 else one_line(done.stderr)

    def _call(self, command: Sequence[str], seconds: float) -> str:
        """The output of a command that has to succeed, with what it writes to standard error (coqchk its summary)."""
        done = self._run(command, seconds)
        if done.returncode != 0:
            raise CoqFailure(f"{command[0]} ended with {done.returncode}: {one_line(done.stderr or done.stdout)}")
        return done.stdout + done.stderr

    def _run(self, command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
        """Run a command in the build folder, for at most so many seconds."""
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=max(1.0, seconds), check=False
        )


def one_line(text: str) -> str:
    """A message of Coq in one line, without its progress and make's own words unless there are no others."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith(("make", "COQ"))]
    return " ".join(kept or lines[-3:])[:500]


def split_answers(text: str) -> Iterator[tuple[str, str]]:
    """The answers between the marks of Coq's output, each with the name of its question."""
    for part in text.split("@@ ")[1:]:
        name, _, answer = part.partition("\n")
        yield name.strip(), answer.strip()


def axioms_in(answer: str) -> tuple[str, ...]:
    """The names of the axioms that Print Assumptions lists, the last component only; empty if closed."""
    if "Closed under the global context" in answer:
        return ()
    names = re.findall(r"^([A-Za-z_][\w.']*)(?=\s*(?::|$))", answer, re.MULTILINE)
    return tuple(sorted({name.rpartition(".")[2] for name in names if name != "Axioms"}))


def read_summary(output: str) -> Summary:
    """The axioms of coqchk's context summary, and every other entry of it that is not empty."""
    sections: dict[str, list[str]] = {}
    heading = ""
    for line in output.splitlines():
        if line.startswith("* "):
            heading, _, rest = line[2:].partition(":")
            sections[heading] = [rest.strip()] if rest.strip() not in ("", "<none>") else []
        elif heading and line.startswith("    ") and line.strip():
            sections[heading].append(line.strip())
    if "Axioms" not in sections:
        raise CoqFailure("coqchk printed no context summary")
    theory = sections.pop("Theory", [])
    unchecked = [] if theory == ["Set is predicative"] else [f"Theory: {', '.join(theory)}"]
    axioms = sections.pop("Axioms")
    unchecked += [f"{heading}: {name}" for heading, names in sections.items() for name in names]
    return Summary(tuple(axioms), tuple(unchecked))


def defined_names(folder: Path) -> Iterable[tuple[str, str]]:
    """Every definition of the sources, as (module, name), in order; what a section assumes is no definition."""
    for path in sources(folder):
        if path.suffix == ".v":
            yield from ((path.stem, name) for command, name in commands(path) if command in DEFINING)
