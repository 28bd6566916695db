"""A seeded sample of mutants of core: how many of them die on verification alone, and how many with the tests.

    python -m tests.mutants.sample [--size 300] [--seed 1] [--seconds 20] [--out FILE] [--page FILE] [--report]

Mutants come from cosmic-ray's operators; strings, annotations and decorators (so: contracts) are left as they are, and
of the arithmetic operators only + - * / stand in for one another, since core has no others to confuse. A result is a
line of the output file, written when it is known: an interrupted run goes on from there. The first line says of which
core the results are. Needs the extra [mutants].
"""

import argparse
import ast
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from tests.mutants.fast_tier import NEAREST, tier_of, verdict
from tests.mutants.figures import Figures, report
from tests.mutants.page import killers_of_the_catalogue, written_page
from tests.mutants.trees import ROOT, plant
from tests.mutants.warm import Answer, failing_test, in_a_child

LEFT_OUT = ("RemoveDecorator", "VariableInserter", "VariableReplacer", "NoOp", "ExceptionReplacer")
ARITHMETIC = ("Add", "Sub", "Mul", "Div")
TESTS = (
    ("variants/", ("tests/variants",)),
    ("tic/", ("tests/tic",)),
    ("training_free/", ("tests/training_free",)),
    ("arithmetic/", ("tests/arithmetic", "tests/update", "tests/problem")),
    ("", ("tests/update", "tests/problem", "tests/arithmetic")),
)
"""The beginning of a file's name in core, and the tests that are nearest to it; the first match counts."""

TEST_SECONDS = 180.0
"""The processor time that those tests may take; they take about 35 s."""


@dataclass(frozen=True)
class Mutant:
    """A place of core and what is done to it: the nth occurrence of an operator of cosmic-ray in a file."""

    file: str
    operator: str
    occurrence: int
    line: int


@cache
def operators() -> dict[str, object]:
    """cosmic-ray's operators that are used, by name."""
    from cosmic_ray.plugins import get_operator, operator_names

    chosen = {}
    for name in operator_names():
        short = name.partition("/")[2]
        parts = short.split("_")
        if short.startswith(LEFT_OUT) or (
            parts[0] == "ReplaceBinaryOperator" and not set(parts[1:]) <= set(ARITHMETIC)
        ):
            continue
        chosen[name] = get_operator(name)()
    return chosen


