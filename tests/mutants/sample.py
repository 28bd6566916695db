"""A seeded sample of mutants of core, and how many of them die on verification alone, and with the tests.

    python -m tests.mutants.sample [--size 300] [--seed 1] [--seconds 20] [--out build/mutants.jsonl] [--report]

Mutants come from cosmic-ray's operators; strings, annotations and decorators (so: contracts) are left as they are, and
of the arithmetic operators only + - * / stand in for one another, since core has no others to confuse. A result is a
line of the output file, written when it is known: an interrupted run goes on from there. Needs the extra [mutants].
"""

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.mutants.trees import ROOT, fast_tier, plant

LEFT_OUT = ("RemoveDecorator", "VariableInserter", "VariableReplacer", "NoOp", "ExceptionReplacer")
ARITHMETIC = ("Add", "Sub", "Mul", "Div")
TESTS = ("tests/update", "tests/problem", "tests/arithmetic")


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


def sites() -> Iterator[tuple[str, str, int, int]]:
    """Every mutant as (file of core, operator, occurrence, line)."""
    from cosmic_ray.ast import ast_nodes, get_ast

    chosen = operators()
    for path in sorted((ROOT / "core").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        spans, tree = kept_out(source), get_ast(source)
        for name, operator in chosen.items():
            occurrence = 0
            for node in ast_nodes(tree):
                for begin, _ in operator.mutation_positions(node):
                    if not any(start <= begin <= end for start, end in spans):
                        yield str(path.relative_to(ROOT / "core")), name, occurrence, begin[0]
                    occurrence += 1


def mutated(file: str, operator: str, occurrence: int) -> tuple[str, str, str]:
    """The mutated source, and the line before and after."""
    from cosmic_ray.mutating import mutate_code

    source = (ROOT / "core" / file).read_text(encoding="utf-8")
    changed = mutate_code(source, operators()[operator], occurrence)
    if changed is None:
        raise LookupError(f"{file}: no occurrence {occurrence} of {operator}")
    pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
    before, after = next((a.strip(), b.strip()) for a, b in pairs if a != b)
    return changed, before, after


def tests_kill(tree: Path) -> bool:
    """Whether the tests of core fail on a changed tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=900, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode == 1 or done.returncode == 2


def examine(file: str, operator: str, occurrence: int, line: int, seconds: float) -> dict[str, object]:
    """One mutant: what it changes, and what killed it."""
    source, before, after = mutated(file, operator, occurrence)
    entry: dict[str, object] = {"file": file, "operator": operator, "occurrence": occurrence, "line": line}
    entry |= {"before": before, "after": after}
    with tempfile.TemporaryDirectory() as folder:
        core = plant(Path(folder))
        (core / file).write_text(source, encoding="utf-8")
        entry["fast"] = fast_tier(Path(folder), seconds)
        entry["tests"] = None if entry["fast"] else tests_kill(Path(folder))
    return entry


def interval(killed: int, size: int) -> tuple[float, float]:
    """The Wilson 95% interval of a proportion."""
    z, p = 1.96, killed / size
    centre, spread = p + z * z / (2 * size), z * ((p * (1 - p) + z * z / (4 * size)) / size) ** 0.5
    return (centre - spread) / (1 + z * z / size), (centre + spread) / (1 + z * z / size)


def report(out: Path, argued: list[dict[str, str]]) -> int:
    """Print the proportions and the survivors; the exit status says whether the targets are met."""
    entries = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    equal = {(entry["file"], entry["before"], entry["after"]) for entry in argued}
    known = [e for e in entries if (e["file"], e["before"], e["after"]) not in equal]
    fast, both = sum(bool(e["fast"]) for e in known), sum(bool(e["fast"] or e["tests"]) for e in known)
    print(f"{len(entries)} mutants, {len(entries) - len(known)} argued equivalent")
    for name, killed in (("verification alone", fast), ("with the tests", both)):
        low, high = interval(killed, len(known))
        print(f"{name}: {killed} of {len(known)} die, {killed / len(known):.1%} (95%: {low:.1%} to {high:.1%})")
    for entry in known:
        if not entry["fast"]:
            kept = "dies with the tests" if entry["tests"] else "SURVIVES"
            print(f"{kept}: {entry['file']}:{entry['line']}: {entry['before']}  ->  {entry['after']}")
    return 0 if fast >= 0.85 * len(known) and both >= 0.95 * len(known) else 1


def main() -> int:
    """Draw the sample, examine what is not examined yet, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--report", action="store_true")
    chosen = parser.parse_args()
    equivalents = Path(__file__).with_name("equivalents.json")
    argued = json.loads(equivalents.read_text(encoding="utf-8")) if equivalents.exists() else []
    if not chosen.report:
        population = list(sites())
        drawn = random.Random(chosen.seed).sample(population, min(chosen.size, len(population)))
        chosen.out.parent.mkdir(exist_ok=True)
        done = set()
        if chosen.out.exists():
            lines = map(json.loads, chosen.out.read_text(encoding="utf-8").splitlines())
            done = {(e["file"], e["operator"], e["occurrence"]) for e in lines}
        print(f"{len(population)} mutants, {len(drawn)} drawn, {len(done)} examined before", flush=True)
        for number, (file, operator, occurrence, line) in enumerate(drawn, start=1):
            if (file, operator, occurrence) in done:
                continue
            entry = examine(file, operator, occurrence, line, chosen.seconds)
            with chosen.out.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry) + "\n")
            killer = entry["fast"]["evidence"] if entry["fast"] else "tests" if entry["tests"] else "nothing"
            print(f"{number}: {file}:{line}: {entry['before']}  ->  {entry['after']}: {killer}", flush=True)
    return report(chosen.out, argued)


if __name__ == "__main__":
    sys.exit(main())
