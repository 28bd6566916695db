"""``python -m grpocheck.verifier.disputes.public``: settle the public disputes and write down what came out.

Reads the cases (tests/data/cases.json), settles each by the commands of its kind, else by formulas, writes the files of
the commands to examples/disputes and the numbers of the run to docs/disputes.md. It exits with 1 where a number is not
the case's, with 3 where one stays open. docs/own_disputes.md says how a case is written.
"""

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from grpocheck.core.arithmetic import enclose, parse_exact
from grpocheck.core.invalid import InvalidProblem, shortened
from grpocheck.core.values import known_keys
from grpocheck.core.variants.formulas import formula
from grpocheck.core.variants.registry import NAMED
from grpocheck.verifier.commands.estimator import EstimatorRequest, estimator_mapping
from grpocheck.verifier.disputes.kinds import Command, Number
from grpocheck.verifier.disputes.kinds import Path as Way
from grpocheck.verifier.disputes.kinds_kl import KINDS, Known
from grpocheck.verifier.disputes.lines import Line, Verdict
from grpocheck.verifier.disputes.roles import DECIMAL_COMMA
from grpocheck.verifier.disputes.settling import settle_by_formulas
from grpocheck.verifier.disputes.stating import stated_numbers
from grpocheck.verifier.disputes.values import close
from grpocheck.verifier.estimator.moments import TooManyCases
from grpocheck.verifier.estimator.report import composition_markdown, short
from grpocheck.verifier.failures import BAD_INPUT, REFUTED, UNDECIDED, BadOption, emit, say
from grpocheck.verifier.files import installed_example, json_of, read_whole, write_text

DIGITS = 45
"""Digits of the enclosures of irrational numbers."""
MOST_BYTES = 4_000_000
"""Bytes of a file of cases."""
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
SPECIAL = ("inf", "-inf", "nan")
"""What is no finite number."""