def kept_out(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The spans of decorators and annotations."""
    spans: list[ast.expr] = []
    for node in ast.walk(ast.parse(source)):
        spans.extend(getattr(node, "decorator_list", []))
        for name in ("annotation", "returns"):
            expression = getattr(node, name, None)
            if expression is not None:
                spans.append(expression)
    return [((s.lineno, s.col_offset), (s.end_lineno or 0, s.end_col_offset or 0)) for s in spans]


def core_files() -> list[Path]:
    """The files of core, in order."""
    return sorted((ROOT / "core").rglob("*.py"))


def population() -> Iterator[Mutant]:
    """Every mutant of core."""
    from cosmic_ray.ast import ast_nodes, get_ast

    for path in core_files():
        source = path.read_text(encoding="utf-8")
        spans, nodes = kept_out(source), list(ast_nodes(get_ast(source)))
        for name, operator in operators().items():
            occurrence = 0
            for node in nodes:
                for begin, _ in operator.mutation_positions(node):  # type: ignore[attr-defined]
                    if not any(start <= begin <= end for start, end in spans):
                        yield Mutant(str(path.relative_to(ROOT / "core")), name, occurrence, begin[0])
                    occurrence += 1


def mutated(mutant: Mutant) -> tuple[str, str, str]:
    """The mutated source, and the line before and after."""
    from cosmic_ray.mutating import mutate_code

    source = (ROOT / "core" / mutant.file).read_text(encoding="utf-8")
    changed = mutate_code(source, operators()[mutant.operator], mutant.occurrence)
    if changed is None:
        raise LookupError(f"{mutant}: no such occurrence")
    pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
    before, after = next((a.strip(), b.strip()) for a, b in pairs if a != b)
    return changed, before, after


def examine(tree: Path, mutant: Mutant, seconds: float) -> dict[str, object]:
    """One mutant: what it changes, and what kills it; the tests are asked where verification does not kill it."""
    source, before, after = mutated(mutant)
    entry: dict[str, object] = {**asdict(mutant), "before": before, "after": after}
    changed = tree / "grpocheck" / "core" / mutant.file
    original = changed.read_text(encoding="utf-8")
    changed.write_text(source, encoding="utf-8")
    try:
        entry["fast"], spent = in_a_child(tree, seconds, lambda: fast(tree, mutant.file))
        entry["seconds"] = round(spent, 1)
        if not entry["fast"]:
            paths = next(paths for start, paths in TESTS if mutant.file.startswith(start))
            entry["tests"], _ = in_a_child(tree, TEST_SECONDS, lambda: failing_test(paths))
    finally:
        changed.write_text(original, encoding="utf-8")
    return entry


def fast(tree: Path, file: str) -> Answer:
    """The fast tier, in the folder of the changed tree: the examples are looked for there."""
    os.chdir(tree)
    return verdict(tier_of(file))


def check_unchanged(tree: Path, seconds: float) -> None:
    """Nothing kills the tree without a change, in half of the time: what then takes all of it does not end."""
    for start in {names: start for start, names in NEAREST}.values():
        answer, spent = in_a_child(tree, seconds, lambda start=start: fast(tree, start))  # type: ignore[misc]
        print(f"core/{start or '...'}, unchanged: {spent:.1f} s", flush=True)
        if answer is not None or spent > seconds / 2:
            raise SystemExit(
                f"core/{start}: the unchanged tree: {answer}, {spent:.1f} s: expected to hold in half the time"
            )


def provenance(seed: int, seconds: float, size: int) -> dict[str, object]:
    """Of which core the results are, and how the sample was drawn."""
    digest = hashlib.sha256()
    for path in core_files():
        digest.update(path.read_bytes())
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    revision = done.stdout.strip() or "unknown"
    return {"revision": revision, "core": digest.hexdigest(), "seed": seed, "seconds": seconds, "population": size}


def main() -> int:
    """Draw the sample, examine what is not examined yet, report, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--report", action="store_true", help="only report what the output file holds")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "mutants.md")
    chosen = parser.parse_args()
    if not chosen.report:
        examine_all(chosen)
    figures = Figures(chosen.out)
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder))
        page = written_page(figures, killers_of_the_catalogue(Path(folder)))
    chosen.page.write_text(page, encoding="utf-8")
    print(f"written: {chosen.page}")
    return report(figures)


def examine_all(chosen: argparse.Namespace) -> None:
    """Draw the sample, and examine what is not examined yet."""
    everything = list(population())
    drawn = random.Random(chosen.seed).sample(everything, min(chosen.size, len(everything)))
    head = provenance(chosen.seed, chosen.seconds, len(everything))
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    lines = chosen.out.read_text(encoding="utf-8").splitlines() if chosen.out.exists() else []
    if lines and json.loads(lines[0])["core"] != head["core"]:
        raise SystemExit(f"{chosen.out}: its results are of another core: remove it to begin anew")
    if not lines:
        chosen.out.write_text(json.dumps(head) + "\n", encoding="utf-8")
    done = {(e["file"], e["operator"], e["occurrence"]) for e in map(json.loads, lines[1:])}
    print(f"{len(everything)} mutants, {len(drawn)} drawn, {len(done)} examined before", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        plant(tree)
        check_unchanged(tree, chosen.seconds)
        for number, mutant in enumerate(drawn, start=1):
            if (mutant.file, mutant.operator, mutant.occurrence) in done:
                continue
            entry = examine(tree, mutant, chosen.seconds)
            with chosen.out.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry) + "\n")
            killer = (entry["fast"] or entry["tests"] or {"nothing": "nothing"}).values()  # type: ignore[attr-defined]
            print(
                f"{number}: {mutant.file}:{mutant.line}: {entry['before']}  ->  {entry['after']}: {next(iter(killer))}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
