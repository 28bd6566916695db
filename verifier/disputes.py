"""``python -m grpocheck.verifier.disputes``: settle the public disputes and write down what came out.

Reads the cases (tests/data/cases.json), runs for each the commands that settle it, writes their files to
examples/disputes and the numbers of the run to docs/disputes.md. A number that is not the case's makes it exit with 1.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from grpocheck.core.arithmetic import enclose, parse_exact
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.formulas import formula
from grpocheck.core.variants.registry import NAMED
from grpocheck.verifier.commands_estimator import EstimatorRequest, estimator_mapping
from grpocheck.verifier.dispute_kinds import Command, Number
from grpocheck.verifier.dispute_kinds import Path as Way
from grpocheck.verifier.dispute_kinds_kl import KINDS
from grpocheck.verifier.estimator_report import composition_markdown, short
from grpocheck.verifier.failures import BAD_INPUT, REFUTED, BadOption, emit, say
from grpocheck.verifier.files import write_text

DIGITS = 45
"""Digits of the enclosures of irrational numbers."""
IN_WORDS = ("convention", "rule", "claim", "equals", "closed_form", "k3_equals")
"""What a case says in words beside its numbers."""
CLOSENESS = Fraction(1, 10**12)
"""How far a float of a case may lie from the number it rounds."""


@dataclass(frozen=True)
class Line:
    """One number of a case: what the tracker's side holds, what the command gave, and whether they agree."""

    number: Number
    stated: Any
    found: Any
    agrees: bool


@dataclass(frozen=True)
class Dispute:
    """A case with its lines and the names of its files."""

    case: Mapping[str, Any]
    files: Mapping[str, str]
    lines: tuple[Line, ...]

    @property
    def settled(self) -> bool:
        """Whether every number is the case's."""
        return all(line.agrees for line in self.lines)


def file_name(case: Mapping[str, Any], name: str) -> str:
    """The name of a case's file in the folder of examples."""
    return f"{case['id']}-{name}"


def settle(case: Mapping[str, Any], digits: int = DIGITS) -> Dispute:
    """Run the commands of a case and compare every number with it."""
    settled = KINDS[str(case.get("kind", case["id"]))](case["input"])
    answered = {(number.side, number.name) for number in settled.numbers}
    for side, name in stated_names(case):
        if (side, name) not in answered:
            raise InvalidProblem(f"{case['id']}.{side}.{name}", name, "a number that the commands of its kind give")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in settled.files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")

        @cache
        def output(command: Command) -> Any:
            return estimator_mapping(request_of(command, Path(folder), digits))

        lines = []
        for number in settled.numbers:
            stated = stated_number(case, number)
            found = turned(followed(output(number.command), number.path), number.sign)
            lines.append(Line(number, stated, found, agree(stated, found)))
    return Dispute(case, settled.files, tuple(lines))


def request_of(command: Command, folder: Path, digits: int) -> EstimatorRequest:
    """A command as the request that the command line makes of it."""
    options: dict[str, Any] = {option.replace("-", "_"): value for option, value in command.options}
    if "group_size" in options:
        options["group_size"] = int(options["group_size"])
    return EstimatorRequest(
        command.variant, folder / command.file, command.parts, neighbours=False, digits=digits, **options
    )


