"""What a sample of mutants says: the proportions with their intervals, and every mutant that lived."""

import json
from pathlib import Path

FAST_TARGET, BOTH_TARGET = 0.85, 0.95


def interval(killed: int, size: int) -> tuple[float, float]:
    """The Wilson 95% interval of a proportion."""
    z, p = 1.96, killed / size
    centre, spread = p + z * z / (2 * size), z * ((p * (1 - p) + z * z / (4 * size)) / size) ** 0.5
    return (centre - spread) / (1 + z * z / size), (centre + spread) / (1 + z * z / size)


def report(out: Path) -> int:
    """Print the proportions and the survivors; the exit status says whether the targets are met."""
    head, *entries = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    argued = json.loads(Path(__file__).with_name("equivalents.json").read_text(encoding="utf-8"))
    equal = {(entry["file"], entry["before"], entry["after"]) for entry in argued}
    known = [e for e in entries if (e["file"], e["before"], e["after"]) not in equal]
    fast, both = sum(bool(e["fast"]) for e in known), sum(bool(e["fast"] or e["tests"]) for e in known)
    print(f"core at {head['revision'][:12]}: {len(entries)} of {head['population']} mutants, seed {head['seed']}")
    print(f"{len(entries) - len(known)} argued equivalent")
    for name, killed in (("verification alone", fast), ("with the tests", both)):
        low, high = interval(killed, len(known))
        print(f"{name}: {killed} of {len(known)} die, {killed / len(known):.1%} (95%: {low:.1%} to {high:.1%})")
    for entry in known:
        if not entry["fast"]:
            kept = f"dies with {entry['tests'].get('test', 'time')}" if entry["tests"] else "SURVIVES"
            print(f"{kept}: {entry['file']}:{entry['line']}: {entry['before']}  ->  {entry['after']}")
    return 0 if fast >= FAST_TARGET * len(known) and both >= BOTH_TARGET * len(known) else 1