@dataclass(frozen=True)
class Dispute:
    """A case with its lines, the commands that gave them (none: formulas did), and the names of its files."""

    case: Mapping[str, Any]
    lines: tuple[Line, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[Command, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether every number is the case's, one is not, or one stays open."""
        found = {line.verdict for line in self.lines}
        if Verdict.DIFFERS in found:
            return Verdict.DIFFERS
        return Verdict.AGREES if found == {Verdict.AGREES} else Verdict.UNDECIDED

    @property
    def settled(self) -> bool:
        """Whether every number is the case's."""
        return self.verdict is Verdict.AGREES

    @property
    def word(self) -> str:
        """The verdict in a word."""
        return {Verdict.AGREES: "settled", Verdict.DIFFERS: "differs", Verdict.UNDECIDED: "undecided"}[self.verdict]


def file_name(case: Mapping[str, Any], name: str) -> str:
    """The name of a case's file in the folder of examples."""
    return f"{case['id']}-{name}"


def settle(case: Mapping[str, Any], digits: int = DIGITS) -> Dispute:
    """A case by the commands of its kind, where it names one or they give all its numbers, else by formulas."""
    checked(case)
    if "kind" in case:
        if case["kind"] not in KINDS:
            raise InvalidProblem(f"{case['id']}.kind", case["kind"], known_keys(str(case["kind"]), list(KINDS)))
        return by_commands(case, KINDS[case["kind"]], digits)
    if "compute" not in case:
        for kind in KINDS.values():
            if kind.fits(case["input"]):
                try:
                    dispute = by_commands(case, kind, digits)
                except (InvalidProblem, TooManyCases):
                    continue  # of these keys, but another question: formulas have no kind to be of
                if dispute.settled:
                    return dispute
    try:
        return Dispute(case, settle_by_formulas(case))
    except InvalidProblem as error:
        if error.key.startswith(f"{case['id']}."):
            raise
        raise InvalidProblem(f"{case['id']}.{error.key}", error.value, error.expected) from error


def checked(case: Mapping[str, Any]) -> None:
    """Raise InvalidProblem for what is no case."""
    name = str(case.get("id", "a case"))
    for key, kind in (("input", Mapping), ("right", Mapping), ("wrong", Mapping), ("compute", Mapping),
                      ("define", Mapping), ("declared", list)):  # fmt: skip
        if not isinstance(case.get(key, kind()), kind) if kind is list else not isinstance(case.get(key, {}), kind):
            raise InvalidProblem(f"{name}.{key}", case[key], "a list of words" if kind is list else "a table")
    for key in ("id", "input"):
        if key not in case:
            needs = "a case has id and input, and numbers in right or wrong"
            raise InvalidProblem(f"{name}.{key}", None, f"a value: the key is missing ({needs})")
    if not FILE_NAME.fullmatch(name):
        raise InvalidProblem("id", case["id"], "letters, digits, . _ and - (files of the case are named so)")
    for key, value in case.get("define", {}).items():
        if not isinstance(value, str):
            raise InvalidProblem(f"{name}.define.{key}", value, "a formula in a text")
    numbers = {f"{side}.{number}" for side, number, _ in stated_numbers(case)}
    for key, value in case.get("compute", {}).items():
        if key not in numbers:
            raise InvalidProblem(f"{name}.compute", key, f"a number of the case: {', '.join(sorted(numbers))}")
        if not isinstance(value, str) and not (isinstance(value, Mapping) and isinstance(value.get("words"), str)):
            raise InvalidProblem(f"{name}.compute.{key}", value, 'a formula, or {"words": "..."}')
    for side, number, value in stated_numbers(case):
        if isinstance(value, str) and DECIMAL_COMMA.fullmatch(value):
            raise InvalidProblem(f"{name}.{side}.{number}", value, "a number, with a point before its decimals")
    if not numbers:
        words = [f"{key}: {value!r:.40}" for side in ("right", "wrong") for key, value in case.get(side, {}).items()]
        expected = f"a number, right or wrong, to be settled; none is in {', '.join(words)[:200] or 'them'}"
        raise InvalidProblem(f"{name}.right", case.get("right"), expected)


def by_commands(case: Mapping[str, Any], kind: Known, digits: int) -> Dispute:
    """Run the commands of a kind and compare every number with the case's."""
    try:
        settled = kind.settled(case["input"])
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InvalidProblem(f"{case['id']}.input", str(error), "an input of this kind") from error
    answered = {(number.side, number.name) for number in settled.numbers}
    names = [(side, name) for side, name, _ in stated_numbers(case)]
    for side, name in names:
        if (side, name) not in answered:
            raise InvalidProblem(f"{case['id']}.{side}.{name}", name, "a number that the commands of its kind give")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in settled.files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")

        @cache
        def output(command: Command) -> Any:
            return estimator_mapping(request_of(command, Path(folder), digits))

        commands = tuple(dict.fromkeys(number.command for number in settled.numbers))
        lines = []
        for number in settled.numbers:
            stated = stated_number(case, number)
            if number.side != "also" and (number.side, number.name) not in names:
                continue
            found = turned(followed(output(number.command), number.path), number.sign)
            verdict = Verdict.AGREES if number.side == "also" or agree(stated, found) else Verdict.DIFFERS
            place = str(commands.index(number.command) + 1)
            lines.append(Line(number.side, number.name, stated, found, verdict, place))
    return Dispute(case, tuple(lines), settled.files, commands)


def request_of(command: Command, folder: Path, digits: int) -> EstimatorRequest:
    """A command as the request that the command line makes of it."""
    options: dict[str, Any] = {option.replace("-", "_"): value for option, value in command.options}
    if "group_size" in options:
        options["group_size"] = int(options["group_size"])
    return EstimatorRequest(
        command.variant, folder / command.file, command.parts, neighbours=False, digits=digits, **options
    )


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
    """Whether the numbers are the same: a text exactly, a float to twelve digits."""
    if isinstance(stated, list):
        alike = isinstance(found, list) and len(stated) == len(found)
        return alike and all(agree(a, b) for a, b in zip(stated, found, strict=True))
    if str(stated) in SPECIAL:
        return False  # the commands give finite numbers
    if isinstance(stated, str | int):
        try:
            return isinstance(found, str) and parse_exact(found) == parse_exact(str(stated))
        except ValueError:
            return False  # a text that is no number
    if not isinstance(stated, float):
        return False
    bounds = found if is_enclosure(found) else enclose(parse_exact(found), 30)
    return all(close(Fraction(end), stated) for end in bounds)


def page(disputes: Sequence[Dispute], folder: str) -> str:
    """The page of all disputes in Markdown, with the numbers of the run."""
    lines = [
        "# Public disputes, each settled by a finite computation",
        "",
        "Generated by `python -m grpocheck.verifier.disputes.public`: every number in the column *this run* comes",
        f"out of the command beside it, on the files in `{folder}`. *right* is what holds; *wrong* is what the fault,",
        "or the mistaken claim, gives, reproduced by the variant that has it; *also* answers what the question asks",
        "beside. Gradients are by softmax logits. Of a divergence alone (C19, C21, C27) the commands print what",
        "belongs to minus the divergence, and the sign is turned here. [own_disputes.md](own_disputes.md) says how to",
        "settle one of your own.",
        "",
        f"{sum(d.settled for d in disputes)} of {len(disputes)} settled.",
    ]
    return "\n".join([*lines, *sections(disputes, folder), ""])


def sections(disputes: Sequence[Dispute], folder: str) -> list[str]:
    """The parts of a page, one for each dispute."""
    return [line for dispute in disputes for line in ("", *section(dispute, folder))]


def section(dispute: Dispute, folder: str) -> list[str]:
    """The part of the page that is one dispute's."""
    case = dispute.case
    formulas = [] if dispute.commands else list(dict.fromkeys(line.how for line in dispute.lines if line.how))
    lines = [
        f"## {case['id']} · {case.get('topic', dispute.word)}",
        "",
        f"{case.get('source', 'no source')}. {case.get('question', '')}".strip(),
        "",
        f"| | number | the case | this run | {'command' if dispute.commands else 'formula'} |",
        "|---|---|---|---|---|",
    ]
    for line in dispute.lines:
        found = "-" if line.found is None and line.verdict is Verdict.UNDECIDED else in_words(line.found)
        found += "" if line.agrees else f" **{line.verdict.value}**"
        place = line.how if dispute.commands else formulas.index(line.how) + 1 if line.how else "-"
        lines.append(f"| {line.side} | {line.name} | {in_words(line.stated)} | {found} | {place} |")
    notes = [f"- {line.side} {line.name}: {line.note}" for line in dispute.lines if line.note]
    lines += [*([""] if notes else []), *notes, "", "```sh" if dispute.commands else "```"]
    for place, command in enumerate(dispute.commands, start=1):
        shown = Command(command.variant, file_name(case, command.file), command.parts, command.options).shown(folder)
        lines.append(f"{shown}  # {place}")
    lines += [f"{formula}  # {place}" for place, formula in enumerate(formulas, start=1)]
    return [*lines, "```"]


def in_words(value: Any) -> str:
    """A number or a list of numbers on the page."""
    if isinstance(value, list) and not is_enclosure(value):
        return ", ".join(in_words(entry) for entry in value)
    if isinstance(value, int | float) or value in SPECIAL:
        return str(value)
    try:
        return short(value)
    except ValueError:  # a text that a case states, and that is no number
        return shortened(str(value))


def read_cases(path: Path) -> list[Mapping[str, Any]]:
    """The cases of a file, a list of them or one; raises BadOption for a file that holds none."""
    try:
        read = json_of(read_whole(path, MOST_BYTES))
        json.dumps(read, ensure_ascii=False).encode()  # an error where half a character stands for one
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        raise BadOption("CASES", path, why, f"the JSON file of the cases{installed_example(path)}") from error
    cases = read if isinstance(read, list) else [read]
    if not cases or not all(isinstance(case, Mapping) for case in cases):
        raise BadOption("CASES", path, "it holds no cases", "a table with id, input, right and wrong, or a list")
    return cases


def main(arguments: Sequence[str]) -> int:
    """Settle all cases and write the page and the files; 1 when a number is not the case's."""
    parser = argparse.ArgumentParser(prog="python -m grpocheck.verifier.disputes.public", description=__doc__)
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
        emit(f"{dispute.case['id']} {dispute.word}: {dispute.case.get('topic', '')}")
    return status_of(disputes)


def status_of(disputes: Sequence[Dispute]) -> int:
    """0 where every number is its case's, 1 where one is not, 3 where one stays open."""
    found = {dispute.verdict for dispute in disputes}
    return REFUTED if Verdict.DIFFERS in found else UNDECIDED if Verdict.UNDECIDED in found else 0


def methods_page() -> str:
    """The table of named methods in Markdown."""
    return "\n".join(
        [
            "# Which named method is which composition",
            "",
            "Generated by `python -m grpocheck.verifier.disputes.public` from the compositions themselves. Each part",
            "can be exchanged: `grpocheck estimator NAME PROBLEM --with PART=WORD`, with the words of this table.",
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