def stated_names(case: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The names of all numbers that a case states, each with its side; one in a table is ``table.key``."""

    def names(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
        for key, value in values.items():
            if isinstance(value, Mapping):
                yield from names(value, f"{prefix}{key}.")
            elif key not in IN_WORDS:
                yield prefix + key

    return [(side, name) for side in ("right", "wrong") for name in names(case.get(side, {}))]


def stated_number(case: Mapping[str, Any], number: Number) -> Any:
    """What a case states under a name, which may lead into a table: ``table.key``; None for what it does not state."""
    stated: Any = case.get(number.side, {})
    for key in number.name.split("."):
        stated = stated.get(key)
        if stated is None:
            return None
    return stated


def followed(output: Any, path: Way) -> Any:
    """What stands at the end of a path: * takes every entry, ``ratio`` the first multiplier of a list to the second."""
    for place, step in enumerate(path):
        if step == "*":
            return [followed(entry, path[place + 1 :]) for entry in output]
        if step == "ratio":
            first, second = (parse_exact(entry["multiplier"]) for entry in output)
            return str(first / second)
        output = output[step]
    return output


def turned(found: Any, sign: int) -> Any:
    """The number, or minus it."""
    if sign == 1:
        return found
    if isinstance(found, str):
        return str(-parse_exact(found))
    if is_enclosure(found):
        return [negated(found[1]), negated(found[0])]
    return [turned(entry, sign) for entry in found]


def negated(decimal: str) -> str:
    """A decimal with the other sign."""
    return decimal[1:] if decimal.startswith("-") else f"-{decimal}"


def is_enclosure(found: Any) -> bool:
    """Whether a value of the output is an enclosure: two decimals, which no vector of exact numbers is written as."""
    if not (isinstance(found, list) and len(found) == 2 and all(isinstance(end, str) for end in found)):
        return False
    return all("." in end and "/" not in end for end in found)


def agree(stated: Any, found: Any) -> bool:
    """Whether the numbers are the same: a text exactly, a float to CLOSENESS; nothing is stated where it is None."""
    if stated is None:
        return True
    if isinstance(stated, list):
        return len(stated) == len(found) and all(agree(a, b) for a, b in zip(stated, found, strict=True))
    if isinstance(stated, str | int):
        return isinstance(found, str) and parse_exact(found) == parse_exact(str(stated))
    bounds = found if is_enclosure(found) else enclose(parse_exact(found), 30)
    return all(abs(Fraction(end) - Fraction(stated)) <= CLOSENESS for end in bounds)


def page(disputes: Sequence[Dispute], folder: str) -> str:
    """The page of all disputes in Markdown, with the numbers of the run."""
    lines = [
        "# Public disputes, each settled by a finite computation",
        "",
        "Generated by `python -m grpocheck.verifier.disputes`: every number in the column *this run* comes out of the",
        f"command beside it, on the files in `{folder}`. *right* is what holds; *wrong* is what the fault, or the",
        "mistaken claim, gives, reproduced by the variant that has it; *also* answers what the question asks beside.",
        "Gradients are by softmax logits. Of a divergence alone (C19, C21, C27) the commands print what belongs to",
        "minus the divergence, and the sign is turned here.",
        "",
        f"{sum(d.settled for d in disputes)} of {len(disputes)} settled.",
    ]
    for dispute in disputes:
        lines += ["", *section(dispute, folder)]
    return "\n".join([*lines, ""])


def section(dispute: Dispute, folder: str) -> list[str]:
    """The part of the page that is one dispute's."""
    case = dispute.case
    commands = list(dict.fromkeys(line.number.command for line in dispute.lines))
    lines = [
        f"## {case['id']} · {case['topic']}",
        "",
        f"{case['source']}. {case['question']}",
        "",
        "| | number | the case | this run | command |",
        "|---|---|---|---|---|",
    ]
    for line in dispute.lines:
        found = in_words(line.found) + ("" if line.agrees else " **differs**")
        place = commands.index(line.number.command) + 1
        lines.append(f"| {line.number.side} | {line.number.name} | {in_words(line.stated)} | {found} | {place} |")
    lines += ["", "```sh"]
    for place, command in enumerate(commands, start=1):
        shown = Command(command.variant, file_name(case, command.file), command.parts, command.options).shown(folder)
        lines.append(f"{shown}  # {place}")
    return [*lines, "```"]


def in_words(value: Any) -> str:
    """A number or a list of numbers on the page."""
    if isinstance(value, list) and not is_enclosure(value):
        return ", ".join(in_words(entry) for entry in value)
    return str(value) if isinstance(value, int | float) else short(value)


def read_cases(path: Path) -> list[Mapping[str, Any]]:
    """The cases of a file; raises BadOption for a file that holds none."""
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadOption("--cases", path, str(error), "the JSON file of the cases") from error
    known = [str(case.get("kind", case["id"])) for case in cases]
    unknown = next((kind for kind in known if kind not in KINDS), None)
    if unknown is not None:
        raise BadOption("--cases", unknown, "there is no such kind", f"one of {', '.join(KINDS)}")
    return list(cases)


def main(arguments: Sequence[str]) -> int:
    """Settle all cases and write the page and the files; 1 when a number is not the case's."""
    parser = argparse.ArgumentParser(prog="python -m grpocheck.verifier.disputes", description=__doc__)
    parser.add_argument("--cases", type=Path, default=Path("tests/data/cases.json"), help="the cases")
    parser.add_argument("--page", type=Path, default=Path("docs/disputes.md"), help="where the page goes")
    parser.add_argument("--files", type=Path, default=Path("examples/disputes"), help="where the files of the cases go")
    parser.add_argument("--methods", type=Path, default=Path("docs/methods.md"), help="where the table of methods goes")
    chosen = parser.parse_args(arguments)
    try:
        disputes = [settle(case) for case in read_cases(chosen.cases)]
    except (BadOption, InvalidProblem) as error:
        say(f"grpocheck: {error}")
        return BAD_INPUT
    for path in (chosen.page, chosen.methods, chosen.files / "any"):
        path.parent.mkdir(parents=True, exist_ok=True)
    for dispute in disputes:
        for name, text in dispute.files.items():
            write_text(chosen.files / file_name(dispute.case, name), text)
    write_text(chosen.page, page(disputes, chosen.files.as_posix()))
    write_text(chosen.methods, methods_page())
    for dispute in disputes:
        emit(f"{dispute.case['id']} {'settled' if dispute.settled else 'differs'}: {dispute.case['topic']}")
    return 0 if all(dispute.settled for dispute in disputes) else REFUTED


def methods_page() -> str:
    """The table of named methods in Markdown."""
    return "\n".join(
        [
            "# Which named method is which composition",
            "",
            "Generated by `python -m grpocheck.verifier.disputes` from the compositions themselves. Each part can be",
            "exchanged: `grpocheck estimator NAME PROBLEM --with PART=WORD`, with the words of this table.",
            "",
            composition_markdown(list(NAMED.values())),
            "",
            "## Formulas",
            "",
            "Of an objective that is raised, written from the same parts. l runs over the M prompts, i over the G",
            "responses of a group, h over the L_i active tokens of a response; w_h is the ratio of a token, s the",
            "population deviation of the group's rewards, and sg[.] is not differentiated. What has `A log pi` is",
            "given by its gradient.",
            "",
            *(f"- {variant.name} ({variant.source}): `{formula(variant)}`" for variant in NAMED.values()),
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
