"""The commands that write files, an example of each, and how its whole file is told from any other."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grpocheck.core import read_problem, read_trace
from grpocheck.core.training_free.trace import HEAD

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
OUT = "OUT"


@dataclass(frozen=True)
class Writing:
    """A command, OUT standing for the file that it writes; ``whole`` raises unless a file is all of one result."""

    arguments: tuple[str, ...]
    whole: Callable[[Path], None]
    exits: int = 0
    seconds: float = 3.0
    """About as long as it takes: when it is killed is drawn from this."""
    replaces: bool = True
    """Whether it writes over an older file."""

    def at(self, out: Path) -> list[str]:
        """The arguments with a path in place of OUT."""
        return [str(out) if argument == OUT else argument for argument in self.arguments]


def whole_trace(path: Path) -> None:
    """Every line is an event, the last one the outcome."""
    *_, (_, last) = read_trace(path)
    assert last["event"] == "outcome"


def whole_page(path: Path) -> None:
    """A page from its first tag to its last."""
    text = path.read_text(encoding="utf-8").strip()
    assert text.lower().startswith("<!doctype html>")
    assert text.endswith("</html>")


def whole_json(path: Path) -> None:
    """One JSON document and no more."""
    assert isinstance(json.loads(path.read_text(encoding="utf-8")), dict)


def whole_problem(path: Path) -> None:
    """A problem that can be read."""
    read_problem(path)


def whole_plot(path: Path) -> None:
    """An SVG picture from its first tag to its last."""
    text = path.read_text(encoding="utf-8").strip()
    assert text.startswith("<svg")
    assert text.endswith("</svg>")


def whole_markdown(path: Path) -> None:
    """A page of disputes from its title to the end of its last list of commands."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Disputes\n")
    assert text.endswith("```\n")


def whole_record(path: Path) -> None:
    """A training-free trace whose last line is the outcome."""
    content = path.read_bytes()
    assert content.startswith(HEAD)
    assert content.endswith(b"\n")
    assert json.loads(content.splitlines()[-1])["event"] == "outcome"


EXAMPLE = str(EXAMPLES / "undefined_gradient.toml")
LOG = str(EXAMPLES / "audit" / "run.jsonl")
TASK = str(EXAMPLES / "training_free" / "fizzbuzz.toml")

COMMANDS = {
    "run": Writing(("run", str(EXAMPLES / "two_paths.toml"), "--seed", "1", "--trace", OUT), whole_trace),
    "new": Writing(("new", "softmax", "--out", OUT), whole_problem, replaces=False, seconds=1.5),
    "prove": Writing(("prove", "F_next < F", EXAMPLE, "--out", OUT), whole_problem, exits=1, seconds=2.5),
    "audit-sarif": Writing(("audit", LOG, "--sarif", OUT), whole_json, exits=1),
    "audit-html": Writing(("audit", LOG, "--html", OUT), whole_page, exits=1),
    "estimator": Writing(("estimator", "section-1", EXAMPLE, "--plot", OUT), whole_plot),
    "dispute": Writing(("dispute", str(EXAMPLES / "disputes" / "own.json"), "--page", OUT), whole_markdown),
    "vectors": Writing(("vectors", OUT), whole_json, seconds=8.0),
    "training-free": Writing(
        ("training-free", TASK, "--seed", "1", "--trace", OUT), whole_record, replaces=False, seconds=25.0
    ),
}
QUICK = ("run", "new", "audit-sarif", "audit-html")
